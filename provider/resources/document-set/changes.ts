import { isUnknown, known, type Unknown, type Values } from "../../../kit/values.js";
import { byId, parseId } from "../../client/bodies.js";
import { CancelledError } from "../../client/errors.js";
import { addressOf, identityOf } from "../../core/same.js";
import { grouped, messageKind, statusInWords } from "../../core/text.js";
import { Turns } from "../../core/turns.js";
import { type Facts, sumOf } from "../../schema/facts.js";
import type { Context } from "../context.js";
import {
  type CheckedInputs,
  changedTerms,
  changesOf,
  describeChanges,
  driftOf,
  hashesOf,
  type InputHashes,
  inputsIn,
  inviteesIn,
  isIn,
  stateIn,
} from "../document/declaration.js";
import { type Documents, forgetting, LIST_NOTE } from "../document/document.js";
import { needsKey, outputsOf as outputsOfDocument } from "../document/state.js";
import { inParallel } from "../in-parallel.js";
import type { CreateSituation, DeleteSituation } from "../journal/deployment-log.js";
import { isAtHand, isPdf } from "../pdf/pdf-input.js";
import { documentsIn } from "../refusal.js";
import { type Call, type Forgetting, type Log, UserError } from "../resource.js";
import { summaryOf } from "./declaration.js";
import {
  AT_ONCE,
  bounded,
  factsOfRows,
  isCancelled,
  isSigned,
  MOST_NAMED,
  otherRows,
  protectsSigned,
  type RowProblem,
  refusalOf,
  rowCall,
} from "./rows.js";
import {
  certificateIn,
  diffRows,
  documentOutputsOf,
  type Field,
  isContentOf,
  outputsOf,
  ownOf,
  type RowChange,
  type RowDiff,
  type RowState,
  rowStateOf,
  rowWith,
  type SetState,
  unpacked,
  withTerms,
} from "./state.js";

/**
 * What an update would do to a set's rows, whether the guard lets it, and doing it. Diff begins at `replacementsBetween` and
 * `RowGuard`, Create and Update at `ApplyRows`, an import at `importSet`. `RowLog` says for a set what its rows say.
 */

// ---- Changes ----

/** Each row's checked inputs by key. */
export type RowInputs = ReadonlyMap<string, CheckedInputs>;
/** The rows in state, as far as state has them, by the identity of their key. */
export type KnownRows = ReadonlyMap<string, Values>;

/** What a call of the engine about a set is worked on with. */
export interface SetCall {
  readonly context: Context;
  readonly documents: Documents;
  readonly call: Call;
}

export interface SetChanges extends RowDiff {
  /** Rows whose document is what the program says, and whose state says something else: nothing is sent. */
  readonly restored: readonly string[];
  /** Rows whose terms are others than in state: no document changes, and nothing is asked. */
  readonly termed: readonly string[];
}

/** What an update would do to the rows in state. */
export async function changesBetween(state: SetState, rows: RowInputs, signal?: AbortSignal): Promise<SetChanges> {
  const inState = keysIn(state);
  const rowOf = rowsIn(state);
  const before = new Map<string, InputHashes>();
  const after = await new Turns(signal).take(fieldsByKey(rows, key => state.rows.has(inState(key))));
  for (const [key, row] of state.rows) before.set(key, unpacked(row.content));
  const restored: string[] = [];
  for (const [key, fields] of after) {
    const row = rowOf(key);
    if (row?.keptContent === undefined) continue;
    if (isContentOf(row.content, fields)) restored.push(key);
    // It was kept with these very inputs: that is settled.
    else if (isContentOf(row.keptContent, fields)) before.set(inState(key), unpacked(row.keptContent));
  }
  const termed = [...rows].flatMap(([key, inputs]) => {
    const row = rowOf(key);
    return row && changedTerms(row, inputs).length > 0 ? [key] : [];
  });
  const added = [...rows.keys()].filter(key => !after.has(key));
  return { ...diffRows(before, after), added, restored, termed };
}

function* fieldsByKey(rows: RowInputs, isInState: (key: string) => boolean): Generator<void, Map<string, InputHashes>> {
  const fields = new Map<string, InputHashes>();
  for (const [key, inputs] of rows) {
    yield;
    // Of a new row there is nothing to compare.
    if (isInState(key)) fields.set(key, hashesOf(inputs));
  }
  return fields;
}

export const isNothing = ({ added, changed, uncertain, removed, restored, termed }: SetChanges): boolean =>
  [added, changed, uncertain, removed, restored, termed].every(keys => keys.length === 0);

/** A row's key as state has it: it may have been written in another case. */
export function keysIn(state: SetState): (key: string) => string {
  const keys = new Map([...state.rows.keys()].map(key => [identityOf(key), key]));
  return key => keys.get(identityOf(key)) ?? key;
}

/** A row in state by its key in the program. */
export function rowsIn(state: SetState): (key: string) => RowState | undefined {
  const inState = keysIn(state);
  return key => state.rows.get(inState(key));
}

/** The same without the rows whose PDF is given in another way, or by another template, and is the one the service holds. */
export async function replacementsBetween(
  { context: { pdfs }, documents, call }: SetCall,
  state: SetState,
  rows: RowInputs,
  signal?: AbortSignal,
): Promise<SetChanges> {
  const changes = await changesBetween(state, rows, signal);
  const rowOf = rowsIn(state);
  const same = new Set<string>();
  await inParallel(1, changes.changed, async ({ key, fields }) => {
    const row = rowOf(key);
    const inputs = rows.get(key);
    if (fields.some(field => field !== "pdf") || !row || !inputs || !isAtHand(inputs, pdfs)) return;
    const sent = { id: row.documentId, outputs: { service: state.service }, inputs };
    if (row.sha256 !== undefined && (await isPdf(inputs, row.sha256, pdfs))) same.add(key);
    // The service shows no hash, or another PDF's; the journal has what was sent.
    else if (inputs.template !== undefined && (await documents.isSent(rowCall(call, key), sent))) same.add(key);
  });
  return withoutUnchanged(changes, same);
}

/** The changes without rows whose documents turned out to be what the program says. */
function withoutUnchanged(changes: SetChanges, same: ReadonlySet<string>): SetChanges {
  const found = changes.changed.filter(({ key }) => same.has(key)).map(({ key }) => key);
  if (found.length === 0) return changes;
  const changed = changes.changed.filter(({ key }) => !same.has(key));
  return { ...changes, changed, restored: [...changes.restored, ...found] };
}

// ---- Guard ----

/** What the guard found about rows that are to be replaced. */
export interface GuardFindings {
  /** Signed, and to be kept. */
  readonly signed: ReadonlySet<string>;
  /** Taken over once, and as the program says. */
  readonly same: ReadonlySet<string>;
}

/** Asks about every row that would be replaced, before anything is sent. */
export class RowGuard {
  constructor(
    private readonly context: Context,
    private readonly documents: Documents,
  ) {}

  /** From Diff: these rows changed. */
  async beforeReplacing(
    call: Call,
    { state, rows, known, keepsSigned }: { state: SetState; rows: RowInputs; known: KnownRows; keepsSigned: boolean },
    changed: readonly RowChange[],
  ): Promise<GuardFindings> {
    const rowOf = rowsIn(state);
    const log = new RowLog(call.log);
    const signed = new Set<string>();
    const same = new Set<string>();
    const fields = new Map(changed.map(each => [each.key, each.fields]));
    const problems = await this.#problems(
      changed.map(({ key }) => key),
      async key => {
        const row = rowOf(key);
        const news = rows.get(key);
        if (!row || !news) return;
        const own = rowCall(call, key, log.of(key));
        try {
          const given = known.get(identityOf(key));
          const before = given && inputsIn(given);
          const inputs = fields.get(key) ?? [];
          const words = describeRowChanges({ row, before, news, fields: inputs, secrets: call.secrets });
          const isSame =
            (await this.#wasChangedThere(own, row, news, inputs)) ||
            (await this.isAsWanted(own, row, news, state.service, { inputs, words }));
          if (isSame) same.add(key);
          // A signed one, which stays as it is, holds what the program says no more: the same in another row is refused.
          this.context.deploymentLog.keeps(own.urn, row.documentId);
        } catch (error) {
          if (!keepsSigned || !isSigned(error)) throw error;
          signed.add(key);
        }
      },
    );
    log.flush();
    refuse(call, problems, changed.length, { canKeep: !keepsSigned });
    return { signed, same };
  }

  /** Whether a document is what the program says though its row's hashes differ. One that isn't must be replaceable. */
  async isAsWanted(
    own: Call,
    row: RowState,
    news: CheckedInputs,
    service: string,
    changed?: { readonly inputs: readonly string[]; readonly words: readonly string[] },
  ): Promise<boolean> {
    const id = row.documentId;
    // The service's own word in place of hashes: it doesn't return everything.
    const read = row.imported && (await this.documents.read(own, { id }));
    const { inputs, outputs } = read || { inputs: {}, outputs: documentOutputsOf(row, service) };
    return this.documents.isAsWanted(
      own,
      { id, outputs, oldInputs: inputs, inputs: news },
      row.imported ? undefined : changed,
    );
  }

  /** What people can change on the platform: a program that follows changes nothing. State keeps hashes, so the service is asked. */
  async #wasChangedThere(
    { signal }: Call,
    { documentId }: RowState,
    news: CheckedInputs,
    fields: readonly Field[],
  ): Promise<boolean> {
    if (!fields.every(field => ON_THE_PLATFORM.includes(field))) return false;
    const service = this.context.service();
    const document = await service.getDocument(parseId(documentId), { signal }).catch((error: unknown) => {
      if (error instanceof CancelledError) throw error;
      return undefined;
    });
    if (!document) return false;
    const kept = { supersedes: [], imported: false, drift: [], terms: {} };
    const drift: readonly string[] = driftOf(news, outputsOfDocument(document, service, kept));
    return !fields.some(field => drift.includes(field));
  }

  /**
   * From Create: a set may be replaced by force, and a create can't know. Rows that had a document before are asked
   * about as in a preview. What else is wrong with one is left to its own turn.
   */
  async beforeCreating(call: Call, rows: RowInputs, situationOf: (key: string) => CreateSituation): Promise<void> {
    const { journal } = this.context;
    const service = this.context.service().origin;
    const known: string[] = [];
    await journal.refresh();
    for (const key of rows.keys()) {
      const { urn } = rowCall(call, key);
      if (situationOf(key).shown.length > 0 || (await journal.resource({ service, urn })).owned.length > 0)
        known.push(key);
    }
    const problems = await this.#problems(known, async key => {
      const inputs = rows.get(key) ?? {};
      const own: Call = { ...rowCall(call, key, SILENT), preview: true };
      await this.documents.preview(own, { inputs, situation: situationOf(key) });
    });
    refuse(
      call,
      problems.filter(({ error }) => protectsSigned(error)),
      rows.size,
    );
  }

  /**
   * From a Delete that replaces a set. `wanted` are the rows of the set that comes after it, as far as they are known.
   * Answers which rows are replaced.
   */
  async beforeDeleting(
    call: Call,
    state: SetState,
    wanted: RowInputs | Unknown | undefined,
  ): Promise<ReadonlySet<string>> {
    const replaced = new Map(state.rows);
    if (wanted !== undefined && !isUnknown(wanted)) {
      const inState = keysIn(state);
      const kept = new Set([...wanted.keys()].map(inState));
      for (const key of state.rows.keys()) if (!kept.has(key)) replaced.delete(key);
    }
    const problems = await this.#problems([...replaced.keys()], async key => {
      const row = replaced.get(key);
      if (!row) return;
      const outputs = documentOutputsOf(row, state.service);
      await this.documents.assertReplaceable(rowCall(call, key, SILENT), { id: row.documentId, outputs });
    });
    refuse(call, problems, replaced.size);
    return new Set(replaced.keys());
  }

  async #problems(keys: readonly string[], ask: (key: string) => Promise<void>): Promise<RowProblem[]> {
    const problems = await inParallel(AT_ONCE, keys, async (key): Promise<RowProblem[]> => {
      try {
        await ask(key);
        return [];
      } catch (error) {
        if (error instanceof CancelledError) throw error;
        return [{ key, error }];
      }
    });
    return problems.flat();
  }
}

/** `canKeep` where the rows changed, and aren't replaced by force. */
function refuse(
  call: Call,
  problems: readonly RowProblem[],
  total: number,
  changed?: { readonly canKeep: boolean },
): void {
  if (problems.length === 0) return;
  const headline = `${problems.length} of ${total} ${changed ? "changed rows" : "rows"} can't be replaced, so nothing was sent.`;
  throw refusalOf(call, headline, problems, changed ?? { canKeep: false });
}

const ON_THE_PLATFORM: readonly Field[] = ["name", "description", "folderId"];

const SILENT = { info() {}, warn() {}, progress() {}, debug() {} };

// ---- Changes of a row ----

interface ChangedRow {
  readonly row: RowState;
  /** The row's inputs in state, where state has them. */
  readonly before: CheckedInputs | undefined;
  readonly news: CheckedInputs;
  readonly fields: readonly Field[];
  readonly secrets: ReadonlySet<string>;
}

/**
 * What changed of a row, from what to what, where the document was made of the inputs in state: an update may have been
 * refused for this row. Otherwise state has hashes, and the names are all there is.
 */
function describeRowChanges({ row, before, news, fields, secrets }: ChangedRow): string[] {
  const isSecret = ["documents", "table", "defaults"].some(name => secrets.has(name));
  if (isSecret || !before || !isContentOf(row.content, hashesOf(before)))
    return fields.map(field => (field === "pdf" ? pdfInput(news) : field));
  // State has no text of a row: one that the program takes out is a change.
  const held = { ...stateIn(before as Values), ...documentOutputsOf(row, "") };
  const certain = changesOf(before, news, held).filter(change => !change.unknown);
  return describeChanges(certain, before, news, secrets);
}

const pdfInput = ({ file, template }: CheckedInputs): string =>
  template !== undefined ? "template or variables" : file !== undefined ? "file" : "base64File";

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
  /** Rows of which the guard has just found that they are signed, and those that are as the program says. */
  readonly signed: ReadonlySet<string>;
  readonly same: ReadonlySet<string>;
  readonly situationOf: (key: string) => CreateSituation;
}

/** Brings a set's rows to what the program says, each as a Document of its own. What fails in one undoes no other. */
export class ApplyRows {
  readonly #log: RowLog;
  readonly #rows: Map<string, RowState>;
  readonly #problems: RowProblem[] = [];
  /** Rows that got a document in this run, by its id. */
  readonly #holders = new Map<string, string>();
  /** Documents of removed rows, and what there is to say where no other row takes them. */
  readonly #leaving: { readonly id: string; readonly warn: () => void }[] = [];
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

  async run(): Promise<ApplyResult> {
    const { call, context, same } = this.options;
    const changes = withoutUnchanged(await replacementsBetween(this.options, this.before, this.wanted), same);
    const { changed, uncertain, added, removed } = changes;
    const rowOf = rowsIn(this.before);
    for (const key of changes.unchanged) {
      const row = rowOf(key);
      if (row) context.deploymentLog.keeps(rowCall(call, key).urn, row.documentId);
    }
    this.#rename();
    this.#put(changes.restored, rowWith);
    this.#put(changes.termed, withTerms);
    for (const key of removed) await this.#forget(key);
    const todo = inOrder(this.wanted, changes);
    this.#log.expect(todo);
    const verb = changed.length + uncertain.length > 0 ? (added.length > 0 ? "sent" : "replaced") : "created";
    const ended = () => this.#progress(todo.length, verb);
    const isFree = await inParallel(AT_ONCE, todo, async key => {
      if (call.signal.aborted) return false;
      const isFree = await this.#letGo(key);
      if (!isFree) ended();
      return isFree;
    });
    const making = todo.filter((_, index) => isFree[index]);
    await inParallel(AT_ONCE, making, async key => {
      if (call.signal.aborted) return;
      await this.#make(key);
      ended();
    });
    this.#letGoOfRemoved();
    if (call.preview) this.#log.note(sumOf([{ mails: 0 }, factsOfRows(this.#problems)]));
    else this.#untangle();
    this.#log.flush(call.preview ? summaryOf : undefined);
    return {
      state: { ...this.before, rows: this.#rows, forgotten: this.#forgotten },
      problems: inOrderOf(this.wanted, this.#problems),
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

  #put(keys: readonly string[], change: (row: RowState, inputs: CheckedInputs) => RowState): void {
    for (const key of keys) {
      const row = this.#rows.get(key);
      const inputs = this.wanted.get(key);
      if (row && inputs) this.#rows.set(key, change(row, inputs));
    }
  }

  async #forget(key: string): Promise<void> {
    const row = this.#rows.get(key);
    if (!row) return;
    const { call, context } = this.options;
    const id = row.documentId;
    const log = this.#log.of(key);
    if (call.preview) {
      const words = forgetting(id, documentOutputsOf(row, this.before.service), context.origin(), call);
      this.#leaving.push({ id, warn: () => log.warn(words, { letsGo: 1 }) });
      return;
    }
    const told: string[] = [];
    try {
      const removed = { service: this.before.service, key, row, isReplaced: false };
      await forgetRow(this.options, this.#log, removed, words => told.push(words));
    } catch (error) {
      this.#problems.push({ key, error });
      return;
    }
    this.#leaving.push({ id, warn: () => told.map(words => log.warn(words)) });
    this.#rows.delete(key);
  }

  /** A row whose key was renamed lets go of nothing: its document is another row's now. */
  #letGoOfRemoved(): void {
    const gone = this.#leaving.filter(({ id }) => !this.#holders.has(id));
    for (const { warn } of gone) warn();
    if (!this.options.call.preview) this.#forgotten += gone.length;
  }

  /** Of all rows before any is made: what two rows swap is theirs to take, and mails nobody. Whether the row may be made. */
  async #letGo(key: string): Promise<boolean> {
    const { call, context, documents, keepsSigned, signed } = this.options;
    const news = this.wanted.get(key);
    if (!news) return false;
    const old = this.#rows.get(key);
    if (!old) return true;
    const own = this.#callOf(key, news);
    context.deploymentLog.retains(own.urn, old.documentId);
    if (keepsSigned && signed.has(key)) {
      await this.#keep(key, own, old, ownOf(news).content);
      return false;
    }
    try {
      const { service } = this.before;
      const known = { id: old.documentId, outputs: documentOutputsOf(old, service), hashes: unpacked(old.content) };
      if (!call.preview) await documents.delete(own, { ...known, situation: { kind: "first-half" } });
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
      const wanted = { inputs: news, situation: this.options.situationOf(key) };
      const made = call.preview ? await documents.preview(own, wanted) : await documents.create(own, wanted);
      // A preview knows only what is there already.
      if (made.id !== "") this.#holders.set(made.id, key);
      if ("outputs" in made) {
        context.deploymentLog.keeps(own.urn, made.id);
        this.#rows.set(key, rowStateOf(made.outputs, ownOf(news)));
        if (made.unfinished.length > 0) throw new UserError(made.unfinished.join("\n"));
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
        const { supersedes = [], supersededContents = {}, ...rest } = row;
        const left = supersedes.filter(id => !this.#holders.has(id));
        const contents = Object.entries(supersededContents).filter(([id]) => left.includes(id));
        this.#rows.set(key, {
          ...rest,
          ...(left.length > 0 && { supersedes: left }),
          ...(contents.length > 0 && { supersededContents: Object.fromEntries(contents) }),
        });
      }
    }
  }

  #callOf(key: string, news: CheckedInputs): Call {
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
  documents: Documents,
  own: Call,
  row: RowState,
  service: string,
): Promise<RowState | undefined> {
  const shown = documentOutputsOf(row, service);
  const read = await documents.read(own, { id: row.documentId, inputs: {}, outputs: shown });
  return read && rowStateOf(read.outputs, row, read.signingStage);
}

/** Of a document that the guard doesn't replace: it may be unsigned by its status and show a signature. */
function statusText(status: string): string {
  return status === "unsigned" ? "signed, at least in part," : statusInWords(status);
}

/** Lets go of a row's document, as of a removed Document. */
export function forgetRow(
  { context, documents, call }: SetCall,
  log: RowLog,
  { service, key, row, isReplaced }: { service: string; key: string; row: RowState; isReplaced: boolean },
  tell?: (words: string) => void,
): Promise<void> {
  const own = rowCall(call, key, log.of(key));
  const isKept = context.deploymentLog.hasCreated(own.urn, row.documentId);
  const situation: DeleteSituation = { kind: isReplaced ? "first-half" : isKept ? "kept" : "removed" };
  const known = { id: row.documentId, outputs: documentOutputsOf(row, service), hashes: unpacked(row.content) };
  return documents.delete(own, { ...known, situation, tell });
}

const inOrder = (rows: RowInputs, { added, changed, uncertain }: SetChanges): readonly string[] => {
  if (changed.length + uncertain.length === 0) return added;
  const todo = new Set([...added, ...changed.map(({ key }) => key), ...uncertain.map(({ key }) => key)]);
  return [...rows.keys()].filter(key => todo.has(key));
};

function inOrderOf(rows: RowInputs, problems: readonly RowProblem[]): readonly RowProblem[] {
  if (problems.length < 2) return problems;
  const places = new Map([...rows.keys()].map((key, index) => [key, index]));
  return problems.toSorted((a, b) => (places.get(a.key) ?? -1) - (places.get(b.key) ?? -1));
}

const addressesIn = (inputs: CheckedInputs): string[] =>
  inviteesIn(inputs).flatMap(person => known(person?.email) ?? []);

// ---- Import ----

const CRITERIA = ["id", "name", "description", "email"] as const;
type Criterion = (typeof CRITERIA)[number];

const WANTED =
  "`folder/<id>` or `documents/<id>,<id>` (keyed by id), with `/name`, `/description` or `/email` (the first person invited) after it to be keyed by that";

interface ImportedRow {
  readonly key: string;
  readonly inputs: CheckedInputs;
  readonly row: RowState;
}

/** The documents of a folder, or those named, as a set, keyed by their id or by a field. Only reads. */
export async function importSet(
  { context, documents, call }: SetCall,
  id: string,
): Promise<{ inputs: Values; outputs: Values }> {
  const { place, field } = placeIn(id);
  const service = context.service();
  const ids = [...new Set("ids" in place ? place.ids : await listed(context, call, place))].sort(byId);
  const log = new RowLog(call.log);
  const found = await inParallel(AT_ONCE, ids, async (document): Promise<ImportedRow> => {
    const own = rowCall(call, document, log.of(document));
    const read = await documents.read(own, { id: document });
    if (!read) throw new Error(`document ${document} can't be imported`);
    return {
      key: keyOf(document, read.inputs, field),
      inputs: read.inputs,
      row: rowStateOf(read.outputs, { ...ownOf(read.inputs), imported: true }, read.signingStage),
    };
  });
  log.flush();
  const mistakes = mistakesIn(found, field);
  if (mistakes.length > 0) throw new UserError(mistakes.join("\n"));
  for (const { key, row } of found) {
    const scope = { service: service.origin, urn: rowCall(call, key).urn };
    await context.journal.show(scope, row.documentId, { supersedes: [], imported: true });
  }
  const rows = new Map(found.map(({ key, row }) => [key, row]));
  const needKey = await needsKey(service, certificateIn(rows), { signal: call.signal });
  return {
    inputs: { documents: Object.fromEntries(found.map(({ key, inputs }) => [key, inputs as Values])) },
    outputs: outputsOf({ rows, forgotten: 0, drift: [], needKey, service: service.origin }),
  };
}

async function listed(context: Context, { log, signal }: Call, place: { folderId: string }): Promise<string[]> {
  const { rows } = await context.service().listDocuments(place, { signal });
  const ids = rows.filter(row => isIn(place, row)).map(row => row.id);
  if (ids.length === 0) throw new UserError(`expected documents in folder ${place.folderId}, got an empty list`);
  log.warn(LIST_NOTE);
  return ids;
}

type ImportedFrom = { readonly folderId: string } | { readonly ids: readonly string[] };

const ID = /^[1-9]\d{0,18}$/;

function placeIn(id: string): { place: ImportedFrom; field: Criterion } {
  const [kind, ids = "", field = "id", ...more] = id.split("/");
  const known = CRITERIA.find(name => name === field);
  const all = ids.split(",");
  const isFolder = kind === "folder" && all.length === 1;
  if ((!isFolder && kind !== "documents") || !all.every(each => ID.test(each)) || !known || more.length > 0)
    throw new UserError(`expected ${WANTED}, got ${JSON.stringify(id.slice(0, 60))}`);
  return { place: isFolder ? { folderId: ids } : { ids: all }, field: known };
}

function keyOf(id: string, inputs: CheckedInputs, field: Criterion): string {
  const { name, description } = inputs;
  const [first] = inviteesIn(inputs);
  const value = { id, name, description, email: first?.email }[field];
  return typeof value === "string" ? value.trim() : "";
}

function mistakesIn(found: readonly ImportedRow[], field: Criterion): string[] {
  const byKey = Map.groupBy(found, ({ key }) => identityOf(key));
  const wrong = [...byKey].flatMap(([key, same]) => {
    const ids = same.map(({ row }) => row.documentId);
    if (key === "") return [`${documentsIn(ids)}: expected a ${field}, got none`];
    if (ids.length > 1) return [`${JSON.stringify(key)} is the ${field} of ${documentsIn(ids)}`];
    return [];
  });
  return wrong.length === 0
    ? []
    : [
        "expected each document under a key of its own:",
        ...bounded(wrong),
        "Leave out the field, which keys them by id.",
      ];
}

// ---- Log ----

/** Summing takes longer than noting. */
const MOST_UNSUMMED = 1_000;
/** Rows whose lines are kept at a time. */
const MOST_UNSAID = 1_000;

interface Warning {
  readonly key: string;
  readonly message: string;
  readonly forgets: Forgetting | undefined;
}

/**
 * What the rows of a set say, as few lines: notices up to twenty in the rows' order and the others with `--debug`, warnings
 * once for each kind, with the rows they are about.
 */
export class RowLog {
  /** By row: where its lines stand among the others', or that they are said already. */
  readonly #places = new Map<string, number | "said">();
  /** The lines of rows that may be among the first. */
  readonly #notices = new Map<string, string>();
  /** Rows whose lines `--debug` has shown. */
  #others = 0;
  readonly #warnings: Warning[] = [];
  #facts: Facts[] = [];
  /** Who is mailed, and how often. */
  readonly #mailed = new Map<string, number>();

  constructor(private readonly log: Log) {}

  /** What all rows say to machines. */
  get facts(): Facts {
    const sum = sumOf(this.#facts);
    this.#facts = [sum];
    let known = 0;
    for (const count of this.#mailed.values()) known += count;
    const people = this.#mailed.size + (sum.mails ?? 0) - known;
    // Who countersigns all rows is named in each set's facts, and so counted once for all sets.
    const times = (address: string) => this.#mailed.get(address) ?? 0;
    const to = [...this.#mailed.keys()].sort((one, other) => times(other) - times(one));
    return { ...sum, ...(people < (sum.mails ?? 0) ? { people } : {}), ...(to.length > 0 ? { to } : {}) };
  }

  note(facts: Facts): void {
    if (this.#facts.push(facts) > MOST_UNSUMMED) this.#facts = [sumOf(this.#facts)];
  }

  /** What these say is in this order. */
  expect(keys: readonly string[]): void {
    for (const key of keys) if (!this.#places.has(key)) this.#places.set(key, this.#places.size);
  }

  /** `to`: whom the row mails, if it mails anybody. */
  of(key: string, to: readonly string[] = []): Log {
    if (!this.#places.has(key)) this.#places.set(key, this.#places.size);
    // A key that is an address is in the line already.
    const line = (message: string) => (to.includes(key) && message.includes(key) ? message : `${key}: ${message}`);
    const note = (facts: Facts = {}) => {
      this.note(facts);
      if (!facts.mails) return;
      for (const address of to.map(addressOf)) this.#mailed.set(address, (this.#mailed.get(address) ?? 0) + 1);
    };
    return {
      info: (message, facts) => {
        note(facts);
        this.#notice(key, line(message));
      },
      warn: (message, facts, forgets) => {
        note(facts);
        this.#warnings.push({ key, message, forgets });
      },
      progress: () => {},
      debug: () => {},
    };
  }

  #notice(key: string, line: string): void {
    if (this.#places.get(key) === "said") {
      this.log.debug(line);
      return;
    }
    const before = this.#notices.get(key);
    this.#notices.set(key, before === undefined ? line : `${before}\n${line}`);
    if (this.#notices.size > MOST_UNSAID) this.#sayOthers();
  }

  /** Answers with the lines of the first rows, and says those of the others: of thousands they aren't kept to the end. */
  #sayOthers(): string[] {
    const noted = Array.from(this.#notices, ([key, line]) => ({ key, line, place: Number(this.#places.get(key)) }));
    noted.sort((one, other) => one.place - other.place);
    const others = noted.splice(MOST_NAMED);
    for (const { key } of others) {
      this.#notices.delete(key);
      this.#places.set(key, "said");
    }
    this.#others += others.length;
    if (others.length > 0) this.log.debug(others.map(({ line }) => line).join("\n"));
    return noted.map(({ line }) => line);
  }

  /** Says what there is to say, and at the end what it comes to. */
  flush(summary?: (facts: Facts) => string): void {
    const lines = this.#sayOthers();
    const more = this.#others;
    if (more > 0) lines.push(`and for ${more} more ${more === 1 ? "row" : "rows"}; \`--debug\` shows all`);
    const { facts } = this;
    if (summary !== undefined) lines.push(summary(facts));
    if (lines.length > 0) this.log.info(lines.join("\n"), facts);
    const byKind = Map.groupBy(this.#warnings, ({ message, forgets }) => messageKind(forgets?.words("") ?? message));
    for (const alike of byKind.values()) {
      const [first, ...more] = alike;
      if (!first) continue;
      const tokens = alike.map(({ forgets }) => forgets?.token).join();
      const line = `${first.key}: ${first.forgets?.words(tokens) ?? first.message}`;
      if (more.length > 0) this.log.debug(alike.map(({ key, message }) => `${key}: ${message}`).join("\n"));
      this.log.warn(more.length === 0 ? line : `${line}\n${otherRows(more.map(({ key }) => key))}`);
    }
  }
}
