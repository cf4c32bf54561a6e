import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

/** A package folder of its own, with a command line that only says which Node runs it, and with what. */
function installed() {
  const root = mkdtempSync(join(tmpdir(), "docsign bin "));
  mkdirSync(join(root, "bin"));
  mkdirSync(join(root, "dist", "docsign"), { recursive: true });
  copyFileSync("bin/docsign", join(root, "bin", "docsign"));
  writeFileSync(
    join(root, "dist", "docsign", "cli.cjs"),
    "console.log(JSON.stringify([process.execPath, ...process.argv.slice(2)]))",
  );
  return { root, bin: join(root, "bin", "docsign"), [Symbol.dispose]: () => rmSync(root, { recursive: true }) };
}

function fakeNode(folder: string, script: string): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "node");
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

const PATH = `${dirname(process.execPath)}:/usr/bin:/bin`;

test("runs the built command from anywhere, through symbolic links, arguments untouched", () => {
  using place = installed();
  symlinkSync(place.bin, join(place.root, "absolute"));
  symlinkSync("../absolute", join(place.root, "dist", "relative"));
  const said = execFileSync(join(place.root, "dist", "relative"), ["--seed", "a b"], { cwd: "/", env: { PATH } });
  expect(JSON.parse(said.toString())).toEqual([process.execPath, "--seed", "a b"]);
});

test("prefers the Node that set-up brought, as long as it is there", () => {
  using place = installed();
  const node = fakeNode(join(place.root, "brought"), 'echo "brought: $2"');
  writeFileSync(join(place.root, "dist", ".node-path"), `${node}\n`);
  expect(execFileSync(place.bin, ["--help"], { env: { PATH } }).toString()).toBe("brought: --help\n");
  rmSync(node);
  expect(JSON.parse(execFileSync(place.bin, { env: { PATH } }).toString())).toEqual([process.execPath]);
});

test("refuses a Node that is too old", () => {
  using place = installed();
  const old = fakeNode(join(place.root, "old"), "echo v20.20.2");
  const { status, stderr } = spawnSync(place.bin, { env: { PATH: `${dirname(old)}:/usr/bin:/bin` } });
  expect(status).toBe(1);
  expect(stderr.toString()).toBe(
    `docsign: it needs Node 22.19 or newer (on PATH: v20.20.2); install one, or run 'npm run build' in ${place.root}\n`,
  );
});

test("takes one that set-up brought for another checkout where the one on PATH is too old", () => {
  using place = installed();
  const old = fakeNode(join(place.root, "old"), "echo v20.20.2");
  const folder = join(place.root, "home", ".cache", "pulumi-docsign", "node", "24.21.0", "bin");
  fakeNode(folder, 'case $1 in --version) echo v24.21.0 ;; *) echo "cached: $2" ;; esac');
  const env = { HOME: join(place.root, "home"), PATH: `${dirname(old)}:/usr/bin:/bin` };
  expect(execFileSync(place.bin, ["--help"], { env }).toString()).toBe("cached: --help\n");
});

test("says what to do before the first build", () => {
  using place = installed();
  rmSync(join(place.root, "dist"), { recursive: true });
  const { status, stderr } = spawnSync(place.bin, { env: { PATH } });
  expect(status).toBe(1);
  expect(stderr.toString()).toBe(`docsign: it is not built yet; run 'npm run build' in ${place.root}\n`);
});
