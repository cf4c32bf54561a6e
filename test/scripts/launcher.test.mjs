import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { scratch } from "./scratch.mjs";

const launcher = join(import.meta.dirname, "..", "..", "bin", "pulumi-resource-docsign");

/** A checkout with the launcher in it and, if built, a plugin that prints what it was started with. */
function checkout({ built = true, nodePath } = {}) {
  const root = realpathSync(scratch());
  mkdirSync(join(root, "bin"));
  mkdirSync(join(root, "dist"));
  copyFileSync(launcher, join(root, "bin", "pulumi-resource-docsign"));
  if (built) {
    const tell =
      "process.stdout.write(JSON.stringify([process.execPath, __filename, process.cwd(), ...process.argv.slice(2)]))";
    writeFileSync(join(root, "dist", "plugin.cjs"), tell);
  }
  if (nodePath) writeFileSync(join(root, "dist", ".node-path"), `${nodePath}\n`);
  return root;
}

/** A directory with what the launcher itself needs, and a `node` of a given version if there is to be one. */
function path(version) {
  const directory = scratch();
  for (const name of ["dirname", "readlink"])
    symlinkSync(execFileSync("which", [name], { encoding: "utf8" }).trim(), join(directory, name));
  if (version) {
    writeFileSync(
      join(directory, "node"),
      `#!/bin/sh\n[ "$1" = --version ] && echo v${version} && exit\nexec "${process.execPath}" "$@"\n`,
    );
    chmodSync(join(directory, "node"), 0o755);
  }
  return directory;
}

function start(program, { cwd = scratch(), PATH = path(), home = scratch(), args = [] } = {}) {
  const env = { PATH, HOME: home };
  const { status, stdout, stderr } = spawnSync("/bin/sh", [program, ...args], { cwd, env, encoding: "utf8" });
  return { status, stderr, printed: stdout ? JSON.parse(stdout) : undefined };
}

const bin = root => join(root, "bin", "pulumi-resource-docsign");

it("starts the plugin from any directory, with its arguments, under the Node of the build", () => {
  const root = checkout({ nodePath: process.execPath });
  const cwd = realpathSync(scratch());
  const { printed } = start(bin(root), { cwd, args: ["127.0.0.1:1234", "two words"] });
  expect(printed).toEqual([process.execPath, join(root, "dist", "plugin.cjs"), cwd, "127.0.0.1:1234", "two words"]);
});

it("works through symbolic links, absolute and relative, one after the other", () => {
  const root = checkout({ nodePath: process.execPath });
  const elsewhere = scratch();
  symlinkSync(bin(root), join(elsewhere, "first"));
  symlinkSync("first", join(elsewhere, "second"));
  expect(start(join(elsewhere, "second")).printed[1]).toBe(join(root, "dist", "plugin.cjs"));
});

it("works in a directory with spaces in its name", () => {
  const outer = join(realpathSync(scratch()), "my contracts");
  mkdirSync(outer);
  symlinkSync(checkout({ nodePath: process.execPath }), join(outer, "docsign"));
  expect(start(join(outer, "docsign", "bin", "pulumi-resource-docsign")).status).toBe(0);
});

it("does without the Node of the build when that is gone, if the one on PATH will do", () => {
  const root = checkout({ nodePath: "/gone/node" });
  expect(start(bin(root), { PATH: path("24.1.0") }).printed[1]).toBe(join(root, "dist", "plugin.cjs"));
});

it("finds the Node that set-up brought when the one on PATH is too old", () => {
  const root = checkout();
  const home = scratch();
  const brought = join(home, ".cache", "pulumi-docsign", "node", "24.21.0", "bin", "node");
  mkdirSync(dirname(brought), { recursive: true });
  symlinkSync(join(path("24.21.0"), "node"), brought);
  expect(start(bin(root), { PATH: path("20.20.2"), home }).status).toBe(0);
});

it.each(["20.20.2", "22.9.0", "22.18.1", "9.0.0"])("says what to do when Node %s is all there is", version => {
  const { status, stderr } = start(bin(checkout()), { PATH: path(version) });
  expect(status).toBe(1);
  expect(stderr).toContain(`Node 22.19 or newer is needed (on PATH: v${version})`);
});

it("says that there is no build", () => {
  const root = checkout({ built: false });
  const { status, stderr, printed } = start(bin(root), { PATH: path("24.1.0") });
  expect([status, printed]).toEqual([1, undefined]);
  expect(stderr).toBe(`pulumi-resource-docsign: ${root}/dist/plugin.cjs is missing; run 'npm run build' in ${root}\n`);
});
