import { accountOf } from "../client/client.js";
import type { SharedLimit } from "../client/requests.js";
import type { Credentials } from "../client/service.js";
import type { Environment } from "../config.js";

/** What a fleet's worker passes to the engines that it starts. */
export const SHARED_LIMIT = { url: "DOCSIGN_SHARED_LIMIT", requests: "DOCSIGN_SHARED_REQUESTS" } as const;

/** The account's limits that a fleet shares, loaded and connected at the first request; undefined outside of one. */
export function sharedLimit(env: Environment, baseUrl: string, credentials: Credentials): SharedLimit | undefined {
  const url = env[SHARED_LIMIT.url];
  const slots = Number(env[SHARED_LIMIT.requests]);
  if (!url || !Number.isSafeInteger(slots) || slots < 1) return undefined;
  const account = accountOf(new URL(baseUrl).origin, credentials);
  let opened: Promise<SharedLimit> | undefined;
  const open = (): Promise<SharedLimit> => {
    opened ??= import("./postgres-limit.js").then(({ PostgresLimit }) => new PostgresLimit(url, account, slots));
    return opened;
  };
  return {
    enter: async signal => (await open()).enter(signal),
    close: forMs => void open().then(limit => limit.close(forMs)),
    end: async () => (await opened)?.end(),
  };
}
