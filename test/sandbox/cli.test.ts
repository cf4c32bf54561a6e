import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { paintFor } from "../../sandbox/command.js";

/** The command line as it is built, in a process of its own. */
let folder = "";
let cli = "";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sandbox-cli-"));
  cli = join(folder, "cli.cjs");
  const define = { DOCSIGN_VERSION: `"1.2.3"` };
  await build({ entryPoints: ["sandbox/cli.ts"], outfile: cli, bundle: true, platform: "node", format: "cjs", define });
});
afterAll(() => rmSync(folder, { recursive: true }));

const bare = () => {
  const { FORCE_COLOR: _, NO_COLOR: __, ...env } = process.env;
  return env;
};

function run(args: string[], env: NodeJS.ProcessEnv = {}) {
  const options = { env: { ...bare(), ...env }, encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], options);
  return { status, stdout, stderr };
}

/** Ends with what came out of a sandbox that was stopped once it listened. */
async function stopped(signal: NodeJS.Signals, spoil = (_: ChildProcess) => {}) {
  const child = spawn(process.execPath, [cli, "--port", "0"], { env: bare(), stdio: ["ignore", "pipe", "pipe"] });
  const said = { stdout: "", stderr: "" };
  child.stderr.on("data", data => {
    said.stderr += data;
  });
  for await (const line of createInterface({ input: child.stdout })) {
    said.stdout += `${line}\n`;
    if (line.startsWith("Ctrl-C")) break;
  }
  spoil(child);
  child.kill(signal);
  const [code, killedBy] = await once(child, "exit");
  return { code, killedBy, ...said };
}

describe("docsign sandbox as a process", () => {
  test.each(["SIGINT", "SIGTERM"] as const)("%s ends it with 0, and it says nothing more", async signal => {
    const { code, killedBy, stdout, stderr } = await stopped(signal);
    expect([code, killedBy, stderr]).toEqual([0, null, ""]);
    expect(stdout.trimEnd().split("\n").at(-1)).toBe("Ctrl-C stops it.");
  });

  test("goes on when whoever reads its output goes away", async () => {
    const { code, stderr } = await stopped("SIGINT", child => child.stdout?.destroy());
    expect([code, stderr]).toEqual([0, ""]);
  });

  test("--version says which it is", () => {
    expect(run(["--version"])).toEqual({ status: 0, stdout: "docsign sandbox 1.2.3\n", stderr: "" });
  });

  test("wrong flags exit with 2, and nothing is on stdout", () => {
    const { status, stdout, stderr } = run(["--contrl"]);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^docsign sandbox: there is no flag --contrl; did you mean --control\?\n/);
  });

  test("a pipe gets no colours, unless FORCE_COLOR asks for them", () => {
    const csi = "\u001b[";
    expect(run(["--help"]).stdout).not.toContain(csi);
    expect(run(["--help"], { FORCE_COLOR: "1" }).stdout).toContain(`${csi}1mOptions`);
    expect(run(["--oops"], { FORCE_COLOR: "1" }).stderr).toContain(`${csi}31mdocsign sandbox: there is no flag`);
    expect(run(["--help"], { FORCE_COLOR: "0" }).stdout).toBe(run(["--help"]).stdout);
  });
});

describe("colours", () => {
  const terminal = { isTTY: true };
  test.each([
    ["on a terminal", terminal, {}, true],
    ["on a terminal, NO_COLOR empty", terminal, { NO_COLOR: "" }, true],
    ["on a terminal, NO_COLOR set", terminal, { NO_COLOR: "1" }, false],
    ["on a dumb terminal", terminal, { TERM: "dumb" }, false],
    ["in a file", {}, {}, false],
    ["in a file, FORCE_COLOR", {}, { FORCE_COLOR: "1" }, true],
    ["in a file, FORCE_COLOR and NO_COLOR", {}, { FORCE_COLOR: "1", NO_COLOR: "1" }, true],
    ["on a terminal, FORCE_COLOR=0", terminal, { FORCE_COLOR: "0" }, false],
  ])("%s", (_, stream, env, colours) => {
    expect(paintFor(stream, env)("bold", "x")).toBe(colours ? "\u001b[1mx\u001b[22m" : "x");
  });
});
