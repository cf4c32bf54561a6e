import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { ServiceError } from "../../provider/client/errors.js";
import type { Service } from "../../provider/client/service.js";
import { isDay } from "../../provider/core/clock.js";
import { counted, grouped, oneLine } from "../../provider/core/text.js";
import { PULLING } from "../../provider/evidence/archive.js";
import { type PullResult, pull } from "../../provider/evidence/pull.js";
import { EvidenceError } from "../../provider/evidence/types.js";
import { daysIn, documentsIn, documentsInRange, type Truncated } from "../../provider/functions/documents.js";
import { createRuntime } from "../../provider/runtime.js";
import { tryLock } from "../../scripts/setup/lock.mjs";
import { documentsIn as documentsInState } from "../stack-documents.js";
import type { CommandIo } from "./command.js";
import { CommandError, messageOf, parseFlags, UsageError } from "./flags.js";
import { makeFolder } from "./folder.js";
import { settingsOf } from "./stack-settings.js";

const run = promisify(execFile);

/** Days that the service is asked for at a time. */
const SPLIT_DAYS = 31;
const MOST_NAMED = 20;
/** Lines of progress. */
const STEPS = 20;

type Io = Pick<CommandIo, "out" | "err" | "env" | "cwd" | "pid" | "version" | "interrupted">;

export async function evidence(argv: readonly string[], io: Io): Promise<number> {
  const flags = readPullFlags(argv);
  if (flags === "help") {
    io.out(pullHelp);
    return 0;
  }
  const { which, out, allowOrigins } = flags;
  const stack = which.of === "stack" ? which.stack : undefined;
  const runtime = createRuntime({ env: io.env, version: io.version, engine: undefined, pid: io.pid });
  const signal = io.interrupted();
  const directory = resolve(io.cwd, out);
  try {
    runtime.configure(await settingsOf(stack, io));
    const service = runtime.context.service();
    using _ = locked(directory);
    const { ids, truncated } = await idsOf(which, service, signal, io);
    const onProgress = progress(ids.length, io.err);
    const pulled = await pull({ service, directory, ids, allowOrigins, signal, onProgress });
    return summary(pulled, { truncated, out }, io);
  } catch (error) {
    if (signal.aborted) throw new CommandError("interrupted. What came is kept; run it again to go on.");
    if (error instanceof EvidenceError || error instanceof ServiceError) throw new CommandError(error.message);
    throw error;
  } finally {
    await runtime.close();
  }
}

/** Two pulls into a folder would take one another's drafts for those of a killed one. */
function locked(directory: string): Disposable {
  makeFolder(directory);
  const { lock, holder } = tryLock(join(directory, PULLING.replace(/\.lock$/, "")));
  if (lock) return lock;
  throw new CommandError(`${directory}: expected no other pull into it, got process ${holder.pid} on ${holder.host}`);
}

async function idsOf(
  which: ReturnType<typeof whichOf>,
  service: Service,
  signal: AbortSignal,
  { cwd, env }: Pick<Io, "cwd" | "env">,
): Promise<{ ids: readonly string[]; truncated: Truncated }> {
  if (which.of === "stack") return { ids: await idsInState(which.stack, cwd, env), truncated: "no" };
  const filter = which.folderId === undefined ? {} : { folderId: which.folderId };
  if (which.of === "folder") {
    const { documents, truncated } = await documentsIn(service, filter, { signal });
    // Nobody has signed these: there is no evidence.
    return { ids: documents.filter(({ status }) => status !== "unsigned").map(({ id }) => id), truncated };
  }
  const { range } = which;
  const query = { range, filter, statuses: ["partially_signed", "signed"] as const, splitDays: SPLIT_DAYS };
  const { documents, truncated } = await documentsInRange(service, query, { signal });
  return { ids: documents.map(({ id }) => id), truncated };
}

async function idsInState(stack: string, cwd: string, env: Io["env"]): Promise<string[]> {
  const args = ["stack", "export", "--stack", stack, "--non-interactive"];
  try {
    const { stdout } = await run("pulumi", args, { cwd, env, maxBuffer: 2 ** 30 });
    return documentsInState(stdout);
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    throw new CommandError(`the state of ${stack} can't be read: ${oneLine(stderr?.trim() || messageOf(error))}`);
  }
}

function progress(all: number, err: Io["err"]): (done: number) => void {
  let lastStep = 0;
  return done => {
    const step = Math.floor((done * STEPS) / all);
    if (step <= lastStep) return;
    lastStep = step;
    err(`${grouped(done)} of ${counted(all, "document")}\n`);
  };
}

/** What came of it, and the exit code. */
function summary(
  { fresh, unchanged, unsigned, failed, documents, incomplete, sha256 }: PullResult,
  { truncated, out }: { truncated: Truncated; out: string },
  io: Pick<Io, "out" | "err">,
): number {
  for (const { id, why } of failed.slice(0, MOST_NAMED)) io.err(`docsign: document ${id}: ${oneLine(why)}\n`);
  if (failed.length > MOST_NAMED) io.err(`docsign: and ${grouped(failed.length - MOST_NAMED)} more failed\n`);
  if (truncated === "yes")
    io.err("docsign: the service leaves documents out of its list; ask for fewer days at a time\n");
  if (truncated === "unknown")
    io.err("docsign: nothing shows whether the service's list was whole; compare the number with the platform's\n");
  const counts = [
    `${grouped(fresh)} new`,
    `${grouped(unchanged)} there already`,
    ...(unsigned > 0 ? [`${grouped(unsigned)} not signed by everybody`] : []),
    ...(failed.length > 0 ? [`${grouped(failed.length)} failed`] : []),
  ];
  io.out(`${counts.join(", ")}\n`);
  const lacking =
    incomplete > 0 ? `, ${grouped(incomplete)} of them incomplete: evidence.json says what is missing` : "";
  io.out(`${out}: ${counted(documents, "document")}${lacking}\nsha256 of manifest.json: ${sha256}\n`);
  return failed.length > 0 || truncated === "yes" ? 1 : 0;
}

// ---- Flags and help ----

export const pullFlags = {
  stack: { type: "string", short: "s" },
  folder: { type: "string" },
  from: { type: "string" },
  to: { type: "string" },
  out: { type: "string", short: "o" },
  "allow-origin": { type: "string", multiple: true },
  help: { type: "boolean", short: "h" },
} as const;

export function readPullFlags(argv: readonly string[]) {
  const { values, positionals } = parseFlags(argv, pullFlags);
  if (values.help) return "help";
  if (positionals.length !== 1 || positionals[0] !== "pull")
    throw new UsageError(`evidence: expected pull, got ${positionals.join(" ") || "none"}`);
  if (values.out === undefined) throw new UsageError("evidence pull: expected -o FOLDER, got none");
  return { which: whichOf(values), out: values.out, allowOrigins: values["allow-origin"] ?? [] };
}

/** Whose evidence is pulled. */
function whichOf({ stack, folder, from, to }: Partial<Record<"stack" | "folder" | "from" | "to", string>>) {
  if (stack !== undefined) {
    if ((folder ?? from ?? to) !== undefined)
      throw new UsageError("evidence pull: expected --stack alone, got it with --folder, --from or --to");
    return { of: "stack" as const, stack };
  }
  if (folder !== undefined && !/^[1-9]\d{0,19}$/.test(folder))
    throw new UsageError(`--folder: expected a folder's id, got ${folder}`);
  if (from === undefined && to === undefined) {
    if (folder === undefined)
      throw new UsageError("evidence pull: expected --stack NAME, --folder ID, or --from DAY --to DAY, got none");
    return { of: "folder" as const, folderId: folder };
  }
  const range = { fromDate: day("from", from), toDate: day("to", to) };
  if (daysIn(range) < 1) throw new UsageError(`--to: expected a day not before ${range.fromDate}, got ${range.toDate}`);
  return { of: "days" as const, range, folderId: folder };
}

function day(flag: string, text = "none"): string {
  if (isDay(text)) return text;
  throw new UsageError(`--${flag}: expected a day such as 2027-01-31, got ${text}`);
}

const pullHelp = `Downloads what proves that contracts were signed into a folder: signed PDFs, certificates and constancias, checked.

Usage: docsign evidence pull --stack NAME -o FOLDER
       docsign evidence pull --folder ID -o FOLDER
       docsign evidence pull --from DAY --to DAY [--folder ID] -o FOLDER

Only what isn't there yet is downloaded, so run it as often as you like; after an interruption it goes on. FOLDER gets a folder
for each signed document, and manifest.json with the SHA-256 of every file. Keep the manifest's own SHA-256, which is
printed, elsewhere: \`docsign verify FOLDER --sha256 HASH\` then shows any change.

Options
  --stack, -s         the documents of a stack's state, sets included; its settings say which service
  --folder ID         the documents of a folder at the service
  --from, --to DAY    the documents created in these days, such as 2027-01-31
  --out, -o FOLDER    where to
  --allow-origin URL  an origin besides the service's own that files may be fetched from; may be given again
  --help, -h          this page

Without --stack the settings are those of the stack that is selected in this folder's project; without a project, the
environment's.

Exit codes
  0  the evidence of every signed document is there, as far as the service has it
  1  something failed: what came is kept, and the next run goes on
  2  a flag is wrong
`;
