import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { INTERNAL, PROVIDER } from "../../sdk/front-end.js";

const root = join(import.meta.dirname, "../..");
const bundle = join(root, "dist/sdk/index.cjs");

/** Modules a program loads by declaring a document, beyond those that Pulumi's own SDK loads. */
function loadedBy(program: string): string[] {
  const script = `
    const pulumi = require("@pulumi/pulumi");
    const before = new Set(Object.keys(require.cache));
    ${program}
    process.stdout.write(JSON.stringify(Object.keys(require.cache).filter(path => !before.has(path))));
  `;
  return JSON.parse(execFileSync(process.execPath, ["-e", script], { cwd: root, encoding: "utf8" }));
}

test.skipIf(!existsSync(bundle))("importing the SDK loads one small file: no HTTP, no zod, none of the rules", () => {
  expect(loadedBy(`require(${JSON.stringify(bundle)});`)).toEqual([bundle]);
  const text = readFileSync(bundle, "utf8");
  expect(text.length).toBeLessThan(24_000);
  expect(text).not.toMatch(/undici|zod/);
});

test("what state holds as __provider is for ever", () => {
  expect(PROVIDER).toBe(readFileSync(join(import.meta.dirname, "fixtures/provider.txt"), "utf8"));
  expect(PROVIDER.length).toBeLessThanOrEqual(300);
  expect(INTERNAL).toEqual({
    provider: "__provider",
    key: "resourceKey",
    secretInputs: "secretInputs",
    given: "given",
    preview: "__preview",
    import: "__import",
    lookup: "__lookup",
    timeouts: "__timeouts",
    unfinished: "__unfinished",
  });
});

test("the package leads from what state holds to the code, and the plugin host to the plugin", () => {
  const { main, exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect(exports["./runtime"].default).toBe("./dist/sdk/runtime.cjs");
  expect(main).toBe("./dist/plugin.cjs");
});
