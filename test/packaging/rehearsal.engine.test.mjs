import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { run } from "../../scripts/setup/child.mjs";

const root = join(import.meta.dirname, "..", "..");
const { DOCSIGN_TEST_ENGINE_MISSING, DOCSIGN_TEST_PYTHON_MISSING, DOCSIGN_TEST_SDKS_MISSING } = process.env;
const missing = DOCSIGN_TEST_ENGINE_MISSING ?? DOCSIGN_TEST_PYTHON_MISSING ?? DOCSIGN_TEST_SDKS_MISSING;

// The only test that asks package registries: for what our packages depend on, as those who install them do.
it("what a release publishes is installed as the page says, in each language, signs a contract, and goes on with the next version", async context => {
  // Without an engine, Python or Go there is nothing to install with; the note says which.
  if (missing) context.skip(missing);
  // As a person starts it: set-up's own variables are for tests.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(DOCSIGN|VITEST)/.test(name)));
  const { code, last } = await run(process.execPath, [join(root, "scripts", "release.mjs"), "--rehearse"], {
    cwd: root,
    env,
    onLine: line => console.log(line),
  });
  expect(code, last.join("\n")).toBe(0);

  const report = readFileSync(join(root, "dist", "rehearsal.md"), "utf8");
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const next = version.replace(/\d+$/, patch => Number(patch) + 1);
  for (const each of [version, next])
    for (const file of [
      `npm/-files/pulumi-docsign-${each}.tgz`,
      `wheels/pulumi_docsign-${each}-py3-none-any.whl`,
      `modules/github.com/pulumi-docsign/pulumi-docsign/sdk/go/@v/v${each}.zip`,
      `plugins/pulumi-resource-docsign-v${each}-`,
    ])
      expect(report).toContain(file);
  for (const language of ["YAML", "TypeScript", "Python", "Go"]) expect(report).toContain(`### ${language}\n`);
  // Without Maven there is nothing to install Java's with, and the report says so.
  expect(report).toMatch(/^(### Java|Not in Java: Maven is not on PATH)$/m);
});
