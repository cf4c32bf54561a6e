import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, describe, expect, test } from "vitest";
import { main } from "../../commands/board/command.js";
import { document, exported } from "./support/states.js";

const folder = mkdtempSync(join(tmpdir(), "docsign-board-"));
afterAll(() => rmSync(folder, { recursive: true }));

const state = exported("sales/prod", [document("1", "NDA", [{ email: "ana@example.com" }])]);

async function board(args: string[], stdin: unknown = state) {
  const said = { out: "", err: "" };
  const code = await main(args, {
    stdin: Readable.from([typeof stdin === "string" ? stdin : JSON.stringify(stdin)]),
    out: text => {
      said.out += text;
    },
    err: text => {
      said.err += text;
    },
    stop: AbortSignal.abort(),
    version: "1.2.3",
    now: () => new Date("2026-11-21T12:00:00Z"),
  });
  return { code, ...said };
}

test("a stack on stdin becomes a page, Markdown or JSON", async () => {
  expect((await board([])).out).toMatch(/^<!doctype html>/);
  expect((await board(["--format", "markdown"])).out).toContain("| `ana@example.com` | NDA |");
  expect(JSON.parse((await board(["--format", "json"])).out)).toMatchObject({ format: 1, totals: { contracts: 1 } });
});

test("several stacks in files and in one array, written where --out says", async () => {
  const [one, two, out] = ["one.json", "two.json", "out.json"].map(name => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(one, JSON.stringify(state));
  writeFileSync(two, JSON.stringify([exported("leases/prod", []), exported("leases/dev", [])]));
  expect(await board([one, two, "--format", "json", "-o", out])).toEqual({ code: 0, out: "", err: "" });
  const { stacks } = JSON.parse(readFileSync(out, "utf8"));
  expect(stacks.map(({ name }: { name: string }) => name)).toEqual(["sales/prod", "leases/prod", "leases/dev"]);
});

test("a preview and a stack make one Markdown with both", async () => {
  const preview = { steps: [], diagnostics: [], changeSummary: {} };
  const { out } = await board(["--format", "markdown"], [preview, state]);
  expect(out).toMatch(/Nobody will be mailed[\s\S]*Contracts: 0 of 1 signed/);
});

describe("errors are reported before anything is written", () => {
  test.each([
    [["--format", "pdf"], state, 2, "--format: expected one of html, markdown, json, got pdf"],
    [["--late-after", "soon"], state, 2, "--late-after: expected a time such as 36h, 14d or 2w, got soon"],
    [["--all", "--stack", "a"], state, 2, "expected --all or --stack, got both"],
    [["--serve"], state, 2, "--serve reads stacks again and again: expected --stack or --all"],
    [["--nothing"], state, 2, "there is no flag --nothing"],
    [[], "", 1, "stdin: expected JSON, got nothing"],
    [
      [],
      "{}",
      1,
      "stdin: expected what `pulumi stack export`, `pulumi preview --json` or `docsign journal list --json` writes",
    ],
    [[], { steps: [] }, 1, "a preview alone is shown as --format markdown"],
    [["/nowhere.json"], state, 1, "/nowhere.json can't be read"],
  ])("%o of %o exits with %i: %s", async (args, stdin, code, message) => {
    const said = await board(args, stdin);
    expect(said.code).toBe(code);
    expect(said.err).toContain(message);
    expect(said.out).toBe("");
  });
});

test("--help and --version", async () => {
  expect((await board(["--version"])).out).toBe("docsign board 1.2.3\n");
  expect((await board(["--help"])).out).toContain("--late-after TIME");
});
