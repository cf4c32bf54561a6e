import { z } from "zod";
import { type Change, kindOf } from "../../../kit/changes.js";
import { type Checked, previewed, type Stored, stored } from "../../../kit/check.js";
import type { Preview } from "../../../kit/define.js";
import { metadataOf, property, type ResourceDeclaration } from "../../../kit/property.js";
import { hasUnknown, isUnknown, type Unknown, type Values } from "../../../kit/values.js";
import { BODY_FIELDS } from "../../client/documents.js";
import { canonicalText, sameText } from "../../core/same.js";
import { anyText, flag, idInput, maybeText, objectType, text, textOrNull } from "../../schema/types.js";
import { isPdfInput, PDF_INPUTS, type PdfInput, pdfHashOf, pdfIdentityOf, pdfInputs } from "../pdf/pdf-input.js";
import { templateChanges } from "../pdf/template-input.js";
import { agreeInAll, byPeople, differencesOf, invitation, mayAgree, peopleOf } from "../people.js";
import { signer } from "../signers.js";
import { type Term, termInputs, termOutputs } from "../terms.js";
import { isMadeOfPdf, short } from "./content.js";
import { documentListInputs } from "./list.js";

/*
 * What a Document is: its inputs and outputs, with what a user reads of each; then what of checked inputs isn't what the service
 * has (Diff, drift). What is wrong with given ones is in check.ts. Every change but one of a term replaces the document.
 */

// ---- Inputs ----

/** Rows of sets in state have hashes of these in this order: a new one goes last, before the terms. */
export const documentInputs = z.object({
  name: property(anyText("a title", 10_000).min(1, { error: "a title, not an empty one" }), {
    description: "Title of the document.",
    replaces: true,
  }),
  description: property(anyText("a description", 100_000).optional(), {
    description: "Description of the document.",
    replaces: true,
  }),
  folderId: property(idInput("a folder's id").optional(), {
    description:
      "Id of the folder the document is created in. The service's public interface doesn't show this parameter: it is sent, and verified afterwards.",
    replaces: true,
    compareBy: id => String(id ?? ""),
  }),
  invitations: property(
    z
      .array(invitation, { error: "a list with one entry for each person invited to sign" })
      .min(1, { error: "at least one person invited to sign" }),
    {
      description: "Who is invited to sign. Creating the document mails each of them.",
      replaces: true,
      compareBy: byPeople,
    },
  ),
  ...pdfInputs,
  extraParameters: property(
    z
      .record(z.string(), z.unknown(), { error: "an object of parameters" })
      .superRefine((parameters, context) => {
        for (const field of BODY_FIELDS) {
          if (!Object.hasOwn(parameters, field)) continue;
          context.addIssue({ code: "custom", message: `parameters the provider doesn't set itself, so not ${field}` });
        }
      })
      .optional(),
    {
      description:
        "Passed through into the create request as it is, for options the service's public interface doesn't list. May not name a field the provider sets.",
      replaces: true,
      silent: true,
      compareBy: parameters => (Object.keys(parameters ?? {}).length === 0 ? null : (parameters as Values)),
    },
  ),
  ...termInputs,
});

// ---- Outputs ----

const version = objectType("DocumentVersion", "One version of the document's file.", {
  version: text("Number of the version."),
  sha256: maybeText("SHA-256 of the PDF."),
  url: maybeText("Address of the original PDF."),
  signedFileUrl: maybeText("Address of the signed PDF, once somebody has signed."),
  signedEndedAt: maybeText("When signing of this version ended."),
  status: maybeText("Status of this version."),
});

export const certificates = objectType("BlockchainCertificates", "The blockchain certificates of the signed file.", {
  status: text(
    "Where the blockchain certificates stand: `not_requested`, `requested`, `sended`; empty where the service doesn't say.",
  ),
  ready: flag("Whether both certificates can be downloaded."),
  btcUrl: textOrNull("Download address of the Bitcoin certificate; null until it is ready."),
  ethUrl: textOrNull("Download address of the Ethereum certificate; null until it is ready."),
});

export const nom151 = objectType("Nom151Certificate", "The NOM151 certificate of conservation.", {
  ready: flag("Whether the certificate is there."),
  dataUri: textOrNull("The ASN.1 certificate as a data URI; null until it is ready."),
  fileName: textOrNull("File name to offer the certificate under, ending in `.asn1`; null until it is ready."),
  sha256: textOrNull("SHA-256 of the ASN.1 certificate, in hex; null until it is ready."),
});

export const organization = objectType("Organization", "An organization at the service.", {
  id: text("Id of the organization."),
  name: text("Name of the organization."),
});

export const documentOutputs = z.object({
  documentId: text("Id of the document."),
  name: text("Title, as the service holds it."),
  description: maybeText("Description, as the service holds it."),
  folderId: maybeText("Id of the folder the document is in."),
  status: text("`unsigned`, `partially_signed` or `signed`; a value the service adds later is carried as it is."),
  allSigned: flag("Whether every signer of the latest version has signed, counted from the signers themselves."),
  signers: property(z.array(signer), {
    description: "One row for each person invited, in order of stage and invitation.",
    derivedFrom: ["invitations"],
  }),
  pendingSigners: property(z.array(z.string()), {
    description: "Addresses of those who haven't signed the latest version.",
    derivedFrom: ["invitations"],
  }),
  lastVersion: maybeText("Number of the latest version."),
  versions: property(z.array(version), { description: "Every version of the document's file." }),
  sha256: maybeText("SHA-256 of the latest version's PDF."),
  fileUrl: textOrNull("Address of the latest version's original PDF; null where the service names none."),
  signedFileUrl: textOrNull(
    "Address of the latest version's signed PDF; null until somebody has signed, and where the service names none.",
  ),
  signedSha256: textOrNull(
    "SHA-256 of the signed PDF, to check a download against; null until the service states it. Certificate addresses are built on it.",
  ),
  certificates: property(certificates, { description: "The blockchain certificates of the latest version." }),
  certificatesNeedKey: property(z.boolean().nullable(), {
    description:
      "Whether the addresses of the blockchain certificates want the account's key (`x-api-key`), found out by trying once. Null while they aren't ready, and where neither way leads to a PDF.",
  }),
  nom151: property(nom151, { description: "The NOM151 certificate of the latest version." }),
  createdAt: maybeText("When the document was created."),
  updatedAt: maybeText("When the document last changed."),
  ownerId: maybeText("Id of the account that owns the document."),
  organization: property(organization.optional(), { description: "The organization the document belongs to." }),
  ...termOutputs,
  supersedes: property(z.array(z.string()), {
    description: "Ids of the documents this resource held before. They are still alive at the service.",
  }),
  supersededContents: property(z.record(z.string(), z.string()).optional(), {
    description:
      "Short hashes of what the documents in `supersedes` were made of, by their ids, as far as they are known. A program that goes back to one of them gets it back.",
    secret: true,
  }),
  sentPdfHash: property(z.string().optional(), {
    description:
      "Short hash of the PDF that was sent, where it was rendered, or the service shows none or another one's. A program that gives the same PDF in another way changes nothing.",
    derivedFrom: PDF_INPUTS,
  }),
  drift: property(z.array(z.string()), {
    description: "Names of the inputs whose value at the service is no longer what the program says.",
  }),
  imported: flag(
    "Whether this resource was imported. What the service doesn't return of an imported document (stages and signature types in its basic form) is compared with what the program said of it before, if it did.",
  ),
  service: text("Origin of the service that holds the document."),
});

// ---- The declaration ----

export type DocumentInputs = z.infer<typeof documentInputs>;
export type DocumentOutputs = z.infer<typeof documentOutputs>;
/** Inputs as Check leaves them, and as state has them. */
export type CheckedInputs = Preview<Stored<DocumentInputs>> & Checked;
/** Outputs as state has them. */
export type DocumentState = Stored<DocumentOutputs>;

export const inputsIn = (values: Values): CheckedInputs => previewed(documentInputs, values);
/** No inputs, typed as checked. */
export const NO_INPUTS = {} as Checked;
export const stateIn = (values: Values): DocumentState => stored(documentOutputs, values);

export const documentDeclaration = {
  token: "docsign:index:Document",
  description: `A PDF sent out to be signed.

Creating a document uploads the PDF and mails an invitation to everyone in \`invitations\`. The service can change nothing
of a document afterwards, so every changed input, but for the terms (\`effectiveFrom\`, \`expiresAt\`, \`renewBefore\`), is a replacement: a new document, and new mail. A replacement goes
ahead only while the service says the document is \`unsigned\`; anything signed, even in part, is never replaced.

Deleting the resource forgets it: the service has no way to delete a document, and invitations stay open there.`,
  inputs: documentInputs,
  outputs: documentOutputs,
  listInputs: documentListInputs,
} satisfies ResourceDeclaration;

// ---- What changed ----

/** Of one of the document's inputs. */
export interface DocumentChange extends Change {
  readonly name: keyof DocumentInputs;
}

/** What a document was made of. Of a row of a set, state may have hashes of its inputs alone. */
export interface MadeOf {
  readonly hashes: InputHashes;
  readonly inputs?: CheckedInputs | undefined;
}

export const madeOf = (inputs: CheckedInputs): MadeOf => ({ hashes: hashesOf(inputs), inputs });

/** `current`: what the service has, by the outputs in state. */
interface Comparison {
  readonly before: MadeOf;
  readonly after: CheckedInputs;
  readonly current: DocumentState;
}

/** Inputs whose change replaces the document, in the order of their declaration. All that make the PDF count as one. */
export type ComparedInput = Exclude<keyof DocumentInputs, PdfInput | Term> | "pdf";
export const COMPARED_INPUTS = [
  ...new Set(
    Object.keys(documentInputs.shape)
      .filter(name => metadataOf(documentInputs, name)?.replaces)
      .map(name => (isPdfInput(name) ? "pdf" : name)),
  ),
] as ComparedInput[];

/**
 * What would have to be different at the service for the program to be right. An input that already says what the
 * service has is no change, whatever it said before: taking out a `folderId` that was ignored, or following a rename made
 * on the platform, mails no one.
 */
export function documentChanges(before: MadeOf, after: CheckedInputs, current: DocumentState): DocumentChange[] {
  const comparison = { before, after, current };
  return COMPARED_INPUTS.flatMap(name => {
    if (name === "pdf") return pdfChange(comparison);
    return name === "invitations" ? invitationChanges(comparison) : valueChange(name, comparison);
  });
}

/**
 * Inputs that the service shows otherwise than the program says. A text that is only escaped, trimmed or cut isn't one.
 * Diff has the program's last word besides; here the service's word alone counts.
 */
export function driftOf(inputs: CheckedInputs, current: DocumentState): (keyof DocumentInputs)[] {
  const differing: (keyof DocumentInputs)[] = COMPARED_INPUTS.filter(isShownInput).filter(
    name => !sameText(String(inputs[name] ?? ""), current[name] ?? ""),
  );
  if (!agreeInAll(peopleOf(inputs.invitations), peopleOf(current.signers), mayAgree)) differing.push("invitations");
  // A template isn't rendered to look for drift.
  const pdf = pdfHashOf(inputs);
  if (pdf !== undefined && isOtherPdf(pdf, current)) differing.push(pdfPropertyOf(inputs));
  return differing;
}

/** False where the service keeps the hash to itself, or added to the PDF as it was sent. */
function isOtherPdf(pdf: string | Unknown, { sha256, sentPdfHash, versions = [] }: DocumentState): boolean {
  const isAsSent = short(pdf) === sentPdfHash && versions.length <= 1;
  return sha256 !== undefined && sha256 !== pdf && !isAsSent;
}

type ValueInput = Exclude<ComparedInput, "pdf">;
/** An input that the service shows: an import has it, and a preview knows its output. */
export type ShownInput = Exclude<keyof DocumentInputs & keyof DocumentOutputs, Term>;

/** Whether the service shows it as it is. */
const isShownInput = (name: ComparedInput): name is ShownInput => Object.hasOwn(documentOutputs.shape, name);

/** State of a row has no text of its document, not even the title that each document has. */
export const showsTexts = ({ name }: DocumentState): boolean => name !== undefined;

/** A value that the service doesn't show is what the program said of it last; of an imported document, it may be any at first. */
function valueChange(name: ValueInput, { before, after, current }: Comparison): DocumentChange[] {
  const wanted = countingOf(name, after[name]);
  if (hasUnknown(wanted)) return [undecided(name)];
  const was = before.hashes[name];
  if (isUntold(name, before, current) || [was, shownHash(name, current)].includes(short(wanted))) return [];
  return [changed(name, kindOf(was || null, wanted || null))];
}

/** Nothing tells what extra parameters an import has, say. Its folder is told: where none is shown, it is in none. */
export const isUntold = (name: ValueInput, { hashes }: MadeOf, current: DocumentState): boolean =>
  current.imported === true && hashes[name] === "" && !shownHash(name, current) && name !== "folderId";

const shownHash = (name: ValueInput, current: DocumentState) =>
  isShownInput(name) && showsTexts(current) ? short(countingOf(name, current[name])) : undefined;

/** What counts of a value, as its declaration says, and of a text what people read. What is left out is the same as nothing in it. */
export function countingOf(name: ValueInput, value: unknown): unknown {
  if (value === undefined || value === null || isUnknown(value)) return value ?? "";
  const { compareBy } = metadataOf(documentInputs, name) ?? {};
  if (compareBy) return compareBy(value as never) ?? "";
  return typeof value === "string" ? canonicalText(value) : value;
}

/** Short hashes of each input that a change would replace the document for. */
export type InputHashes = Readonly<Record<ComparedInput, string | Unknown>>;

export const hashesOf = (inputs: CheckedInputs): InputHashes =>
  Object.fromEntries(
    COMPARED_INPUTS.map(name => [name, short(name === "pdf" ? pdfIdentityOf(inputs) : countingOf(name, inputs[name]))]),
  ) as InputHashes;

function invitationChanges(comparison: Comparison): DocumentChange[] {
  const { before, after, current } = comparison;
  const { invitations } = after;
  if (!before.inputs) return valueChange("invitations", comparison);
  if (isUnknown(invitations)) return [undecided("invitations")];
  const shown = peopleOf(current.signers);
  const isImported = current.imported === true;
  return differencesOf(peopleOf(invitations), peopleOf(before.inputs.invitations), shown, { isImported }).map(
    difference => ({
      ...difference,
      name: "invitations",
      path: `invitations${difference.path}`,
      replaces: true,
    }),
  );
}

function pdfChange({ before, after, current }: Comparison): DocumentChange[] {
  const wanted = pdfIdentityOf(after);
  // A row of an import gives none.
  if (wanted === undefined) return [];
  // Neither state's inputs nor the service tell which PDF it has, so that of an import may be any.
  const isUntold = before.hashes.pdf === "" && current.sha256 === undefined;
  if (!isUnknown(wanted) && (isUntold || isMadeOfPdf(wanted, before.hashes, current))) return [];
  const property = pdfPropertyOf(after);
  if (property === "template" && before.inputs)
    return templateChanges(before.inputs, after).map(change => ({ ...change, replaces: true }));
  return [isUnknown(wanted) ? undecided(property) : changed(property, "update")];
}

/** The input that gives the PDF. */
export const pdfPropertyOf = ({ template, file }: CheckedInputs): PdfInput =>
  template !== undefined ? "template" : file !== undefined ? "file" : "base64File";

const changed = (name: keyof DocumentInputs, what: Change["what"]): DocumentChange => ({
  name,
  what,
  path: name,
  replaces: true,
});

/** Its value isn't known yet, so whether it changes anything isn't either. */
const undecided = (name: keyof DocumentInputs): DocumentChange => ({ ...changed(name, "update"), unknown: true });
