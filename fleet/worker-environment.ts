import type { Environment } from "../provider/config.js";
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
 * Whether whoever goes on with a stack finds its journal: another worker where there may be one; this machine where state is
 * on it, too.
 */
export function isJournalKept(env: Environment, { isAlone }: Pick<Session, "isAlone">): boolean {
  const backend = env["PULUMI_BACKEND_URL"] ?? "";
  const isThrownAway = !/^(|0|false)$/i.test(env["CI"] ?? "");
  return REMOTE.test(env["DOCSIGN_JOURNAL"] || backend) || (isAlone && /^file:/.test(backend) && !isThrownAway);
}
