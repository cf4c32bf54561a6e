import { createHash } from "node:crypto";
import { unknownOutputs } from "../../../kit/define.js";
import { hasUnknown, known, type Unknown, type Values } from "../../../kit/values.js";
import { byId } from "../../client/bodies.js";
import { CancelledError } from "../../client/errors.js";
import { needsKey } from "../../client/files.js";
import { identityOf } from "../../core/same.js";
import { firstLines, messageOf } from "../../core/text.js";
import { inParallel } from "../../core/turns.js";
import type { Context } from "../context.js";
import { hashNow } from "../document/content.js";
import type { CheckedInputs } from "../document/declaration.js";
import { Documents } from "../document/document.js";
import { listDocuments } from "../document/list.js";
import type { CreateSituation, ResourceInState } from "../journal/deployment-log.js";
import { JournalUnavailableError } from "../journal/log.js";
import { onlyReading } from "../only-reading.js";
import { emailsOf } from "../people.js";
import { assertSameService, documentsIn, Refusal } from "../refusal.js";
import { withChange } from "../refused-change.js";
import {
  type Adoption,
  type Call,
  type Created,
  type Diff,
  NO_CHANGE,
  PartialFailure,
  type ReadResult,
  type Resource,
  UserError,
} from "../resource.js";
import {
  ApplyRows,
  changesBetween,
  comparedDocument,
  forgetRow,
  givesUp,
  guardChanges,
  guardCreate,
  guardDelete,
  isNothing,
  isSettled,
  ofKind,
  type RowChange,
  readRow,
  rowCall,
} from "./changes.js";
import {
  certificateIn,
  documentOf,
  documentSetDeclaration,
  documentSetOutputs,
  outputsOf,
  ownOf,
  type RowState,
  rowStateOf,
  rowWith,
  type SetState,
  stateIn,
} from "./declaration.js";
import { AT_ONCE, CheckedSets, checkSet, differingInputs } from "./rows.js";
import { emptiedSet, protectsSigned, RowLog, refusalOf, summaryOf, warnOfKept } from "./words.js";

/** What Diff was shown of a set, and found. */
class SetDiff {
  readonly #changes: ReadonlyMap<string, RowChange>;
  readonly isNothing: boolean;

  constructor(
    readonly state: SetState,
    readonly changes: readonly RowChange[],
  ) {
    this.#changes = new Map(changes.map(change => [identityOf(change.key), change]));
    this.isNothing = isNothing(changes);
  }

  of(key: string): RowChange | undefined {
    return this.#changes.get(identityOf(key));
  }

  /** Whether a row stays as it is while others change. */
  keeps(key: string): boolean {
    return !this.isNothing && this.of(key)?.kind === "unchanged";
  }
}

/**
 * Many documents as one resource. A row is a Document of its own, under the set's URN and its key: every rule about
 * creating, replacing and forgetting it is Document's.
 */
export class DocumentSetResource implements Resource {
  readonly token = documentSetDeclaration.token;
  readonly #checked = new CheckedSets();
  readonly #diffs = new Map<string, SetDiff>();

  /** `documents`: single ones and rows know of each other's creates, and look at the service once. */
  constructor(
    private readonly context: Context,
    private readonly documents = new Documents(context),
  ) {}

  async check(call: Call, { olds, news }: { olds: Values | undefined; news: Values }) {
    const checked = await checkSet({ ...call, olds, given: news }, this.context.pdfs);
    this.#checked.keep(call.urn, checked);
    for (const warning of checked.warnings) call.log.warn(warning);
    this.context.deploymentLog.checked(call.urn, olds !== undefined);
    if (olds !== undefined) this.#diffs.delete(call.urn);
    return { inputs: checked.inputs, failures: checked.failures };
  }

  async diff(
    call: Call,
    { olds, oldInputs, news }: { id: string; olds: Values; oldInputs: Values; news: Values },
  ): Promise<Diff> {
    const checked = this.#checked.of(call.urn, news);
    // These inputs weren't checked: the Diff is a refresh's own.
    if (checked === undefined) return NO_CHANGE;
    const { rows, known, property, keepsSigned } = checked;
    const names = differingInputs(oldInputs, news);
    const detailed = Object.fromEntries((names.length > 0 ? names : [property]).map(name => [name, "update" as const]));
    const some: Diff = { changes: "some", detailed, deleteBeforeReplace: false };
    if (!rows) return names.length > 0 ? some : NO_CHANGE;
    const state = stateIn(olds);
    const changes = await changesBetween(state, rows, call.signal);
    const diff = new SetDiff(state, changes);
    this.#diffs.set(call.urn, diff);
    await this.#show(call, state.service, changes, { undecided: true });
    if (!keepsSigned && names.includes("whenSigned")) warnOfKept(call, ofKind(changes, "unchanged").filter(isSettled));
    if (diff.isNothing) {
      await this.#show(call, state.service, changes);
      return NO_CHANGE;
    }
    // Rows that leave it ask nothing. Any other would live at two services.
    const stays = changes.filter(({ kind }) => kind !== "removed");
    if (!isNothing(stays)) assertSameService(this.context, state.service, "this set", call.urn);
    this.#assertNotEmptied(call.urn, state);
    const set = { documents: this.documents, call };
    const guarded = guardChanges(set, state.service, changes, { known, keepsSigned }).catch((error: unknown) => {
      const refused = new Set(error instanceof Refusal ? error.parts.rows : []);
      const ids = ofKind(changes, "changed").flatMap(({ key, row }) =>
        refused.has(key) ? [[key, row.documentId]] : [],
      );
      const change = { ids: Object.fromEntries(ids), before: oldInputs, after: news };
      throw withChange(error, change, { ...call, ...this.context.policy() });
    });
    this.#diffs.set(call.urn, new SetDiff(state, await guarded));
    await this.#show(call, state.service, changes);
    return some;
  }

  async create(call: Call, { inputs }: { inputs: Values }): Promise<Created> {
    const id = setId(call.urn);
    const rows = this.#checked.of(call.urn, inputs)?.rows;
    const situationOf = this.#situationsIn(call);
    const before = stateIn({ service: this.context.service().origin });
    // A preview asks of each row once more, and remembers what one row was promised, and which lists were asked for.
    const guarding = call.preview ? new Documents(this.context) : this.documents;
    if (rows)
      await guardCreate({ documents: guarding, call }, rows, situationOf).catch((error: unknown) => {
        // A preview says of each row what it can't know.
        if (!(call.preview && error instanceof JournalUnavailableError)) throw error;
      });
    if (!call.preview) this.context.deploymentLog.created(call.urn, id);
    const diff = this.#diffs.get(call.urn);
    const changes = rows && (await changesBetween(before, rows, call.signal));
    // Of a set that is replaced, a signed document that was kept stays in its row, as what it is.
    const compared = changes?.map(change => {
      const shown = diff?.of(change.key);
      return shown?.kind === "unchanged" && isSettled(shown) && situationOf(change.key).kind === "still-wanted"
        ? shown
        : change;
    });
    const outputs = await this.#apply(call, id, inputs, before, ({ key }) => situationOf(key), compared);
    return { id: call.preview ? "" : id, outputs };
  }

  update(call: Call, { id, olds, news }: { id: string; olds: Values; news: Values }): Promise<Values> {
    const before = stateIn(olds);
    const situationOf = (change: RowChange) => this.#situationOfMove(call, before.service, change);
    return this.#apply(call, id, news, before, situationOf, this.#diffs.get(call.urn)?.changes);
  }

  async read(
    call: Call,
    { id, inputs, outputs }: { id: string; inputs: Values | undefined; outputs: Values | undefined },
  ): Promise<ReadResult> {
    if (inputs === undefined || outputs === undefined) {
      const imported = await importSet(this.documents, call, id);
      return { id: setId(call.urn), ...imported };
    }
    const state = stateIn(outputs);
    const rows = new Map(state.rows);
    const drift = new Set(state.drift);
    const log = new RowLog(call.log);
    await inParallel(AT_ONCE, [...state.rows], async ([key, row]) => {
      const own = rowCall(call, key, log.of(key));
      try {
        const read = await readRow(this.documents, own, row, state.service);
        // Not shown to this account: that was said, and state keeps what it knew.
        if (read === undefined) return;
        rows.set(key, read);
        if (row.sha256 !== undefined && read.sha256 !== row.sha256) drift.add(key);
      } catch (error) {
        if (error instanceof CancelledError) throw error;
        own.log.warn(`document ${row.documentId} couldn't be read, so state keeps what it knew: ${messageOf(error)}`);
      }
    });
    log.flush();
    const needKey =
      state.needKey ?? (await needsKey(this.context.service(), certificateIn(rows), { signal: call.signal }));
    return { id, inputs, outputs: outputsOf({ ...state, rows, drift: [...drift], needKey }) };
  }

  async adopt(call: Call, { inputs, found }: { inputs: Values; found: Values }): Promise<Adoption> {
    const wanted = this.#checked.of(call.urn, inputs)?.rows;
    const state = stateIn(found);
    if (!wanted) {
      const held = [...state.rows].map(([key, row]) => ({ urn: rowCall(call, key).urn, id: row.documentId }));
      return { outputs: { ...unknownOutputs(documentSetOutputs), service: "" }, held, differences: [] };
    }
    const changes = await changesBetween(state, wanted, call.signal);
    const reading = new Documents(onlyReading(this.context));
    const differing = await inParallel(AT_ONCE, ofKind(changes, "changed"), async change => {
      const own = rowCall(call, change.key);
      const differing = async () => {
        const document = await comparedDocument(reading, own, change, { service: state.service });
        const certain = (await reading.differences(own, document)).filter(({ unknown }) => !unknown);
        return new Set(certain.map(({ name }) => name));
      };
      const names = [...(await differing().catch(() => change.fields))];
      return names.length > 0 ? [`${change.key}: ${names.join(", ")}`] : [];
    });
    const taken = ofKind(changes, "unchanged", "changed", "uncertain");
    const rows = await inParallel(1, taken, async ({ key, row, inputs }) => {
      const held = rowWith(row, inputs);
      const sent = held.sha256 === undefined ? await hashNow(held, inputs, this.context.pdfs) : {};
      return [key, { ...held, ...sent }] as const;
    });
    return {
      outputs: outputsOf({ ...state, rows: new Map(rows) }),
      held: taken.map(({ key, row }) => ({ urn: rowCall(call, key).urn, id: row.documentId })),
      differences: [
        ...ofKind(changes, "added").map(({ key }) => `${key}: not at the service`),
        ...ofKind(changes, "removed").map(({ key }) => `${key}: not in the program`),
        ...differing.flat(),
      ],
    };
  }

  async delete(removed: Call, { id, outputs }: { id: string; outputs: Values }): Promise<void> {
    const state = stateIn(outputs);
    const { deploymentLog } = this.context;
    // Another set may have this name in this deployment: state keeps a dynamic set's old one, and a set's id is made of its name.
    const isOwn = [...state.rows].some(([key, row]) => deploymentLog.holds(rowCall(removed, key).urn, row.documentId));
    const situation = deploymentLog.situationOfDelete(removed.urn, id, isOwn);
    const isFirstHalf = situation.kind === "first-half";
    // Renamed by an alias, and replaced under its new name; a new set may have the old one.
    const waiting = isFirstHalf
      ? deploymentLog.pending(removed.urn)
      : situation.kind === "renamed"
        ? situation.waiting
        : [];
    const own = isFirstHalf ? [removed.urn] : [];
    const candidates = [...own, ...waiting.map(({ urn }) => urn)];
    const shown = this.#shownTo(state, candidates);
    const successor = shown ?? this.#successorOf(state, candidates) ?? own[0];
    for (const urn of new Set([...own, successor])) if (urn !== undefined) this.#assertNotEmptied(urn, state);
    const call = successor === undefined ? removed : { ...removed, urn: successor };
    const wanted = successor === undefined ? undefined : this.#keysWantedBy(candidates);
    const diff = shown === undefined ? undefined : this.#diffs.get(shown);
    const isStillWanted = (key: string) => diff?.keeps(key) === true;
    const set = { documents: this.documents, call };
    const replaced = candidates.length > 0 ? await guardDelete(set, state, wanted, isStillWanted) : new Set();
    // What leaves the set that was shown it is nobody's: another set that wants it may have it.
    const staying = shown === undefined ? undefined : this.#keysWantedBy([shown]);
    const log = new RowLog(call.log);
    for (const [key, row] of state.rows) {
      const isReplaced = replaced.has(key) && staying?.has(identityOf(key)) !== false;
      const firstHalf = { kind: "first-half", isStillWanted: isStillWanted(key) } as const;
      const rowsOwn = rowCall(call, key, log.of(key));
      const document = documentOf(row, state.service);
      await forgetRow(this.documents, rowsOwn, document, isReplaced ? { situation: firstHalf } : {});
    }
    deploymentLog.deleted(call.urn, id, { supersedes: [], service: state.service });
    log.flush();
  }

  /** Of these sets the one whose Diff was shown the rows. */
  #shownTo({ rows }: SetState, urns: readonly string[]): string | undefined {
    const held = new Set([...rows.values()].map(({ documentId }) => documentId));
    return urns.find(urn =>
      [...(this.#diffs.get(urn)?.state.rows.values() ?? [])].some(({ documentId }) => held.has(documentId)),
    );
  }

  /** Of sets that wait to be created: the first that has most of these rows, if any has one. */
  #successorOf({ rows }: SetState, pending: readonly string[]): string | undefined {
    const inState = [...rows.keys()].map(identityOf);
    const shared = pending.map(urn => {
      const wanted = this.#keysWantedBy([urn]);
      return { urn, count: inState.filter(key => wanted?.has(key)).length };
    });
    const [best] = shared.filter(({ count }) => count > 0).sort((one, other) => other.count - one.count);
    // Or that became empty with its new name.
    return best?.urn ?? pending.find(urn => this.#checked.latest(urn)?.isEmptied);
  }

  /** Keys that any of these sets wants: a document that leaves one may be replaced in another. Undefined where one's aren't known. */
  #keysWantedBy(urns: readonly string[]): ReadonlySet<string> | undefined {
    const keys = new Set<string>();
    for (const urn of urns) {
      const rows = this.#checked.latest(urn)?.rows;
      if (!rows) return undefined;
      for (const key of rows.keys()) keys.add(identityOf(key));
    }
    return keys;
  }

  #assertNotEmptied(urn: string, state: SetState): void {
    const latest = this.#checked.latest(urn);
    if (latest?.isEmptied && state.rows.size > 0) throw new Refusal(emptiedSet(state, latest.property), urn);
  }

  /** What Diff shows of each row, as of a Document: what it holds under this name, and what leaves the set. */
  async #show(
    call: Call,
    service: string,
    changes: readonly RowChange[],
    how: { undecided?: true } = {},
  ): Promise<void> {
    const { deploymentLog, journal } = this.context;
    for (const change of ofKind(changes, "unchanged", "uncertain", "changed")) {
      const { kind, key, row } = change;
      const own = rowCall(call, key);
      this.documents.assertHeldOnce(own, row.documentId, service);
      await this.documents.learn(own, documentOf(row, service), how);
      if (kind !== "changed") deploymentLog.keeps(own.urn, row.documentId, isSettled(change) ? "as it was" : "as said");
    }
    for (const { key, row } of ofKind(changes, "removed")) {
      const own = rowCall(call, key);
      // A machine that forgets learns here that it is this stack's: another resource that wants it may have it.
      const owner = await journal.owner(service, row.documentId).catch(() => undefined);
      if (!owner) await this.documents.learn(own, documentOf(row, service), how);
      await givesUp(this.documents, own, row.documentId, service);
    }
  }

  /** Of the rows of a set that is created: what they were before, as far as this deployment was shown it. */
  #situationsIn(call: Call): (key: string) => CreateSituation {
    const { deploymentLog } = this.context;
    // A preview decides nothing, and is asked about thousands at once.
    const shown = deploymentLog.situations();
    const situationOf = call.preview ? shown : (urn: string) => deploymentLog.situationOf(urn);
    const set = shown(call.urn);
    const diff = this.#diffs.get(call.urn);
    return key => {
      const own = situationOf(rowCall(call, key).urn);
      // A Delete has shown the row, or the whole set. What replaces it is that other rows change: this one stays.
      if (set.kind !== "exists" || own.kind !== "new") {
        const stays = diff?.keeps(key) ? diff.of(key) : undefined;
        const keeps = own.inState.find(({ id }) => stays && "row" in stays && id === stays.row.documentId);
        return keeps ? { ...own, kind: "still-wanted", exists: set.exists, keeps } : { ...own, exists: set.exists };
      }
      // Nothing shows which rows are new: each may be in state.
      if (!diff) return { kind: "exists", exists: true, inState: [] };
      const change = diff.of(key);
      const was = this.#situationIn(diff.state.service, change);
      const [keeps] = was.inState;
      return keeps && change?.kind !== "changed" ? { ...was, kind: "still-wanted", keeps } : was;
    };
  }

  /** Of a row of a set that state has: its document is replaced, or the row is new. */
  #situationIn(service: string, change: RowChange | undefined): CreateSituation {
    if (!change || change.kind === "added") return { kind: "new", exists: true, inState: [] };
    const changed = change.kind === "changed" ? [...change.fields] : ["documents"];
    return { kind: "replacement", exists: true, inState: [this.#inState(service, change.row, changed)] };
  }

  #inState(service: string, row: RowState, changed: string[]): ResourceInState {
    const { hashes, ...document } = documentOf(row, service);
    return { id: document.id, changed, ...this.documents.entryOf(document, hashes) };
  }

  /** The same of a row whose document may move to another one, or that takes another one's. */
  #situationOfMove(call: Call, service: string, change: RowChange): CreateSituation {
    const leaves = change.kind === "changed" && change.isMoved ? this.#inState(service, change.row, []) : undefined;
    const { takes } = change.kind === "added" || change.kind === "changed" ? change : {};
    const replaces: CreateSituation =
      leaves === undefined ? this.#situationIn(service, change) : { kind: "new", exists: true, inState: [], leaves };
    if (!takes) return replaces;
    const { from, row } = takes;
    const { inState } = replaces;
    const taken = this.#inState(service, row, []);
    const supersedes = [...taken.supersedes, ...inState.flatMap(each => [...each.supersedes, each.id])];
    const keeps = { ...taken, supersedes: [...new Set(supersedes)] };
    const moves = { from: rowCall(call, from).urn, why: `it moves here from ${from}, which says something else now` };
    return { kind: "still-wanted", exists: true, inState: [keeps, ...inState], keeps, moves };
  }

  /** `compared`: what Diff found, where it came before. */
  async #apply(
    call: Call,
    id: string,
    inputs: Values,
    before: SetState,
    situationOf: (change: RowChange) => CreateSituation,
    compared?: readonly RowChange[],
  ): Promise<Values> {
    const checked = this.#checked.of(call.urn, inputs);
    if (checked === undefined)
      throw new UserError("the rows of the set aren't known any more, so nothing was sent. Run `pulumi up` again.");
    const { rows, keepsSigned } = checked;
    if (!rows) {
      // Of a table that is ignored the rows aren't known in an update either.
      if (!call.preview) return outputsOf(before);
      if (hasUnknown(inputs)) call.log.info("may mail people: its rows aren't known yet", { undecided: 1 });
      else call.log.info(summaryOf({}), { mails: 0 });
      return { ...unknownOutputs(documentSetOutputs), service: before.service };
    }
    const changes = compared ?? (await changesBetween(before, rows));
    const options = { documents: this.documents, call, keepsSigned, situationOf };
    const { state, problems, wanted, undone } = await new ApplyRows(options, before, changes).run();
    const refusal = (headline: string) =>
      refusalOf(call, headline, problems, { canKeep: !keepsSigned && before.rows.size > 0, said: call.preview });
    if (call.preview) {
      const headline = `${problems.length} of ${rows.size} rows can't be sent.`;
      if (problems.length > 0 && (problems.length === wanted || problems.some(({ error }) => protectsSigned(error))))
        throw refusal(headline);
      if (problems.length > 0)
        call.log.warn(refusal(`${headline} \`pulumi up\` does the others, and fails at the end.`).message);
      return { ...unknownOutputs(documentSetOutputs), service: before.service };
    }
    const outputs = outputsOf(state);
    if (problems.length === 0 && undone === 0) return outputs;
    const cause = refusal(
      `${rows.size - undone} of ${rows.size} rows are done, ${undone} ${undone === 1 ? "is" : "are"} not. Those that are done aren't sent again; \`pulumi up\` goes on with the others.`,
    );
    // A set that holds nothing yet isn't kept in state: under its name there, no alias would find what it had before.
    if (before.rows.size + state.rows.size === 0 && !call.signal.aborted) throw cause;
    // The engine puts a bullet before each reason.
    throw new PartialFailure(id, outputs, inputs, [cause.message], { cause });
  }
}

/** The service knows no sets: the id is the set's own, the same wherever it is made. */
const setId = (urn: string): string => `set-${createHash("sha256").update(urn).digest("hex").slice(0, 16)}`;

// ---- Import ----

const CRITERIA = ["id", "name", "description", "email"] as const;
type Criterion = (typeof CRITERIA)[number];

const EXPECTED_ID =
  "`folder/<id>` or `documents/<id>,<id>` (keyed by id), with `/name`, `/description` or `/email` (the first person invited) after it to be keyed by that";

/** The documents of a folder, or those named, as a set, keyed by their id or by a field. Only reads. */
export async function importSet(
  documents: Documents,
  call: Call,
  id: string,
): Promise<{ inputs: Values; outputs: Values }> {
  const { context } = documents;
  const { folderId, ids: given, field } = placeIn(id);
  const service = context.service();
  const ids = folderId === undefined ? given : await idsInFolder(context, call, folderId);
  const log = new RowLog(call.log);
  const found = await inParallel(AT_ONCE, [...new Set(ids)].sort(byId), async document => {
    const own = rowCall(call, document, log.of(document));
    const read = await documents.readImport(own, { id: document });
    const inputs: CheckedInputs = read.inputs;
    const [email] = emailsOf(inputs.invitations);
    const fields = { id: document, name: inputs.name, description: inputs.description, email };
    const row = rowStateOf(read.outputs, { ...ownOf(inputs), imported: true }, read.signingStage);
    return { key: known(fields[field] as string | Unknown | undefined)?.trim() ?? "", inputs, row };
  });
  log.flush();
  assertKeyed(found, field);
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

async function idsInFolder(context: Context, call: Call, folderId: string): Promise<string[]> {
  const { found } = await listDocuments(context, call, { query: { folderId }, token: "", limit: 0 });
  if (found.length === 0) throw new UserError(`expected documents in folder ${folderId}, got an empty list`);
  return found.map(({ id }) => id);
}

const ID = /^[1-9]\d{0,18}$/;

function placeIn(id: string): { folderId?: string; ids: readonly string[]; field: Criterion } {
  const [kind, ids = "", field = "id", ...more] = id.split("/");
  const criterion = CRITERIA.find(name => name === field);
  const all = ids.split(",");
  const isFolder = kind === "folder" && all.length === 1;
  if ((!isFolder && kind !== "documents") || !all.every(each => ID.test(each)) || !criterion || more.length > 0)
    throw new UserError(`expected ${EXPECTED_ID}, got ${JSON.stringify(id.slice(0, 60))}`);
  return { ...(isFolder && { folderId: ids }), ids: all, field: criterion };
}

function assertKeyed(found: readonly { readonly key: string; readonly row: RowState }[], field: Criterion): void {
  const byKey = Map.groupBy(found, ({ key }) => identityOf(key));
  const wrong = [...byKey].flatMap(([key, same]) => {
    const ids = same.map(({ row }) => row.documentId);
    if (key === "") return [`${documentsIn(ids)}: expected a ${field}, got none`];
    return ids.length > 1 ? [`${JSON.stringify(key)} is the ${field} of ${documentsIn(ids)}`] : [];
  });
  if (wrong.length === 0) return;
  const lines = ["expected each document under a key of its own:", ...firstLines(wrong)];
  throw new UserError([...lines, "Leave out the field, which keys them by id."].join("\n"));
}
