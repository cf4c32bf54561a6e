import { createHash } from "node:crypto";
import { CancelledError } from "../../client/errors.js";
import { isUnknown, UNKNOWN, type Unknown, type Values } from "../../schema/values.js";
import type { Context } from "../context.js";
import { DocumentResource } from "../document/document.js";
import { wantedFeatures } from "../document/features.js";
import { inParallel } from "../in-parallel.js";
import { Refusal } from "../refusal.js";
import {
  type Call,
  type Created,
  type Diff,
  NO_CHANGE,
  PartialFailure,
  type ReadResult,
  type Resource,
  UserError,
} from "../resource.js";
import { checkSet } from "./check-set.js";
import { documentSetDeclaration, documentSetOutputs } from "./declaration.js";
import { diffRows, fieldsOf, type RowDiff } from "./row-diff.js";
import { RowLog } from "./row-log.js";
import {
  documentOutputsOf,
  outputsOf,
  type RowState,
  rowStateOf,
  type SetState,
  stateIn,
  unpacked,
} from "./set-state.js";

const AT_ONCE = 8;
const MOST_ERRORS = 20;

type RowInputs = ReadonlyMap<string, Values>;

/**
 * Many documents as one resource. A row is a Document of its own, under the set's URN and its key: every rule about
 * creating, replacing and forgetting it is Document's.
 */
export class DocumentSetResource implements Resource {
  readonly token = documentSetDeclaration.token;
  readonly #documents: DocumentResource;
  /** The rows of each set as last checked: Diff and Update are shown a table's hash only. */
  readonly #checked = new Map<string, RowInputs | Unknown>();

  constructor(private readonly context: Context) {
    this.#documents = new DocumentResource(context);
  }

  async check(call: Call, { news }: { olds: Values | undefined; news: Values }) {
    const { inputs, failures, rows } = await checkSet(news, call.secrets, this.context.pdfs);
    this.#checked.set(call.urn, rows);
    return { inputs, failures };
  }

  async diff(call: Call, { olds, news }: { id: string; olds: Values; oldInputs: Values; news: Values }): Promise<Diff> {
    const rows = this.#checked.get(call.urn);
    // A refresh's own Diff comes without a Check.
    if (rows === undefined) return NO_CHANGE;
    const property = news["table"] === undefined || news["table"] === null ? "documents" : "table";
    const some: Diff = { changes: "some", detailed: { [property]: "update" }, deleteBeforeReplace: false };
    if (isUnknown(rows)) return some;
    const state = stateIn(olds);
    const { added, changed, uncertain, removed } = changesBetween(state, rows);
    if (added.length + changed.length + uncertain.length + removed.length === 0) return NO_CHANGE;
    await this.#guard(call, state, changed, rows, news["whenSigned"] === "keep");
    return some;
  }

  async create(call: Call, { inputs }: { inputs: Values }): Promise<Created> {
    const id = `set-${createHash("sha256").update(call.urn).digest("hex").slice(0, 16)}`;
    const outputs = await this.#apply(call, id, inputs, stateIn({ service: this.context.service().origin }));
    return { id: call.preview ? "" : id, outputs };
  }

  update(call: Call, { id, olds, news }: { id: string; olds: Values; news: Values }): Promise<Values> {
    return this.#apply(call, id, news, stateIn(olds));
  }

  async read(
    call: Call,
    { id, inputs, outputs }: { id: string; inputs: Values | undefined; outputs: Values | undefined },
  ): Promise<ReadResult> {
    if (inputs === undefined || outputs === undefined) throw new UserError("a DocumentSet can't be imported yet");
    const state = stateIn(outputs);
    const rows = new Map(state.rows);
    const drift = new Set(state.drift);
    const log = new RowLog(call.log);
    await inParallel(AT_ONCE, [...state.rows], async ([key, row]) => {
      const own = { ...rowCall(call, key), log: log.of(key) };
      try {
        const shown = documentOutputsOf(row, state.service);
        const read = await this.#documents.read(own, { id: row.documentId, inputs: {}, outputs: shown });
        if (typeof read.outputs["versions"] === "undefined") return;
        rows.set(key, rowStateOf(read.outputs, row.content));
        if (row.sha256 !== undefined && read.outputs["sha256"] !== row.sha256) drift.add(key);
      } catch (error) {
        if (error instanceof CancelledError) throw error;
        own.log.warn(`document ${row.documentId} couldn't be read, so state keeps what it knew: ${messageOf(error)}`);
      }
    });
    log.flush();
    return { id, inputs, outputs: outputsOf({ ...state, rows, drift: [...drift] }) };
  }

  async delete(call: Call, { outputs }: { id: string; outputs: Values }): Promise<void> {
    const state = stateIn(outputs);
    const log = new RowLog(call.log);
    for (const [key, row] of state.rows) await this.#forget(call, log, state, key, row);
    log.flush();
  }

  /** Asks about every row that would be replaced, before anything is sent. */
  async #guard(
    call: Call,
    state: SetState,
    changed: RowDiff["changed"],
    rows: RowInputs,
    keep: boolean,
  ): Promise<void> {
    const { deploymentLog } = this.context;
    const refusals = await inParallel(AT_ONCE, changed, async ({ key }) => {
      const row = state.rows.get(inState(state, key));
      const news = rows.get(key);
      if (!row || !news) return [];
      const own = rowCall(call, key);
      deploymentLog.checked(own.urn, true, wantedFeatures(news));
      const olds = documentOutputsOf(row, state.service);
      try {
        // Compared with nothing, so that the guard is asked: the row's hashes say already that it changed.
        await this.#documents.diff(own, { id: row.documentId, olds, oldInputs: {}, news });
        return [];
      } catch (error) {
        if (error instanceof CancelledError || (keep && isSigned(error))) return [];
        return [`${key}: ${messageOf(error)}`];
      }
    });
    const found = refusals.flat();
    if (found.length === 0) return;
    throw new UserError(
      [
        `${found.length} of ${changed.length} changed rows can't be replaced, so nothing was sent. With whenSigned: "keep" signed documents stay as they are, and the others are replaced.`,
        ...bounded(found),
      ].join("\n"),
    );
  }

  async #apply(call: Call, id: string, inputs: Values, before: SetState): Promise<Values> {
    const rows = this.#checked.get(call.urn);
    if (isUnknown(rows)) return unknownOutputs(before.service);
    if (rows === undefined)
      throw new UserError("the rows of the set aren't known any more, so nothing was sent. Run `pulumi up` again.");
    const { added, changed, uncertain, removed } = changesBetween(before, rows);
    const after = new Map(before.rows);
    const kept = new Set(before.kept);
    const log = new RowLog(call.log);
    const errors: string[] = [];
    let forgotten = before.forgotten;
    let done = 0;
    const todo = [...changed.map(({ key }) => key), ...uncertain.map(({ key }) => key), ...added];
    const renamed = [...rows.keys()].filter(key => !after.has(key) && after.has(inState(before, key)));
    for (const key of renamed) moveKey(after, inState(before, key), key);

    for (const key of removed) {
      const row = before.rows.get(key);
      if (!row) continue;
      if (!call.preview) {
        await this.#forget(call, log, before, key, row);
        forgotten += 1;
      }
      after.delete(key);
    }
    await inParallel(AT_ONCE, todo, async key => {
      if (call.signal.aborted) return;
      const news = rows.get(key);
      if (!news) return;
      const own = { ...rowCall(call, key), log: log.of(key) };
      const old = after.get(key);
      try {
        this.context.deploymentLog.checked(own.urn, false, wantedFeatures(news));
        if (old && !call.preview) {
          const outputs = documentOutputsOf(old, before.service);
          await this.#documents.delete(own, { id: old.documentId, outputs });
        }
        const made = await this.#documents.create(own, { inputs: news });
        if (!call.preview) after.set(key, rowStateOf(made.outputs, fieldsOf(news)));
        kept.delete(key);
      } catch (error) {
        if (error instanceof PartialFailure) after.set(key, rowStateOf(error.outputs, fieldsOf(news)));
        if (old && inputs["whenSigned"] === "keep" && isSigned(error)) {
          kept.add(key);
          after.set(key, { ...old, content: rowStateOf({}, fieldsOf(news)).content });
        } else errors.push(`${key}: ${messageOf(error)}`);
      }
      done += 1;
      call.log.progress(`${done} of ${todo.length}${errors.length > 0 ? `, ${errors.length} failed` : ""}`);
    });
    log.flush();
    if (call.preview) return unknownOutputs(before.service);
    const outputs = outputsOf({
      rows: after,
      forgotten,
      kept: [...kept],
      drift: before.drift,
      service: before.service,
    });
    if (errors.length === 0 && !call.signal.aborted) return outputs;
    const missing = todo.length - done + errors.length;
    throw new PartialFailure(id, outputs, inputs, [
      `${todo.length - missing} of ${todo.length} rows are done, ${missing} are not. State keeps those that are done; \`pulumi up\` goes on with the others.`,
      ...bounded(errors),
    ]);
  }

  #forget(call: Call, log: RowLog, state: SetState, key: string, row: RowState): Promise<void> {
    const own = { ...rowCall(call, key), log: log.of(key) };
    return this.#documents.delete(own, { id: row.documentId, outputs: documentOutputsOf(row, state.service) });
  }
}

/** A row is a Document under the set's URN and its key. */
const rowCall = (call: Call, key: string): Call => ({ ...call, urn: `${call.urn}#${key}` });

function changesBetween(state: SetState, rows: RowInputs): RowDiff {
  const before = new Map([...state.rows].map(([key, row]) => [key, unpacked(row.content)]));
  return diffRows(before, new Map([...rows].map(([key, inputs]) => [key, fieldsOf(inputs)])));
}

/** A row's key as state has it: it may have been written in another case. */
const inState = (state: SetState, key: string): string =>
  state.rows.has(key) ? key : ([...state.rows.keys()].find(each => each.toLowerCase() === key.toLowerCase()) ?? key);

function moveKey(rows: Map<string, RowState>, from: string, to: string): void {
  const row = rows.get(from);
  if (!row) return;
  rows.delete(from);
  rows.set(to, row);
}

const isSigned = (error: unknown): boolean => error instanceof Refusal && error.parts.cause === "replace-signed";

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const bounded = (lines: readonly string[]): string[] =>
  lines.length <= MOST_ERRORS ? [...lines] : [...lines.slice(0, MOST_ERRORS), `and ${lines.length - MOST_ERRORS} more`];

const unknownOutputs = (service: string): Values => ({
  ...Object.fromEntries(Object.keys(documentSetOutputs.shape).map(name => [name, UNKNOWN])),
  service,
});
