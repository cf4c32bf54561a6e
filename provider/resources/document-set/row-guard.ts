import { CancelledError } from "../../client/errors.js";
import { isUnknown, type Unknown, type Values } from "../../schema/values.js";
import type { Context } from "../context.js";
import type { DocumentResource } from "../document/document.js";
import { wantedFeatures } from "../document/features.js";
import { inParallel } from "../in-parallel.js";
import type { Call } from "../resource.js";
import { keysIn, type RowInputs } from "./changes.js";
import { AT_ONCE, isSigned, protectsSigned, rowCall } from "./row.js";
import { describeRowChanges } from "./row-changes.js";
import type { RowChange } from "./row-diff.js";
import { RowLog } from "./row-log.js";
import { type RowProblem, refusalOf } from "./row-problems.js";
import { identityOf } from "./rows.js";
import { documentOutputsOf, type RowState, type SetState } from "./set-state.js";

/** What the guard found about rows that are to be replaced. */
export interface Asked {
  /** Signed, and to be kept. */
  readonly signed: ReadonlySet<string>;
  /** Taken over once, and as the program says. */
  readonly same: ReadonlySet<string>;
}

/** Asks about every row that would be replaced, before anything is sent. */
export class RowGuard {
  constructor(
    private readonly context: Context,
    private readonly documents: DocumentResource,
  ) {}

  /** From Diff: these rows changed. */
  async beforeReplacing(
    call: Call,
    { state, rows, known, keepsSigned }: { state: SetState; rows: RowInputs; known: RowInputs; keepsSigned: boolean },
    changed: readonly RowChange[],
  ): Promise<Asked> {
    const inState = keysIn(state);
    const log = new RowLog(call.log);
    const signed = new Set<string>();
    const same = new Set<string>();
    const fields = new Map(changed.map(each => [each.key, each.fields]));
    const problems = await this.#problems(
      changed.map(({ key }) => key),
      async key => {
        const row = state.rows.get(inState(key));
        const news = rows.get(key);
        if (!row || !news) return;
        const own = rowCall(call, key, log.of(key));
        this.context.deploymentLog.checked(own.urn, true, wantedFeatures(news));
        try {
          const before = known.get(identityOf(key));
          const names = describeRowChanges({ row, before, news, fields: fields.get(key) ?? [], secrets: call.secrets });
          if (await this.isAsWanted(own, row, news, state.service, names)) same.add(key);
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
    news: Values,
    service: string,
    changed?: readonly string[],
  ): Promise<boolean> {
    const id = row.documentId;
    // The service's own word in place of hashes: it doesn't return everything.
    const held = row.imported
      ? await this.documents.readRow(own, { id, inputs: undefined, outputs: undefined })
      : { inputs: {}, outputs: documentOutputsOf(row, service) };
    const named = row.imported ? undefined : changed;
    const args = { id, olds: held.outputs, oldInputs: held.inputs, news, changed: named };
    const diff = await this.documents.diff(own, args);
    return diff.changes === "none";
  }

  /**
   * From Create: a set may be replaced by force, and a create can't know. Rows that had a document before are asked
   * about as in a preview. What else is wrong with one is left to its own turn.
   */
  async beforeCreating(call: Call, rows: RowInputs): Promise<void> {
    const { deploymentLog, journal } = this.context;
    const service = this.context.service().origin;
    const known: string[] = [];
    await journal.refresh();
    for (const key of rows.keys()) {
      const { urn } = rowCall(call, key);
      const { deleted, diffed } = deploymentLog.page(urn);
      const isShown = Object.keys({ ...deleted, ...diffed }).length > 0;
      if (isShown || (await journal.resource({ service, urn })).owned.length > 0) known.push(key);
    }
    const problems = await this.#problems(known, async key => {
      const inputs = rows.get(key) ?? {};
      const own: Call = { ...rowCall(call, key, SILENT), preview: true };
      deploymentLog.checked(own.urn, false, wantedFeatures(inputs));
      await this.documents.create(own, { inputs });
    });
    refuse(
      call,
      problems.filter(({ error }) => protectsSigned(error)),
      rows.size,
    );
  }

  /** From a Delete that replaces a set. `wanted` are the rows of the set that comes after it, as far as they are known. */
  async beforeDeleting(call: Call, state: SetState, wanted: RowInputs | Unknown | undefined): Promise<void> {
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
    // So that each row is let go of as a document that is replaced.
    for (const key of replaced.keys()) this.context.deploymentLog.checked(rowCall(call, key).urn, false);
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
  asked: number,
  changed?: { readonly canKeep: boolean },
): void {
  if (problems.length === 0) return;
  const headline = `${problems.length} of ${asked} ${changed ? "changed rows" : "rows"} can't be replaced, so nothing was sent.`;
  throw refusalOf(call, headline, problems, changed ?? { canKeep: false });
}

const SILENT = { info() {}, warn() {}, progress() {}, debug() {} };
