import type { Clock } from "../../core/clock.js";
import { LocalLog } from "./local-log.js";
import { type Log, PartialLog, RemoteLog } from "./log.js";
import { LoggedJournal } from "./logged-journal.js";

/**
 * `PULUMI_SKIP_CHECKPOINTS`: the engine writes its state at the end of a run alone. What state would lose in a crash the
 * journal knows, of our own resources and where it outlives the machine.
 */
interface Circumstances {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the next run will find the journal. */
  readonly isKept: boolean;
  /** Names of other providers that work for the same engine, as far as this process sees them. */
  readonly others: () => readonly string[];
}

/** What there is to say; undefined where nothing is lost, or nothing is known yet. */
export function lossWithoutCheckpoints({ env, isKept, others }: Circumstances): string | undefined {
  if (!/^(1|true)$/i.test(env["PULUMI_SKIP_CHECKPOINTS"] ?? "")) return undefined;
  if (!isKept) return NOT_KEPT;
  const names = others();
  return names.length === 0 ? undefined : forgotten(names);
}

const NOT_KEPT =
  "PULUMI_SKIP_CHECKPOINTS is set, and the journal may be gone with this machine: after a crash nothing would know what was sent. " +
  "Set `docsign:journal` or DOCSIGN_JOURNAL to postgres://… or s3://…, or unset PULUMI_SKIP_CHECKPOINTS";

const forgotten = (names: readonly string[]): string =>
  `PULUMI_SKIP_CHECKPOINTS is set, and this run has other providers (${names.join(", ")}): after a crash nobody would know what they made, as the journal ` +
  "holds this provider's resources alone. Unset PULUMI_SKIP_CHECKPOINTS, or give those resources a stack of their own";

interface JournalSettings {
  /** `docsign:journal` or `DOCSIGN_JOURNAL`. */
  readonly setting: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the local journal lies. */
  readonly folder: string;
  /** This deployment: the same in all provider processes of one engine. */
  readonly run: string;
  readonly clock: Clock;
  /** Names of other providers that work for the same engine. */
  readonly otherProviders?: (() => readonly string[]) | undefined;
}

/** The journal that the settings ask for. Nothing is read, loaded or connected before the first call. */
export function openJournal({
  setting,
  env,
  folder,
  run,
  clock,
  otherProviders: others = () => [],
}: JournalSettings): LoggedJournal {
  const backend = env["PULUMI_BACKEND_URL"] || undefined;
  const beside = !setting && backend !== undefined && REMOTE.test(backend) ? backend : undefined;
  const where = setting || beside || "local";
  const notice = beside ? besideState(beside) : setting ? undefined : noticeOfDefault(env);
  const isKept = beside !== undefined || notice === undefined;
  return new LoggedJournal(logAt(where, folder, clock), {
    run,
    now: () => clock.now(),
    machineUp: clock.startedUp(),
    backend: backend && withoutCredentials(backend),
    forget: (env["DOCSIGN_FORGET"] ?? "").split(/[\s,]+/).filter(token => token !== ""),
    notice,
    warning: () => lossWithoutCheckpoints({ env, isKept, others }),
  });
}

const REMOTE = /^(postgres(ql)?|s3):\/\//;

function logAt(where: string, folder: string, clock: Clock): Log {
  if (where === "local") return new LocalLog(folder);
  const name = `the journal in ${withoutCredentials(where)}`;
  const advice = "Make it reachable, or choose another with `docsign:journal` or DOCSIGN_JOURNAL.";
  const open = async () => {
    if (/^postgres(ql)?:/.test(where))
      return new PartialLog(new (await import("./postgres-table.js")).PostgresTable(where));
    if (/^s3:/.test(where)) return new (await import("./s3-log.js")).S3Log(where);
    throw new Error('expected "local", "postgres://…" or "s3://…"');
  };
  return new RemoteLog(name, advice, open, clock);
}

function noticeOfDefault(env: JournalSettings["env"]): string | undefined {
  if (env["DOCSIGN_JOURNAL"] === "") return EMPTY;
  const isCI = !/^(|0|false)$/i.test(env["CI"] ?? "");
  return isCI && !env["DOCSIGN_STATE_DIR"] ? UNDER_CI : undefined;
}

/** In CI, as a rule a secret that isn't there. */
const EMPTY =
  "DOCSIGN_JOURNAL is set and empty, so the journal is kept on this machine: is a secret missing? To keep it here: DOCSIGN_JOURNAL=local";

const UNDER_CI =
  "under CI the journal is kept on this machine, and a machine that is thrown away after the run takes it along: what only the " +
  "journal knows, such as a create whose answer was lost, the next run can't know. Keep it where the next run finds it: " +
  "set `docsign:journal` or DOCSIGN_JOURNAL to postgres://… or s3://…. To keep it here: DOCSIGN_JOURNAL=local";

const besideState = (backend: string): string =>
  `the journal is kept beside the stack's state, in ${withoutCredentials(backend)}. To keep it on this machine instead: pulumi config set docsign:journal local`;

/** A URL as it may be written down: no user, password, query or trailing slash. */
export function withoutCredentials(url: string): string {
  const [, scheme = "", rest = url] = /^([a-z][a-z0-9+.-]*:\/\/)(.*)$/is.exec(url) ?? [];
  // A password may hold any character, unescaped ones included; a path may hold an @, too, and no bucket's name a colon.
  const isPath = /^file:/i.test(scheme) || (/^(s3|gs):/i.test(scheme) && !/^[^/]*[:@]/.test(rest));
  const host = isPath ? rest : rest.slice(rest.lastIndexOf("@") + 1);
  return `${scheme.toLowerCase()}${host.replace(/[?#].*$/s, "").replace(/(?<!\/)\/+$/, "")}`;
}
