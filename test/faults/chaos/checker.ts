import type { IndependentService } from "../../support/independent-service/index.js";
import { statusOf } from "../../support/independent-service/records.js";
import type { State } from "../support/engine.js";
import type { Program } from "./script.js";

export type Kind =
  | "duplicate"
  | "loss"
  | "wrong deletion from state"
  | "replaced though not unsigned"
  | "state is wrong"
  | "stuck";

export interface Violation {
  readonly kind: Kind;
  readonly what: string;
}

export interface Warning {
  readonly urn: string;
  readonly message: string;
}

export const nameIn = (urn: string): string => urn.split("::").at(-1) ?? "";

/** The name at the service: it shows which content a document was made from. */
export const titleOf = (content: string): string => `Contract ${content}`;

/**
 * Compares the service's own history with state. A document may be made once for each time the program newly wants its
 * content for a resource that doesn't hold it; whatever was made is in state, or left it in a way that was allowed.
 */
export class Checker {
  readonly violations: Violation[] = [];
  readonly #granted = new Map<string, number>();
  /** Contents each resource has been wanted with since state last held it. */
  readonly #open = new Map<string, Set<string>>();
  readonly #retired = new Set<string>();

  /** Folders mail nobody: one whose create was lost may be made again once that was said, or where nothing is remembered. */
  #foldersMayRepeat: boolean;

  constructor(
    private readonly service: IndependentService,
    { thrownAway }: { thrownAway: boolean },
  ) {
    this.#foldersMayRepeat = thrownAway;
  }

  /** A command ended with this about a resource. */
  said(name: string): void {
    if (name === "folder") this.#foldersMayRepeat = true;
  }

  /** A folder and a document may have the same id. */
  contentOf(held: { readonly type: string; readonly id: string } | undefined): string | undefined {
    const { ledger } = this.service;
    const all = held?.type === "Folder" ? ledger.folders() : ledger.documents();
    return all.find(({ id }) => id === held?.id)?.name.replace(/^Contract /, "");
  }

  /** Before an `up`: what it may make. A marked resource is wanted anew though it holds the same. */
  wants(program: Program, state: State, taints: readonly string[]): void {
    for (const [name, content] of Object.entries(program)) {
      const held = this.contentOf([...state].find(([urn]) => nameIn(urn) === name)?.[1]);
      if (held === content && !taints.includes(name)) continue;
      const open = this.#open.get(name) ?? new Set();
      if (open.has(content)) continue;
      this.#open.set(name, open.add(content));
      this.#granted.set(content, (this.#granted.get(content) ?? 0) + 1);
    }
  }

  /** After a command: what state held before it, and holds now; and what it warned of, by resource. */
  passed(command: string, before: State, after: State, warnings: readonly Warning[] = []): void {
    if (warnings.some(({ message }) => /may show an empty twin/.test(message))) this.#foldersMayRepeat = true;
    for (const { urn, message } of warnings)
      if (/began to create another document/.test(message)) this.#advised(nameIn(urn), after);
    const statuses = new Map(this.service.ledger.documents().map(document => [document.id, statusOf(document)]));
    for (const [urn, { id, type }] of before) {
      const now = after.get(urn);
      if (now?.id === id) continue;
      this.#retired.add(id);
      const status = statuses.get(id);
      const document = this.service.ledger.documents().find(made => made.id === id);
      if (command === "refresh" && document?.removedAt === null)
        this.#found("wrong deletion from state", `refresh dropped ${nameIn(urn)}, document ${id} (${status}) lives`);
      if (command === "up" && type === "Document" && now && document?.removedAt === null && status !== "unsigned")
        this.#found("replaced though not unsigned", `${nameIn(urn)}: document ${id} (${status}) gave way to ${now.id}`);
    }
    for (const [urn, held] of after) {
      // A replacement that was killed after its POST leaves the old id in state: only a new one, or the run's own word, ends the matter.
      if (!held.pending && before.get(urn)?.id !== held.id) this.#open.delete(nameIn(urn));
    }
    const ids = [...after.values()].map(({ type, id }) => `${type} ${id}`);
    if (new Set(ids).size !== ids.length) this.#found("state is wrong", `one id twice: ${ids.join(", ")}`);
    for (const [urn, { type, id }] of after)
      if (this.contentOf({ type, id }) === undefined)
        this.#found("state is wrong", `${nameIn(urn)} holds ${id}, which never was`);
      else if (type === "Document" && this.isDecoy(id))
        this.#found("state is wrong", `${nameIn(urn)} holds ${id}, which is somebody else's document`);
    this.#count();
  }

  /** The run said that the document of an interrupted replacement may be alive: a person knows of it. */
  #advised(name: string, after: State): void {
    const held = new Set([...after.values()].map(({ id }) => id));
    const wanted = [...(this.#open.get(name) ?? [])].map(titleOf);
    for (const { id, name: title } of this.service.ledger.documents())
      if (wanted.includes(title) && !held.has(id)) this.#retired.add(id);
    this.#open.delete(name);
  }

  /** When all is well again: whatever was made is in state, or left it. */
  converged(state: State): void {
    const held = new Set([...state.values()].map(({ id }) => id));
    for (const { id, name, madeBy } of this.#made())
      if (madeBy > 0 && !held.has(id) && !this.#retired.has(id)) this.#found("loss", `${id} (${name}) is in no state`);
    this.#count();
    const mails = new Map<string, number>();
    for (const { invitationId } of this.service.ledger.mails("invitation"))
      mails.set(invitationId, (mails.get(invitationId) ?? 0) + 1);
    for (const [id, count] of mails)
      if (count > 1) this.#found("duplicate", `invitation ${id} was mailed ${count} times`);
  }

  /** Resources whose create has no known outcome, with what was wanted last: those that left the program come back. */
  unsettled(): Program {
    return Object.fromEntries([...this.#open].map(([name, contents]) => [name, [...contents].at(-1) ?? ""]));
  }

  /** A person looked, as the message asks, and knows of what is in no state. */
  seenByPeople(state: State): void {
    const held = new Set([...state.values()].map(({ id }) => id));
    for (const { id } of this.service.ledger.documents()) if (!held.has(id)) this.#retired.add(id);
  }

  /** A person took over what state had let go of, instead of a new one. */
  tookOver(name: string, id: string): void {
    const content = this.contentOf({ type: "Document", id }) ?? "";
    if (!this.#retired.has(id) || !this.#open.get(name)?.has(content)) return;
    // What a rival run made before that is the one that was wanted.
    const made = this.#made().filter(document => document.name === titleOf(content)).length;
    this.#granted.set(content, Math.max((this.#granted.get(content) ?? 1) - 1, made));
  }

  /** Whether the program wanted this content for a resource since state last held it. */
  wasWanted(name: string, content: string | undefined): boolean {
    return content !== undefined && (this.#open.get(name)?.has(content) ?? false);
  }

  isDecoy(id: string): boolean {
    return this.service.ledger.decoys().some(decoy => decoy.id === id);
  }

  isRetired(id: string): boolean {
    return this.#retired.has(id);
  }

  stuck(what: string): void {
    this.#found("stuck", what);
  }

  #count(): void {
    const made = this.#made();
    for (const content of new Set(made.map(({ name }) => name))) {
      const count = made.filter(({ name }) => name === content).length;
      const granted = this.#granted.get(content.replace(/^Contract /, "")) ?? 0;
      if (count > granted) this.#found("duplicate", `${content}: ${count} made, ${granted} wanted`);
    }
  }

  #made() {
    const documents = this.service.ledger.documents().filter(({ id }) => !this.isDecoy(id));
    return this.#foldersMayRepeat ? documents : [...documents, ...this.service.ledger.folders()];
  }

  #found(kind: Kind, what: string): void {
    if (!this.violations.some(known => known.what === what)) this.violations.push({ kind, what });
  }
}
