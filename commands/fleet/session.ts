import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Environment } from "../../provider/config.js";
import { CommandError, messageOf, readGiven } from "../cli/flags.js";
import type { CommandIo } from "./command.js";
import { openDatabase } from "./database.js";
import { leaseSeconds, parseFleet } from "./file.js";
import { Leases } from "./leases.js";
import { startLocalPostgres } from "./local-postgres.js";
import { type FleetPlan, planFleet } from "./plan.js";
import { Queue } from "./queue.js";
import { Workers } from "./workers.js";

/** The plan of a fleet file. */
export function readPlan(file: string, cwd: string): FleetPlan {
  const path = resolve(cwd, file);
  let text: string;
  try {
    text = readGiven(path).toString("utf8");
  } catch (error) {
    throw new CommandError(`${file} can't be read: ${messageOf(error)}`);
  }
  return planFleet(parseFleet(text, file), text, dirname(path));
}

/** The fleet file, its data base, and who this process is in it. */
export type Session = Awaited<ReturnType<typeof openSession>>;

/** `supervises`: whether this process runs schedules and looks for silent workers. */
export async function openSession(file: string, supervises: boolean, io: Omit<CommandIo, "engine">) {
  const { env, version, host, pid, packagesFrom } = io;
  const plan = readPlan(file, io.cwd);
  const given = env["DOCSIGN_FLEET_DATABASE"];
  // It may hold a password, so it isn't shown.
  if (given && !/^postgres(ql)?:$/.test(URL.parse(given)?.protocol ?? ""))
    throw new CommandError("DOCSIGN_FLEET_DATABASE: expected postgres://user:password@host/database, got another text");
  const local = given
    ? undefined
    : await startLocalPostgres({ folder: localFolder(env), path: env["PATH"], packagesFrom });
  const databaseUrl = given || local?.url || "";
  let lastWords = "";
  try {
    const db = await openDatabase({
      url: databaseUrl,
      supervises: supervises || local !== undefined,
      onError: error => {
        // The same error comes with every look at the queue.
        const words = messageOf(error) || String(error);
        if (words !== lastWords) io.err(`docsign fleet: the data base: ${words}\n`);
        lastWords = words;
      },
    });
    const { name } = plan.file;
    const queue = new Queue(db, name);
    await queue.open(leaseSeconds(plan.file));
    return {
      ...{ plan, db, queue, databaseUrl },
      leases: new Leases(db, name),
      workers: new Workers(db, name),
      identity: { id: `${host}-${randomUUID().slice(0, 8)}`, host, pid, version, digest: plan.digest },
      /** Nobody else has this data base: this process has to work itself. */
      isAlone: local !== undefined,
      async [Symbol.asyncDispose]() {
        await db[Symbol.asyncDispose]();
        await local?.stop();
      },
    };
  } catch (error) {
    await local?.stop();
    throw error;
  }
}

/** Postgres doesn't run as root, and its user can't reach into root's own folders. */
function localFolder(env: Environment): string {
  if (env["DOCSIGN_FLEET_DIR"]) return resolve(env["DOCSIGN_FLEET_DIR"]);
  if (process.getuid?.() === 0) return "/var/lib/docsign-fleet";
  return join(env["XDG_STATE_HOME"] || join(homedir(), ".local", "state"), "pulumi-docsign", "fleet");
}

/** What workers must have in their environment. */
export function refuseMissing(plan: FleetPlan, env: Environment): void {
  const missing = plan.file.secrets.filter(name => !env[name]);
  if (missing.length > 0)
    throw new CommandError(
      `expected ${missing.join(", ")} in the environment, as the fleet file's \`secrets\` say, got none`,
    );
}
