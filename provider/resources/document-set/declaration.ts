import { z } from "zod";
import { stored } from "../../../kit/check.js";
import { metadataOf, property, type ResourceDeclaration } from "../../../kit/property.js";
import { type Every, own, trimmed } from "../../../kit/records.js";
import { Asset, known, type Values } from "../../../kit/values.js";
import { addressOf } from "../../core/same.js";
import { byKey } from "../../core/text.js";
import { maybeText, objectType, text, texts } from "../../schema/types.js";
import { packed, short } from "../document/content.js";
import {
  type CheckedInputs,
  COMPARED_INPUTS,
  type DocumentOutputs,
  type DocumentState,
  documentInputs,
  documentOutputs,
  hashesOf,
  type InputHashes,
} from "../document/declaration.js";
import { peopleOf } from "../people.js";
import { isPending, openStage } from "../signers.js";
import { type Term, termsIn, withoutTerms } from "../terms.js";

/*
 * What a set's inputs and outputs are, and a row of it in state.
 */

// ---- Inputs ----

/** What a Document takes, every part of it optional: a row and the defaults complete each other. */
const part = property(
  z.strictObject(
    Object.fromEntries(
      Object.entries(documentInputs.shape).map(([name, type]: [string, z.ZodType]) => {
        const { replaces: _replaces, ...meta } = metadataOf(documentInputs, name) ?? { description: "" };
        return [name, property(type instanceof z.ZodOptional ? type : type.optional(), meta)];
      }),
    ),
  ),
  { description: "What a Document takes, or a part of it.", typeName: "DocumentSetRow" },
);

export const documentSetInputs = z.object({
  documents: property(
    z
      .record(z.string(), part, {
        error: "a map of keys and what a Document takes",
      })
      .optional(),
    {
      description:
        "The documents by key, each over `defaults`. The key is a document's identity: its name and its place may change. Give either this or `table`.",
      silent: true,
    },
  ),
  table: property(z.instanceof(Asset, { error: "an asset with a CSV" }).optional(), {
    description:
      "The documents as a CSV asset with a header: comma, semicolon or tab, in UTF-8. Each row is one document, made of `defaults` with the row's cells in them. Give either this or `documents`.",
    asset: true,
    silent: true,
  }),
  key: property(z.string({ error: "a text such as {{email}}" }).optional(), {
    description:
      "The key of a table's row, as a text with `{{column}}` in it. The key is a document's identity: the order of rows doesn't matter, and a row's name may change. Only with `table`.",
  }),
  defaults: property(part.optional(), {
    description:
      "What holds for all documents. With `table`, each of its texts takes `{{column}}`, those of `invitations` and `variables` too; `base64File`, `pageSize` and `title` hold for the whole set.",
    typeName: "DocumentSetRow",
    silent: true,
  }),
  whenSigned: property(z.enum(["refuse", "keep"], { error: 'one of "refuse", "keep"' }).optional(), {
    description:
      "What happens when a row changes whose document is signed, even in part: `refuse` (default) refuses the whole update before anything is sent, `keep` leaves those documents as they are, lists them in `kept` and replaces the others.",
    typeName: "WhenSigned",
  }),
  allowEmpty: property(z.boolean({ error: "true or false" }).optional(), {
    description:
      "Whether the last rows may leave the set: `false` (default) refuses an update after which none is left, because a file may have come out empty by accident.",
  }),
});

// ---- Outputs ----

/** A Document's outputs that a row has none of: a set of a thousand rows is one resource. */
type NotInRow =
  | ("name" | "description" | "folderId" | "allSigned" | "signers" | "lastVersion" | "versions" | "fileUrl")
  | ("signedSha256" | "certificatesNeedKey" | "nom151" | "createdAt" | "updatedAt" | "ownerId" | "organization")
  | ("drift" | "imported" | "service");

const { documentId, status, sha256, signedFileUrl, certificates } = documentOutputs.shape;

const row = property(
  z.object({
    ...{ documentId, status },
    pendingSigners: texts("Addresses of those who haven't signed."),
    ...{ sha256, signedFileUrl, certificates },
    effectiveFrom: maybeText("The day from which the contract holds."),
    expiresAt: maybeText("The last day on which the contract holds."),
    renewBefore: maybeText("How long before its end the contract is to be renewed."),
    supersedes: property(z.array(z.string()).optional(), {
      description: "Ids of the documents that this one took the place of. They are still alive at the service.",
    }),
    supersededContents: property(z.record(z.string(), z.string()).optional(), {
      description: "Short hashes of what those were made of, by their ids, as far as they are known.",
    }),
    sentPdfHash: maybeText(
      "Short hash of the PDF that was sent, where it was rendered, or the service shows none or another one's.",
    ),
  } satisfies Record<Exclude<keyof DocumentOutputs, NotInRow>, z.ZodType>),
  { description: "One document of a set, as the service holds it.", typeName: "DocumentSetDocument" },
);

const waiting = objectType("WaitingSigner", "Somebody whose turn it is to sign.", {
  key: text("Key of the document."),
  email: text("Address of the person who hasn't signed."),
  since: maybeText("When the invitation was sent. Of people of a later stage the service doesn't say it."),
});

const summary = objectType("DocumentSetSummary", "How many documents of a set stand where.", {
  total: property(z.number().int(), { description: "Number of documents." }),
  unsigned: property(z.number().int(), { description: "Documents nobody has signed." }),
  partiallySigned: property(z.number().int(), { description: "Documents that some have signed." }),
  signed: property(z.number().int(), { description: "Documents everybody has signed." }),
  forgotten: property(z.number().int(), {
    description: "Documents that were removed from the set so far. They are still alive at the service.",
  }),
});

const byInvitations = { derivedFrom: ["documents", "table", "defaults"] } as const;
/** Whether what rows are made of is secret, or a part of it. */
export const hidesRows = (secrets: ReadonlySet<string>): boolean =>
  byInvitations.derivedFrom.some(name => secrets.has(name));

export const documentSetOutputs = z.object({
  documents: property(z.record(z.string(), row), { description: "The documents by key.", ...byInvitations }),
  documentIds: texts("Ids of the documents, in order of their keys."),
  waitingFor: property(z.array(waiting), {
    description:
      "Whose turn it is to sign, by key. People of a later stage aren't mailed until it is open: `documents` has them in `pendingSigners`.",
    ...byInvitations,
  }),
  summary: property(summary, { description: "How many documents stand where." }),
  kept: texts('Keys of documents that somebody has signed and a change left as they are, with `whenSigned: "keep"`.'),
  drift: texts("Keys of documents that are no longer, at the service, what the program says."),
  certificatesNeedKey: property(z.boolean().nullable(), {
    description:
      "Whether the addresses of the rows' blockchain certificates want the account's key (`x-api-key`), found out by trying one in a refresh. Null while none is ready, and where neither way leads to a PDF.",
  }),
  service: text("Origin of the service that holds the documents."),
});

export type RowOutputs = z.infer<typeof row>;
export type DocumentSetOutputs = z.infer<typeof documentSetOutputs>;

export const documentSetDeclaration: ResourceDeclaration = {
  token: "docsign:index:DocumentSet",
  description: `Many documents as one resource, one for each key.

A new row is created, which mails the people in it. A changed row is replaced, under the same guard as a Document: only while
the service says that its document is \`unsigned\`. A removed row is forgotten, and its invitations stay open at the service.
Before anything is sent, the service is asked about every row that would be replaced.`,
  inputs: documentSetInputs,
  outputs: documentSetOutputs,
};

// ---- State ----

/** One row as state keeps it, compact: a set of a thousand rows is one resource. */
export interface RowState extends Readonly<RowOutputs> {
  /** Of those who haven't signed, whose turn it is, where that isn't everyone, invited when the document was created. */
  readonly waiting?: Waiting;
  /** By address as the program gives them, where there are several: the service doesn't always return them. */
  readonly stages?: Stages;
  /** Where `waitingFor` has it as `since`, state has it there alone. */
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
  const since = new Map((set.waitingFor ?? []).map(each => [each.key, each.since]));
  // What of a row is no output stays in it.
  const rows = Object.entries(set.documents ?? {}) as [string, RowState][];
  return {
    rows: new Map(rows.map(([key, row]) => [key, trimmed({ createdAt: since.get(key), ...row })])),
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
    documents: Object.fromEntries(sorted.map(([key, row]) => [key, rowInState(row)])),
    documentIds: sorted.map(([, row]) => row.documentId),
    waitingFor: sorted.flatMap(([key, row]) => {
      const { emails, since } = waitingOf(row);
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

const waitingOf = ({ pendingSigners, createdAt, waiting }: RowState): Waiting =>
  waiting ?? trimmed({ emails: pendingSigners, since: createdAt });

function rowInState({ createdAt, ...row }: RowState): RowState {
  const { emails, since } = waitingOf({ ...row, ...(createdAt !== undefined && { createdAt }) });
  return createdAt === undefined || (emails.length > 0 && since === createdAt) ? row : { createdAt, ...row };
}

/** A row's state from the outputs of its Document, and the stage that is open by the service's word. */
export function rowStateOf(outputs: DocumentOutputs, known: Own, signingStage?: number | null): RowState {
  const { documentId, status, pendingSigners, sha256, signedFileUrl, certificates } = outputs;
  const { createdAt, supersedes, supersededContents, sentPdfHash } = outputs;
  const { effectiveFrom, expiresAt, renewBefore, content, stages, imported, keptContent } = known;
  return trimmed<Every<RowState>>({
    ...{ documentId, status, pendingSigners },
    waiting: waitingIn(outputs, stages ?? {}, signingStage),
    sha256,
    // Always there: who reads them in another stack sees whether they aren't there yet or aren't exported.
    ...{ signedFileUrl, certificates },
    createdAt,
    supersedes: supersedes.length > 0 ? supersedes : undefined,
    ...{ supersededContents, sentPdfHash, effectiveFrom, expiresAt, renewBefore },
    ...{ content, stages, imported, keptContent },
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
  const given = peopleOf(inputs.invitations).flatMap(person => {
    const [email, stage] = [known(person?.email), known(person?.stage)];
    return email !== undefined && stage !== undefined ? [[email, stage] as const] : [];
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
  return { ...withoutTerms(rest), ...ownOf(inputs) };
}

/** A row with the terms that the program says, whatever its document is made of. */
export const withTerms = (row: RowState, inputs: CheckedInputs): RowState => ({
  ...withoutTerms(row),
  ...termsIn(inputs),
});

/** What Document's own rules are shown of a row in state. */
export function documentOf(
  row: RowState,
  service: string,
): { readonly id: string; readonly outputs: DocumentState; readonly hashes: InputHashes } {
  const outputs: DocumentState = { supersedes: [], ...row, imported: false, service };
  return { id: row.documentId, outputs, hashes: unpacked(row.content) };
}

/** Of `{}`, which was told from nothing before. */
const NOTHING = short({});

export function unpacked(content: string): InputHashes {
  const parts = content.split(".");
  const part = (index: number): string => (parts[index] === NOTHING ? "" : (parts[index] ?? ""));
  return Object.fromEntries(COMPARED_INPUTS.map((field, index) => [field, part(index)])) as unknown as InputHashes;
}

/** Whether it is of these fields: state of before an input was added has none of it. */
export const isContentOf = (content: string, fields: InputHashes): boolean =>
  packed(unpacked(content)) === packed(fields);

/** The address of a certificate that can be downloaded, if any row has one. */
export const certificateIn = (rows: SetState["rows"]): string | null =>
  [...rows.values()].find(({ certificates }) => certificates?.btcUrl)?.certificates.btcUrl ?? null;
