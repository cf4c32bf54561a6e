import { grouped, statusInWords } from "../../core/text.js";
import { sumOf } from "../../schema/facts.js";
import { isRecord, type Values } from "../../schema/values.js";
import type { Context } from "../context.js";
import type { DocumentResource } from "../document/document.js";
import { wantedFeatures } from "../document/features.js";
import { forgetting } from "../document/messages.js";
import { inParallel } from "../in-parallel.js";
import { type Call, PartialFailure } from "../resource.js";
import { changesBetween, keysIn, type RowInputs, type SetChanges, settled, withoutSamePdfs } from "./changes.js";
import { AT_ONCE, isCancelled, isSigned, rowCall } from "./row.js";
import { RowLog } from "./row-log.js";
import { factsOfRows, type RowProblem } from "./row-problems.js";
import { documentOutputsOf, ownOf, type RowState, rowStateOf, rowWith, type SetState, withTerms } from "./set-state.js";
import { summaryOf } from "./set-words.js";

/** A line for each row would be most of a CI job's log. */
const MOST_PROGRESS_LINES = 20;

export interface Applied {
  readonly state: SetState;
  readonly problems: readonly RowProblem[];
  /** Rows there were to create, replace or let go of. */
  readonly wanted: number;
  /** Rows that aren't what the program says: they failed, or nobody came to them. */
  readonly undone: number;
}

interface Options {
  readonly context: Context;
  readonly documents: DocumentResource;
  readonly call: Call;
  readonly keepsSigned: boolean;
  /** Rows of which the guard has just found that they are signed, and those that are as the program says. */
  readonly signed: ReadonlySet<string>;
  readonly same: ReadonlySet<string>;
}

/** Brings a set's rows to what the program says, each as a Document of its own. What fails in one undoes no other. */
export class ApplyRows {
  readonly #log: RowLog;
  readonly #rows: Map<string, RowState>;
  readonly #problems: RowProblem[] = [];
  /** Rows that got a document in this run, by its id. */
  readonly #holders = new Map<string, string>();
  #forgotten: number;
  #made = 0;
  #kept = 0;

  constructor(
    private readonly options: Options,
    private readonly before: SetState,
    private readonly wanted: RowInputs,
  ) {
    this.#log = new RowLog(options.call.log);
    this.#rows = new Map(before.rows);
    this.#forgotten = before.forgotten;
  }

  async run(): Promise<Applied> {
    const { call, context, same } = this.options;
    const all = await changesBetween(this.before, this.wanted);
    const changes = settled(await withoutSamePdfs(all, this.before, this.wanted, context.pdfs), same);
    const { changed, uncertain, added, removed, restored } = changes;
    const inState = keysIn(this.before);
    for (const key of changes.unchanged) {
      const row = this.#rows.get(inState(key));
      if (row) context.deploymentLog.keeps(rowCall(call, key).urn, row.documentId);
    }
    this.#rename();
    for (const key of restored) this.#settle(key);
    for (const key of changes.termed) this.#term(key);
    for (const key of removed) await this.#forget(key);
    const todo = inOrder(this.wanted, changes);
    const verb = changed.length + uncertain.length > 0 ? (added.length > 0 ? "sent" : "replaced") : "created";
    const ended = () => this.#progress(todo.length, verb);
    const free = new Set<string>();
    await inParallel(AT_ONCE, todo, async key => {
      if (call.signal.aborted) return;
      if (await this.#letGo(key)) free.add(key);
      else ended();
    });
    const making = todo.filter(key => free.has(key));
    await inParallel(AT_ONCE, making, async key => {
      if (call.signal.aborted) return;
      await this.#make(key);
      ended();
    });
    if (call.preview) this.#log.note(sumOf([{ mails: 0 }, factsOfRows(this.#problems)]));
    else this.#untangle();
    this.#log.flush(call.preview ? summaryOf(this.#log.facts) : undefined);
    const place = new Map([...this.wanted.keys()].map((key, index) => [key, index]));
    return {
      state: { ...this.before, rows: this.#rows, forgotten: this.#forgotten },
      problems: this.#problems.toSorted((a, b) => (place.get(a.key) ?? -1) - (place.get(b.key) ?? -1)),
      wanted: todo.length + removed.length,
      undone: todo.length - this.#made - this.#kept,
    };
  }

  /** A key that was written in another case. */
  #rename(): void {
    const inState = keysIn(this.before);
    for (const key of this.wanted.keys()) {
      const known = inState(key);
      const row = this.#rows.get(known);
      if (known === key || !row) continue;
      this.#rows.delete(known);
      this.#rows.set(key, row);
    }
  }

  #settle(key: string): void {
    const row = this.#rows.get(key);
    const news = this.wanted.get(key);
    if (!row || !news) return;
    this.#rows.set(key, rowWith(row, news));
  }

  #term(key: string): void {
    const row = this.#rows.get(key);
    const news = this.wanted.get(key);
    if (row && news) this.#rows.set(key, withTerms(row, news));
  }

  async #forget(key: string): Promise<void> {
    const row = this.#rows.get(key);
    if (!row) return;
    const { call, context } = this.options;
    if (call.preview) {
      const outputs = documentOutputsOf(row, this.before.service);
      this.#log.of(key).warn(forgetting(row.documentId, outputs, context.origin(), call), { letsGo: 1 });
      return;
    }
    try {
      await forgetRow(this.options, this.#log, this.before.service, key, row);
    } catch (error) {
      this.#problems.push({ key, error });
      return;
    }
    this.#forgotten += 1;
    this.#rows.delete(key);
  }

  /** Of all rows before any is made: what two rows swap is theirs to take, and mails nobody. Whether the row may be made. */
  async #letGo(key: string): Promise<boolean> {
    const { call, context, documents, keepsSigned, signed } = this.options;
    const news = this.wanted.get(key);
    if (!news) return false;
    const own = this.#callOf(key, news);
    const old = this.#rows.get(key);
    if (old) context.deploymentLog.retains(own.urn, old.documentId);
    if (old && keepsSigned && signed.has(key)) {
      await this.#keep(key, own, old, ownOf(news).content);
      return false;
    }
    try {
      // What a preview would do lets no Delete take this row for another one's successor.
      if (!call.preview) context.deploymentLog.checked(own.urn, false, wantedFeatures(news));
      if (!old) return true;
      const { service } = this.before;
      if (!call.preview) await documents.delete(own, { id: old.documentId, outputs: documentOutputsOf(old, service) });
      await documents.givesUp(own, old.documentId, service);
      return true;
    } catch (error) {
      await this.#fail(key, own, error);
      return false;
    }
  }

  async #make(key: string): Promise<void> {
    const { call, context, documents } = this.options;
    const news = this.wanted.get(key);
    if (!news) return;
    const own = this.#callOf(key, news);
    try {
      const made = await documents.create(own, { inputs: news });
      if (!call.preview) {
        context.deploymentLog.keeps(own.urn, made.id);
        this.#rows.set(key, rowStateOf(made.outputs, ownOf(news)));
        this.#holders.set(made.id, key);
      }
      this.#made += 1;
    } catch (error) {
      await this.#fail(key, own, error);
    }
  }

  async #fail(key: string, own: Call, error: unknown): Promise<void> {
    const { call, keepsSigned } = this.options;
    const state = ownOf(this.wanted.get(key) ?? {});
    const old = this.#rows.get(key);
    if (old && keepsSigned && isSigned(error)) return this.#keep(key, own, old, state.content);
    if (error instanceof PartialFailure) {
      this.#rows.set(key, rowStateOf(error.outputs, state));
      this.#holders.set(error.id, key);
    }
    // What was interrupted is counted; it isn't wrong with the row.
    if (!(isCancelled(error) && call.signal.aborted)) this.#problems.push({ key, error });
  }

  /** A document is one row's: whose it was before holds it no more, and doesn't name it as replaced. */
  #untangle(): void {
    const { call, context } = this.options;
    for (const [key, row] of this.#rows) {
      if ((this.#holders.get(row.documentId) ?? key) !== key) this.#rows.delete(key);
      else {
        context.deploymentLog.retains(rowCall(call, key).urn, row.documentId);
        const { supersedes, ...rest } = row;
        const left = supersedes?.filter(id => !this.#holders.has(id)) ?? [];
        this.#rows.set(key, left.length === 0 ? rest : { ...rest, supersedes: left });
      }
    }
  }

  #callOf(key: string, news: Values): Call {
    return rowCall(this.options.call, key, this.#log.of(key, addressesIn(news)));
  }

  /** State gets what the service says of it now: who signed did so since the last refresh. */
  async #keep(key: string, own: Call, old: RowState, keptContent: string): Promise<void> {
    const { documents } = this.options;
    const row = (await readRow(documents, own, old, this.before.service).catch(() => undefined)) ?? old;
    own.log.info(`document ${row.documentId} is ${statusText(row.status)} and stays as it is`, { keeps: 1 });
    // The PDF's hash stays, for the next refresh to compare.
    const { sha256 = row.sha256 } = old;
    this.#rows.set(key, { ...row, ...(sha256 === undefined ? {} : { sha256 }), keptContent });
    this.#kept += 1;
  }

  #progress(total: number, verb: string): void {
    const { call } = this.options;
    const ended = this.#made + this.#kept + this.#problems.length;
    const step = Math.ceil(total / MOST_PROGRESS_LINES);
    if (call.preview || (ended % step !== 0 && ended !== total)) return;
    const failed = this.#problems.length > 0 ? `, ${this.#problems.length} failed` : "";
    const { takesBack = 0, keeps = 0 } = this.#log.facts;
    const sent = this.#made + this.#kept - takesBack - keeps;
    const others = [takesBack > 0 && `${grouped(takesBack)} taken back`, keeps > 0 && `${grouped(keeps)} kept`];
    const besides = others.map(each => (each === false ? "" : `, ${each}`)).join("");
    call.log.progress(`${verb} ${grouped(sent)} of ${grouped(total)}${besides}${failed}`);
  }
}

/** A row as the service shows its document now; undefined where it isn't shown to this account. */
export async function readRow(
  documents: DocumentResource,
  own: Call,
  row: RowState,
  service: string,
): Promise<RowState | undefined> {
  const shown = documentOutputsOf(row, service);
  const read = await documents.readRow(own, { id: row.documentId, inputs: {}, outputs: shown });
  return read.outputs["versions"] === undefined ? undefined : rowStateOf(read.outputs, row, read.signingStage);
}

/** Of a document that the guard doesn't replace: it may be unsigned by its status and show a signature. */
function statusText(status: string): string {
  return status === "unsigned" ? "signed, at least in part," : statusInWords(status);
}

/** Lets go of a row's document, as of a removed Document. */
export function forgetRow(
  { context, documents, call }: Pick<Options, "context" | "documents" | "call">,
  log: RowLog,
  service: string,
  key: string,
  row: RowState,
): Promise<void> {
  const own = rowCall(call, key, log.of(key));
  // A set's own rows say what became of this one: it isn't looked for among others that are under way.
  if (context.deploymentLog.page(own.urn).lastCheckHadOlds === null) context.deploymentLog.checked(own.urn, true);
  return documents.delete(own, { id: row.documentId, outputs: documentOutputsOf(row, service) });
}

const inOrder = (rows: RowInputs, { added, changed, uncertain }: SetChanges): string[] => {
  const todo = new Set([...added, ...changed.map(({ key }) => key), ...uncertain.map(({ key }) => key)]);
  return [...rows.keys()].filter(key => todo.has(key));
};

const addressesIn = ({ invitations }: Values): string[] =>
  Array.isArray(invitations)
    ? invitations.flatMap(each => (isRecord(each) && typeof each["email"] === "string" ? [each["email"]] : []))
    : [];
