import { stored } from "../../../kit/check.js";
import { own } from "../../../kit/records.js";
import { isUnknown, known, type Values } from "../../../kit/values.js";
import { addressOf, identityOf } from "../../core/same.js";
import { byKey } from "../../core/text.js";
import {
  type CheckedInputs,
  COMPARED_INPUTS,
  type ComparedInput,
  type DocumentOutputs,
  type DocumentState,
  type Every,
  hashesOf,
  type InputHashes,
  inviteesIn,
  packed,
  short,
  type Term,
  termsIn,
  trimmed,
  withoutTerms,
} from "../document/declaration.js";
import { isPending, openStage } from "../document/state.js";
import { type DocumentSetOutputs, documentSetOutputs, type RowOutputs } from "./declaration.js";

// ---- Diff of a row ----

export type Field = ComparedInput;

export interface RowChange {
  readonly key: string;
  readonly fields: readonly Field[];
}

/** What an update would do to the rows of a set. Each key is in one of the lists. */
export interface RowDiff {
  readonly added: readonly string[];
  readonly changed: readonly RowChange[];
  /** Not known yet whether they change. */
  readonly uncertain: readonly RowChange[];
  readonly removed: readonly string[];
  readonly unchanged: readonly string[];
}

/** Compares rows by key; their order doesn't matter. */
export function diffRows(before: ReadonlyMap<string, InputHashes>, after: ReadonlyMap<string, InputHashes>): RowDiff {
  const olds = new Map([...before].map(([key, fields]) => [identityOf(key), { key, fields }]));
  const kept = new Set<string>();
  const added: string[] = [];
  const changed: RowChange[] = [];
  const uncertain: RowChange[] = [];
  const unchanged: string[] = [];
  for (const [key, fields] of after) {
    const old = olds.get(identityOf(key));
    if (!old) {
      added.push(key);
      continue;
    }
    kept.add(old.key);
    const certain = COMPARED_INPUTS.filter(field => !isUnknown(fields[field]) && fields[field] !== old.fields[field]);
    const unknown = COMPARED_INPUTS.filter(field => isUnknown(fields[field]));
    if (certain.length > 0) changed.push({ key, fields: certain });
    else if (unknown.length > 0) uncertain.push({ key, fields: unknown });
    else unchanged.push(key);
  }
  return { added, changed, uncertain, unchanged, removed: [...before.keys()].filter(key => !kept.has(key)) };
}

// ---- State ----

/** One row as state keeps it, compact: a set of a thousand rows is one resource. */
export interface RowState extends Readonly<RowOutputs> {
  /** Of those who haven't signed, whose turn it is, where that isn't everyone, invited when the document was created. */
  readonly waiting?: Waiting;
  /** By address as the program gives them, where there are several: the service doesn't always return them. */
  readonly stages?: Stages;
  readonly createdAt?: string;
  /** Short hashes of what the document was made of. */
  readonly content: string;
  /** Taken over as it was: what the service doesn't return of it isn't compared, until it was compared once. */
  readonly imported?: true;
  /** The same of what the program said when the signed document was kept. */
  readonly keptContent?: string;
}

type Stages = Readonly<Record<string, number>>;

/** What of a row's state the service doesn't know. */
type Own = Pick<RowState, "content" | "keptContent" | "imported" | "stages" | Term>;

interface Waiting {
  readonly emails: readonly string[];
  readonly since?: string;
}

export interface SetState {
  readonly rows: ReadonlyMap<string, RowState>;
  readonly forgotten: number;
  readonly drift: readonly string[];
  /** Whether certificates want the key, where it was found out: of one service they all do, or none. */
  readonly needKey: boolean | null;
  readonly service: string;
}

export function stateIn(outputs: Values): SetState {
  const set = stored(documentSetOutputs, outputs);
  return {
    // What of a row is no output stays in it.
    rows: new Map(Object.entries(set.documents ?? {}) as [string, RowState][]),
    forgotten: set.summary?.forgotten ?? 0,
    drift: set.drift ?? [],
    needKey: set.certificatesNeedKey ?? null,
    service: set.service ?? "",
  };
}

export function outputsOf({ rows, forgotten, drift, needKey, service }: SetState): Values {
  const sorted = [...rows].sort(([one], [other]) => byKey(one, other));
  const count = (test: (status: string) => boolean): number => sorted.filter(([, row]) => test(row.status)).length;
  const outputs: DocumentSetOutputs = {
    documents: Object.fromEntries(sorted),
    documentIds: sorted.map(([, row]) => row.documentId),
    waitingFor: sorted.flatMap(([key, { pendingSigners, createdAt, waiting }]) => {
      const { emails, since } = waiting ?? { emails: pendingSigners, since: createdAt };
      return emails.map(email => ({ key, email, ...(since === undefined ? {} : { since }) }));
    }),
    summary: {
      total: rows.size,
      unsigned: count(status => status === "unsigned"),
      partiallySigned: count(status => status === "partially_signed"),
      signed: count(status => status === "signed"),
      forgotten,
    },
    kept: sorted.flatMap(([key, row]) => (row.keptContent === undefined ? [] : [key])),
    drift: [...drift].filter(key => rows.has(key)),
    certificatesNeedKey: needKey,
    service,
  };
  return outputs as unknown as Values;
}

/** A row's state from the outputs of its Document, and the stage that is open by the service's word. */
export function rowStateOf(outputs: DocumentOutputs, known: Own, signingStage?: number | null): RowState {
  const { documentId, status, pendingSigners, sha256, signedFileUrl, certificates, createdAt, supersedes } = outputs;
  const { supersededContents } = outputs;
  const { effectiveFrom, expiresAt, renewBefore } = known;
  return trimmed<Every<RowState>>({
    documentId,
    status,
    pendingSigners,
    waiting: waitingIn(outputs, known.stages ?? {}, signingStage),
    sha256,
    // Always there: who reads them in another stack sees whether they aren't there yet or aren't exported.
    signedFileUrl,
    certificates,
    createdAt,
    supersedes: supersedes.length > 0 ? supersedes : undefined,
    supersededContents,
    ...{ effectiveFrom, expiresAt, renewBefore },
    content: known.content,
    stages: known.stages,
    imported: known.imported,
    keptContent: known.keptContent,
  });
}

/** People of a later stage are mailed once it is open, and the service doesn't say when that was. */
function waitingIn(
  { signers, createdAt }: DocumentOutputs,
  stages: Stages,
  signingStage: number | null | undefined,
): Waiting | undefined {
  const rows = signers.map(row => ({ ...row, stage: row.stage ?? own(stages, addressOf(row.email)) }));
  const open = openStage(rows, signingStage);
  const isFirst = rows.every(({ stage }) => stage === undefined || open === undefined || stage >= open);
  const pending = rows.filter(isPending);
  const invited = pending.filter(({ stage }) => stage === undefined || stage === open);
  if (isFirst && invited.length === pending.length) return undefined;
  const since = isFirst && createdAt !== undefined ? { since: createdAt } : {};
  return { emails: invited.map(({ email }) => email), ...since };
}

/** What of a row's state its checked inputs say. */
export function ownOf(inputs: CheckedInputs): Own {
  const given = inviteesIn(inputs).flatMap(person => {
    const [email, stage] = [known(person?.email), known(person?.stage)];
    return email !== undefined && stage !== undefined ? [[addressOf(email), stage] as const] : [];
  });
  // Of an address in several stages the first counts.
  const stages = Object.fromEntries(given.toSorted(([, one], [, other]) => other - one));
  return {
    ...termsIn(inputs),
    content: packed(hashesOf(inputs)),
    ...(new Set(Object.values(stages)).size > 1 ? { stages } : {}),
  };
}

/** A row whose document is what the program says. */
export function rowWith(row: RowState, inputs: CheckedInputs): RowState {
  const { keptContent: _settled, imported: _compared, ...rest } = row;
  return { ...withTerms(rest, inputs), ...ownOf(inputs) };
}

/** A row with the terms that the program says, whatever its document is made of. */
export const withTerms = (row: RowState, inputs: CheckedInputs): RowState => ({
  ...withoutTerms(row),
  ...termsIn(inputs),
});

/** What Document's own rules are shown of a row in state. */
export const documentOutputsOf = (
  { documentId, status, pendingSigners, sha256, createdAt, supersedes = [], supersededContents }: RowState,
  service: string,
): DocumentState =>
  trimmed({
    ...{ documentId, status, pendingSigners, sha256, createdAt, supersedes, supersededContents },
    imported: false,
    service,
  });

/** Of `{}`, which was told from nothing before. */
const NOTHING = short({});

export function unpacked(content: string): InputHashes {
  const parts = content.split(".");
  const part = (index: number): string => (parts[index] === NOTHING ? "" : (parts[index] ?? ""));
  return Object.fromEntries(COMPARED_INPUTS.map((field, index) => [field, part(index)])) as unknown as InputHashes;
}

/** Whether it is of these fields: state of before an input was added has none of it. */
export const isContentOf = (content: string | undefined, fields: InputHashes): boolean =>
  content !== undefined && packed(unpacked(content)) === packed(fields);

/** The address of a certificate that can be downloaded, if any row has one. */
export function certificateIn(rows: SetState["rows"]): string | null {
  for (const { certificates } of rows.values()) if (certificates?.btcUrl) return certificates.btcUrl;
  return null;
}
