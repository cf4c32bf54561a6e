import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Environment } from "../../provider/config.js";
import { stateFolder } from "../../provider/core/private-folder.js";
import type { Session } from "./session.js";

const REMOTE = /^(postgres(ql)?|s3):\/\//;

/**
 * What engines get: this process's environment, a journal that all workers share, and the account's limits. The journal
 * stays where a plain `pulumi up` would have it: beside a remote back end's state, and on this machine where the fleet's
 * Postgres is this machine's, too.
 */
export function workerEnvironment(env: Environment, { plan, isAlone, databaseUrl }: Session): Environment {
  const { requestsInFlight } = plan.file.limits;
  const hasJournal = Boolean(env["DOCSIGN_JOURNAL"]) || REMOTE.test(env["PULUMI_BACKEND_URL"] ?? "");
  return {
    ...env,
    ...(isAlone || hasJournal ? {} : { DOCSIGN_JOURNAL: databaseUrl }),
    ...(requestsInFlight === undefined
      ? {}
      : { DOCSIGN_SHARED_LIMIT: databaseUrl, DOCSIGN_SHARED_REQUESTS: String(requestsInFlight) }),
  };
}

/**
 * Whether whoever goes on with a stack finds its journal, by the environment that its engine gets: another worker where there
 * may be one; this machine where state is on the same disk, as a disk that another machine takes over brings both along.
 */
export function isJournalKept(env: Environment, { isAlone }: Pick<Session, "isAlone">): boolean {
  const backend = env["PULUMI_BACKEND_URL"] ?? "";
  if (REMOTE.test(env["DOCSIGN_JOURNAL"] || backend)) return true;
  const isThrownAway = !/^(|0|false)$/i.test(env["CI"] ?? "");
  if (!isAlone || isThrownAway) return false;
  // Any other path is the engine's to resolve.
  const state = /^file:\/\/(\/[^?]*)/.exec(backend)?.[1];
  return state !== undefined && diskOf(state) === diskOf(stateFolder(env));
}

/** The disk that a folder is on, or will be. */
function diskOf(folder: string): bigint {
  const stat = statSync(folder, { bigint: true, throwIfNoEntry: false });
  return stat ? stat.dev : diskOf(dirname(resolve(folder)));
}
