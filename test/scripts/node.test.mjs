import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { nodeInCache, nodeOnPath, underNode } from "../../scripts/setup/node.mjs";
import { scratch } from "./scratch.mjs";

/** A program that says it is this version of Node. */
function fakeNode(directory, version, body = "") {
  mkdirSync(directory, { recursive: true });
  const program = join(directory, "node");
  writeFileSync(program, `#!/bin/sh\n${body}\necho v${version}\n`);
  chmodSync(program, 0o755);
  return program;
}

it("the first Node on PATH that is new enough is taken", async () => {
  const [old, good, better] = [scratch(), scratch(), scratch()];
  fakeNode(old, "20.20.2");
  const program = fakeNode(good, "22.19.0");
  fakeNode(better, "26.0.0");
  expect(await nodeOnPath([scratch(), old, good, better].join(delimiter))).toBe(program);
});

it("a PATH with old, broken and missing ones has none", async () => {
  const [old, almost, broken] = [scratch(), scratch(), scratch()];
  fakeNode(old, "18.0.0");
  fakeNode(almost, "22.18.9");
  fakeNode(broken, "24.0.0", "exit 1");
  expect(await nodeOnPath([old, almost, broken, "/nowhere"].join(delimiter))).toBe(undefined);
});

it("one program under two names is asked once", async () => {
  const [directory, link, log] = [scratch(), scratch(), join(scratch(), "log")];
  const program = fakeNode(directory, "20.0.0", `echo asked >>"${log}"`);
  symlinkSync(program, join(link, "node"));
  await nodeOnPath([directory, link].join(delimiter));
  expect(readFileSync(log, "utf8")).toBe("asked\n");
});

it("the newest one that an earlier set-up brought is found, and drafts are not", async () => {
  const cache = scratch();
  for (const version of ["22.20.0", "24.9.0", "24.21.0", "20.0.0"]) {
    fakeNode(join(cache, "node", version, "bin"), version);
  }
  mkdirSync(join(cache, "node", ".draft-25.0.0-1", "bin"), { recursive: true });
  mkdirSync(join(cache, "node", "25.0.0"), { recursive: true });
  expect(await nodeInCache(cache)).toBe(join(cache, "node", "24.21.0", "bin", "node"));
  expect(await nodeInCache(scratch())).toBe(undefined);
});

it("the environment it gives puts that Node first on PATH", () => {
  expect(underNode("/n/bin/node", { PATH: "/usr/bin", A: "1" })).toEqual({
    PATH: `/n/bin${delimiter}/usr/bin`,
    A: "1",
  });
});

/** Runs `runAgainUnder` as a script does, and returns how that ended. */
function again(under, env = {}) {
  const script = join(scratch(), "script.mjs");
  const module = pathToFileURL(join(import.meta.dirname, "..", "..", "scripts", "setup", "node.mjs"));
  writeFileSync(
    script,
    `import { runAgainUnder } from ${JSON.stringify(module.href)};\nawait runAgainUnder(${JSON.stringify(under)});\n`,
  );
  return new Promise(resolve => {
    execFile(
      process.execPath,
      [script, "an argument"],
      { env: { ...process.env, DOCSIGN_SETUP_NODE: undefined, ...env } },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

it("runs the script again with its arguments, and ends with the same code", async () => {
  const directory = scratch();
  const program = fakeNode(directory, "24.0.0", `echo "$2" "$DOCSIGN_SETUP_NODE"\nexit 7`);
  expect(await again(program)).toEqual({ code: 7, stdout: `an argument ${program}\n`, stderr: "" });
});

it("runs again at most once", async () => {
  const { code, stderr } = await again("/n/bin/node", { DOCSIGN_SETUP_NODE: "/n/bin/node" });
  expect(code).toBe(1);
  expect(stderr).toContain("/n/bin/node is too old after all");
});
