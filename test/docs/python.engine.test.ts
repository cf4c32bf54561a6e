import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "../support/engine/child.js";
import { environment, root } from "../support/engine/found.js";
import { missingFor, type Prepared, prepare } from "../support/engine/languages.js";
import { ofKind } from "./support/pages.js";

const missing = missingFor("python");

describe.skipIf(missing)("Python", () => {
  const folder = mkdtempSync(join(tmpdir(), "docsign-snippets-"));
  let prepared: Prepared;
  beforeAll(async () => {
    prepared = await prepare("python", folder, folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function problemsOf(programs: readonly { where: string; text: string }[]): Promise<string[]> {
    const file = join(folder, "programs.json");
    const schema = JSON.parse(readFileSync(join(root, "schema.json"), "utf8"));
    writeFileSync(file, JSON.stringify({ schema, programs }));
    const script = join(import.meta.dirname, "support", "run_snippets.py");
    const env = environment(prepared.env, prepared.path);
    const ran = await run(join(prepared.path[0] ?? "", "python"), [script, file], {
      cwd: folder,
      env,
    });
    expect(ran.code, ran.stderr).toBe(0);
    return JSON.parse(ran.stdout.trim().split("\n").at(-1) ?? "");
  }

  it("every program runs against the generated SDK, with mocks for the engine", async () => {
    const programs = ofKind("python");
    expect(programs.length).toBeGreaterThan(10);
    expect(await problemsOf(programs)).toEqual([]);
  });

  it("a name the SDK doesn't have is found, wherever it stands", async () => {
    const head = "import pulumi_docsign as docsign\n";
    const found = await problemsOf([
      { where: "an argument", text: `${head}docsign.Folder("a", name="A", colour="red")` },
      { where: "a key", text: `${head}docsign.Document("a", name="A", invitations=[{"e_mail": "a@example.com"}])` },
      { where: "an output", text: `${head}print(docsign.Folder("a", name="A").colour)` },
      { where: "nothing", text: `${head}docsign.Folder("a", name="A")` },
    ]);
    expect(found.map(problem => problem.split(":")[0])).toEqual(["an argument", "a key", "an output"]);
  });
});
