import { readFileSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { type Environment, FLEET_CONCURRENCY } from "../../provider/config.js";
import { stateFolder, textIn } from "../../provider/core/private-folder.js";
import type { PlannedStack } from "./plan.js";
import type { Session } from "./session.js";

/** Resources that an engine works on at once, and creates in flight at most, where the user says nothing else. */
const AT_ONCE = 32;

const REMOTE = /^(postgres(ql)?|s3):\/\//;

/**
 * What engines get: this process's environment, a journal that all workers share, and the account's limits. The journal
 * stays where a plain `pulumi up` would have it: beside a remote back end's state, and on this machine where the fleet's
 * Postgres is this machine's, too.
 */
export function workerEnvironment(
  env: Environment,
  { plan, isAlone, databaseUrl }: Pick<Session, "plan" | "isAlone" | "databaseUrl">,
): Environment {
  const { requestsInFlight } = plan.file.limits;
  const hasJournal = Boolean(env["DOCSIGN_JOURNAL"]) || REMOTE.test(env["PULUMI_BACKEND_URL"] ?? "");
  return {
    PULUMI_PARALLEL: String(Math.max(AT_ONCE, 4 * availableParallelism())),
    [FLEET_CONCURRENCY]: String(Math.min(AT_ONCE, requestsInFlight ?? AT_ONCE)),
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

const EVERY = {};
const ONCE = { PULUMI_EXPERIMENTAL: "true", PULUMI_SKIP_CHECKPOINTS: "true" };

let latest: { readonly text: string; readonly checkpoints: Readonly<Record<string, string>> } | undefined;

const yamlProgram = z.object({
  runtime: z.union([z.literal("yaml"), z.object({ name: z.literal("yaml"), options: z.undefined().optional() })]),
  main: z.undefined().optional(),
  // Where stacks have their settings, by its name now and before.
  stackConfigDir: z.undefined().optional(),
  config: z.record(z.string(), z.unknown()).optional(),
  resources: z.record(z.string(), z.object({ type: z.string().regex(/^(docsign:|pulumi:providers:docsign$)/) })),
});

/**
 * How often the engine writes its state in an `up`: once, at the end, where the journal carries the run. That is known of a
 * program in YAML whose resources are all ours; of one in another language only once it has run. A program or a stack that
 * says something of a journal has it where this process doesn't look. What the user says of checkpoints holds.
 */
export function checkpointsOf(
  program: string,
  { name, config }: PlannedStack,
  env: Environment,
): Readonly<Record<string, string>> {
  if (env["PULUMI_SKIP_CHECKPOINTS"] !== undefined || env["PULUMI_EXPERIMENTAL"] !== undefined) return EVERY;
  try {
    const text = readFileSync(join(program, "Pulumi.yaml"), "utf8");
    if (/journal/i.test(text + textIn(join(program, `Pulumi.${name}.yaml`)) + Object.keys(config).join())) return EVERY;
    // All stacks of a fleet have one program: of a hundred resources, reading it takes 30 ms.
    if (latest?.text !== text)
      latest = { text, checkpoints: yamlProgram.safeParse(parse(text)).success ? ONCE : EVERY };
    return latest.checkpoints;
  } catch {
    // The engine says what is wrong with it.
    return EVERY;
  }
}
