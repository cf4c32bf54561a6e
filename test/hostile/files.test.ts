import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import type * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readFlags as boardFlags } from "../../commands/board/flags.js";
import { read as readBoard } from "../../commands/board/read.js";
import { readGiven, readState } from "../../commands/cli/flags.js";
import { readPlan } from "../../commands/fleet/session.js";
import { nom151Of } from "../../provider/client/files.js";
import type { FileBody } from "../../provider/client/service.js";
import { systemClock } from "../../provider/core/clock.js";
import { DeploymentLog } from "../../provider/resources/journal/deployment-log.js";
import { openJournal } from "../../provider/resources/journal/open-journal.js";
import { encryptionOf } from "../../provider/resources/journal/postgres-connection.js";
import { HeldPdfs } from "../../provider/resources/pdf/asset-source.js";
import { readFlags as sandboxFlags } from "../../sandbox/flags.js";
import { startSandbox } from "../../sandbox/index.js";
import { certificateFile } from "../../sdk/nom151-asset.js";
import { failure } from "../client/setup.js";
import { about, begun, scopeOf } from "../journal/conformance.js";
import { scratchFolder } from "../support/scratch.js";
import { PATH_PARTS } from "./values.js";

const nda = scopeOf("nda");
const root = join(import.meta.dirname, "../..");
let folder = "";
beforeEach(() => {
  folder = scratchFolder("docsign-hostile-");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const openIn = (path: string) =>
  openJournal({ setting: undefined, folder: path, env: {}, run: "r", clock: systemClock });

/** A journal that says of the contract what isn't so. */
async function planted(path: string): Promise<void> {
  await openIn(path).claim(nda, "666", about());
}

describe.skipIf(process.geteuid === undefined)("a state folder that others can reach", () => {
  const journal = () => join(folder, "journal");
  const refusals: [string, () => void, RegExp][] = [
    ["everybody may write to", () => chmodSync(journal(), 0o777), /everybody can write to .*journal/],
    ["everybody may exchange", () => chmodSync(folder, 0o777), /everybody can write to/],
    ["is another user's", () => chownSync(journal(), 65534, 65534), /belongs to another user \(65534\)/],
    ["another user may exchange", () => chownSync(folder, 65534, 65534), /belongs to another user \(65534\)/],
  ];
  test.for(refusals)("one that %s is refused, and isn't believed", async ([name, share, reason], { skip }) => {
    if (name.includes("another") && process.geteuid?.() !== 0) skip("only root can give a folder away");
    await planted(journal());
    share();
    const reopened = openIn(journal());
    await expect(reopened.owner(nda.service, "666")).rejects.toThrow(reason);
    await expect(reopened.begin(nda, begun(), undefined)).rejects.toThrow(reason);
    await expect(reopened.begin(nda, begun(), undefined)).rejects.toThrow("set DOCSIGN_STATE_DIR to one that is");
  });

  test("a folder of one's own in a place that is everybody's, such as /tmp, is fine; so is a link of one's own to it", async () => {
    chmodSync(folder, 0o1777);
    await planted(journal());
    symlinkSync(journal(), join(folder, "link"));
    expect(await openIn(join(folder, "link")).owner(nda.service, "666")).toBeDefined();
  });

  test("a link in the place of the journal's file is neither read nor written through", async () => {
    await planted(join(folder, "other"));
    const target = join(folder, "other", "log-1.jsonl");
    const before = readFileSync(target, "utf8");
    mkdirSync(journal(), { mode: 0o700 });
    symlinkSync(target, join(journal(), "log-1.jsonl"));
    const opened = openIn(journal());
    await expect(opened.owner(nda.service, "666")).rejects.toThrow("can't be used (ELOOP)");
    await expect(opened.begin(nda, begun(), undefined)).rejects.toThrow("can't be used (ELOOP)");
    expect(readFileSync(target, "utf8")).toBe(before);
  });

  test("a file of another user's is neither read nor written to, wherever it came from", async ({ skip }) => {
    if (process.geteuid?.() !== 0) skip("only root can give a file away");
    await planted(journal());
    chownSync(join(journal(), "log-1.jsonl"), 65534, 65534);
    const reopened = openIn(journal());
    await expect(reopened.owner(nda.service, "666")).rejects.toThrow(/log-1\.jsonl belongs to another user \(65534\)/);
    await expect(reopened.begin(nda, begun(), undefined)).rejects.toThrow("belongs to another user (65534)");
  });

  // Opening one that nobody writes to waits for ever; with mkfifo it is there without root.
  const pipe = (path: string) => expect(spawnSync("mkfifo", ["-m", "600", path]).status).toBe(0);
  const odd: [string, (path: string) => void, RegExp][] = [
    ["a pipe", pipe, /expected a file, got a pipe at .*log-1\.jsonl/],
    ["a folder", path => mkdirSync(path, { mode: 0o700 }), /EISDIR|expected a file, got a folder at .*log-1\.jsonl/],
  ];
  test.each(odd)(
    "%s in the place of the journal's file is refused, and nobody waits for it",
    async (_, make, reason) => {
      mkdirSync(journal(), { mode: 0o700 });
      make(join(journal(), "log-1.jsonl"));
      await expect(openIn(journal()).owner(nda.service, "666")).rejects.toThrow(reason);
      await expect(openIn(journal()).begin(nda, begun(), undefined)).rejects.toThrow(reason);
    },
  );

  const noFolders: [string, (path: string) => void, string][] = [
    ["a pipe", pipe, "expected a folder, got a pipe at "],
    ["a file", path => writeFileSync(path, "", { mode: 0o600 }), "expected a folder, got a file at "],
    ["a link to a device", path => symlinkSync("/dev/null", path), "expected a folder, got a device at "],
  ];
  test.each(noFolders)("%s in the place of the journal's folder is refused", async (_, make, reason) => {
    make(journal());
    await expect(openIn(journal()).owner(nda.service, "666")).rejects.toThrow(reason);
    await expect(openIn(journal()).begin(nda, begun(), undefined)).rejects.toThrow(reason);
    await expect(openIn(journal()).open()).rejects.toThrow(reason);
  });

  test("a pipe in the place of a deployment's log leaves each process its own", () => {
    const logs = join(folder, "deployments");
    const log = () => new DeploymentLog(logs, "127.0.0.1:1", process.pid, () => true);
    log();
    pipe(join(logs, "127.0.0.1_1", "log.jsonl"));
    const own = log();
    own.created("urn", "7");
    expect(own.hasCreated("urn", "7")).toBe(true);
    expect(log().hasCreated("urn", "7")).toBe(false);
  });

  test("the log of a deployment is then each process's own", () => {
    const shared = join(folder, "deployments");
    mkdirSync(shared);
    chmodSync(shared, 0o777);
    const log = (pid: number) => new DeploymentLog(shared, "127.0.0.1:1", pid, () => true);
    log(1).created("urn", "7");
    expect(log(2).hasCreated("urn", "7")).toBe(false);
  });

  test("a PDF that takes too much memory isn't put there", () => {
    const held = join(folder, "held");
    mkdirSync(held);
    chmodSync(held, 0o777);
    expect(() => new HeldPdfs(held, 0).hold(Buffer.from("%PDF-1.4"))).toThrow("everybody can write to");
  });
});

describe.skipIf(process.platform === "win32")("what is written is its owner's alone, whatever the umask", () => {
  test("the compile cache of the launcher", () => {
    for (const part of ["bin", "dist"]) mkdirSync(join(folder, part));
    copyFileSync(join(root, "bin/pulumi-resource-docsign"), join(folder, "bin/plugin"));
    writeFileSync(join(folder, "dist/plugin.cjs"), "");
    const script = 'umask 000; exec sh "$0"';
    const { NODE_COMPILE_CACHE: _, ...env } = process.env;
    expect(spawnSync("sh", ["-c", script, join(folder, "bin/plugin")], { env }).status).toBe(0);
    expect(statSync(join(folder, "dist/.compile-cache")).mode & 0o777).toBe(0o700);
  });

  test("the compile cache of the commands", () => {
    for (const part of ["docsign", "fleet"])
      cpSync(join(root, "dist", part), join(folder, "dist", part), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    const cli = join(folder, "dist/docsign/cli.cjs");
    const { NODE_COMPILE_CACHE: _, ...env } = process.env;
    const run = spawnSync("sh", ["-c", 'umask 000; exec "$0" "$1" fleet --help', process.execPath, cli], { env });
    expect([run.status, run.stderr.toString()]).toEqual([0, ""]);
    const cache = join(folder, "dist/.compile-cache");
    expect(statSync(cache).mode & 0o777).toBe(0o700);
    expect(readdirSync(cache)).toHaveLength(1);
  });

  test("the sandbox's file", async () => {
    const file = join(folder, "sandbox.json");
    const sandbox = await startSandbox({ file });
    await sandbox.close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

describe.skipIf(!existsSync("/dev/zero"))("a file without an end, given to a command", () => {
  test("is no stack's state", async () => {
    const asked = boardFlags(["/dev/zero"]) as Parameters<typeof readBoard>[0];
    const { message } = await failure(readBoard(asked, { stdin: Readable.from([]), now: new Date(), cwd: folder }));
    expect(message).toBe("/dev/zero can't be read: expected at most 256 MB, got more");
  });

  test("is no fleet, no settings and no seed", () => {
    const tooLarge = "expected at most 64 MB, got more";
    expect(() => readPlan("/dev/zero", folder)).toThrow(`/dev/zero can't be read: ${tooLarge}`);
    expect(() => sandboxFlags(["--seed", "/dev/zero"])).toThrow(tooLarge);
    expect(() => readGiven("/dev/zero")).toThrow(tooLarge);
  });

  test("and a pipe with one is read", async () => {
    const fifo = join(folder, "pipe");
    expect(spawnSync("mkfifo", [fifo]).status).toBe(0);
    const written = once(spawn("sh", ["-c", `printf '{"a":1}' > "$0"`, fifo]), "close");
    expect(await readState(fifo)).toBe('{"a":1}');
    await written;
  });
});

describe("a connection to Postgres", () => {
  test.each([
    ["postgres://db.example.com/state", "require"],
    ["postgres://db.example.com/state?sslmode=", "require"],
    ["postgres://127.0.0.1.example.com/state", "require"],
    ["postgres://10.0.0.1/state", "require"],
    ["postgres://localhost/state", "prefer"],
    ["postgres://127.0.0.1:5433/state", "prefer"],
    ["postgres://[::1]/state", "prefer"],
    ["postgres://db.example.com/state?sslmode=disable", false],
    ["postgres://db.example.com/state?sslmode=prefer", "prefer"],
    ["postgres://localhost/state?sslmode=require", "require"],
  ])("%s: %s", (url, expected) => {
    expect(encryptionOf(new URL(url))).toBe(expected);
  });

  test.each(["VERIFY-FULL", "verify_full", "verify-full ", "on", "\u202e"])("sslmode %j is refused", mode => {
    expect(() => encryptionOf(new URL(`postgres://localhost/s?sslmode=${encodeURIComponent(mode)}`))).toThrow(
      /^expected sslmode disable, allow, prefer, require, verify-ca or verify-full, got [ -~]+$/,
    );
  });
});

describe("a name that the service or a state gives", () => {
  const file = (version: string) => ({ version, constancia: "MAA=" }) as FileBody;
  test("is a part of the constancia's file name if it is a number", () => {
    expect(nom151Of("7", file("2"))).toMatchObject({ fileName: "document-7-v2.asn1" });
    for (const part of [...PATH_PARTS, "", "٢", "1e3", "-1", "9".repeat(1_000)])
      expect(nom151Of("7", file(part))).toMatchObject({ fileName: "document-7.asn1" });
  });

  test("becomes no path of an asset", async () => {
    const dataUri = "data:application/octet-stream;base64,MAA=";
    const pathOf = (fileName: string) =>
      (certificateFile({ ready: true, dataUri, fileName }) as pulumi.asset.FileAsset).path;
    const fine = await pathOf("document-7-v1.asn1");
    for (const part of PATH_PARTS) {
      for (const name of [part, `document-7-v${part}.asn1`, `${part}document-7-v1.asn1`]) {
        expect(await pathOf(name)).toBe(fine.replace("document-7-v1.asn1", "constancia.asn1"));
      }
    }
  });
});
