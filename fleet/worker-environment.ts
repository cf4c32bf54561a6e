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
