import type { IndependentService } from "../support/independent-service/index.js";
import { statusOf } from "../support/independent-service/records.js";
import type { Outcome } from "../support/simulated-engine.js";
import type { FolderFacts as FolderPlace } from "./folders.js";
import { type Doc, type Facts, type Slot, slotOf } from "./model.js";
import { type Content, contentOf, keyOf, type Program, uploadOf } from "./program.js";
import type { MachineName, StackName } from "./steps.js";

interface Trace {
  readonly knownTo: Set<string>;
  lastSeenBy: string | undefined;
  last: string | undefined;
  supersedes: readonly string[];
  /** Journals that a later command has shown that state holds it. */
  readonly shownTo: Set<string>;
}

/** What a command came to, and the calls or steps of it. */
export type Went = Pick<Outcome, "error" | "failed" | "calls" | "previewCalls">;

export interface UpOptions {
  readonly skipPreview: boolean;
  /** The resource of `--target-replace`. */
  readonly forced?: string | undefined;
  /** Runs after the preview, where there is one. */
  readonly meanwhile: () => void;
}

/** Where a command runs: the stack, the machine, and the name of the journal that the machine has. */
export interface At {
  readonly stack: StackName;
  readonly machine: string;
  readonly journal: string;
}

/** An engine with its stacks, on machines that each have a journal, maybe the same one. */
export interface Engine extends AsyncDisposable {
  readonly service: IndependentService;
  up(at: At, program: Program, options: UpOptions): Promise<Went>;
  refresh(at: At): Promise<Went>;
  destroy(at: At): Promise<Went>;
  /** Slot → id, by state. */
  held(stack: StackName): Map<string, string>;
  heldFolders(stack: StackName): Map<string, string>;
}

/** A team's stacks at a service; and what really happened to each document. */
export class World {
  readonly #traces = new Map<string, Trace>();
  readonly #kept = new Set<string>();
  readonly #folders = new Map<
    string,
    {
      madeIn: StackName;
      slot: string | undefined;
      lastSeenBy: string;
      slots: ReadonlyMap<string, string | undefined>;
    }
  >();
  #thrownAway = 0;

  constructor(
    private readonly engine: Engine,
    private readonly isShared: boolean,
  ) {}

  get service(): IndependentService {
    return this.engine.service;
  }

  /** The name of the journal that a machine's next command has. */
  journalOf(machine: MachineName): string {
    if (machine === "second" && this.isShared) return "first";
    return machine === "thrown away" ? `thrown away ${this.#thrownAway}` : machine;
  }

  up(where: Where, program: Program, options: UpOptions): Promise<Went> {
    return this.#command(where, at => this.engine.up(at, program, options), program);
  }

  refresh(where: Where): Promise<Went> {
    return this.#command(where, at => this.engine.refresh(at));
  }

  destroy(where: Where): Promise<Went> {
    return this.#command(where, at => this.engine.destroy(at));
  }

  /** A set has kept this signed document though the program says something else. */
  keeps(id: string, content: Content): void {
    this.#kept.add(`${id} ${keyOf(content)}`);
  }

  sign(id: string, all: boolean): void {
    const { people, ledger } = this.service;
    const document = ledger.documents().find(made => made.id === id);
    const waiting = document?.versions.at(-1)?.signers.filter(({ status }) => status !== "signed") ?? [];
    for (const { email } of waiting.slice(0, all ? waiting.length : 1)) people.sign(id, email);
  }

  upload(content: Content): void {
    this.service.people.upload("first", uploadOf(content));
  }

  facts(stack: StackName, journal: string): Facts {
    const places = new Map<string, Slot>();
    for (const name of ["dev", "dev2"] as const)
      for (const [slot, id] of this.engine.held(name)) places.set(id, { stack: name, slot });
    const docs = this.service.ledger.documents().map((record): [string, Doc] => {
      const { knownTo, lastSeenBy, last, supersedes = [], shownTo } = this.#traces.get(record.id) ?? {};
      const shown = shownTo?.has(journal) ?? false;
      const known = { knownTo: new Set(knownTo), lastSeenBy, last, supersedes, shown };
      return [
        record.id,
        {
          ...known,
          id: record.id,
          content: contentOf(record),
          signed: statusOf(record) !== "unsigned",
          stranger: record.madeBy === 0,
          holder: places.get(record.id),
        },
      ];
    });
    const heldFolders = this.engine.heldFolders(stack);
    const held = this.engine.held(stack);
    return { stack, journal, docs: new Map(docs), kept: this.#kept, held, folders: this.#placesNow(), heldFolders };
  }

  #placesNow(): Map<string, FolderPlace> {
    const heldIn = new Map(
      (["dev", "dev2"] as const).flatMap(stack =>
        [...this.engine.heldFolders(stack).values()].map(id => [id, stack] as const),
      ),
    );
    return new Map(
      this.service.ledger.folders().map(({ id, name: title }) => {
        const { madeIn, lastSeenBy, slots = new Map() } = this.#folders.get(id) ?? {};
        return [id, { id, title, madeIn, heldIn: heldIn.get(id), lastSeenBy, slots }];
      }),
    );
  }

  async #command({ stack, machine }: Where, run: (at: At) => Promise<Went>, program: Program = []): Promise<Went> {
    const journal = this.journalOf(machine);
    const before = underNewNames(this.engine.held(stack), program);
    const foldersBefore = underNewNames(this.engine.heldFolders(stack), program);
    const outcome = await run({ stack, machine: machine === "thrown away" ? journal : machine, journal });
    if (machine === "thrown away") this.#thrownAway++;
    this.#trace(before, this.engine.held(stack), journal, outcome);
    this.#traceFolders(stack, foldersBefore, this.engine.heldFolders(stack), journal);
    return outcome;
  }

  #traceFolders(
    stack: StackName,
    before: ReadonlyMap<string, string>,
    after: ReadonlyMap<string, string>,
    journal: string,
  ): void {
    const now = new Map([...after].map(([slot, id]) => [id, slot]));
    const seen = new Map([...before].map(([slot, id]) => [id, slot]));
    for (const id of new Set([...before.values(), ...after.values()])) {
      const known = this.#folders.get(id);
      const slot = now.get(id);
      const isSeen = !known || slot !== seen.get(id) || slot !== known.slot;
      const lastSeenBy = isSeen ? journal : known.lastSeenBy;
      const slots = new Map([...(known?.slots ?? []), [journal, slot]]);
      this.#folders.set(id, { madeIn: known?.madeIn ?? stack, slot, lastSeenBy, slots });
    }
  }

  /** Who holds what now, and which journal saw it. */
  #trace(
    before: ReadonlyMap<string, string>,
    after: ReadonlyMap<string, string>,
    journal: string,
    outcome: Went,
  ): void {
    const held = new Set(after.values());
    for (const [slot, id] of before)
      if (!held.has(id)) {
        this.#seen(id, journal);
        this.#traceOf(id).last = slot;
      }
    for (const [slot, id] of after) {
      const trace = this.#traceOf(id);
      const replaced = before.get(slot);
      if (![...before.values()].includes(id)) {
        this.#seen(id, journal);
        trace.shownTo.clear();
        if (replaced !== undefined) {
          const line = [...this.#traceOf(replaced).supersedes, replaced, ...trace.supersedes];
          trace.supersedes = [...new Set(line)].filter(each => each !== id);
        }
      } else if (outcome.error === undefined) {
        trace.knownTo.add(journal);
        trace.shownTo.add(journal);
      }
      // State names what it replaced.
      if (trace.knownTo.has(journal)) for (const each of trace.supersedes) this.#traceOf(each).knownTo.add(journal);
      // A command that fails may end before it shows what it renames.
      if (outcome.error !== undefined) continue;
      if (trace.last !== slot) this.#seen(id, journal);
      trace.last = slot;
    }
  }

  #seen(id: string, journal: string): void {
    const trace = this.#traceOf(id);
    trace.knownTo.add(journal);
    trace.lastSeenBy = journal;
  }

  #traceOf(id: string): Trace {
    const known = this.#traces.get(id) ?? {
      knownTo: new Set(),
      lastSeenBy: undefined,
      last: undefined,
      supersedes: [],
      shownTo: new Set(),
    };
    this.#traces.set(id, known);
    return known;
  }
}

/** What was held, by the names that the program has for it now. */
function underNewNames(held: ReadonlyMap<string, string>, program: Program): Map<string, string> {
  const names = new Map(
    program.flatMap(({ kind, name, alias }) =>
      alias === undefined ? [] : [[slotOf({ kind, name: alias }), slotOf({ kind, name })] as const],
    ),
  );
  return new Map(
    [...held].map(([slot, id]) => {
      const [resource = "", row] = slot.split("#");
      const name = names.get(resource) ?? resource;
      return [row === undefined ? name : `${name}#${row}`, id];
    }),
  );
}

export interface Where {
  readonly stack: StackName;
  readonly machine: MachineName;
}
