import { execFileSync, spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { COMMANDS, type CommandIo, help, main } from "../../commands/cli/command.js";

async function docsign(...argv: string[]) {
  const said = { out: "", err: "", started: [] as unknown[] };
  const io: CommandIo = {
    out(text) {
      said.out += text;
    },
    err(text) {
      said.err += text;
    },
    env: {},
    cwd: "/",
    pid: 1,
    version: "1.2.3",
    interrupted: () => new AbortController().signal,
    start: (command, rest) => void said.started.push([command, rest]),
  };
  return { code: await main(argv, io), ...said };
}

describe("docsign", () => {
  test("has one page that names every command, and each command's own behind it", async () => {
    for (const words of [["--help"], ["-h"], ["help"]]) expect((await docsign(...words)).out).toBe(help);
    for (const name of Object.keys(COMMANDS)) expect(help).toMatch(new RegExp(`^ {2}${name} `, "m"));
    expect((await docsign("help", "board")).started).toEqual([["board", ["--help"]]]);
    expect((await docsign("help", "journal")).out).toContain("Usage: docsign journal");
    expect(await docsign("--version")).toMatchObject({ code: 0, out: "docsign 1.2.3\n" });
  });

  test("hands a command what follows it", async () => {
    expect(await docsign("sandbox", "--port", "0")).toMatchObject({
      code: undefined,
      started: [["sandbox", ["--port", "0"]]],
    });
  });

  test.each([
    [
      [],
      "expected one of render, journal, evidence, verify, board, fleet, gate-status, watch, sandbox, completion, got none",
    ],
    [
      ["bord"],
      "expected one of render, journal, evidence, verify, board, fleet, gate-status, watch, sandbox, completion, got bord",
    ],
    [["journal", "list", "--jsno"], "there is no flag --jsno; did you mean --json?"],
    [["completion", "csh"], "completion: expected one of bash, zsh, fish, got csh"],
  ])("%j ends with 2 and says why", async (argv, why) => {
    expect(await docsign(...argv)).toMatchObject({ code: 2, out: "", err: expect.stringContaining(why) });
  });
});

describe("completion", () => {
  const inBash = async (...words: string[]) => {
    const { out } = await docsign("completion", "bash");
    const script = `${out}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _docsign; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync("bash", ["-c", script, "bash", ...words], { encoding: "utf8" })
      .split("\n")
      .filter(Boolean);
  };

  test("in bash offers commands, then their words and flags", async () => {
    expect(await inBash("docsign", "")).toEqual(Object.keys(COMMANDS));
    expect(await inBash("docsign", "wa")).toEqual(["watch"]);
    expect(await inBash("docsign", "journal", "")).toEqual(expect.arrayContaining(["list", "resolve", "--json"]));
    expect(await inBash("docsign", "board", "--st")).toEqual(["--stack"]);
    expect(await inBash("docsign", "board", "contracts/nda.pdf")).toEqual([]);
  });

  test.each(["zsh", "fish"])("in %s names every command and every flag", async shell => {
    const { out } = await docsign("completion", shell);
    for (const [name, { flags }] of Object.entries(COMMANDS)) {
      expect(out).toContain(name);
      for (const flag of Object.keys(flags)) expect(out).toMatch(new RegExp(`(--| -l )${flag}\\b`));
    }
    // Where that shell is installed, it reads the script.
    const read = spawnSync(shell, ["-n"], { input: out, encoding: "utf8" });
    if (read.error === undefined) expect([read.status, read.stderr]).toEqual([0, ""]);
  });
});
