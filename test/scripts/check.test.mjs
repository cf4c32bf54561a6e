import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { run } from "../../scripts/setup/child.mjs";

const check = fileURLToPath(new URL("../../scripts/check.mjs", import.meta.url));

it("the code is formatted, linted and typed, and holds nothing dead (npm run check)", async () => {
  const { code, last } = await run(process.execPath, [check]);
  expect(code, last.join("\n")).toBe(0);
});
