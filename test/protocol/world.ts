import { createHash } from "node:crypto";
import type { Choice, Run } from "./explore.js";

export const START = Date.UTC(2026, 0, 5, 12);

export interface WorldOptions {
  /** A request that has left arrives within this time, or never. */
  readonly uploadMs: number;
  /** How long lists don't show a new document. */
  readonly lagMs?: number;
  /** So long may everything stand still. */
  readonly pauses?: readonly number[];
  /** How often processes are killed, answers lost, documents signed, …: each is one out of the budget. */
  readonly kills?: boolean;
  readonly losses?: boolean;
  /** Documents that a person may sign at any moment. */
  readonly signs?: readonly string[];
  /** A document may be signed, and a request arrive, with so much time in between: nothing can be asked of the service later. */
  readonly guardMs?: number;
  /** The journal can't be reached for one exchange. */
  readonly outages?: boolean;
  /** What else may happen at any moment. */
  readonly events?: (world: World) => readonly Event[];
  /** Of whoever comes in between while somebody could go on: 1 by default. */
  readonly switching?: number;
  /** How the places that a run has come to differ, apart from what is here. */
  readonly stored?: (world: World) => string;
}

export interface Event {
  readonly label: string;
  act(): void;
}

export interface Document {
  readonly id: string;
  readonly content: string;
  readonly createdAt: number;
  signed?: Moment;
}

/** When something happened: at which time, and after how many other things. */
interface Moment {
  readonly at: number;
  readonly nth: number;
}

/** What may come of something that is waited for. */
export interface Branch<T> {
  readonly label: string;
  readonly cost?: number;
  act(): T | Promise<T>;
}

interface Effect {
  readonly label: string;
  readonly branches: readonly Branch<unknown>[];
  /** A request that has left: since when, and what it does where it arrives. */
  readonly sent?: { readonly at: number; readonly arrive: () => unknown } | undefined;
  /** When it comes, where it only waits for that. */
  readonly due?: number | undefined;
  settle(act: () => unknown): void;
}

/** The service, the clocks, and the processes that wait for either: nothing happens here but by a choice. */
export class World implements Run {
  now = START;
  /** What the service has made, in its order. */
  readonly documents: Document[] = [];
  readonly reminded: string[] = [];
  readonly processes: Process[] = [];
  readonly #wrong = new Set<string>();
  readonly #sent: { readonly label: string; readonly at: number; readonly arrive: () => unknown }[] = [];
  readonly #happened = new Set<string>();
  readonly #names = new Map<string, string>();
  #current: Process | undefined;
  #nth = 0;

  constructor(readonly options: WorldOptions) {}

  /** A process that begins at some moment. `ahead`: what its clock shows beyond the service's. */
  process(name: string, work: (process: Process) => Promise<unknown>, ahead = 0): Process {
    const process = new Process(this, name, ahead);
    this.processes.push(process);
    const begin = process.effect("begins", [{ label: "", act: () => undefined }]);
    begin
      .then(() => work(process))
      .then(
        result => process.end(String(result)),
        (error: unknown) => process.end(error instanceof Error ? `${error.name}: ${error.message}` : String(error)),
      );
    return process;
  }

  existing(content: string, more: Partial<Document> = {}): Document {
    const id = String(1001 + this.documents.length);
    // Older than the day by which clocks may differ: it shows how far a list reaches back.
    const document = { id, content, createdAt: START - 49 * 3_600_000, ...more };
    this.documents.push(document);
    return document;
  }

  document(id: string): Document | undefined {
    return this.documents.find(each => each.id === id);
  }

  moment(): Moment {
    return { at: this.now, nth: this.#nth };
  }

  listed(): readonly Document[] {
    return this.documents.filter(({ createdAt }) => createdAt + (this.options.lagMs ?? 0) <= this.now);
  }

  /** A create arrives, of a process that has its turn. */
  arrive({ turn }: Process, content: string, replaces: readonly string[]): Document {
    const made = this.existing(content, { createdAt: this.now });
    if (this.documents.filter(each => each.content === content).length > 1) this.#wrong.add(`${content} sent twice`);
    for (const id of replaces) {
      const signed = this.document(id)?.signed;
      const { guardMs = Number.POSITIVE_INFINITY } = this.options;
      if (signed && (signed.nth < (turn?.nth ?? 0) || this.now - signed.at > guardMs))
        this.#wrong.add("a signed document replaced");
    }
    return made;
  }

  remind(invitation: string): void {
    if (this.reminded.includes(invitation)) this.#wrong.add("reminded twice");
    this.reminded.push(invitation);
  }

  wrong(): readonly string[] {
    return [...this.#wrong];
  }

  /** Random names, the same in every run: by who came up with them. */
  named(text: string, by: string): string {
    const name = (token: string) => {
      let known = this.#names.get(token);
      if (known === undefined) {
        known = `${by}${this.#names.size}`;
        this.#names.set(token, known);
      }
      return known;
    };
    return text.replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "").replace(/\b[0-9a-f]{8}\b/g, name);
  }

  choices(): Choice[] {
    return this.#choices().map(choice => ({
      ...choice,
      take: () => {
        this.#nth++;
        choice.take();
      },
    }));
  }

  #choices(): Choice[] {
    const { kills, losses, signs = [], pauses = [], events, switching = 1 } = this.options;
    const current = this.#current?.isReady === true ? this.#current : undefined;
    const inTurn = [...this.processes].sort((a, b) => Number(b === current) - Number(a === current));
    const choices: Choice[] = [];
    for (const process of inTurn) {
      const comesBetween = current !== undefined && process !== current ? switching : 0;
      for (const effect of process.pending) {
        if (effect.due !== undefined) {
          if (!this.#mayBe(effect.due)) continue;
          // Others, who could go on, stand still meanwhile.
          const late = this.processes.some(each => each.isReady) && effect.due > this.now ? 1 : 0;
          choices.push(this.#choice(process, effect, effect.branches[0], Math.max(comesBetween, late)));
          continue;
        }
        for (const branch of effect.branches) choices.push(this.#choice(process, effect, branch, comesBetween));
        if (losses && effect.sent) choices.push(this.#loss(process, effect, effect.sent, comesBetween));
      }
    }
    for (const { label, at, arrive } of this.#sent) {
      const over = (act: () => unknown) => () => {
        this.#sent.splice(
          this.#sent.findIndex(each => each.at === at && each.label === label),
          1,
        );
        act();
      };
      choices.push({ label: `${label} arrives`, cost: 0, take: over(arrive) });
      choices.push({ label: `${label} never arrives`, cost: 0, take: over(() => undefined) });
    }
    if (kills)
      for (const process of inTurn)
        if (process.isAlive && process.hasBegun)
          choices.push({ label: `${process.name} is killed`, cost: 1, take: () => this.#kill(process) });
    for (const id of signs) {
      const document = this.document(id);
      if (document && document.signed === undefined)
        choices.push({
          label: `document ${id} is signed`,
          cost: 0,
          take: () => {
            document.signed = this.moment();
          },
        });
    }
    if (this.processes.some(({ isAlive }) => isAlive)) {
      for (const pause of pauses)
        if (this.#mayBe(this.now + pause))
          choices.push({
            label: `${pause / 1000} s pass`,
            cost: 1,
            take: () => {
              this.now += pause;
            },
          });
      for (const { label, act } of events?.(this) ?? []) {
        if (this.#happened.has(label)) continue;
        const take = () => {
          this.#happened.add(label);
          act();
        };
        choices.push({ label, cost: 1, take });
      }
    }
    return choices;
  }

  key(): string {
    const sent = this.#sent.map(({ label, at }) => `${label} ${at}`);
    const processes = this.processes.map(each => each.key());
    return digest(
      JSON.stringify([
        ...[
          this.now,
          this.documents.map(each => this.#keyOf(each)),
          this.reminded,
          sent,
          processes,
          [...this.#happened],
          this.#current?.name,
        ],
        ...[this.options.stored?.(this), [...this.#wrong]],
      ]),
    );
  }

  /** Which came first matters, and not when. */
  #keyOf({ signed, ...document }: Document): unknown {
    const turns = this.processes.map(({ turn }) => turn && signed && turn.nth < signed.nth);
    return [document, signed?.at, turns];
  }

  /** Nothing that has left is still under way by then. */
  #mayBe(time: number): boolean {
    const { uploadMs } = this.options;
    const sent = [
      ...this.#sent,
      ...this.processes.flatMap(({ pending }) => [...pending].flatMap(effect => effect.sent ?? [])),
    ];
    return sent.every(({ at }) => time <= at + uploadMs);
  }

  #choice(process: Process, effect: Effect, branch: Branch<unknown> | undefined, more: number): Choice {
    const outcome = branch?.label ? `: ${branch.label}` : "";
    return {
      label: `${process.name} ${effect.label}${outcome}`,
      cost: (branch?.cost ?? 0) + more,
      take: () => {
        if (effect.due !== undefined) this.now = Math.max(this.now, effect.due);
        this.#current = process;
        effect.settle(() => branch?.act());
      },
    };
  }

  #loss(process: Process, effect: Effect, sent: NonNullable<Effect["sent"]>, more: number): Choice {
    const label = `${process.name} ${effect.label}`;
    return {
      label: `${label}: connection lost`,
      cost: 1 + more,
      take: () => {
        this.#sent.push({ label, ...sent });
        this.#current = process;
        effect.settle(() => {
          throw new Lost();
        });
      },
    };
  }

  #kill(process: Process): void {
    for (const effect of process.pending)
      if (effect.sent) this.#sent.push({ label: `${process.name} ${effect.label}`, ...effect.sent });
    process.end("killed");
  }
}

/** Nobody knows whether the request arrived. */
export class Lost extends Error {
  override readonly name = "Lost";
}

/** A process of one machine: all it does that others could notice, and all it hears, is an effect. */
export class Process {
  readonly pending = new Set<Effect>();
  hasBegun = false;
  outcome: string | undefined;
  /** When it last had its turn. */
  turn: Moment | undefined;
  /** What its create replaces. */
  replaces: readonly string[] = [];
  #heard = "";

  constructor(
    readonly world: World,
    readonly name: string,
    private readonly ahead: number,
  ) {}

  get isAlive(): boolean {
    return this.outcome === undefined;
  }

  /** Whether it could go on at once. */
  get isReady(): boolean {
    return [...this.pending].some(({ due }) => due === undefined || due <= this.world.now);
  }

  now(): number {
    const now = this.world.now + this.ahead;
    this.#hear(`${now}`);
    return now;
  }

  effect<T>(label: string, branches: readonly Branch<T>[], more: Pick<Effect, "sent" | "due"> = {}): Promise<T> {
    if (!this.isAlive) return new Promise(() => undefined);
    return new Promise<T>((resolve, reject) => {
      const effect: Effect = {
        label,
        branches,
        ...more,
        settle: act => {
          this.pending.delete(effect);
          this.hasBegun = true;
          // It happens now; its answer may take as long as code needs that is only called asynchronous.
          Promise.resolve(new Promise(answer => answer(act()))).then(
            result => {
              this.#hear(`${label} ${plainText(result)}`);
              resolve(result as T);
            },
            (error: Error) => {
              this.#hear(`${label} failed ${error.name}`);
              reject(error);
            },
          );
        },
      };
      this.pending.add(effect);
    });
  }

  /** Waits for its place among those who send. */
  async takeTurn(): Promise<void> {
    await this.effect("has its turn", [
      {
        label: "",
        act: () => {
          this.turn = this.world.moment();
        },
      },
    ]);
  }

  wait(milliseconds: number): Promise<void> {
    return this.effect("has waited", [{ label: "", act: () => undefined }], { due: this.world.now + milliseconds });
  }

  /** A request that arrives, and is answered; or, where connections are lost, one of these. */
  send<T>(label: string, arrive: () => T): Promise<T> {
    const sent = { at: this.world.now, arrive };
    return this.effect(label, [{ label: "", act: arrive }], { sent });
  }

  end(outcome: string): void {
    this.outcome ??= outcome;
    this.pending.clear();
  }

  key(): string {
    const waits = [...this.pending].map(({ label, due, sent }) => `${label} ${due} ${sent?.at}`);
    return JSON.stringify([this.name, this.#heard, waits, this.outcome === undefined ? "" : "over"]);
  }

  #hear(what: string): void {
    this.#heard = digest(this.#heard + this.world.named(what, this.name));
  }
}

const digest = (text: string): string => createHash("sha1").update(text).digest("base64");

export const plainText = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? String(each) : each)) ?? "";
