import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { freePort } from "../../../commands/fleet/local-postgres.js";
import { scratchFolder } from "../../support/scratch.js";

const INSTALLED = "/usr/lib/postgresql";
const PASSWORD = "p@ss/w:rd";

const bin = (): string | undefined => {
  const versions = existsSync(INSTALLED) ? readdirSync(INSTALLED).sort((a, b) => Number(b) - Number(a)) : [];
  return versions.map(version => join(INSTALLED, version, "bin")).find(path => existsSync(join(path, "initdb")));
};

export const hasPostgres = bin() !== undefined;

/** A real server with one data base, on a port of this machine. */
export interface PostgresServer extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  urlAt(port: number): string;
  run(text: string): Promise<string>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

export async function startPostgres(): Promise<PostgresServer> {
  const folder = scratchFolder("docsign-postgres-");
  const programs = bin() ?? "";
  // The server refuses to run as root.
  const ids = process.getuid?.() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : {};
  if (ids.uid !== undefined) chownSync(folder, ids.uid, ids.gid ?? 0);
  const data = join(folder, "data");
  const password = `${folder}.password`;
  writeFileSync(password, PASSWORD);
  if (ids.uid !== undefined) chownSync(password, ids.uid, ids.gid ?? 0);
  const options = ["-D", data, "-U", "docsign", "--auth=scram-sha-256", `--pwfile=${password}`, "--no-sync"];
  execFileSync(join(programs, "initdb"), options, { ...ids, stdio: "pipe", cwd: "/" });
  rmSync(password);
  const port = await freePort();
  const urlAt = (at: number) =>
    `postgres://docsign:${encodeURIComponent(PASSWORD)}@127.0.0.1:${at}/postgres?sslmode=disable`;
  let server: ChildProcess | undefined;

  const start = async () => {
    const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off", `port=${port}`];
    const flags = settings.flatMap(setting => ["-c", setting]);
    server = spawn(join(programs, "postgres"), ["-D", data, ...flags], {
      ...ids,
      cwd: "/",
      stdio: ["ignore", "ignore", "pipe"],
    });
    await new Promise<void>((resolve, reject) => {
      let said = "";
      server?.stderr?.on("data", chunk => {
        said += chunk;
        if (said.includes("ready to accept connections")) resolve();
      });
      server?.once("exit", () => reject(new Error(said)));
    });
  };
  const stop = async () => {
    const gone = new Promise(resolve => server?.once("exit", resolve));
    server?.kill("SIGQUIT");
    await gone;
  };
  await start();
  return {
    port,
    url: urlAt(port),
    urlAt,
    start,
    stop,
    async run(text) {
      const sql = postgres(urlAt(port), { max: 1, onnotice: () => undefined });
      try {
        return JSON.stringify(await sql.unsafe(text));
      } finally {
        await sql.end();
      }
    },
    async [Symbol.asyncDispose]() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const idOf = (flag: string): number => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
