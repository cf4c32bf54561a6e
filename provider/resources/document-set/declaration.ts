import { z } from "zod";
import { metadataOf, property, type ResourceDeclaration } from "../../../kit/property.js";
import { Asset } from "../../../kit/values.js";
import { counted, grouped } from "../../core/text.js";
import { type Facts, peopleIn } from "../../schema/facts.js";
import { certificates, documentInputs } from "../document/declaration.js";
import type { Cells } from "./rows.js";

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

const row = property(
  z.object({
    documentId: property(z.string(), { description: "Id of the document." }),
    status: property(z.string(), {
      description: "`unsigned`, `partially_signed` or `signed`; a value the service adds later is carried as it is.",
    }),
    pendingSigners: property(z.array(z.string()), { description: "Addresses of those who haven't signed." }),
    sha256: property(z.string().optional(), { description: "SHA-256 of the latest version's PDF." }),
    signedFileUrl: property(z.string().nullable(), {
      description:
        "Address of the latest version's signed PDF; null until somebody has signed, and where the service names none.",
    }),
    certificates: property(certificates, { description: "The blockchain certificates of the latest version." }),
    effectiveFrom: property(z.string().optional(), { description: "The day from which the contract holds." }),
    expiresAt: property(z.string().optional(), { description: "The last day on which the contract holds." }),
    renewBefore: property(z.string().optional(), {
      description: "How long before its end the contract is to be renewed.",
    }),
    supersedes: property(z.array(z.string()).optional(), {
      description: "Ids of the documents that this one took the place of. They are still alive at the service.",
    }),
    supersededContents: property(z.record(z.string(), z.string()).optional(), {
      description: "Short hashes of what those were made of, by their ids, as far as they are known.",
    }),
  }),
  { description: "One document of a set, as the service holds it.", typeName: "DocumentSetDocument" },
);

const waiting = property(
  z.object({
    key: property(z.string(), { description: "Key of the document." }),
    email: property(z.string(), { description: "Address of the person who hasn't signed." }),
    since: property(z.string().optional(), {
      description: "When the invitation was sent. Of people of a later stage the service doesn't say it.",
    }),
  }),
  { description: "Somebody whose turn it is to sign.", typeName: "WaitingSigner" },
);

const summary = property(
  z.object({
    total: property(z.number().int(), { description: "Number of documents." }),
    unsigned: property(z.number().int(), { description: "Documents nobody has signed." }),
    partiallySigned: property(z.number().int(), { description: "Documents that some have signed." }),
    signed: property(z.number().int(), { description: "Documents everybody has signed." }),
    forgotten: property(z.number().int(), {
      description: "Documents that were removed from the set so far. They are still alive at the service.",
    }),
  }),
  { description: "How many documents of a set stand where.", typeName: "DocumentSetSummary" },
);

const byInvitations = { derivedFrom: ["documents", "table", "defaults"] } as const;

export const documentSetOutputs = z.object({
  documents: property(z.record(z.string(), row), { description: "The documents by key.", ...byInvitations }),
  documentIds: property(z.array(z.string()), { description: "Ids of the documents, in order of their keys." }),
  waitingFor: property(z.array(waiting), {
    description:
      "Whose turn it is to sign, by key. People of a later stage aren't mailed until it is open: `documents` has them in `pendingSigners`.",
    ...byInvitations,
  }),
  summary: property(summary, { description: "How many documents stand where." }),
  kept: property(z.array(z.string()), {
    description: 'Keys of documents that somebody has signed and a change left as they are, with `whenSigned: "keep"`.',
  }),
  drift: property(z.array(z.string()), {
    description: "Keys of documents that are no longer, at the service, what the program says.",
  }),
  certificatesNeedKey: property(z.boolean().nullable(), {
    description:
      "Whether the addresses of the rows' blockchain certificates want the account's key (`x-api-key`), found out by trying one in a refresh. Null while none is ready, and where neither way leads to a PDF.",
  }),
  service: property(z.string(), { description: "Origin of the service that holds the documents." }),
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

/** A text of `defaults` with `{{column}}` in it. A backslash before the braces keeps them as they are. */
const COLUMN = /\\?\{\{([^{}\n]*)\}\}/g;

const nameIn = (inner: string): string => inner.trim().normalize("NFC");

/** The columns a text names, in order. */
export const columnsIn = (text: string): string[] =>
  [...text.matchAll(COLUMN)].filter(([whole]) => !whole.startsWith("\\")).map(([, inner]) => nameIn(inner ?? ""));

/** A text, taken apart once: what it says with the cells of a row in it. Nothing in a cell is read again. */
export function filling(text: string): (cells: Cells) => string {
  const columns: { readonly before: string; readonly name: string }[] = [];
  let before = "";
  let at = 0;
  for (const { 0: whole, 1: inner = "", index } of text.matchAll(COLUMN)) {
    before += text.slice(at, index);
    at = index + whole.length;
    if (whole.startsWith("\\")) before += whole.slice(1);
    else {
      columns.push({ before, name: nameIn(inner) });
      before = "";
    }
  }
  const end = before + text.slice(at);
  return cells => {
    let filled = "";
    for (const { before, name } of columns) filled += before + (cells.get(name) ?? "");
    return filled + end;
  };
}

/** What a preview says a set does, of the facts that machines are told. */
export function summaryOf(facts: Facts): string {
  const { mails = 0, sends = 0, replaces = 0, takesBack = 0, keeps = 0, letsGo = 0 } = facts;
  const { undecided = 0, unclear = 0, refused = 0 } = facts;
  const documents = [
    sends > 0 && counted(sends, "new document"),
    replaces > 0 && `${counted(replaces, "document")} in place of others`,
  ];
  const besides = joined(documents);
  const people = peopleIn(facts);
  const whom = mails > 0 ? counted(people, "person", "people") : undecided > 0 ? "people not known yet" : "nobody";
  const parts = [
    `${whom} will be mailed${people < mails ? `, ${grouped(mails)} mails` : ""}${besides === "" ? "" : ` (${besides})`}`,
    takesBack > 0 && `${counted(takesBack, "document")} taken back`,
    keeps > 0 && `${counted(keeps, "document")} kept`,
    letsGo > 0 && `${counted(letsGo, "document")} let go of`,
    undecided > 0 && `${counted(undecided, "row")} not known yet`,
    unclear > 0 && `${counted(unclear, "row")} unclear`,
    refused > 0 && `${counted(refused, "row")} refused`,
  ];
  return `in all: ${joined(parts)}`;
}

const joined = (parts: readonly (string | false)[]): string => parts.filter(part => part !== false).join(", ");
