import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run } from "../support/engine/child.js";
import { environment, root } from "../support/engine/found.js";
import { missingFor } from "../support/engine/languages.js";
import { ofKind } from "./support/pages.js";

const missing = missingFor("go");

/** Programs as packages of one module, which has the generated SDK; answers what `go` and `gofmt` say against them. */
async function problemsOf(programs: readonly { where: string; text: string }[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "docsign-snippets-"));
  try {
    const quickstart = join(root, "examples", "quickstart-go");
    const mod = readFileSync(join(quickstart, "go.mod"), "utf8");
    writeFileSync(join(folder, "go.mod"), mod.replace("../../dist/sdks/go", join(root, "dist", "sdks", "go")));
    cpSync(join(quickstart, "go.sum"), join(folder, "go.sum"));
    for (const [index, { text }] of programs.entries()) {
      mkdirSync(join(folder, `p${index}`));
      writeFileSync(join(folder, `p${index}`, "main.go"), `${text}\n`);
    }
    const options = { cwd: folder, env: environment({ GOWORK: "off", GOFLAGS: "" }) };
    const vetted = await run("go", ["vet", "./..."], options);
    const formatted = await run("gofmt", ["-l", "."], options);
    const text = `${vetted.code === 0 ? "" : vetted.stderr}${formatted.stdout.replace(/$(?<=.)/gm, " isn't formatted")}`;
    return text.replace(/p(\d+)\/main\.go/g, (_, index) => programs[Number(index)]?.where ?? "");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe.skipIf(missing)("Go", () => {
  it("every program compiles against the generated SDK, formatted as Go is, and one that doesn't is found", async () => {
    const programs = ofKind("go");
    expect(programs.length).toBeGreaterThan(10);
    const text = programs.find(({ text }) => text.includes("leases.FolderId"))?.text ?? "";
    const wrong = { where: "docs/a.md:1", text: text.replace("leases.FolderId", "leases.Colour") };
    expect((await problemsOf([...programs, wrong])).split("\n").filter(line => !/^(#|$)/.test(line))).toEqual([
      expect.stringMatching(/docs\/a\.md:1:\d+:\d+: leases\.Colour undefined/),
    ]);
  });
});
