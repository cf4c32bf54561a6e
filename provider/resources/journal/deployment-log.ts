import { randomBytes } from "node:crypto";
import {
  appendFileSync,
  closeSync,
  constants,
  mkdirSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { typeOf } from "../../../kit/resource.js";
import { assertPrivate, makeFolder, openPlain, textIn } from "../../core/private-folder.js";
import { resourceOf } from "../urn.js";

const stateEntry = z.object({
  supersedes: z.array(z.string()).readonly(),
  service: z.string(),
  /** Inputs that Diff found to be others, or not known yet. */
  changed: z.array(z.string()).readonly().optional(),
  /** Each of `changed` wasn't known yet. */
  isUncertain: z.literal(true).optional(),
  /** By id: hashes of what it and what it superseded were made of, as far as state says. */
  contents: z.record(z.string(), z.string()).readonly().optional(),
  imported: z.literal(true).optional(),
});
/** A resource as state had it: where it lives, what it superseded, and what the program changes of it. */
export type StateEntry = z.infer<typeof stateEntry>;
export type Contents = NonNullable<StateEntry["contents"]>;

const diffed = stateEntry.extend({
  /** What Diff answered where it was asked about the program. */
  answer: z.enum(["none", "replace", "refresh"]),
});

const page = z.object({
  /** Whether the last Check had old inputs; null before any Check. */
  lastCheckHadOlds: z.boolean().nullable().default(null),
  everCheckedWithOlds: z.boolean().default(false),
  diffed: z.record(z.string(), diffed).default({}),
  deleted: z.record(z.string(), stateEntry).default({}),
  /** Created since the last Check without old inputs. */
  created: z.array(z.string()).default([]),
  /** Of the last Check's inputs: hashes of what identifies the content. */
  features: z.array(z.string()).default([]),
  urn: z.string().default(""),
});
type DeploymentEntry = z.infer<typeof page>;

const BLANK = page.parse({});

/** A document or folder that the engine has shown in this deployment, in Diff or Delete. */
export interface ResourceInState extends StateEntry {
  readonly id: string;
  /** Diff came before any Check, with unknown inputs: it is deleted before what it depends on is replaced. */
  readonly isDependent?: boolean | undefined;
}

interface StateView {
  /** Check had old inputs: the engine knows the resource. */
  readonly exists: boolean;
  /** What the engine has shown of state. */
  readonly inState: readonly ResourceInState[];
}

/** A row's document: what the program says, to be replaced, or signed and kept while the program says something else. */
type Kept = "as said" | "until changed" | "as it was";

/** What the engine is doing to a resource, as a Create sees it. */
export type CreateSituation =
  /** It isn't in state, as far as the engine has shown. `leaves`: a row's, which another row of its set takes. */
  | (StateView & { readonly kind: "new"; readonly leaves?: ResourceInState | undefined })
  /** Check had old inputs, and nothing was shown: state holds a document, and nothing says which. */
  | (StateView & { readonly kind: "exists" })
  /** What was shown is replaced by what is created: the second half of a replacement, or all of it. */
  | (StateView & { readonly kind: "replacement" })
  /**
   * Diff found nothing that takes another document than `keeps`: an earlier run began to replace it, and the program is back to
   * it; or `replaceOnChanges` names a term. Or a row takes `keeps` from another row of its set.
   */
  | (StateView & {
      readonly kind: "still-wanted";
      readonly keeps: ResourceInState;
      readonly moves?: { readonly from: string; readonly why: string };
    });

/** The same as a Delete sees it. */
export type DeleteSituation =
  /**
   * Another one is created in its place, under the same name: for `changed` inputs, none where it is forced. `isUncertain`: they
   * may be the same, once they are known. `isStillWanted`: the Create that comes keeps it.
   */
  | ({ readonly kind: "first-half"; readonly isStillWanted?: boolean | undefined } & Pick<
      StateEntry,
      "changed" | "isUncertain"
    >)
  /**
   * It may be replaced under another name, by one of those that wait to be created: an alias has renamed it, or state kept
   * its old name. `as`: by this one, as Diff has shown.
   */
  | {
      readonly kind: "renamed";
      readonly isOthers: boolean;
      readonly waiting: readonly Waiting[];
      readonly as?: string | undefined;
    }
  /** It was deleted as its own successor: the Create before has taken this very id. */
  | { readonly kind: "kept" }
  | { readonly kind: "removed" };

/** A resource that was checked without old inputs, and not created since. */
export interface Waiting {
  readonly urn: string;
  /** Hashes of what the Check was given, one for each feature by which contents are compared. */
  readonly features: readonly string[];
}

/**
 * What happened to each resource in this deployment, shared by all provider processes of one engine: on a replacement
 * with another explicit provider, Delete goes to a process that saw no Check. Processes of one deployment are started
 * with the same engine address; a log whose processes are all gone belongs to an earlier deployment.
 */
export class DeploymentLog {
  /** The latest of each resource: in the file, too, where that can be written. */
  readonly #pages = new Map<string, DeploymentEntry>();
  readonly #kept = new Map<string, { readonly urn: string; readonly how: Kept }>();
  readonly #given = new Map<string, string>();
  readonly #holders = new Map<string, string>();
  #folder: string | undefined;
  /** How much of the file was read. */
  #offset = 0;
  /** This deployment: the same in all processes of one engine. */
  readonly run: string = randomBytes(4).toString("hex");

  /** Without an engine address (a debugger attaches later) the log is this process's own. */
  constructor(
    folder: string,
    private readonly engine: string | undefined,
    pid: number,
    isAlive: (pid: number) => boolean,
    startOf: (pid: number) => string = () => "",
  ) {
    if (engine === undefined) return;
    this.#folder = join(folder, engine.replace(/[^A-Za-z0-9.-]+/g, "_"));
    try {
      assertPrivate(folder);
      clearGone(folder, (other, start) => isAlive(other) && (start === "" || start === startOf(other)));
      makeFolder(join(this.#folder, "pids"));
      writeFileSync(join(this.#folder, "pids", String(pid)), startOf(pid), { mode: 0o600 });
      this.run = runNameIn(this.#folder, this.run);
    } catch {
      // A disk that can't be written must not keep anyone from a preview or a destroy; creates are the journal's to refuse.
      this.#folder = undefined;
    }
  }

  /** What the engine is about to do: the one place where what it has called before is interpreted. */
  situationOf(urn: string): CreateSituation {
    return this.situations()(urn);
  }

  /** The same for many, as of now: what is written meanwhile isn't read. */
  situations(): (urn: string) => CreateSituation {
    this.#readOn();
    return urn => this.#situationOf(urn);
  }

  #situationOf(urn: string): CreateSituation {
    const { diffed, deleted, everCheckedWithOlds: exists } = this.#known(urn);
    const seen = new Map<string, ResourceInState>();
    for (const [id, entry] of [...Object.entries(deleted), ...Object.entries(diffed)]) {
      const { supersedes, service, changed, isUncertain, contents, imported } = entry;
      const isDependent = isUncertain && diffed[id]?.answer === "refresh";
      seen.set(id, { id, supersedes, service, changed, isUncertain, contents, imported, isDependent });
    }
    const inState = [...seen.values()];
    const keeps = inState.find(({ id }) => diffed[id]?.answer === "none");
    if (keeps) return { kind: "still-wanted", exists, inState, keeps };
    if (inState.length > 0) return { kind: "replacement", exists, inState };
    return { kind: exists ? "exists" : "new", exists, inState };
  }

  /**
   * The same for a Delete. The first half of a replacement: the last Check came without old inputs, nothing was created
   * since, and Diff showed no other id. So it is of what depends on a resource that is deleted first: it is deleted before it
   * is checked. No other Diff without a Check, as of a refresh, has unknown inputs. Another URN that this deployment never
   * checked is a removal, or it was renamed by an alias and is replaced under its new URN: then something was checked and not
   * created yet. The same holds for a URN that has another document in this deployment: state keeps a dynamic resource's old
   * name. Everything else lets go.
   * `isOwn`: whether the resource under this name holds what is deleted, where its id doesn't tell.
   */
  situationOfDelete(urn: string, id: string, isOwn?: boolean): DeleteSituation {
    const { lastCheckHadOlds, created, diffed } = this.#page(urn);
    const ids = [...Object.keys(diffed), ...created];
    const { answer, changed, isUncertain } = diffed[id] ?? {};
    const isReplaced = lastCheckHadOlds === false && created.length === 0 && ids.every(each => each === id);
    if (isReplaced || (lastCheckHadOlds === null && isUncertain && changed))
      return { kind: "first-half", changed, isUncertain, isStillWanted: answer === "none" || undefined };
    const isOthers = !(isOwn ?? (ids.length === 0 || ids.includes(id)));
    const pending = lastCheckHadOlds === null || isOthers ? this.pending(urn) : [];
    // Diff has shown it under the new name, unless its replacement is forced.
    const shown = pending.find(each => Object.hasOwn(this.#known(each.urn).diffed, id));
    const waiting = shown ? [shown] : pending;
    if (waiting.length > 0) return { kind: "renamed", isOthers, waiting, as: shown?.urn };
    return { kind: created.includes(id) ? "kept" : "removed" };
  }

  /** Whether a Diff that comes now is about the program, and not a refresh's own. */
  isOfProgram(urn: string): boolean {
    return isOfProgram(this.#page(urn));
  }

  /** Whether no Check came yet, as with a refresh's Diff, and that of what is deleted before what it depends on. */
  isBeforeCheck(urn: string): boolean {
    return this.#page(urn).lastCheckHadOlds === null;
  }

  /** Whether a Create of this deployment answered with it. */
  hasCreated(urn: string, id: string): boolean {
    return this.#page(urn).created.includes(id);
  }

  #page(urn: string): DeploymentEntry {
    this.#readOn();
    return this.#known(urn);
  }

  #known(urn: string): DeploymentEntry {
    return this.#pages.get(urn) ?? BLANK;
  }

  /** Whether the program's own resource of this URN holds the id: it created it, or Diff showed it and it created no other. */
  holds(urn: string, id: string): boolean {
    if (this.letsGo(urn, id)) return false;
    if (this.#kept.get(id)?.urn === urn) return true;
    const { created, diffed } = this.#page(urn);
    const answer = diffed[id]?.answer;
    return created.includes(id) || (created.length === 0 && (answer === "none" || answer === "replace"));
  }

  /** Whether the program's resource is in state, and its Diff, which shows whether it keeps the id, is still to come. */
  isAwaited(urn: string, id: string): boolean {
    const isInState = this.#page(resourceOf(urn)).lastCheckHadOlds === true;
    const isShown = Object.keys(this.#known(urn).diffed).length > 0 || this.letsGo(urn, id) || this.holds(urn, id);
    return isInState && !isShown;
  }

  /** Whether Diff found that the resource is to get another one in its place. */
  isChanging(urn: string, id: string): boolean {
    const { created, diffed } = this.#page(urn);
    const kept = this.#kept.get(id);
    return (
      (kept?.urn === urn && kept.how === "until changed") || (created.length === 0 && diffed[id]?.answer === "replace")
    );
  }

  /** Whether the resource keeps the id, and its program says something else. */
  keepsAsItWas(urn: string, id: string): boolean {
    const kept = this.#kept.get(id);
    return kept?.urn === urn && kept.how === "as it was";
  }

  /** In this process alone: a row of a set whose state was shown, and that has not got another document yet. */
  keeps(urn: string, id: string, how: Kept = "as said"): void {
    this.#kept.set(id, { urn, how });
  }

  /** In this process alone: a row that leaves its set, or gets another document. */
  gives(urn: string, id: string): void {
    this.#given.set(id, urn);
  }

  /** It doesn't after all. */
  retains(urn: string, id: string): void {
    if (this.letsGo(urn, id)) this.#given.delete(id);
  }

  /** Whether the resource lets go of the id in this deployment, as far as this process was shown. */
  letsGo(urn: string, id: string): boolean {
    return this.#given.get(id) === urn;
  }

  checked(urn: string, hadOlds: boolean, features: readonly string[] = []): void {
    this.#write(urn, before => ({
      ...before,
      features: [...features],
      lastCheckHadOlds: hadOlds,
      everCheckedWithOlds: before.everCheckedWithOlds || hadOlds,
      created: hadOlds ? before.created : [],
    }));
  }

  diffed(urn: string, id: string, answer: "none" | "replace", entry: StateEntry): void {
    this.#write(urn, before => ({
      ...before,
      diffed: { ...before.diffed, [id]: { ...entry, answer: isOfProgram(before) ? answer : "refresh" } },
    }));
  }

  /**
   * In this process alone: Diff shows that the program's resource holds the id. The other one that it has shown with it,
   * if any. A process that a debugger attaches to is there for many deployments, in which resources are renamed.
   */
  noteHolder(urn: string, service: string, id: string): string | undefined {
    if (this.engine === undefined) return undefined;
    const key = `${service} ${id}`;
    const first = this.#holders.get(key);
    if (first === undefined) this.#holders.set(key, urn);
    return first === urn ? undefined : first;
  }

  /** Others of the same type that were checked without old inputs and not created since. */
  pending(urn: string): Waiting[] {
    const type = typeOf(urn);
    this.#readOn();
    return [...this.#pages.values()].filter(
      entry =>
        entry.urn !== urn &&
        typeOf(entry.urn) === type &&
        entry.lastCheckHadOlds === false &&
        entry.created.length === 0,
    );
  }

  deleted(urn: string, id: string, entry: StateEntry): void {
    this.#write(urn, before => ({ ...before, deleted: { ...before.deleted, [id]: entry } }));
  }

  created(urn: string, id: string): void {
    this.#write(urn, before => ({ ...before, created: [...before.created, id] }));
  }

  #write(urn: string, change: (before: DeploymentEntry) => DeploymentEntry): void {
    const entry = { ...change(this.#page(urn)), urn };
    this.#pages.set(urn, entry);
    if (this.#folder === undefined) return;
    const path = pathIn(this.#folder);
    // It begins on a new line, as the one before may have been cut off.
    const line = `\n${JSON.stringify(entry)}\n`;
    try {
      const file = openPlain(path, ADD, 0o600);
      try {
        appendFileSync(file, line);
      } finally {
        closeSync(file);
      }
      const end = this.#offset + Buffer.byteLength(line);
      // Where nobody else wrote, there is nothing to read.
      if (statSync(path).size === end) this.#offset = end;
    } catch {
      // The folder is gone: a process that can't see ours (another container) has taken us for dead.
    }
  }

  /** Takes in the lines that any process has added. */
  #readOn(): void {
    if (this.#folder === undefined) return;
    try {
      const path = pathIn(this.#folder);
      const { size } = statSync(path);
      if (size === this.#offset) return;
      if (size < this.#offset) this.#offset = 0;
      const rest = Buffer.alloc(size - this.#offset);
      const file = openPlain(path, constants.O_RDONLY);
      try {
        readSync(file, rest, 0, rest.length, this.#offset);
      } finally {
        closeSync(file);
      }
      const whole = rest.lastIndexOf("\n") + 1;
      this.#offset += whole;
      for (const line of rest.toString("utf8", 0, whole).split("\n")) {
        const entry = readEntry(line);
        if (entry) this.#pages.set(entry.urn, entry);
      }
    } catch {
      // Nothing was written yet, or the folder is gone.
    }
  }
}

/** A refresh's own Diff comes without a Check that has old inputs. */
const isOfProgram = ({ lastCheckHadOlds }: DeploymentEntry): boolean => lastCheckHadOlds === true;

const ADD = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;

const pathIn = (folder: string): string => join(folder, "log.jsonl");

/** Whoever comes first names the deployment: a folder is made by one, with its name in it. */
function runNameIn(folder: string, own: string): string {
  const name = join(folder, "run");
  const draft = join(folder, `run-${own}`);
  mkdirSync(join(draft, own), { recursive: true, mode: 0o700 });
  try {
    // Fails where there is one with something in it.
    renameSync(draft, name);
  } catch {
    rmSync(draft, { recursive: true, force: true });
  }
  return list(name)[0] ?? own;
}

function readEntry(line: string): DeploymentEntry | undefined {
  try {
    return page.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}

/** `start`: when the process began, where the system tells and it has written that already. */
function clearGone(folder: string, isAlive: (pid: number, start: string) => boolean): void {
  for (const name of list(folder)) {
    const pids = join(folder, name, "pids");
    const isThere = (pid: string) => isAlive(Number(pid), textIn(join(pids, pid)));
    if (!list(pids).some(isThere)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
