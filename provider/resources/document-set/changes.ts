import { isUnknown } from "../../../kit/values.js";
import { CancelledError } from "../../client/errors.js";
import { identityOf } from "../../core/same.js";
import { grouped, statusInWords } from "../../core/text.js";
import { inParallel, Turns } from "../../core/turns.js";
import { sumOf } from "../../schema/facts.js";
import { owningScope } from "../context.js";
import { hashNow, packed } from "../document/content.js";
import {
  type CheckedInputs,
  COMPARED_INPUTS,
  type ComparedInput,
  hashesOf,
  madeOf,
  NO_INPUTS,
} from "../document/declaration.js";
import type { ComparedDocument, Documents } from "../document/document.js";
import { supersededOf } from "../document/state.js";
import { forgetting } from "../document/words.js";
import type { CreateSituation, DeleteSituation } from "../journal/deployment-log.js";
import { emailsOf } from "../people.js";
import { type Call, type Log, UserError } from "../resource.js";
import { changedTerms } from "../terms.js";
import {
  documentOf,
  hidesRows,
  isContentOf,
  ownOf,
  type RowState,
  rowStateOf,
  rowWith,
  type SetState,
  unpacked,
  withTerms,
} from "./declaration.js";
import { AT_ONCE, type KnownRows, type RowInputs } from "./rows.js";
import { factsOfRows, isSigned, protectsSigned, RowLog, type RowProblem, refusalOf, summaryOf } from "./words.js";

/*
 * What an update does to a set's rows: which of them change (`changesBetween`), whether the guard lets go of their documents
 * (`guard…`), and doing it (`ApplyRows`).
 */

// ---- Changes ----

/** What a call of the engine about a set is worked on with. */
export interface SetCall {
  readonly documents: Documents;
  readonly call: Call;
}

/** A row is a Document under the set's URN and its key. */
export const rowCall = (call: Call, key: string, log: Log = call.log): Call => ({
  ...call,
  log,
  urn: `${call.urn}#${identityOf(key)}`,
});

/** A row of the program beside the one that state has under its key, and what that means for its document. */
export type RowChange =
  | AddedRow
  | ChangedRow
  | ChangedRow<"uncertain">
  | UnchangedRow
  /** Its key is as state has it. */
  | { readonly kind: "removed"; readonly key: string; readonly row: RowState };

interface AddedRow {
  readonly kind: "added";
  readonly key: string;
  readonly inputs: CheckedInputs;
  readonly takes?: MovedDocument;
}

/** A document that was made of what this row says, and that another row has in state, which says something else now. */
export interface MovedDocument {
  readonly from: string;
  readonly row: RowState;
}

/** Its document is to be replaced, or it isn't known yet whether it is. */
export interface ChangedRow<Kind = "changed"> {
  readonly kind: Kind;
  readonly key: string;
  readonly inputs: CheckedInputs;
  readonly row: RowState;
  readonly fields: readonly ComparedInput[];
  /** The guard has found it signed, and it is to be kept. */
  readonly isKept?: boolean;
  /** Another row takes its document, signed or not. */
  readonly isMoved?: boolean;
  readonly takes?: MovedDocument;
}

interface UnchangedRow extends Pick<ChangedRow<"unchanged">, "kind" | "key" | "inputs" | "row"> {
  /** State says something else of the document than the program, and the document is what the program says. */
  readonly isRestored: boolean;
}

type OfKind<Kind extends RowChange["kind"]> = Extract<RowChange, { kind: Kind }>;

export const ofKind = <Kind extends RowChange["kind"]>(
  changes: readonly RowChange[],
  ...kinds: readonly Kind[]
): OfKind<Kind>[] => changes.filter((change): change is OfKind<Kind> => kinds.some(kind => kind === change.kind));

/** Each row of the program, in its order, and those that only state has. A key may be written in another case. */
export const changesBetween = (state: SetState, rows: RowInputs, signal?: AbortSignal): Promise<RowChange[]> =>
  new Turns(signal).take(compared(state, rows));

function* compared(state: SetState, rows: RowInputs): Generator<void, RowChange[]> {
  const keysInState = new Map([...state.rows.keys()].map(key => [identityOf(key), key]));
  const changes: RowChange[] = [];
  const wanted = new Set<string>();
  for (const [key, inputs] of rows) {
    yield;
    const keyInState = keysInState.get(identityOf(key)) ?? key;
    const row = state.rows.get(keyInState);
    wanted.add(keyInState);
    changes.push(row ? changeOf(key, row, inputs) : { kind: "added", key, inputs });
  }
  for (const [key, row] of state.rows) if (!wanted.has(key)) changes.push({ kind: "removed", key, row });
  return changes;
}

function changeOf(key: string, row: RowState, inputs: CheckedInputs): RowChange {
  const hashes = hashesOf(inputs);
  const { content, keptContent } = row;
  // It was kept with these very inputs: that is settled.
  const isKept = keptContent !== undefined && isContentOf(keptContent, hashes) && !isContentOf(content, hashes);
  const before = unpacked(isKept ? keptContent : content);
  const certain = COMPARED_INPUTS.filter(field => !isUnknown(hashes[field]) && hashes[field] !== before[field]);
  if (certain.length > 0) return { kind: "changed", key, inputs, row, fields: certain };
  const unknown = COMPARED_INPUTS.filter(field => isUnknown(hashes[field]));
  if (unknown.length > 0) return { kind: "uncertain", key, inputs, row, fields: unknown };
  return { kind: "unchanged", key, inputs, row, isRestored: keptContent !== undefined && !isKept };
}

/** The terms that the program says are others than in state: no document changes, and nothing is asked. */
const changesTerms = ({ row, inputs }: OfKind<"changed" | "uncertain" | "unchanged">): boolean =>
  changedTerms(row, inputs).length > 0;

/** A row that the program changed when its document was signed: it keeps that, which isn't what the row says. */
export const isSettled = (change: RowChange): boolean =>
  (change.kind === "uncertain" || (change.kind === "unchanged" && !change.isRestored)) &&
  change.row.keptContent !== undefined;

export const isNothing = (changes: readonly RowChange[]): boolean =>
  changes.every(change => change.kind === "unchanged" && !change.isRestored && !changesTerms(change));

// ---- Guard ----

/**
 * From Diff: asks about every row that would be replaced, before anything is sent. Answers with what the changes come to: a
 * document that is what the program says takes no other one.
 */
export async function guardChanges(
  { documents, call }: SetCall,
  service: string,
  changes: readonly RowChange[],
  { known, keepsSigned }: { readonly known: KnownRows; readonly keepsSigned: boolean },
): Promise<readonly RowChange[]> {
  const { deploymentLog } = documents.context;
  const log = new RowLog(call.log);
  const found = new Map<string, RowChange>();
  const changed = ofKind(changes, "changed");
  const problems = await problemsWith(changed, async change => {
    const { key, inputs, row } = change;
    const own = rowCall(call, key, log.of(key));
    try {
      const document = await comparedDocument(documents, own, change, { service, inState: known(key) });
      const isSame = await documents.isAsWanted(own, document);
      if (isSame) {
        const same = { ...row, ...(await hashNow(row, inputs, documents.context.pdfs)) };
        found.set(key, { kind: "unchanged", key, inputs, row: same, isRestored: true });
      }
      deploymentLog.keeps(own.urn, row.documentId, isSame ? "as said" : "until changed");
    } catch (error) {
      if (!keepsSigned || !isSigned(error)) throw error;
      found.set(key, { ...change, isKept: true });
    }
  });
  log.flush();
  const same = ofKind([...found.values()], "unchanged");
  const compared = withMoves(
    changes.map(change => found.get(change.key) ?? change),
    problems,
  );
  const moved = new Set(ofKind(compared, "changed").flatMap(({ key, isMoved }) => (isMoved ? [key] : [])));
  const refused = problems.filter(({ key }) => !moved.has(key));
  refuse(call, refused, `${changed.length - same.length} changed`, !keepsSigned);
  return compared;
}

/**
 * The document of a row that says something else now moves, signed or not, to the one row that says exactly what it was made of,
 * if that row's own may be replaced or moves as well. State alone tells: no journal and no list is needed for it.
 */
function withMoves(changes: readonly RowChange[], problems: readonly RowProblem[]): readonly RowChange[] {
  const others = new Set(problems.filter(({ error }) => !isSigned(error)).map(({ key }) => key));
  const leaving = ofKind(changes, "changed", "unchanged").filter(
    change => !others.has(change.key) && (change.kind === "changed" || isSettled(change)),
  );
  if (leaving.length === 0) return changes;
  const staying = leaving.filter(change => change.kind === "unchanged" || change.isKept);
  const wanting = Map.groupBy([...ofKind(changes, "added"), ...leaving], ({ inputs }) => packed(hashesOf(inputs)));
  /** By the taker's key. */
  const takes = new Map<string, ChangedRow | UnchangedRow>();
  for (const change of leaving) {
    const [taker, ...more] = wanting.get(packed(unpacked(change.row.content))) ?? [];
    if (taker && more.length === 0 && !change.row.imported && !takes.has(taker.key)) takes.set(taker.key, change);
  }
  const moving = new Set([...takes.values()].map(({ key }) => key));
  // A row that keeps its own document takes no other, whose row then keeps it, unless it may be replaced.
  const keeping = new Set([...problems, ...staying].map(({ key }) => key));
  for (const key of keeping) {
    for (let kept: string | undefined = key; kept !== undefined && keeping.has(kept) && !moving.has(kept); ) {
      const stays: string | undefined = takes.get(kept)?.key;
      takes.delete(kept);
      if (stays !== undefined) moving.delete(stays);
      kept = stays;
    }
  }
  return changes.map((change): RowChange => {
    const taken = takes.get(change.key);
    const more = taken && { takes: { from: taken.key, row: taken.row } };
    if (moving.has(change.key) && (change.kind === "changed" || change.kind === "unchanged")) {
      const { key, inputs, row } = change;
      return { kind: "changed", key, inputs, row, fields: COMPARED_INPUTS, isMoved: true, ...more };
    }
    return change.kind === "added" || change.kind === "changed" ? { ...change, ...more } : change;
  });
}

/** A row's document beside what the program says. Of an import the service's own word takes the place of hashes. */
export async function comparedDocument(
  documents: Documents,
  own: Call,
  { row, inputs }: Pick<ChangedRow, "row" | "inputs">,
  { service, inState }: { readonly service: string; readonly inState?: CheckedInputs | undefined },
): Promise<ComparedDocument> {
  const { id, outputs, hashes } = documentOf(row, service);
  if (row.imported) {
    const read = await documents.readImport(own, { id }, { isInState: true });
    return { id, outputs: read.outputs, before: madeOf(read.inputs), inputs };
  }
  // An update may have been refused for this row: then its document was made of earlier inputs than state has. What is secret isn't shown.
  const isOfState = inState && isContentOf(row.content, hashesOf(inState)) && !hidesRows(own.secrets);
  return { id, outputs, before: isOfState ? { hashes, inputs: inState } : { hashes }, inputs };
}

/**
 * From Create: a set may be replaced by force, and a create can't know. Rows that had a document before are asked
 * about as in a preview. What else is wrong with one is left to its own turn.
 */
export async function guardCreate(
  { documents, call }: SetCall,
  rows: RowInputs,
  situationOf: (key: string) => CreateSituation,
): Promise<void> {
  const { journal } = documents.context;
  const service = documents.context.service().origin;
  const known: { readonly key: string; readonly inputs: CheckedInputs }[] = [];
  await journal.refresh();
  for (const [key, inputs] of rows) {
    const scope = { service, urn: rowCall(call, key).urn };
    const had = [...(await journal.resource(scope)).owned, ...(await journal.shownElsewhere(scope))];
    if (situationOf(key).inState.length > 0 || had.length > 0) known.push({ key, inputs });
  }
  const problems = await problemsWith(known, async ({ key, inputs }) => {
    const own: Call = { ...rowCall(call, key, SILENT), preview: true };
    await documents.preview(own, { inputs, situation: situationOf(key) });
  });
  const signed = problems.filter(({ error }) => protectsSigned(error));
  refuse(call, signed, `${rows.size}`);
}

/**
 * From a Delete that replaces a set. `keys` are those of the set that comes after it, as far as they are known.
 * Answers which rows are replaced.
 */
export async function guardDelete(
  { documents, call }: SetCall,
  state: SetState,
  keys: ReadonlySet<string> | undefined,
  isStillWanted: (key: string) => boolean,
): Promise<ReadonlySet<string>> {
  const replaced = [...state.rows].flatMap(([key, row]) =>
    keys?.has(identityOf(key)) === false ? [] : [{ key, row }],
  );
  const problems = await problemsWith(replaced, async ({ key, row }) => {
    const situation = { kind: "first-half", isStillWanted: isStillWanted(key) } as const;
    const own = rowCall(call, key, SILENT);
    await documents.guard.beforeDeleting(own, row.documentId, state.service, situation, () => undefined);
  });
  refuse(call, problems, `${replaced.length}`);
  return new Set(replaced.map(({ key }) => key));
}

/** Diff has shown that state will let go of it. Another resource that wants it may have it before it is deleted. */
export async function givesUp({ context }: Documents, { urn }: Call, id: string, service: string): Promise<void> {
  const owner = await owningScope(context, { service, urn }, id);
  context.deploymentLog.gives(owner.urn, id);
}

const SILENT: Log = { info() {}, warn() {}, progress() {}, debug() {} };

async function problemsWith<Row extends { readonly key: string }>(
  rows: readonly Row[],
  ask: (row: Row) => Promise<void>,
): Promise<RowProblem[]> {
  const problems = await inParallel(AT_ONCE, rows, async (row): Promise<RowProblem[]> => {
    try {
      await ask(row);
      return [];
    } catch (error) {
      if (error instanceof CancelledError) throw error;
      return [{ key: row.key, error }];
    }
  });
  return problems.flat();
}

/** `canKeep` where the rows changed, and aren't replaced by force. */
function refuse(call: Call, problems: readonly RowProblem[], all: string, canKeep = false): void {
  if (problems.length === 0) return;
  const headline = `${problems.length} of ${all} rows can't be replaced, so nothing was sent.`;
  throw refusalOf(call, headline, problems, { canKeep });
}

// ---- Apply ----

/** A line for each row would be most of a CI job's log. */
const MOST_PROGRESS_LINES = 20;

interface ApplyResult {
  readonly state: SetState;
  readonly problems: readonly RowProblem[];
  /** Rows there were to create, replace or let go of. */
  readonly wanted: number;
  /** Rows that aren't what the program says: they failed, or nobody came to them. */
  readonly undone: number;
}

interface Options extends SetCall {
  readonly keepsSigned: boolean;
  /** What the engine does to a row. */
  readonly situationOf: (change: RowChange) => CreateSituation;
}

/** A row that is to be created, or replaced. */
type SentRow = OfKind<"added" | "changed" | "uncertain">;

/** Brings a set's rows to what the program says, each as a Document of its own. What fails in one undoes no other. */
export class ApplyRows {
  readonly #log: RowLog;
  /** As state will have them. */
  readonly #rows = new Map<string, RowState>();
  readonly #problems: RowProblem[] = [];
  /** Rows that got a document in this run, by its id. */
  readonly #holders = new Map<string, string>();
  /** Rows that were sent or taken, or whose signed document stays. */
  readonly #done = new Set<string>();
  /** Removed rows, and what there is to say where no other row takes their documents. */
  readonly #leaving: { readonly key: string; readonly row: RowState; readonly words: readonly string[] }[] = [];
  #forgotten: number;

  constructor(
    private readonly options: Options,
    private readonly before: SetState,
    private readonly changes: readonly RowChange[],
  ) {
    this.#log = new RowLog(options.call.log);
    this.#forgotten = before.forgotten;
  }

  async run(): Promise<ApplyResult> {
    const { call } = this.options;
    for (const change of this.changes) {
      if (change.kind !== "added") this.#rows.set(change.key, rowBeforeSending(change));
      if (change.kind === "unchanged") await this.#stay(change);
    }
    const removed = ofKind(this.changes, "removed");
    for (const { key, row } of removed) await this.#forget(key, row);
    const todo = ofKind(this.changes, "added", "changed", "uncertain");
    this.#log.expect(todo.map(({ key }) => key));
    const isNew = ({ kind }: SentRow) => kind === "added";
    const verb = todo.every(isNew) ? "created" : todo.some(isNew) ? "sent" : "replaced";
    const sayProgress = () => this.#progress(todo.length, verb);
    const isFree = await inParallel(AT_ONCE, todo, async change => {
      if (call.signal.aborted) return false;
      const isFree = await this.#letGo(change);
      if (!isFree) sayProgress();
      return isFree;
    });
    const making = todo.filter((_, index) => isFree[index]);
    if (!call.signal.aborted) this.#move(todo, making);
    const { takers = [], others = [] } = Object.groupBy(making, change => (takenBy(change) ? "takers" : "others"));
    for (const some of [takers, others])
      await inParallel(AT_ONCE, some, async change => {
        if (call.signal.aborted) return;
        await this.#make(change);
        sayProgress();
      });
    await this.#letGoOfRemoved(todo.filter(({ key }) => !this.#done.has(key)));
    if (call.preview) this.#log.note(sumOf([{ mails: 0 }, factsOfRows(this.#problems)]));
    else this.#untangle();
    this.#log.flush(call.preview ? summaryOf : undefined);
    const places = new Map(todo.map(({ key }, index) => [key, index]));
    const placeOf = ({ key }: RowProblem) => places.get(key) ?? -1;
    return {
      state: { ...this.before, rows: this.#rows, forgotten: this.#forgotten },
      problems: this.#problems.toSorted((a, b) => placeOf(a) - placeOf(b)),
      wanted: todo.length + removed.length,
      undone: todo.length - this.#done.size,
    };
  }

  async #stay(change: UnchangedRow): Promise<void> {
    const { call, documents } = this.options;
    const { key, row, inputs, isRestored } = change;
    const own = rowCall(call, key);
    const isKept = isSettled(change);
    this.#deploymentLog.keeps(own.urn, row.documentId, isKept ? "as it was" : "as said");
    if (call.preview) return;
    const document = documentOf(row, this.before.service);
    // The set is replaced, which leaves this one to it.
    if (isKept && this.options.situationOf(change).kind === "still-wanted") {
      this.#deploymentLog.created(own.urn, document.id);
      await documents.learn(own, document);
    }
    if (isRestored && !row.imported) await documents.follow(own, inputs, document.outputs);
  }

  async #forget(key: string, row: RowState): Promise<void> {
    const { call, documents } = this.options;
    const own = rowCall(call, key, this.#log.of(key));
    const document = documentOf(row, this.before.service);
    const words: string[] = [];
    try {
      if (call.preview) words.push(forgetting(document.id, document.outputs, documents.context.origin(), call));
      else {
        await forgetRow(documents, own, document, { tell: said => words.push(said) });
        this.#rows.delete(key);
      }
      this.#leaving.push({ key, row, words });
    } catch (error) {
      this.#problems.push({ key, error });
    }
  }

  /**
   * A row whose key was renamed lets go of nothing: its document is another row's now. Where that one couldn't take it, as
   * the service doesn't show it, say, or nobody came to it, state keeps it under its old key.
   */
  async #letGoOfRemoved(undone: readonly SentRow[]): Promise<void> {
    const { call, documents } = this.options;
    const { journal } = documents.context;
    const contents = undone.map(({ inputs }) => hashesOf(inputs));
    // Another run may have taken one meanwhile.
    if (contents.length > 0) await journal.refresh().catch(() => undefined);
    for (const { key, row, words } of this.#leaving) {
      if (this.#holders.has(row.documentId)) continue;
      if (!contents.some(each => isContentOf(row.content, each))) {
        for (const each of words) this.#log.of(key).warn(each, call.preview ? { letsGo: 1 } : {});
        if (!call.preview) this.#forgotten += 1;
        continue;
      }
      const own = rowCall(call, key);
      const owner = await journal.owner(this.before.service, row.documentId).catch(() => undefined);
      // Another resource of the program has taken it meanwhile.
      if (owner && owner.urn !== own.urn && !owner.released) continue;
      this.#log
        .of(key)
        .info(`document ${row.documentId} stays under this key: the row that is to have it isn't there yet`);
      if (call.preview) continue;
      this.#rows.set(key, row);
      await documents.learn(own, documentOf(row, this.before.service));
      this.#deploymentLog.retains(own.urn, row.documentId);
    }
  }

  /** Of all rows before any is made: what two rows swap is theirs to take, and mails nobody. Whether the row may be made. */
  async #letGo(change: SentRow): Promise<boolean> {
    const { call, documents } = this.options;
    if (change.kind === "added") return true;
    const own = this.#callOf(change);
    const document = documentOf(change.row, this.before.service);
    this.#deploymentLog.retains(own.urn, document.id);
    if (change.isKept) {
      await this.#keep(change, own);
      return false;
    }
    if (change.isMoved) return true;
    try {
      const situation: DeleteSituation = { kind: "first-half", changed: change.fields };
      if (!call.preview) await documents.delete(own, { ...document, situation });
      await givesUp(documents, own, document.id, this.before.service);
      return true;
    } catch (error) {
      await this.#fail(change, own, error);
      return false;
    }
  }

  /** In state all of them move at once, so that none is lost where a row fails then. One whose taker keeps its own stays. */
  #move(todo: readonly SentRow[], making: readonly SentRow[]): void {
    const { call, situationOf } = this.options;
    const free = new Set(making);
    const takes = new Map(todo.map(change => [change.key, takenBy(change)]));
    for (const change of todo) {
      if (free.has(change)) continue;
      for (let key: string | undefined = change.key; key !== undefined; ) {
        const stays: string | undefined = takes.get(key)?.from;
        takes.delete(key);
        key = stays;
      }
    }
    for (const change of making) {
      const taken = takes.get(change.key);
      if (!taken) continue;
      const { documentId } = taken.row;
      this.#holders.set(documentId, change.key);
      if (call.preview) continue;
      const { inState, ...situation } = situationOf(change);
      const replaced = situation.kind === "still-wanted" ? situation.keeps.supersedes : [];
      const row = rowWith(taken.row, change.inputs);
      this.#rows.set(change.key, { ...row, ...supersededOf(inState, replaced), supersedes: [...replaced] });
      this.#deploymentLog.keeps(rowCall(call, change.key).urn, documentId);
    }
  }

  async #make(change: SentRow): Promise<void> {
    const { call, documents } = this.options;
    const { key, inputs } = change;
    const own = this.#callOf(change);
    if (change.kind !== "added" && change.isMoved && !this.#holders.has(change.row.documentId)) {
      // The row that was to take its document keeps its own.
      if (this.options.keepsSigned) await this.#keep(change, own);
      return;
    }
    try {
      const wanted = { inputs, situation: this.options.situationOf(change) };
      const made = call.preview ? await documents.preview(own, wanted) : await documents.create(own, wanted);
      // A preview knows only what is there already.
      if (made.id !== "") this.#holders.set(made.id, key);
      if ("outputs" in made) {
        this.#deploymentLog.keeps(own.urn, made.id);
        this.#rows.set(key, rowStateOf(made.outputs, ownOf(inputs)));
        if (made.unfinished.length > 0) throw new UserError(made.unfinished.join("\n"));
      }
      this.#done.add(key);
    } catch (error) {
      await this.#fail(change, own, error);
    }
  }

  async #fail(change: SentRow, own: Call, error: unknown): Promise<void> {
    const { call, keepsSigned } = this.options;
    if (change.kind !== "added" && keepsSigned && isSigned(error)) return this.#keep(change, own);
    // What was interrupted is counted; it isn't wrong with the row.
    if (!(error instanceof CancelledError && call.signal.aborted)) this.#problems.push({ key: change.key, error });
  }

  /** A document is one row's: whose it was before holds it no more, and doesn't name it as replaced. */
  #untangle(): void {
    for (const [key, row] of this.#rows) {
      if ((this.#holders.get(row.documentId) ?? key) !== key) this.#rows.delete(key);
      else {
        this.#deploymentLog.retains(rowCall(this.options.call, key).urn, row.documentId);
        const { supersedes = [], supersededContents: contents, ...rest } = row;
        const left = supersedes.filter(id => !this.#holders.has(id));
        this.#rows.set(key, left.length === 0 ? rest : { ...rest, ...supersededOf([{ contents }], left) });
      }
    }
  }

  get #deploymentLog() {
    return this.options.documents.context.deploymentLog;
  }

  #callOf({ key, inputs }: SentRow): Call {
    const addresses = emailsOf(inputs.invitations).filter(email => email !== undefined);
    return rowCall(this.options.call, key, this.#log.of(key, addresses));
  }

  /** State gets what the service says of it now: who signed did so since the last refresh. */
  async #keep(change: OfKind<"changed" | "uncertain">, own: Call): Promise<void> {
    const old = rowBeforeSending(change);
    const read = await readRow(this.options.documents, own, old, this.before.service).catch(() => undefined);
    const row = read ?? old;
    this.#deploymentLog.keeps(own.urn, row.documentId, "as it was");
    own.log.info(`document ${row.documentId} is ${statusText(row.status)} and stays as it is`, { keeps: 1 });
    // The PDF's hash stays, for the next refresh to compare.
    const sha256 = old.sha256 === undefined ? {} : { sha256: old.sha256 };
    this.#rows.set(change.key, { ...row, ...sha256, keptContent: packed(hashesOf(change.inputs)) });
    this.#done.add(change.key);
  }

  #progress(total: number, verb: string): void {
    const { call } = this.options;
    const ended = this.#done.size + this.#problems.length;
    const step = Math.ceil(total / MOST_PROGRESS_LINES);
    if (call.preview || (ended % step !== 0 && ended !== total)) return;
    const failed = this.#problems.length > 0 ? `, ${this.#problems.length} failed` : "";
    const { takesBack = 0, keeps = 0 } = this.#log.facts;
    // A row that is kept may fail all the same.
    const sent = Math.max(0, this.#done.size - takesBack - keeps);
    const takenBack = takesBack > 0 ? `, ${grouped(takesBack)} taken back` : "";
    const kept = keeps > 0 ? `, ${grouped(keeps)} kept` : "";
    call.log.progress(`${verb} ${grouped(sent)} of ${grouped(total)}${takenBack}${kept}${failed}`);
  }
}

const takenBy = (change: SentRow): MovedDocument | undefined =>
  change.kind === "uncertain" ? undefined : change.takes;

/** A row that state has, with what needs no document of its own. */
function rowBeforeSending(change: Exclude<RowChange, { kind: "added" }>): RowState {
  if (change.kind === "removed") return change.row;
  const { row, inputs } = change;
  return change.kind === "unchanged" && change.isRestored ? rowWith(row, inputs) : withTerms(row, inputs);
}

/** A row as the service shows its document now; undefined where it isn't shown to this account. */
export async function readRow(
  documents: Documents,
  own: Call,
  row: RowState,
  service: string,
): Promise<RowState | undefined> {
  const { id, outputs } = documentOf(row, service);
  const read = await documents.read(own, { id, inputs: NO_INPUTS, outputs });
  return read && rowStateOf(read.outputs, row, read.signingStage);
}

/** Of a document that the guard doesn't replace: it may be unsigned by its status and show a signature. */
const statusText = (status: string): string =>
  status === "unsigned" ? "signed, at least in part," : statusInWords(status);

/** Lets go of a row's document, as of a removed Document unless `how` says otherwise. */
export function forgetRow(
  documents: Documents,
  own: Call,
  document: ReturnType<typeof documentOf>,
  how: { readonly situation?: DeleteSituation; readonly tell?: (words: string) => void } = {},
): Promise<void> {
  const isTaken = documents.context.deploymentLog.hasCreated(own.urn, document.id);
  return documents.delete(own, { ...document, situation: { kind: isTaken ? "kept" : "removed" }, ...how });
}
