import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { packageDeclaration, packageSchema } from "../../scripts/docgen/package-schema.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const engine = process.env["DOCSIGN_TEST_ENGINE"];

it("schema.json is what the declarations say", async () => {
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const wanted = `${JSON.stringify(packageSchema({ version, ...packageDeclaration }), null, 2)}\n`;
  const text = await readFile(join(root, "schema.json"), "utf8").catch(() => "");
  expect(text === wanted, "schema.json is stale: run `node scripts/schema.mjs`").toBe(true);
});

it.skipIf(!engine)("the engine finds nothing wrong with schema.json", async () => {
  const home = await mkdtemp(join(tmpdir(), "docsign-schema-"));
  try {
    const { stdout, stderr } = await promisify(execFile)(
      join(engine ?? "", "pulumi"),
      ["schema", "check", join(root, "schema.json")],
      { env: { ...process.env, PULUMI_HOME: home, PULUMI_SKIP_UPDATE_CHECK: "true" } },
    );
    expect(`${stdout}${stderr}`).not.toMatch(/error|warning/i);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});
