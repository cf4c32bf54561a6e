import type { DocumentRecord, IndependentService } from "../support/independent-service/index.js";
import { statusOf } from "../support/independent-service/records.js";
import type { Stack } from "../support/simulated-engine.js";

/** Compares state with what the service's ledger knows, after each command. Says each breach once. */
export class Judge {
  readonly #said = new Set<string>();
  /** Documents that state held, and under which name. */
  readonly #held = new Map<string, string>();
  /** Documents that had a signature before the command. */
  #signed = new Set<string>();

  constructor(
    private readonly service: IndependentService,
    private readonly stack: Stack,
  ) {}

  /** A person lets go of everything in state. */
  letGo(): void {
    this.#held.clear();
  }

  /** What is broken since the last look. `wanted`: names that a command which went well must have left in state. */
  findings(wanted: readonly string[]): string[] {
    const found = [...this.#duplicates(), ...this.#wrongIds(), ...this.#forgotten(), ...this.#missing(wanted)];
    this.#look();
    const fresh = found.filter(what => !this.#said.has(what));
    for (const what of fresh) this.#said.add(what);
    return fresh;
  }

  *#duplicates(): Generator<string> {
    const { ledger } = this.service;
    for (const group of ledger.duplicates()) {
      const sent = group.filter(({ madeBy }) => madeBy > 0);
      if (sent.length > 1) yield `sent twice: ${sent[0]?.name}, documents ${sent.map(({ id }) => id).join(", ")}`;
    }
    for (const kind of ["invitation", "reminder"] as const) {
      const mails = ledger.mails(kind).map(({ invitationId }) => invitationId);
      for (const id of new Set(mails))
        if (mails.filter(one => one === id).length > 1) yield `mailed twice: ${kind} ${id}`;
    }
  }

  /** State may name only what this stack sent. */
  *#wrongIds(): Generator<string> {
    for (const { goal, id } of this.#documents()) {
      const document = this.#document(id);
      if (document === undefined) yield `${goal.name} holds ${id}, which no document has`;
      else if (document.madeBy === 0) yield `${goal.name} holds ${id}, which is somebody else's document`;
      else if (!document.name.startsWith(goal.name.toUpperCase())) yield `${goal.name} holds ${id}, another document`;
    }
  }

  *#forgotten(): Generator<string> {
    const held = new Map(this.#documents().map(({ goal, id }) => [goal.name, id]));
    for (const [name, id] of this.#held) {
      const now = held.get(name);
      if (now === id) continue;
      if (this.#signed.has(id)) yield `${name}: signed document ${id} gave way to ${now ?? "nothing"}`;
      else if (now === undefined && !this.#isReplacing(name)) yield `${name}: document ${id} is forgotten`;
    }
  }

  *#missing(wanted: readonly string[]): Generator<string> {
    for (const name of wanted)
      if (!this.stack.entries.some(({ goal }) => goal.name === name)) yield `${name} went well and is not in state`;
  }

  #look(): void {
    for (const { goal, id } of this.#documents()) this.#held.set(goal.name, id);
    const { ledger } = this.service;
    this.#signed = new Set(ledger.documents().flatMap(one => (statusOf(one) === one.unsignedStatus ? [] : [one.id])));
  }

  #isReplacing(name: string): boolean {
    return this.stack.entries.some(({ goal, pendingReplacement }) => goal.name === name && pendingReplacement);
  }

  #documents() {
    return this.stack.entries.filter(entry => entry.urn.includes("docsign:index:Document") && !entry.delete);
  }

  #document(id: string): DocumentRecord | undefined {
    return this.service.ledger.documents().find(document => document.id === id);
  }
}
