import { expect } from "vitest";
import { contentHashesOf, type Journal, type Scope, tokenOf } from "../../../provider/resources/journal/contract.js";
import {
  JournalUnavailableError,
  type Log,
  PartialLog,
  type Piece,
  type Reading,
  RemoteLog,
  type Table,
} from "../../../provider/resources/journal/log.js";
import { type JournalOptions, LoggedJournal } from "../../../provider/resources/journal/logged-journal.js";
import { begun, contentOf, SERVICE } from "../conformance.js";
import { type Call, CONTENTS, FIRST, IDS, SERVICES, STACKS, type Start, urnOf } from "./calls.js";

const KEPT_LINES = [Number.NEGATIVE_INFINITY, 4, 200];

const scopesOf = (stack: string): Scope[] =>
  SERVICES.flatMap(service => [0, 1].map(name => ({ service, urn: urnOf(stack, name) })));

interface Process {
  readonly stack: string;
  readonly journal: LoggedJournal;
  /** Reads every line of the history, which is never compacted, and writes none. */
  whole: LoggedJournal;
  readonly options: { readonly run: string; readonly backend?: string };
}

/** Processes of several stacks over one table, each beside a reader of all lines. */
export class ManyStacks {
  /** By position: every line that was ever added. */
  readonly #history = new Map<number, readonly string[]>();
  readonly #processes = new Map<number, Process>();
  #lost = 0;
  #now = 0;
  #runs = 0;

  constructor(
    private readonly open: () => Table,
    private readonly turn: () => Promise<unknown> = async () => undefined,
  ) {}

  /** Makes a call, and expects of it what a reader of all lines expects. */
  async run(each: Call): Promise<void> {
    if (each.op === "start") return this.#start(each);
    if (each.op === "lose") return void this.#lost++;
    const process = await this.#process(each.process);
    const scope = { service: each.service, urn: urnOf(process.stack, each.name) };
    await this.#refresh(process);
    const before = this.#position();
    const isNews = each.op === "show" && (await answerTo(this.#reader(process.options), scope, each)) === REFUSED;
    const answer = await answerTo(process.journal, scope, each);
    const added = this.#linesAfter(before);
    await this.#refresh(process);
    await expectSame(process);
    if (each.op === "show") expect(added.length > 0).toBe(isNews);
    if (each.op === "owner" || each.op === "owns" || each.op === "content")
      expect(answer).toEqual(await answerTo(process.whole, scope, each));
    if (answer === REFUSED) return;
    const { attempt, owned } = await process.whole.resource(scope);
    if (each.op === "begin") expect(answer).toBe(added.some(line => JSON.parse(line).token === attempt?.token));
    if (each.op === "claim") expect(answer).toBe(owned.some(one => one.id === each.id));
  }

  /** Calls at the same moment. */
  async runTogether(all: readonly Call[]): Promise<void> {
    for (const { process } of all) await this.#process(process);
    await Promise.all(
      all.map(async each => {
        const { journal, stack } = await this.#process(each.process);
        await answerTo(journal, { service: each.service, urn: urnOf(stack, each.name) }, each);
      }),
    );
    for (const process of this.#processes.values()) {
      await this.#refresh(process);
      await expectSame(process);
    }
  }

  /** Every process, and a new one of each stack, knows all that it is asked about. */
  async end(): Promise<void> {
    for (const [nth, stack] of STACKS.entries()) await this.#start({ ...FIRST, process: 10 + nth, stack });
    for (const process of this.#processes.values()) {
      await this.#refresh(process);
      await expectSame(process);
      for (const scope of SERVICES.map(service => ({ service, urn: urnOf(process.stack, 0) })))
        for (const one of [
          ...IDS.map((one): Call => ({ ...FIRST, op: "owner", id: one })),
          ...CONTENTS.map((one): Call => ({ ...FIRST, op: "content", content: one })),
        ])
          expect(await answerTo(process.journal, scope, one)).toEqual(await answerTo(process.whole, scope, one));
    }
    await Promise.all([...this.#processes.values()].map(({ journal }) => journal.close()));
  }

  async #process(nth: number): Promise<Process> {
    if (!this.#processes.has(nth))
      await this.#start({ ...FIRST, process: nth, stack: STACKS[nth % STACKS.length] ?? "", keeps: nth % 3 });
    return this.#processes.get(nth) as Process;
  }

  async #start({ process: nth, stack, backend, keeps, forgets, id: one, service: at }: Start): Promise<void> {
    await this.#processes.get(nth)?.journal.close();
    const tokens = this.#linesAfter(0).flatMap(line => /"op":"begin".*"token":"([0-9a-f]{8})"/.exec(line)?.[1] ?? []);
    const forget = [
      ...tokens.slice(-3).filter((_, nth) => forgets === nth),
      ...(forgets === 3 ? [tokenOf(at, one)] : []),
    ];
    const options = { run: `r${++this.#runs}`, ...(backend === undefined ? {} : { backend }) };
    const now = () => (this.#now += 60_000);
    // An answer is never late.
    const clock = { now, wait: () => new Promise<never>(() => undefined) };
    const log = new RemoteLog("the table", "", async () => new PartialLog(this.#recorded(this.open())), clock);
    const own = { ...options, forget, now };
    const process: Process = {
      stack,
      options,
      journal: new LoggedJournal(log, { ...own, keptLines: KEPT_LINES[keeps] ?? 0 }),
      whole: this.#reader({ ...options, forget }),
    };
    this.#processes.set(nth, process);
    const scope = { service: SERVICE, urn: urnOf(stack, 0) };
    // Both look for what they let go of now.
    await process.journal.resource(scope).catch(refused);
    await this.#refresh(process);
    await expectSame(process);
    if (forget.length === 0) return;
    process.whole = this.#reader(options);
    const before = this.#position();
    const isKnown = (await tokensKnownTo(process.whole)).some(token => forget.includes(token));
    await process.journal.withdraw(scope, "0").catch(refused);
    expect(this.#linesAfter(before).some(line => JSON.parse(line).op === "forget")).toBe(isKnown);
  }

  async #refresh({ journal, whole }: Process): Promise<void> {
    await journal.refresh().catch(refused);
    await journal.refresh();
    await whole.refresh();
  }

  #position = (): number => Math.max(0, ...this.#history.keys());

  #linesAfter(position: number): string[] {
    const positions = [...this.#history.keys()].filter(each => each > position).sort((a, b) => a - b);
    return positions.flatMap(each => this.#history.get(each) ?? []);
  }

  #reader(options: JournalOptions): LoggedJournal {
    let position = 0;
    const log: Log = {
      ...{ name: "the history", advice: "", isShared: true, isWhole: true },
      exchange: async lines => {
        if (lines.length > 0) throw new Error("expected to read only, got a line");
        const added = this.#linesAfter(position);
        position = this.#position();
        return added;
      },
      compact: async () => undefined,
      close: async () => undefined,
    };
    return new LoggedJournal(log, options);
  }

  #recorded(table: Table): Table {
    const exchange = async (reading: Reading, piece: Piece | undefined) => {
      await this.turn();
      const answer = await table.exchange(reading, piece);
      if (answer.added) this.#history.set(Number(reading.position?.number ?? 0) + 1, piece?.text.split("\n") ?? []);
      await this.turn();
      if (piece && this.#lost > 0) {
        this.#lost--;
        throw new Error("lost");
      }
      return answer;
    };
    return {
      exchange,
      replace: (...given) => this.turn().then(() => table.replace(...given)),
      stacks: () => table.stacks(),
      close: () => table.close(),
    };
  }
}

/** It can't be known whether it was carried out; of a reader, that it would have written. */
const REFUSED = Symbol("refused");

function refused(error: unknown): typeof REFUSED {
  if (error instanceof JournalUnavailableError) return REFUSED;
  throw error;
}

const answerTo = (journal: Journal, scope: Scope, call: Call): Promise<unknown> =>
  answered(journal, scope, call).catch(refused);

async function answered(journal: Journal, scope: Scope, call: Call): Promise<unknown> {
  const { attempt, owned } = await journal.resource(scope);
  const token = attempt?.token ?? "00000000";
  switch (call.op) {
    case "begin": {
      const same = call.knows === "all" ? await journal.ofContract(scope.service, contentOf(call.content)) : undefined;
      const known = [...(same?.attempts ?? []), ...(same?.owned ?? [])].map(one => one.token);
      const knows = call.knows === undefined ? undefined : known;
      const listed = call.lists ? owned.map(one => one.id) : [];
      const about = { ...begun(call.content), supersedes: call.ids, owned: listed, knows };
      return (await journal.begin(scope, about, call.isFirst ? undefined : attempt?.token)) !== undefined;
    }
    case "hint":
      return journal.hint(scope, token, call.id);
    case "withdraw":
      return journal.withdraw(scope, token);
    case "claim":
      return journal.claim(scope, call.id, {
        ...contentHashesOf(call.content === undefined ? undefined : contentOf(call.content)),
        supersedes: call.ids,
        from: call.from,
      });
    case "show": {
      const { imported, besides, content: fingerprint } = call;
      await journal.show(scope, call.id, { supersedes: call.ids, imported, besides, fingerprint });
      return journal.refresh();
    }
    case "replace":
      return journal.replace(scope, call.id, call.ids);
    case "release":
      return journal.release(scope, call.id);
    case "remind": {
      const known = call.knows ? await journal.reminded(scope, IDS) : [];
      return (
        (await journal.remind(
          scope,
          call.row,
          known.map(row => row.token),
        )) !== undefined
      );
    }
    case "unremind":
    case "confirmReminder":
      return journal[call.op](scope, (await ownReminder(journal, scope)) ?? "00000000");
    case "owns":
      return journal.owns(scope, token);
    case "owner":
      return journal.owner(scope.service, call.id);
    case "content":
      return sorted(await journal.ofContract(scope.service, contentOf(call.content)));
  }
}

const ownReminder = async (journal: Journal, scope: Scope): Promise<string | undefined> =>
  (await journal.reminded(scope, IDS)).find(({ own }) => own)?.token;

/** What each knows of the process's own stack. */
async function expectSame({ stack, journal, whole }: Process): Promise<void> {
  for (const scope of scopesOf(stack)) {
    const [own, all] = await Promise.all([journal, whole].map(each => knownTo(each, scope)));
    expect(own).toEqual(all);
  }
}

async function knownTo(journal: Journal, scope: Scope) {
  const { attempt, owned } = await journal.resource(scope);
  const all = {
    owned,
    shown: await journal.shownElsewhere(scope),
    elsewhere: await journal.atOtherServices(scope),
    reminders: await journal.reminded(scope, IDS),
  };
  return { attempt, ...sorted(all) };
}

async function tokensKnownTo(journal: Journal): Promise<string[]> {
  const contents = SERVICES.flatMap(service => CONTENTS.map(one => journal.ofContract(service, contentOf(one))));
  const owners = SERVICES.flatMap(service => IDS.map(one => journal.owner(service, one)));
  const attempts = (await Promise.all(contents)).flatMap(known => known.attempts);
  return [...attempts, ...(await Promise.all(owners))].flatMap(known => known?.token ?? []);
}

/** A snapshot may have rows of several stacks in another order, and their members. */
const sorted = <T extends object>(lists: T): T =>
  Object.fromEntries(
    Object.entries(lists).map(([name, rows]: [string, readonly object[]]) => [
      name,
      rows.map(row => JSON.stringify(Object.entries(row).sort())).sort(),
    ]),
  ) as T;
