import { hash } from "node:crypto";
import type { Stored } from "../../../kit/check.js";
import { isKnown } from "../../../kit/define.js";
import { hasUnknown, UNKNOWN, type Unknown } from "../../../kit/values.js";
import type { Bytes, NewDocument, NewInvitation } from "../../client/service.js";
import { canonicalText, sortedJson, withoutNulls } from "../../core/same.js";
import type { Content } from "../journal/contract.js";
import type { Waiting } from "../journal/deployment-log.js";
import { type PdfInput, type PdfSources, pdfIdentityOf, pdfSourceOf, sha256AtHand } from "../pdf/pdf-input.js";
import { addressesIn, type InvitationInput, type Invitee, isAddressed, peopleOf, textOf } from "../people.js";
import { UserError } from "../resource.js";
import { type Term, withoutTerms } from "../terms.js";
import type { CheckedInputs, DocumentInputs, DocumentState, InputHashes, MadeOf } from "./declaration.js";

/*
 * What a create sends (`specOf` of checked inputs), and what a document is known by. Neither the journal nor state holds content: the journal has hashes of what was sent
 * (`contentOf`), state short ones of the PDF (`sentPdfHash`), of what a replaced document was made of (`contentHash`) and, in
 * a set, of each row's inputs (`packed`). At the service a document may have the marker of its create.
 */

// ---- What a create sends ----

/** What the create request says besides the PDF. Here and in `Recipient`, an input without a field is a compile error. */
export type Fields = Pick<Omit<Required<NewDocument>, "pdf">, Exclude<keyof DocumentInputs, PdfInput | Term>>;

/** A document as the program declares it, every value known. */
export interface DocumentSpec extends Fields {
  /** The same as `invitations`, as they are compared. */
  readonly people: readonly Invitee[];
  readonly content: Content;
  /** The PDF. Throws where its bytes aren't at hand any more. */
  bytes(): Promise<Bytes>;
}

/** What checked inputs come to; undefined while a value isn't known yet. */
export async function specOf(inputs: CheckedInputs, pdfs: PdfSources): Promise<DocumentSpec | undefined> {
  const given = withoutTerms(inputs);
  if (!isKnown(given)) return undefined;
  const pdf = pdfSourceOf(given, pdfs);
  if (!pdf) return undefined;
  const fields: Fields = {
    name: given.name ?? "",
    description: given.description || undefined,
    folderId: given.folderId || undefined,
    invitations: (given.invitations ?? []).map(recipientOf),
    // None are sent where there are none in it.
    extraParameters: Object.keys(given.extraParameters ?? {}).length > 0 ? given.extraParameters : undefined,
  };
  const people = peopleOf(inputs.invitations);
  return { ...fields, people, content: contentOf(fields, people, await pdf.sha256()), bytes: () => pdf.open() };
}

/** With a creation marker, which `newDocument` writes at the end of the description. */
export const markedFor = (urn: string, { content, ...spec }: DocumentSpec): DocumentSpec => ({
  ...spec,
  content: { ...content, marker: markerOf(urn, content.fingerprint) },
});

type Recipient = { readonly [Field in keyof InvitationInput]: NewInvitation[Field] };

/** An empty text isn't sent. */
const recipientOf = ({ email = "", name, message, ...others }: Stored<InvitationInput>): Recipient => ({
  ...others,
  ...{ email, name: name || undefined, message: message || undefined },
});

/** The create request. A spec of what state has may lack a title or an address; what Check let through has them. */
export async function newDocument(spec: DocumentSpec): Promise<NewDocument> {
  const { content, bytes, people, ...fields } = spec;
  if (fields.name === "" || !isAddressed(people))
    throw new UserError("expected a title, and an address of each person invited, got an empty one. Nothing was sent.");
  const description =
    content.marker === undefined ? fields.description : withMarker(fields.description ?? "", content.marker);
  return { ...fields, description, pdf: await bytes() };
}

// ---- In the journal ----

export const hexHash = (text: string): string => hash("sha256", text, "hex");

export const nameHash = (name: string): string => hexHash(canonicalText(name));
export const descriptionHash = (description: string | null | undefined): string =>
  hexHash(canonicalText(withoutMarker(description ?? "")));
export const inviteesHash = (people: readonly Invitee[]): string => hexHash(addressesIn(people));

export function contentOf(fields: Fields, people: readonly Invitee[], sha256: string): Content {
  const { name, description, extraParameters } = fields;
  const parts = {
    ...{ name: nameHash(name), sha256 },
    ...{ invitees: inviteesHash(people), description: descriptionHash(description) },
  };
  return {
    ...parts,
    fingerprint: hexHash([...Object.values(parts), restOf(fields, people)].join("\n")).slice(0, 32),
    ...(extraParameters && { extra: hexHash(sortedJson(extraParameters)).slice(0, 16) }),
  };
}

/**
 * What the fingerprint has besides the other hashes: a create that differs in it is another one. Whatever Diff takes for the same is the same in it, but for a null in
 * parameters: what was written of it stays.
 */
function restOf(
  { name: _, description: __, invitations: ___, folderId, extraParameters, ...others }: Fields,
  people: readonly Invitee[],
): string {
  const rest = [
    textOf(people),
    JSON.stringify(folderId ?? null),
    sortedJson(extraParameters ?? null),
    // By name, and only where it is given: a program without the input keeps its fingerprint.
    ...Object.entries<unknown>(others).flatMap(([name, value]) =>
      value === undefined || value === ""
        ? []
        : [sortedJson([name, value], each => (typeof each === "string" ? canonicalText(each) : each))],
    ),
  ];
  return `[${rest.join(",")}]`;
}

// ---- In state ----

/** Absent, null and empty are the same: none of them is sent. */
export function short(value: unknown): string | Unknown {
  if (hasUnknown(value)) return UNKNOWN;
  if (value === undefined || value === null || value === "") return "";
  return shortHash(value);
}

export const shortHash = (value: unknown): string =>
  hash("sha256", sortedJson(value, withoutNulls), "base64url").slice(0, 12);

/** In the order in which `hashesOf` and `unpacked` have them. */
export const packed = (hashes: InputHashes): string => Object.values(hashes).map(String).join(".");

/**
 * Of all that a document is made of, whatever inputs the declaration gains later; undefined where one isn't known, or none
 * is. `pdf`: the short hash of the PDF where it is known, as it may be given in several ways.
 */
export function contentHash(given: InputHashes, pdf?: string): string | undefined {
  const hashes = pdf === undefined ? given : { ...given, pdf };
  return hasUnknown(hashes) ? undefined : String(short(packed(hashes).replace(/\.+$/, ""))) || undefined;
}

// ---- The PDF that was sent ----

/*
 * State has its short hash, `sentPdfHash`, where inputs and service don't tell it. A program may then give the same PDF in
 * another way: as a file, in base64, or by a template that prints it.
 *
 * | Create | keeps it, but of a PDF that is given as it is, and whose hash the service shows (`hashOfNew`) |
 * | Read   | leaves it; an import has none (`stateOnlyOf`) |
 * | Diff   | takes a PDF with it for the one that was sent (`pdfChange`, `isMadeOfPdf`); where another is to be written, asks for an Update (`isSentHashOld`) |
 * | Update | writes that of the PDF given now, where a template prints it, or state has one already (`hashNow`) |
 *
 * Once the document is replaced, it stands for the PDF in `supersededContents` (`contentsOf`).
 */

type SentHash = Pick<DocumentState, "sentPdfHash">;

/** `shown`: the PDF's whole hash, by the service. */
export const hashOfNew = ({ template }: CheckedInputs, sent?: string, shown?: string | null): string | undefined =>
  template === undefined && short(shown) === sent ? undefined : sent;

/** Whether a document in state, of inputs with these hashes, was made of this PDF, or as this template says. */
export const isMadeOfPdf = (
  identity: string,
  { pdf }: InputHashes,
  { sha256: shown, sentPdfHash }: SentHash & Pick<DocumentState, "sha256">,
): boolean => [pdf, sentPdfHash, short(shown)].includes(shortHash(identity));

/** Of a document whose PDF didn't change. */
export async function isSentHashOld(
  { before, inputs, outputs }: { before: MadeOf; inputs: CheckedInputs; outputs: DocumentState },
  pdfs: PdfSources,
): Promise<boolean> {
  const isGivenAnew = short(pdfIdentityOf(inputs)) !== before.hashes.pdf;
  // An import of a document whose PDF the service keeps to itself.
  const isUnknown = outputs.sentPdfHash === undefined && outputs.sha256 === undefined;
  if (!isGivenAnew && !isUnknown) return false;
  const { sentPdfHash = outputs.sentPdfHash } = await hashNow(outputs, inputs, pdfs);
  return sentPdfHash !== outputs.sentPdfHash;
}

/** Nothing where state's stays. */
export async function hashNow({ sentPdfHash }: SentHash, inputs: CheckedInputs, pdfs: PdfSources): Promise<SentHash> {
  if (inputs.template === undefined && sentPdfHash === undefined) return {};
  const sha256 = await sha256AtHand(inputs, pdfs);
  return sha256 ? { sentPdfHash: shortHash(sha256) } : {};
}

// ---- The creation marker ----

const MARKER = /^\[docsign:([0-9a-f]{12})\]$/;
const LENGTH = "[docsign:]".length + 12;

/** A token that any machine computes alike for the same resource and content, and that reveals nothing of either. */
export const markerOf = (urn: string, fingerprint: string): string => hexHash(`${urn}\n${fingerprint}`).slice(0, 12);

export const withMarker = (description: string, marker: string): string =>
  `${description}${description === "" ? "" : "\n"}[docsign:${marker}]`;

export const withoutMarker = (description: string): string =>
  markerIn(description) === undefined ? description : description.trimEnd().slice(0, -LENGTH).trimEnd();

/** Whatever somebody wrote into a description, reading its end takes no time. */
export const markerIn = (description: string | null): string | undefined =>
  MARKER.exec((description ?? "").trimEnd().slice(-LENGTH))?.[1];

/** Whether the create of another resource, or of other content, made it. */
export function hasOthersMarker(
  { description }: { description: string | null },
  spec?: Pick<DocumentSpec, "content">,
): boolean {
  const marker = markerIn(description);
  return marker !== undefined && marker !== spec?.content.marker;
}

// ---- Of a resource under another name ----

/** Hashes of name, people and PDF: what identifies a document where a URN doesn't. */
export const features = (name?: string, people: readonly Invitee[] = [], sha256?: string): string[] => [
  ...(name === undefined ? [] : [`name:${nameHash(name)}`]),
  ...(people.length > 0 ? [`people:${inviteesHash(people)}`] : []),
  ...(sha256 === undefined ? [] : [`pdf:${sha256}`]),
];

/** Of several resources that wait to be created, the one most like what is deleted under another URN, if any is. */
export function likelySuccessor(
  waiting: readonly Waiting[],
  { name, signers, sha256 }: DocumentState,
): string | undefined {
  const stored = features(name, peopleOf(signers), sha256);
  const score = (each: Waiting): number => each.features.filter(feature => stored.includes(feature)).length;
  const [best] = waiting.filter(each => score(each) > 0).sort((a, b) => score(b) - score(a));
  return best?.urn;
}
