import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { UserError } from "../resource.js";
import { makeNew, namesIn, readJson, removeEmptyFolder, removeFile, writeWhole } from "./files.js";

/** What a create is about to send, as hashes: the journal holds no content and names nobody. */
const intent = z.object({
  fingerprint: z.string(),
  name: z.string(),
  sha256: z.string(),
  invitees: z.string(),
  description: z.string(),
  /** When the request began, by this machine's clock, in milliseconds. */
  startedAt: z.number(),
  marker: z.string().optional(),
});
export type Intent = z.infer<typeof intent>;

const remembered = z.object({
  id: z.string(),
  fingerprint: z.string().optional(),
  supersedes: z.array(z.string()),
  /** The process that created it; null where that process was cancelled before it could know that state has the id. */
  session: z.string().nullable(),
  /** The engine has shown that state holds it. */
  settled: z.boolean(),
  /** Given up for a replacement whose successor doesn't exist yet. */
  givenUp: z.boolean(),
});
type Remembered = z.infer<typeof remembered>;

const entry = z.object({
  version: z.literal(1),
  service: z.string(),
  project: z.string(),
  stack: z.string(),
  urn: z.string(),
  backend: z.string().optional(),
  intent: intent.optional(),
  things: z.array(remembered),
});
type Entry = z.infer<typeof entry>;

/** Whose memory: a resource at a service. */
export interface Scope {
  readonly service: string;
  readonly urn: string;
}

export interface Owned {
  readonly id: string;
  readonly fingerprint: string | undefined;
  readonly supersedes: readonly string[];
  /** False: it was created, and nothing shows yet that state got to know. */
  readonly settled: boolean;
  readonly givenUp: boolean;
}

const GONE_MS = 30 * 24 * 3_600_000;

const hash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32);
const slug = (text: string): string => text.replace(/^\w+:\/\//, "").replace(/[^A-Za-z0-9.-]+/g, "_");

/**
 * What was about to be created and what was, on disk, so that a crash at any point doesn't lead to a second document.
 * State is right and the journal only warns: it may refuse a create, and never causes anything.
 *
 *   <folder>/<service>/urns/<hash>.json        one entry for each resource
 *   <folder>/<service>/ids/<id>                which entry an id belongs to: made exclusively, so two never share one
 *   <folder>/<service>/intents/<fingerprint>/  one file for each create with no answer yet
 *   <folder>/<service>/gone/<id>               there for a month once a stack let go of that id
 *   <folder>/sessions/<session>                there once that process ended in order
 */
export class Journal {
  readonly #session = randomUUID();
  #claimed = false;
  #tidied = false;
  /** Entries change one step at a time, however many calls are under way for one resource. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(
    private readonly folder: string,
    private readonly backend: string | undefined,
  ) {}

  async intentOf(scope: Scope): Promise<Intent | undefined> {
    return (await this.#known(scope)).intent;
  }

  async owned(scope: Scope): Promise<Owned[]> {
    const { things } = await this.#known(scope);
    return things.map(thing => ({ ...thing, fingerprint: thing.fingerprint, settled: this.#isSettled(thing) }));
  }

  /** Before the request: what is about to be created. On disk when this returns. */
  intend(scope: Scope, about: Intent): Promise<void> {
    return this.#change(
      scope,
      async entry => {
        await this.#forgetIntent(scope, entry);
        await makeNew(this.#intentPath(scope, about.fingerprint), "");
        return { ...entry, intent: about };
      },
      { durable: true },
    );
  }

  /** The create didn't happen. */
  withdraw(scope: Scope): Promise<void> {
    return this.#change(scope, async entry => {
      await this.#forgetIntent(scope, entry);
      return without(entry, "intent");
    });
  }

  /** How many creates of this content have no answer, this one included. */
  async unresolved(service: string, fingerprint: string): Promise<number> {
    const root = this.#root(service);
    const keys = await namesIn(join(root, "intents", fingerprint));
    // A file without its entry was left behind: a crash came between the two, or a person deleted the entry.
    return keys.filter(key => existsSync(join(root, "urns", `${key}.json`))).length;
  }

  /**
   * The id a create led to. False where another resource has it already; with `answered`, the service's answer to this
   * very create, only where that resource's create is identical and has no other answer.
   */
  async claim(
    scope: Scope,
    id: string,
    fingerprint: string | undefined,
    supersedes: readonly string[],
    { answered = false } = {},
  ): Promise<boolean> {
    this.#claimed = true;
    const key = this.#key(scope);
    const path = this.#idPath(scope.service, id);
    if (!(await makeNew(path, key))) {
      const holder = await this.#holder(scope.service, id);
      const another = holder !== undefined && holder !== key;
      if (another && !(answered && !(await this.#isTwin(scope.service, holder, id, fingerprint)))) return false;
      if (holder !== key) await writeWhole(path, key);
    }
    await removeFile(this.#gonePath(scope.service, id));
    await this.#change(scope, async entry => {
      await this.#forgetIntent(scope, entry);
      const others = entry.things.filter(thing => thing.id !== id && !thing.givenUp && !supersedes.includes(thing.id));
      const thing: Remembered = {
        id,
        supersedes: [...supersedes],
        session: this.#session,
        settled: false,
        givenUp: false,
      };
      if (fingerprint !== undefined) thing.fingerprint = fingerprint;
      return { ...without(entry, "intent"), things: [...others, thing] };
    });
    return true;
  }

  /** Whether another resource has this id. */
  async isTaken(scope: Scope, id: string): Promise<boolean> {
    const holder = await this.#holder(scope.service, id);
    return holder !== undefined && holder !== this.#key(scope);
  }

  /** The reply went out after a cancel: nothing will show that state got it. */
  unsettle(scope: Scope, id: string): Promise<void> {
    return this.#change(scope, async entry => ({
      ...entry,
      things: entry.things.map(thing => (thing.id === id ? { ...thing, session: null, settled: false } : thing)),
    }));
  }

  /**
   * The engine has shown that state holds this id under this URN; a rename moves what is remembered. `besides` are ids
   * it has shown in this deployment already: a refresh shows what is left of a replacement along with its successor.
   */
  async learn(
    scope: Scope,
    id: string,
    supersedes: readonly string[],
    { imported = false, besides = [] }: { imported?: boolean; besides?: readonly string[] } = {},
  ): Promise<void> {
    const known = await this.#read(scope);
    const [only] = known.things;
    const sameSupersedes = only?.supersedes.join() === supersedes.join();
    if (
      only?.id === id &&
      known.things.length === 1 &&
      only.settled &&
      !only.givenUp &&
      sameSupersedes &&
      !(imported && known.intent)
    )
      return;
    const before = await this.#holder(scope.service, id);
    const key = this.#key(scope);
    if (before !== key) {
      await removeFile(this.#gonePath(scope.service, id));
      await writeWhole(this.#idPath(scope.service, id), key);
      if (before !== undefined) await this.#forgetAt(scope.service, before, id);
    }
    await this.#change(scope, async entry => {
      if (imported) await this.#forgetIntent(scope, entry);
      const isOpen = (thing: Remembered): boolean => !this.#isSettled(thing) && !thing.givenUp;
      const others = entry.things.filter(
        thing => thing.id !== id && !imported && (isOpen(thing) || besides.includes(thing.id)),
      );
      const thing: Remembered = { id, supersedes: [...supersedes], session: null, settled: true, givenUp: false };
      return { ...(imported ? without(entry, "intent") : entry), things: [...others, thing] };
    });
  }

  /** Its replacement is about to be created: it stays named until that exists. */
  giveUp(scope: Scope, id: string, supersedes: readonly string[]): Promise<void> {
    return this.#change(scope, async entry => ({
      ...entry,
      things: [
        ...entry.things.filter(thing => thing.id !== id),
        { id, supersedes: [...supersedes], session: null, settled: true, givenUp: true },
      ],
    }));
  }

  /** State lets go of it. */
  async drop(scope: Scope, id: string): Promise<void> {
    if ((await this.#holder(scope.service, id)) === this.#key(scope)) await removeFile(this.#idPath(scope.service, id));
    await this.#tidyGone(scope.service);
    await makeNew(this.#gonePath(scope.service, id), "");
    await this.#change(scope, async entry => ({ ...entry, things: entry.things.filter(thing => thing.id !== id) }));
  }

  /** Whether a stack let go of it: then it is somebody's past, and not what a create just led to. */
  isLetGo(service: string, id: string): boolean {
    return existsSync(this.#gonePath(service, id));
  }

  /** The file that holds what is remembered of a resource. */
  pathOf(scope: Scope): string {
    return join(this.#root(scope.service), "urns", `${this.#key(scope)}.json`);
  }

  /** The engine ended us in order: it has written what we answered. Synchronous, because the process may be killed at once. */
  endInOrder(): void {
    if (!this.#claimed) return;
    const folder = join(this.folder, "sessions");
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(join(folder, this.#session), "", { mode: 0o600 });
    } catch {
      // Then what was created here counts as unsettled until Diff or Read show otherwise, which sends nothing.
    }
  }

  #isSettled(thing: Remembered): boolean {
    if (thing.settled) return true;
    return (
      thing.session !== null &&
      thing.session !== this.#session &&
      existsSync(join(this.folder, "sessions", thing.session))
    );
  }

  #root(service: string): string {
    return join(this.folder, `${slug(service)}-${hash(service).slice(0, 8)}`);
  }

  #key(scope: Scope): string {
    return hash(`${scope.urn}\n${this.backend ?? ""}`);
  }

  #idPath(service: string, id: string): string {
    return join(this.#root(service), "ids", id.replace(/[^0-9]/g, "_"));
  }

  #intentPath(scope: Scope, fingerprint: string): string {
    return join(this.#root(scope.service), "intents", fingerprint, this.#key(scope));
  }

  #gonePath(service: string, id: string): string {
    return join(this.#root(service), "gone", id.replace(/[^0-9]/g, "_"));
  }

  async #tidyGone(service: string): Promise<void> {
    if (this.#tidied) return;
    this.#tidied = true;
    const folder = join(this.#root(service), "gone");
    for (const path of (await namesIn(folder)).map(name => join(folder, name))) {
      const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
      if (Date.now() - mtimeMs > GONE_MS) await removeFile(path);
    }
  }

  async #forgetIntent(scope: Scope, { intent }: Entry): Promise<void> {
    if (!intent) return;
    await removeFile(this.#intentPath(scope, intent.fingerprint));
    await removeEmptyFolder(join(this.#root(scope.service), "intents", intent.fingerprint));
  }

  /** A file that was cut off while it was written names nobody. */
  async #holder(service: string, id: string): Promise<string | undefined> {
    const key = await readFile(this.#idPath(service, id), "utf8").catch(() => "");
    return /^[0-9a-f]{32}$/.test(key) ? key : undefined;
  }

  async #isTwin(service: string, key: string, id: string, fingerprint: string | undefined): Promise<boolean> {
    const parsed = entry.safeParse(await readJson(join(this.#root(service), "urns", `${key}.json`)));
    return parsed.data?.things.some(thing => thing.id === id && thing.fingerprint === fingerprint) ?? false;
  }

  async #forgetAt(service: string, key: string, id: string): Promise<void> {
    const path = join(this.#root(service), "urns", `${key}.json`);
    const parsed = entry.safeParse(await readJson(path));
    if (!parsed.success) return;
    await this.#save(path, { ...parsed.data, things: parsed.data.things.filter(thing => thing.id !== id) }, false);
  }

  async #read(scope: Scope): Promise<Entry> {
    const parsed = entry.safeParse(await readJson(this.pathOf(scope)));
    return parsed.success ? parsed.data : this.#blank(scope);
  }

  /** For a decision to create: what can't be read is not the same as nothing. */
  async #known(scope: Scope): Promise<Entry> {
    const path = this.pathOf(scope);
    const parsed = entry.safeParse(await this.#onDisk(readJson(path)));
    if (parsed.success) return parsed.data;
    if (!existsSync(path)) return this.#blank(scope);
    throw new UserError(
      [
        "what this machine remembers of this resource can't be read, so it isn't known whether an earlier run created it. Nothing was sent.",
        "Look at the service: if it is there, take it over with `pulumi import`. If it isn't:",
        `  rm '${path}'`,
      ].join("\n"),
    );
  }

  /** Without the journal a crash would lead to a second document, so a create needs it. */
  async #onDisk<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (typeof code !== "string") throw error;
      throw new UserError(
        `the journal in ${this.folder} can't be written or read (${code}), and without it nothing is created: a crash would mail people twice. Make the folder writable, or set DOCSIGN_STATE_DIR to one that is.`,
      );
    }
  }

  #blank({ service, urn }: Scope): Entry {
    const [prefix = "", project = ""] = urn.split("::");
    const blank: Entry = { version: 1, service, project, stack: prefix.slice("urn:pulumi:".length), urn, things: [] };
    if (this.backend !== undefined) blank.backend = this.backend;
    return blank;
  }

  #change(scope: Scope, step: (entry: Entry) => Promise<Entry>, { durable = false } = {}): Promise<void> {
    const path = this.pathOf(scope);
    const turn = (this.#turns.get(path) ?? Promise.resolve())
      .catch(() => undefined)
      .then(async () => this.#save(path, await step(await this.#read(scope)), durable));
    this.#turns.set(path, turn);
    return this.#onDisk(
      turn.finally(() => {
        if (this.#turns.get(path) === turn) this.#turns.delete(path);
      }),
    );
  }

  async #save(path: string, changed: Entry, durable: boolean): Promise<void> {
    if (changed.intent === undefined && changed.things.length === 0) await removeFile(path);
    else await writeWhole(path, `${JSON.stringify(changed)}\n`, { durable });
  }
}

function without<K extends keyof Entry>(from: Entry, key: K): Entry {
  const { [key]: _gone, ...rest } = from;
  return rest as unknown as Entry;
}
