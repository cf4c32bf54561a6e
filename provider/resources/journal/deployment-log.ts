import { createHash, randomBytes } from "node:crypto";
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const thing = z.object({ supersedes: z.array(z.string()), service: z.string() });
/** A resource as state had it: where it lives, and what it superseded. */
export type Known = z.infer<typeof thing>;

const diffed = thing.extend({
  /** What Diff answered when it was asked about the program, which is when a Check with old inputs came before it. */
  answer: z.enum(["none", "replace", "refresh"]),
});

const page = z.object({
  /** Whether the last Check had old inputs; null before any Check. */
  lastCheckHadOlds: z.boolean().nullable(),
  everCheckedWithOlds: z.boolean(),
  diffed: z.record(z.string(), diffed),
  deleted: z.record(z.string(), thing),
  /** Created since the last Check without old inputs. */
  created: z.array(z.string()),
  /** Of the last Check's inputs: hashes of what tells one content from another. */
  features: z.array(z.string()).default([]),
  urn: z.string().default(""),
});
export type DeploymentEntry = z.infer<typeof page>;

const BLANK: DeploymentEntry = {
  lastCheckHadOlds: null,
  everCheckedWithOlds: false,
  diffed: {},
  deleted: {},
  created: [],
  features: [],
  urn: "",
};

/**
 * What happened to each resource in this deployment, shared by all provider processes of one engine: on a replacement
 * with another explicit provider, Delete goes to a process that saw no Check. Processes of one deployment are started
 * with the same engine address; a log whose processes are all gone belongs to an earlier deployment.
 */
export class DeploymentLog {
  readonly #pages = new Map<string, DeploymentEntry>();
  readonly #kept = new Map<string, string>();
  /** As last read. */
  readonly #read = new Map<string, { readonly version: string; readonly entry: DeploymentEntry }>();
  #folder: string | undefined;
  /** This deployment: the same in all processes of one engine. */
  readonly run: string = randomBytes(4).toString("hex");

  /** Without an engine address (a debugger attaches later) the log is this process's own. */
  constructor(folder: string, engine: string | undefined, pid: number, isAlive: (pid: number) => boolean) {
    if (engine === undefined) return;
    this.#folder = join(folder, engine.replace(/[^A-Za-z0-9.-]+/g, "_"));
    try {
      clearGone(folder, isAlive);
      mkdirSync(join(this.#folder, "pids"), { recursive: true, mode: 0o700 });
      writeFileSync(join(this.#folder, "pids", String(pid)), "", { mode: 0o600 });
      this.run = named(this.#folder, this.run);
    } catch {
      // A disk that can't be written must not keep anyone from a preview or a destroy; creates are the journal's to refuse.
      this.#folder = undefined;
    }
  }

  page(urn: string): DeploymentEntry {
    const own = this.#pages.get(urn);
    if (own || this.#folder === undefined) return own ?? BLANK;
    const path = this.#path(this.#folder, urn);
    const version = versionOf(path);
    if (version === undefined) return BLANK;
    const known = this.#read.get(urn);
    if (known?.version === version) return known.entry;
    const entry = readEntry(path) ?? BLANK;
    this.#read.set(urn, { version, entry });
    return entry;
  }

  /** Whether the program's own resource of this URN holds the id: it created it, or Diff showed it. */
  holds(urn: string, id: string): boolean {
    if (this.#kept.get(id) === urn) return true;
    const { created, diffed: shown } = this.page(urn);
    const answer = shown[id]?.answer;
    return created.includes(id) || answer === "none" || answer === "replace";
  }

  /** In this process alone: a row of a set whose state was shown, and that stays. */
  keeps(urn: string, id: string): void {
    this.#kept.set(id, urn);
  }

  #all(): DeploymentEntry[] {
    const folder = this.#folder;
    const own = [...this.#pages.values()];
    if (folder === undefined) return own;
    const others = list(folder).filter(name => name.endsWith(".jsonl"));
    return [...own, ...others.flatMap(name => readEntry(join(folder, name)) ?? [])];
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

  /** A Diff that no Check with old inputs came before is the refresh's own. */
  diffed(urn: string, id: string, answer: "none" | "replace", known: Known): void {
    this.#write(urn, before => ({
      ...before,
      diffed: {
        ...before.diffed,
        [id]: { ...known, answer: before.lastCheckHadOlds === true ? answer : "refresh" },
      },
    }));
  }

  /** URNs of the same type that were checked without old inputs and not created since. */
  pending(urn: string): { urn: string; features: readonly string[] }[] {
    const type = typeOf(urn);
    return this.#all().filter(
      entry =>
        entry.urn !== urn &&
        typeOf(entry.urn) === type &&
        entry.lastCheckHadOlds === false &&
        entry.created.length === 0,
    );
  }

  deleted(urn: string, id: string, known: Known): void {
    this.#write(urn, before => ({ ...before, deleted: { ...before.deleted, [id]: known } }));
  }

  created(urn: string, id: string): void {
    this.#write(urn, before => ({ ...before, created: [...before.created, id] }));
  }

  #path(folder: string, urn: string): string {
    return join(folder, `${createHash("sha256").update(urn).digest("hex").slice(0, 32)}.jsonl`);
  }

  #write(urn: string, change: (before: DeploymentEntry) => DeploymentEntry): void {
    const after = { ...change(this.page(urn)), urn };
    if (this.#folder === undefined || this.#pages.has(urn)) {
      this.#pages.set(urn, after);
      return;
    }
    try {
      // A line for each version: some file systems take a millisecond to replace a file, and none to make it longer. It
      // begins on a new one, as the one before may have been cut off.
      appendFileSync(this.#path(this.#folder, urn), `\n${JSON.stringify(after)}\n`, { mode: 0o600 });
    } catch {
      // The folder is gone: a process that can't see ours (another container) has taken us for dead.
      this.#pages.set(urn, after);
    }
  }
}

/** Whoever comes first names the deployment: a folder is made by one, with its name in it. */
function named(folder: string, own: string): string {
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

const typeOf = (urn: string): string => urn.split("::")[2]?.split("$").at(-1) ?? "";

/** Another one after each line that any process adds; undefined where there is no file to read. */
function versionOf(path: string): string | undefined {
  try {
    const file = statSync(path, { throwIfNoEntry: false });
    return file && `${file.ino} ${file.size} ${file.mtimeMs}`;
  } catch {
    return undefined;
  }
}

function readEntry(path: string): DeploymentEntry | undefined {
  try {
    const text = readFileSync(path, "utf8");
    const versions = text.slice(0, text.lastIndexOf("\n")).trimEnd();
    return page.parse(JSON.parse(versions.slice(versions.lastIndexOf("\n") + 1)));
  } catch {
    return undefined;
  }
}

function clearGone(folder: string, isAlive: (pid: number) => boolean): void {
  for (const name of list(folder)) {
    const pids = list(join(folder, name, "pids"));
    if (!pids.some(pid => isAlive(Number(pid)))) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
