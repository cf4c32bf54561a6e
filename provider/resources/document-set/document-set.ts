import { createHash } from "node:crypto";
import { CancelledError } from "../../client/errors.js";
import { isUnknown, UNKNOWN, type Values } from "../../schema/values.js";
import type { Context } from "../context.js";
import { DocumentResource } from "../document/document.js";
import { wantedFeatures } from "../document/features.js";
import { inParallel } from "../in-parallel.js";
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
import { ApplyRows, forgetRow } from "./apply.js";
import { changesBetween, isNothing, keysIn, type RowInputs, withoutSamePdfs } from "./changes.js";
import { checkSet } from "./check-set.js";
import { CheckedSets, differing } from "./checked-sets.js";
import { documentSetDeclaration, documentSetOutputs } from "./declaration.js";
import { importSet } from "./import-set.js";
import { AT_ONCE, describeProblems, isSigned, messageOf, type RowProblem, rowCall } from "./row.js";
import type { RowChange } from "./row-diff.js";
import { RowLog } from "./row-log.js";
import { documentOutputsOf, outputsOf, rowStateOf, type SetState, stateIn } from "./set-state.js";

/**
 * Many documents as one resource. A row is a Document of its own, under the set's URN and its key: every rule about
 * creating, replacing and forgetting it is Document's.
 */
export class DocumentSetResource implements Resource {
  readonly token = documentSetDeclaration.token;
  readonly #documents: DocumentResource;
  readonly #checked = new CheckedSets();
  /** Rows of each set that the guard found signed, and that are to be kept. */
  readonly #signed = new Map<string, ReadonlySet<string>>();

  constructor(private readonly context: Context) {
    this.#documents = new DocumentResource(context);
  }

  async check(call: Call, { olds, news }: { olds: Values | undefined; news: Values }) {
    const { inputs, failures, rows } = await checkSet({ olds, given: news, secrets: call.secrets }, this.context.pdfs);
    this.#checked.keep(call.urn, inputs, rows);
    return { inputs, failures };
  }

  async diff(
    call: Call,
    { olds, oldInputs, news }: { id: string; olds: Values; oldInputs: Values; news: Values },
  ): Promise<Diff> {
    const rows = this.#checked.rows(call.urn, news);
    // A refresh's own Diff comes without a Check.
    if (rows === undefined) return NO_CHANGE;
    const names = differing(oldInputs, news);
    const property = news["table"] === undefined || news["table"] === null ? "documents" : "table";
    const detailed = Object.fromEntries((names.length > 0 ? names : [property]).map(name => [name, "update" as const]));
    const some: Diff = { changes: "some", detailed, deleteBeforeReplace: false };
    if (isUnknown(rows)) return names.length > 0 ? some : NO_CHANGE;
    const state = stateIn(olds);
    const changes = await withoutSamePdfs(changesBetween(state, rows), state, rows, this.context.pdfs);
    if (isNothing(changes)) return NO_CHANGE;
    await this.#guard(call, { state, rows, keepsSigned: news["whenSigned"] === "keep" }, changes.changed);
    return some;
  }

  async create(call: Call, { inputs }: { inputs: Values }): Promise<Created> {
    const id = setId(call.urn);
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
    if (inputs === undefined || outputs === undefined) {
      const imported = await importSet(this.context, this.#documents, call, id);
      return { id: setId(call.urn), ...imported };
    }
    const state = stateIn(outputs);
    const rows = new Map(state.rows);
    const drift = new Set(state.drift);
    const log = new RowLog(call.log);
    await inParallel(AT_ONCE, [...state.rows], async ([key, row]) => {
      const own = rowCall(call, key, log.of(key));
      try {
        const shown = documentOutputsOf(row, state.service);
        const read = await this.#documents.read(own, { id: row.documentId, inputs: {}, outputs: shown });
        // Not shown to this account: that was said, and state keeps what it knew.
        if (read.outputs["versions"] === undefined) return;
        rows.set(key, rowStateOf(read.outputs, row));
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
    const parts = { context: this.context, documents: this.#documents, call };
    for (const [key, row] of state.rows) await forgetRow(parts, log, state.service, key, row);
    log.flush();
  }

  /** Asks about every row that would be replaced, before anything is sent. */
  async #guard(
    call: Call,
    { state, rows, keepsSigned }: { state: SetState; rows: RowInputs; keepsSigned: boolean },
    changed: readonly RowChange[],
  ): Promise<void> {
    const inState = keysIn(state);
    const log = new RowLog(call.log);
    const signed = new Set<string>();
    const problems = await inParallel(AT_ONCE, changed, async ({ key }): Promise<RowProblem[]> => {
      const row = state.rows.get(inState(key));
      const news = rows.get(key);
      if (!row || !news) return [];
      const own = rowCall(call, key, log.of(key));
      this.context.deploymentLog.checked(own.urn, true, wantedFeatures(news));
      const olds = documentOutputsOf(row, state.service);
      try {
        // Compared with nothing, so that the guard is asked: the row's hashes say already that it changed.
        await this.#documents.diff(own, { id: row.documentId, olds, oldInputs: {}, news });
        return [];
      } catch (error) {
        if (error instanceof CancelledError) throw error;
        if (!keepsSigned || !isSigned(error)) return [{ key, error }];
        signed.add(key);
        return [];
      }
    });
    log.flush();
    this.#signed.set(call.urn, signed);
    const found = problems.flat();
    if (found.length === 0) return;
    throw new UserError(
      [
        `${found.length} of ${changed.length} changed rows can't be replaced, so nothing was sent. With whenSigned: "keep" signed documents stay as they are, and the others are replaced.`,
        ...describeProblems(found, call.urn),
      ].join("\n"),
    );
  }

  async #apply(call: Call, id: string, inputs: Values, before: SetState): Promise<Values> {
    const rows = this.#checked.rows(call.urn, inputs);
    if (isUnknown(rows)) return unknownOutputs(before.service);
    if (rows === undefined)
      throw new UserError("the rows of the set aren't known any more, so nothing was sent. Run `pulumi up` again.");
    const parts = { context: this.context, documents: this.#documents, call };
    const keepsSigned = inputs["whenSigned"] === "keep";
    const signed = this.#signed.get(call.urn) ?? new Set();
    const { state, problems, wanted, done } = await new ApplyRows(
      { ...parts, keepsSigned, signed },
      before,
      rows,
    ).run();
    const errors = describeProblems(problems, call.urn);
    if (call.preview) {
      if (problems.length === 0) return unknownOutputs(before.service);
      throw new UserError([`${problems.length} of ${wanted} rows can't be sent.`, ...errors].join("\n"));
    }
    const outputs = outputsOf(state);
    if (problems.length === 0 && done === wanted) return outputs;
    throw new PartialFailure(id, outputs, inputs, [
      `${done} of ${wanted} rows are done, ${wanted - done} are not. State keeps those that are done; \`pulumi up\` goes on with the others.`,
      ...errors,
    ]);
  }
}

/** The service knows no sets: the id is the set's own, the same wherever it is made. */
const setId = (urn: string): string => `set-${createHash("sha256").update(urn).digest("hex").slice(0, 16)}`;

const unknownOutputs = (service: string): Values => ({
  ...Object.fromEntries(Object.keys(documentSetOutputs.shape).map(name => [name, UNKNOWN])),
  service,
});
