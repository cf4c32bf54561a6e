import { createHash, hash as digest } from "node:crypto";
import type { Change } from "../../../kit/changes.js";
import { pathText, problemsOf } from "../../../kit/check.js";
import { type Preview, unknownOutputs } from "../../../kit/define.js";
import { metadataOf } from "../../../kit/property.js";
import { bareRecord } from "../../../kit/records.js";
import { Asset, hasUnknown, isRecord, isUnknown, known, type Value, type Values } from "../../../kit/values.js";
import { byId } from "../../client/bodies.js";
import { CancelledError, StatusError } from "../../client/errors.js";
import type {
  Bytes,
  DocumentBody,
  FileBody,
  InvitationBody,
  NewDocument,
  NewInvitation,
  RequestOptions,
  Service,
  SignerBody,
} from "../../client/service.js";
import { addressOf, canonicalText, sortedJson, tidyAddress, withoutNulls } from "../../core/same.js";
import { lacksDomain } from "../../schema/types.js";
import type { CreationPolicy } from "../context.js";
import type { Content } from "../journal/contract.js";
import type { Waiting } from "../journal/deployment-log.js";
import {
  checkPdf,
  isContent,
  isPdfInput,
  type PdfInput,
  type PdfSources,
  pdfHashOf,
  pdfIdentityOf,
  pdfSourceOf,
} from "../pdf/pdf-input.js";
import { TEMPLATE_INPUTS } from "../pdf/template-input.js";
import { Refusal } from "../refusal.js";
import { type Call, type Failure, UserError } from "../resource.js";
import {
  type CheckedInputs,
  COMPARED_OF_PERSON,
  type ComparedField,
  comparable,
  type DocumentInputs,
  type DocumentOutputs,
  type DocumentState,
  documentDeclaration,
  documentInputs,
  documentOutputs,
  type Every,
  givenTerms,
  type InvitationInput,
  inputsIn,
  isTerm,
  markerIn,
  markerOf,
  type Person,
  type SignerRow,
  TERMS,
  type Term,
  type Terms,
  termFailures,
  termsIn,
  trimmed,
  withMarker,
  withoutMarker,
  withoutTerms,
} from "./declaration.js";

// ---- Signatures ----

/** Of a signer whose status the service doesn't show, or who can't be distinguished from others. */
export const UNKNOWN_STATUS = "unknown";

/** One row for each invitation, with what the latest version's signers say of it. */
export function signerRows(body: DocumentBody): SignerRow[] {
  const invitations = [...body.invitations].sort(byStageThenId);
  const signers = [...(latestFile(body)?.signers ?? [])].sort((a, b) => byId(a.id ?? "", b.id ?? ""));
  const joined = joinedBy(invitations, signers, [
    [invitation => [invitation.email, invitation.user?.email].map(addressOf), signer => addressOf(signer.email)],
    [invitation => [invitation.user?.id ?? ""], signer => signer.userId ?? ""],
  ]);
  const taken = new Set(joined.values());
  const others = statusOfOthers(
    body,
    invitations.length - joined.size,
    signers.filter(signer => !taken.has(signer)),
  );
  return invitations.map(invitation => {
    const signer = joined.get(invitation);
    return trimmed({
      email: invitation.email ?? "",
      name: invitation.name ?? undefined,
      stage: invitation.stage ?? undefined,
      invitationId: invitation.id,
      invitationStatus: invitation.status ?? undefined,
      signerId: signer?.id ?? undefined,
      signatureType: signer?.signatureType ?? undefined,
      status: signer ? (signer.status ?? UNKNOWN_STATUS) : others,
    });
  });
}

/** Addresses of those known not to have signed. */
export const pendingIn = (rows: readonly SignerRow[]): string[] => rows.filter(isPending).map(row => row.email);

export const isPending = (row: SignerRow): boolean => row.status !== "signed" && row.status !== UNKNOWN_STATUS;

/**
 * The stage whose people have been mailed and not all signed. The service's word, where somebody who hasn't signed is in
 * that stage; otherwise the lowest stage with a signature missing. Undefined where the service returns no stages: then it
 * is everyone's turn.
 */
export function openStage(rows: readonly SignerRow[], signingStage: number | null | undefined): number | undefined {
  const waiting = rows.flatMap(row => (row.status === "signed" || row.stage === undefined ? [] : [row.stage]));
  if (signingStage !== null && signingStage !== undefined && waiting.includes(signingStage)) return signingStage;
  return waiting.length === 0 ? undefined : Math.min(...waiting);
}

type Join = readonly [
  keysOfInvitation: (invitation: InvitationBody) => readonly string[],
  keyOfSigner: (signer: SignerBody) => string,
];

/** Each invitation with its signer, by the first join that has one: the k-th invitation of a key takes the k-th signer. */
function joinedBy(
  invitations: readonly InvitationBody[],
  signers: readonly SignerBody[],
  joins: readonly Join[],
): Map<InvitationBody, SignerBody> {
  const joined = new Map<InvitationBody, SignerBody>();
  const free = new Set(signers);
  const places = new Map(signers.map((signer, place) => [signer, place]));
  const byPlace = (a: SignerBody, b: SignerBody): number => (places.get(a) ?? 0) - (places.get(b) ?? 0);
  for (const [keysOfInvitation, keyOfSigner] of joins) {
    const waiting = Map.groupBy(free, keyOfSigner);
    for (const list of waiting.values()) list.reverse();
    for (const invitation of invitations) {
      if (joined.has(invitation)) continue;
      const keys = keysOfInvitation(invitation).filter(key => key !== "");
      const lists = keys.map(key => waiting.get(key) ?? []);
      for (const list of lists) while (list.length > 0 && !free.has(list.at(-1) as SignerBody)) list.pop();
      const [signer] = lists.flatMap(list => list.slice(-1)).sort(byPlace);
      if (signer === undefined) continue;
      joined.set(invitation, signer);
      free.delete(signer);
    }
  }
  return joined;
}

/**
 * What is known of those who can't be joined. Signers hold one entry for each signature: where every entry that says
 * more than `unsigned` has its person, the others haven't signed. Otherwise it isn't known who it was, unless all did.
 */
function statusOfOthers(body: DocumentBody, people: number, signers: readonly SignerBody[]): string {
  const underWay = body.status === "unsigned" || body.status === "partially_signed";
  if (underWay && signers.every(signer => signer.status === "unsigned")) return "unsigned";
  const [first, ...more] = signers;
  const same = first !== undefined && signers.length === people && more.every(each => each.status === first.status);
  return (same ? first.status : null) ?? UNKNOWN_STATUS;
}

const byStageThenId = (a: InvitationBody, b: InvitationBody): number =>
  (a.stage ?? 0) - (b.stage ?? 0) || byId(a.id, b.id);

/** The file whose version the document names as its last; where none has it, the one with the highest number. */
export function latestFile(body: DocumentBody): FileBody | undefined {
  const named = body.files.find(file => file.version === body.lastVersion);
  return named ?? [...body.files].sort((a, b) => Number(b.version) - Number(a.version))[0];
}

/** Counted from the signers, never taken from the document's status. */
export function allSigned(body: DocumentBody): boolean {
  const signers = latestFile(body)?.signers ?? [];
  return (
    signers.length > 0 &&
    signers.length >= body.invitations.length &&
    signers.every(signer => signer.status === "signed")
  );
}

/** Whether nobody has signed: the service says so and shows nobody who has. A status it adds later counts as signed. */
export function isUnsigned(body: DocumentBody): boolean {
  return (
    body.status === "unsigned" && body.files.every(file => file.signers.every(signer => signer.status === "unsigned"))
  );
}

// ---- Outputs ----

/** What state knows of a document and the service doesn't. */
export interface StateOnly {
  readonly supersedes: readonly string[];
  readonly imported: boolean;
  readonly drift: readonly string[];
  readonly terms?: Terms;
}

/** The service's document as state keeps it: compact, because state is written again at every step of a deployment. */
export function outputsOf(
  body: DocumentBody,
  service: Pick<Service, "origin" | "baseUrl">,
  kept: StateOnly,
): DocumentOutputs {
  const latest = latestFile(body);
  const signers = signerRows(body);
  return trimmed<Every<DocumentOutputs>>({
    documentId: body.id,
    name: body.name,
    description: withoutMarker(body.description ?? "") || undefined,
    folderId: body.folderId ?? undefined,
    status: body.status,
    allSigned: allSigned(body),
    signers,
    pendingSigners: pendingIn(signers),
    lastVersion: body.lastVersion ?? latest?.version,
    versions: body.files.map(file =>
      trimmed({
        version: file.version,
        sha256: file.sha256 ?? undefined,
        url: file.url ?? undefined,
        signedFileUrl: signedFileUrlOf(file),
        signedEndedAt: file.signedEndedAt ?? undefined,
        status: file.status ?? undefined,
      }),
    ),
    sha256: latest?.sha256 ?? undefined,
    fileUrl: latest?.url ?? null,
    signedFileUrl: (latest && signedFileUrlOf(latest)) ?? null,
    signedSha256: latest?.sha256SignedFile ?? null,
    certificates: certificatesOf(latest, service.baseUrl),
    // Not the service's word: found out by trying, once they are ready.
    certificatesNeedKey: null,
    nom151: nom151Of(body.id, latest),
    createdAt: body.createdAt ?? undefined,
    updatedAt: body.updatedAt ?? undefined,
    ownerId: body.ownerId ?? undefined,
    organization: body.organization ? { id: body.organization.id, name: body.organization.name } : undefined,
    effectiveFrom: kept.terms?.effectiveFrom,
    expiresAt: kept.terms?.expiresAt,
    renewBefore: kept.terms?.renewBefore,
    supersedes: [...kept.supersedes],
    drift: [...kept.drift],
    imported: kept.imported,
    service: service.origin,
  });
}

/** A service may give the address of a signed PDF before anybody has signed it. */
const signedFileUrlOf = ({ signers, signedFileUrl }: FileBody): string | undefined =>
  signers.length > 0 && signers.every(({ status }) => status === "unsigned") ? undefined : (signedFileUrl ?? undefined);

const SHA256 = /^[0-9a-f]{64}$/i;

/** The addresses of section 4.8 of the interface: only when all three values are there. */
export function certificatesOf(file: FileBody | undefined, baseUrl: string): DocumentOutputs["certificates"] {
  const hash = file?.sha256SignedFile ?? "";
  const ready = Boolean(file?.xmlBtcCert) && Boolean(file?.xmlEthCert) && SHA256.test(hash);
  return {
    status: file?.blockchainCertsStatus ?? "",
    ready,
    btcUrl: ready ? `${baseUrl}/v3/timestamps/${hash}.pdf` : null,
    ethUrl: ready ? `${baseUrl}/v3/timestamps/eth/${hash}.pdf` : null,
  };
}

const VERSION = /^\d{1,9}$/;

/** Section 4.9 of the interface: the constancia as a data URI. */
export function nom151Of(documentId: string, file: FileBody | undefined): DocumentOutputs["nom151"] {
  const constancia = file?.constancia ?? "";
  const version = file?.version ?? "1";
  if (constancia === "") return { ready: false, dataUri: null, fileName: null, sha256: null };
  return {
    ready: true,
    dataUri: `data:application/octet-stream;base64,${constancia}`,
    // A name of ours: what the service calls a version is written down as it is, and becomes no part of a path.
    fileName: `document-${documentId}${VERSION.test(version) ? `-v${version}` : ""}.asn1`,
    sha256: createHash("sha256").update(Buffer.from(constancia, "base64")).digest("hex"),
  };
}

// ---- Invitations and signers ----

/** Undefined while it isn't known who that is. */
type Invitee = Person | undefined;
type Fit = (a: Invitee, b: Invitee) => boolean;

const samePerson: Fit = (a, b) =>
  a !== undefined && b !== undefined && comparable("email", a.email) === comparable("email", b.email);

export const sameRow: Fit = (a, b) => everyField(a, b, (one, other) => one === other);

/** The same in all that both say: the service fills in what a program leaves out, and keeps to itself some of what it says. */
export const agrees: Fit = (a, b) =>
  everyField(a, b, (one, other) => one === undefined || other === undefined || one === other);

function everyField(a: Invitee, b: Invitee, fits: (one: unknown, other: unknown) => boolean): boolean {
  return (
    samePerson(a, b) &&
    COMPARED_OF_PERSON.every(
      field => !isUnknown(a?.[field]) && fits(comparable(field, a?.[field]), comparable(field, b?.[field])),
    )
  );
}

/**
 * For each of the program's rows its counterpart, and the rows left over: as many as possible that fit best, then of
 * the same address and stage, then of the same address, then whatever is left.
 */
export function paired(program: readonly Invitee[], others: readonly Invitee[], best: Fit): [Invitee[], Person[]] {
  const theirs = others.filter(row => row !== undefined);
  const takenBy = new Map<number, number>();
  const ofPerson = Map.groupBy(theirs.keys(), at => personOf(theirs[at]));
  // One person in several stages fits several rows; a row gives way where another one suits it as well.
  const settle = (index: number, tried: Set<number>): boolean => {
    const fitting = (ofPerson.get(personOf(program[index])) ?? []).filter(at => best(program[index], theirs[at]));
    const given =
      fitting.find(at => !takenBy.has(at)) ??
      fitting.find(at => {
        if (tried.has(at)) return false;
        tried.add(at);
        const holder = takenBy.get(at);
        return holder !== undefined && settle(holder, tried);
      });
    if (given !== undefined) takenBy.set(given, index);
    return given !== undefined;
  };
  const withPair = new Set([...program.keys()].filter(index => settle(index, new Set())));
  const backwards = [...theirs.keys()].reverse();
  for (const keyOf of [positionOf, personOf, () => "anybody"]) {
    // The first one last: what is taken off the end moves nothing.
    const left = Map.groupBy(backwards, at => keyOf(theirs[at]));
    for (const [index, row] of program.entries()) {
      const suiting = withPair.has(index) || row === undefined ? undefined : left.get(keyOf(row));
      let at = suiting?.pop();
      while (at !== undefined && takenBy.has(at)) at = suiting?.pop();
      if (at === undefined) continue;
      takenBy.set(at, index);
      withPair.add(index);
    }
  }
  const pairs: Invitee[] = program.map(() => undefined);
  for (const [at, index] of takenBy) pairs[index] = theirs[at];
  return [pairs, theirs.filter((_, at) => !takenBy.has(at))];
}

/** Whether these are the same people, in all that both say of each. */
export function agreeInAll(program: readonly Person[], others: readonly Person[]): boolean {
  const [pairs, left] = paired(program, others, agrees);
  return left.length === 0 && program.every((person, index) => agrees(person, pairs[index]));
}

const personOf = (row: Invitee): unknown => comparable("email", row?.email);

/** Rows without a stage have no place in common. */
const positionOf = (row: Invitee): unknown =>
  typeof row?.stage === "number" ? `${row.stage} ${String(personOf(row))}` : row;

/** The people that an input names; undefined for one that isn't known yet. */
export const inviteesIn = ({ invitations }: Pick<CheckedInputs, "invitations">) =>
  isUnknown(invitations) ? [] : (invitations ?? []).map(known);

// ---- Content ----

const hash = (text: string): string => digest("sha256", text, "hex");

export const nameHash = (name: string): string => hash(canonicalText(name));
export const descriptionHash = (description: string | null | undefined): string =>
  hash(canonicalText(withoutMarker(description ?? "")));
export const inviteesHash = (emails: readonly (string | null)[]): string =>
  hash(emails.map(addressOf).sort().join("\n"));

export function contentOf(document: {
  name: string;
  description?: string | undefined;
  sha256: string;
  emails: readonly string[];
  /** Whatever else is sent and can't be compared at the service: a create that differs in it is another one. */
  rest?: string | undefined;
}): Content {
  const parts = {
    name: nameHash(document.name),
    sha256: document.sha256,
    invitees: inviteesHash(document.emails),
    description: descriptionHash(document.description),
  };
  return { ...parts, fingerprint: hash([...Object.values(parts), document.rest ?? ""].join("\n")).slice(0, 32) };
}

// ---- What identifies a document ----

/** Hashes of name, people and PDF: what identifies a document where a URN doesn't. */
function features(name: string | undefined, people: readonly Invitee[], sha256: string | undefined): string[] {
  const emails = people.map(person => (typeof person?.email === "string" ? person.email : ""));
  return [
    ...(name === undefined ? [] : [`name:${nameHash(name)}`]),
    ...(emails.length > 0 ? [`people:${inviteesHash(emails)}`] : []),
    ...(sha256 === undefined ? [] : [`pdf:${sha256.toLowerCase()}`]),
  ];
}

export const wantedFeatures = (inputs: CheckedInputs): string[] =>
  features(known(inputs.name), inviteesIn(inputs), known(pdfHashOf(inputs)));

export const storedFeatures = ({ name, signers = [], sha256 }: DocumentState): string[] =>
  features(name, signers, sha256);

/** Of several resources that wait to be created, the one most like what is deleted under another URN, if any is. */
export function likelySuccessor(waiting: readonly Waiting[], stored: readonly string[]): string | undefined {
  const score = ({ features }: Waiting): number => features.filter(each => stored.includes(each)).length;
  const [best] = waiting.filter(each => score(each) > 0).sort((a, b) => score(b) - score(a));
  return best?.urn;
}

// ---- What a create sends ----

/** What the create request says besides the PDF. An input that the declaration gains doesn't compile before it is here. */
type Fields = Pick<Omit<Required<NewDocument>, "pdf">, Exclude<keyof DocumentInputs, PdfInput | Term>>;

/** A document as the program declares it, every value known. */
export interface DocumentSpec extends Fields {
  readonly sha256: string;
  readonly content: Content;
  /** The PDF. Throws where its bytes aren't at hand any more. */
  bytes(): Promise<Bytes>;
}

interface Marking {
  readonly urn: string;
  readonly creationMarker: boolean;
}

/** What checked inputs come to; undefined while a value isn't known yet. */
export async function specOf(
  inputs: CheckedInputs,
  { pdfs, ...marking }: Marking & { pdfs: PdfSources },
): Promise<DocumentSpec | undefined> {
  const isOpen = (Object.keys(inputs) as (keyof CheckedInputs)[]).some(
    name => !isTerm(name) && hasUnknown(inputs[name]),
  );
  const pdf = isOpen ? undefined : pdfSourceOf(inputs, pdfs);
  return pdf && specWith(inputs, await pdf.sha256(), () => pdf.open(), marking);
}

function specWith(
  inputs: CheckedInputs,
  sha256: string,
  bytes: DocumentSpec["bytes"],
  { urn, creationMarker }: Marking,
): DocumentSpec {
  const fields: Fields = {
    name: known(inputs.name) ?? "",
    description: filled(inputs.description),
    folderId: filled(inputs.folderId),
    invitations: recipientsIn(inputs),
    extraParameters: sentParameters(inputs),
  };
  const { name, description, invitations, folderId, extraParameters, ...others } = fields;
  // Whatever Diff takes for the same has the same fingerprint, but for a null in parameters: what was written of it stays.
  const compared = invitations.map(person =>
    JSON.stringify(Object.fromEntries(COMPARED_OF_PERSON.map(field => [field, comparable(field, person[field])]))),
  );
  const rest = [
    `[${compared.sort().join(",")}]`,
    JSON.stringify(folderId ?? null),
    sortedJson(extraParameters ?? null),
    // By name, and only where it is given: a program without the input keeps its fingerprint.
    ...Object.entries(others).flatMap(([name, value]) =>
      value === undefined ? [] : [sortedJson([name, value], plain)],
    ),
  ];
  const emails = invitations.map(({ email }) => email);
  const content = contentOf({ name, description, sha256, emails, rest: `[${rest.join(",")}]` });
  return {
    ...fields,
    sha256,
    content: {
      ...content,
      ...(extraParameters && { extra: hash(sortedJson(extraParameters)).slice(0, 16) }),
      ...(creationMarker && { marker: markerOf(urn, content.fingerprint) }),
    },
    bytes,
  };
}

/** A person as the request needs one. A field that the declaration gains doesn't compile before the request has it. */
type Recipient = { readonly [Field in keyof Required<InvitationInput>]: NewInvitation[Field] };

const recipientsIn = (inputs: CheckedInputs): Recipient[] =>
  inviteesIn(inputs).map(({ email, name, message, allowedSignatureTypes, stage } = {}) => ({
    email: known(email) ?? "",
    name: filled(name),
    message: filled(message),
    allowedSignatureTypes: filled(allowedSignatureTypes),
    stage: known(stage),
  }));

/** The create request. A spec of what state has may lack a title or an address; what Check let through has them. */
export async function newDocument(spec: DocumentSpec): Promise<NewDocument> {
  const { content, sha256: _, bytes, ...fields } = spec;
  const emails = fields.invitations.map(({ email }) => email);
  if (fields.name === "" || emails.length === 0 || emails.includes(""))
    throw new UserError("expected a title, and an address of each person invited, got an empty one. Nothing was sent.");
  const description =
    content.marker === undefined ? fields.description : withMarker(fields.description ?? "", content.marker);
  return { ...fields, description, pdf: await bytes() };
}

const plain = (value: unknown): unknown => (typeof value === "string" ? canonicalText(value) : value);

/** None are sent where there are none in it. */
const sentParameters = ({ extraParameters }: CheckedInputs): Readonly<Record<string, unknown>> | undefined =>
  isRecord(extraParameters) && Object.keys(extraParameters).length > 0 ? extraParameters : undefined;

const filled = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

// ---- What changed ----

/** Of one of the document's inputs. */
export interface DocumentChange extends Change {
  readonly name: keyof DocumentInputs;
}

/** A change that takes another document. `isUnknown`: its value isn't known yet, so whether it changes anything isn't either. */
const replacing = (
  name: keyof DocumentInputs,
  what: Change["what"],
  { path = name as string, isUnknown = false } = {},
): DocumentChange => ({ name, path, what, replaces: true, ...(isUnknown && { unknown: true }) });

interface Comparison {
  readonly before: CheckedInputs;
  readonly after: CheckedInputs;
  readonly held: DocumentState;
}

type Compare = (comparison: Comparison) => DocumentChange[];

/** What a change takes another document for, in the order of its declaration: the inputs that make the PDF are one. */
export type ComparedInput = Exclude<keyof DocumentInputs, PdfInput | Term> | "pdf";
export const COMPARED_INPUTS = [
  ...new Set(
    Object.keys(documentInputs.shape).flatMap(name => {
      if (isPdfInput(name)) return ["pdf"];
      return TERMS.some(each => each === name) ? [] : [name];
    }),
  ),
] as ComparedInput[];

/** What counts of a value, as its declaration says, and of a text what people read. What is left out is the same as nothing in it. */
export function countingOf(name: Exclude<ComparedInput, "pdf">, value: unknown): unknown {
  if (value === undefined || value === null || isUnknown(value)) return value ?? "";
  const { compareBy } = metadataOf(documentInputs, name) ?? {};
  if (compareBy) return compareBy(value as never) ?? "";
  return typeof value === "string" ? canonicalText(value) : value;
}

/** Where more is to be said of a change than that there is one. */
const OWN: { readonly [S in ComparedInput]?: Compare } = {
  description: descriptionChange,
  invitations: ({ before, after, held }) => invitationChanges(before, after, held, held.imported === true),
  pdf: pdfChange,
};

/**
 * What would have to be different at the service for the program to be right. An input that already says what the
 * service holds (`held`, the outputs in state) is no change, whatever it said before: taking out a `folderId` that was
 * ignored, or following a rename made on the platform, mails no one.
 */
export function changesOf(before: CheckedInputs, after: CheckedInputs, held: DocumentState): DocumentChange[] {
  return COMPARED_INPUTS.flatMap(name =>
    (OWN[name] ?? changeOf(name as Exclude<ComparedInput, "pdf">))({ before, after, held }),
  );
}

/** Inputs that the service shows as they are. */
const SHOWN_INPUTS = COMPARED_INPUTS.filter(isShownInput);

/** Inputs whose value at the service is no longer what the program says. */
export function driftOf(inputs: CheckedInputs, held: DocumentState): (keyof DocumentInputs)[] {
  return [
    ...SHOWN_INPUTS.filter(name => countingOf(name, inputs[name]) !== countingOf(name, held[name])),
    ...invitationChanges({}, inputs, held, true)
      .slice(0, 1)
      .map(change => change.name),
    // A template isn't rendered to look for drift.
    ...(inputs.template === undefined ? pdfChange({ before: {}, after: inputs, held }) : []).map(change => change.name),
  ];
}

type ShownInput = Exclude<keyof DocumentInputs & keyof DocumentOutputs, Term>;

function isShownInput(name: ComparedInput): name is ShownInput {
  return Object.hasOwn(documentOutputs.shape, name);
}

/** A value that the service doesn't show is what the program said of it last; of an imported document, it may be any at first. */
const changeOf =
  (name: Exclude<ComparedInput, "pdf">): Compare =>
  ({ before, after, held }) => {
    const is = countingOf(name, after[name]);
    if (hasUnknown(is)) return [replacing(name, "update", { isUnknown: true })];
    const was = countingOf(name, before[name]);
    if (held.imported === true && was === "" && !isShownInput(name)) return [];
    const isSame = (other: unknown) => sortedJson(is, withoutNulls) === sortedJson(other, withoutNulls);
    if (isSame(was) || (isShownInput(name) && isSame(countingOf(name, held[name])))) return [];
    return [replacing(name, was === "" ? "add" : is === "" ? "delete" : "update")];
  };

/** The service may keep an imported document's description to itself: then it shows none. */
function descriptionChange({ before, after, held }: Comparison): DocumentChange[] {
  const isEmpty = ({ description }: CheckedInputs | DocumentState) => countingOf("description", description) === "";
  const notShown = held.imported === true && isEmpty(before) && isEmpty(held);
  const changes = changeOf("description")({ before, after, held });
  return notShown ? changes.filter(change => change.unknown) : changes;
}

function pdfChange({ before, after, held }: Comparison): DocumentChange[] {
  const is = pdfIdentityOf(after);
  const was = pdfIdentityOf(before);
  const heldHash = held.sha256?.toLowerCase();
  if (is === undefined || (!isUnknown(is) && (is === was || is === heldHash))) return [];
  // Neither state nor service knows the PDF: an import of a document whose hash the service keeps to itself.
  if (was === undefined && heldHash === undefined && !isUnknown(is)) return [];
  if (after.template !== undefined) return templateChanges(before, after);
  const property = after.file === undefined ? "base64File" : "file";
  return [replacing(property, "update", { isUnknown: isUnknown(is) })];
}

/** Which of a template's inputs make the PDF another one. */
function templateChanges(before: CheckedInputs, after: CheckedInputs): DocumentChange[] {
  return TEMPLATE_INPUTS.flatMap(property => {
    const was = before[property] ?? null;
    const is = after[property] ?? null;
    if (!isRecord(was) || !isRecord(is)) return valueChange(property, [property], byHash(was), byHash(is));
    const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
    return names.flatMap(name => valueChange(property, [property, name], was[name] ?? null, is[name] ?? null));
  });
}

function valueChange(
  property: keyof DocumentInputs,
  path: readonly string[],
  was: unknown,
  is: unknown,
): DocumentChange[] {
  const about = { path: pathText(path), isUnknown: hasUnknown(is) };
  if (!about.isUnknown && sortedJson(was) === sortedJson(is)) return [];
  return [replacing(property, was === null ? "add" : is === null ? "delete" : "update", about)];
}

/** Assets are the same when their content is. */
function byHash(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(byHash);
  return value instanceof Asset ? (value.hash ?? null) : value;
}

function invitationChanges(
  before: CheckedInputs,
  after: CheckedInputs,
  { signers: there = [] }: DocumentState,
  onlyShown: boolean,
): DocumentChange[] {
  const property = "invitations";
  if (isUnknown(after.invitations)) return [replacing(property, "update", { isUnknown: true })];
  const [was, is] = [inviteesIn(before), inviteesIn(after)];
  const [then, dropped] = paired(is, was, onlyShown ? agrees : sameRow);
  const [holds, extra] = paired(is, there, agrees);
  const changes = is.flatMap((now, index): DocumentChange[] => {
    const path = `${property}[${index}]`;
    if (now === undefined) return [replacing(property, "update", { path, isUnknown: true })];
    const old = then[index];
    const shown = samePerson(now, holds[index]) ? holds[index] : undefined;
    if (old === undefined && shown === undefined) return [replacing(property, "add", { path })];
    return COMPARED_OF_PERSON.flatMap(field =>
      fieldChange(path, field, old?.[field], now[field], shown?.[field], onlyShown),
    );
  });
  const stillThere = (row: Person): boolean => there.length === 0 || extra.some(other => samePerson(row, other));
  const unknown = is.filter(row => row === undefined).length;
  const gone = (onlyShown ? extra : dropped.filter(stillThere)).slice(unknown);
  return [
    ...changes,
    ...gone.map((_, at) => replacing(property, "delete", { path: `${property}[${is.length + at}]` })),
  ];
}

function fieldChange(
  path: string,
  field: ComparedField,
  before: Person[ComparedField],
  after: Person[ComparedField],
  held: Person[ComparedField],
  onlyShown: boolean,
): DocumentChange[] {
  const change = (what: Change["what"], isUnknown = false) => [
    replacing("invitations", what, { path: `${path}.${field}`, isUnknown }),
  ];
  if (isUnknown(after)) return change("update", true);
  const [was, is, there] = [comparable(field, before), comparable(field, after), comparable(field, held)];
  if (is === was || (is === there && is !== undefined)) return [];
  // Of an imported document state knows what the service showed then; what either side leaves out is no difference.
  if (onlyShown && (is === undefined || (was === undefined && there === undefined))) return [];
  return change(was === undefined ? "add" : is === undefined ? "delete" : "update");
}

// ---- Check ----

/** Inputs as state keeps them, the same by their types, and everything wrong with them at once. Asks the service nothing. */
export async function checkDocument(
  { olds, news, secrets }: { olds: Values | undefined; news: Values; secrets?: ReadonlySet<string> | undefined },
  sources: PdfSources,
) {
  const pdf = await checkPdf(olds, news, sources, secrets);
  const given = withoutNullInputs(news);
  const inputs = bareRecord<Value>();
  for (const name of Object.keys(given)) if (!isPdfInput(name)) inputs[name] = given[name] as Value;
  Object.assign(inputs, pdf.inputs);
  if (typeof inputs["folderId"] === "number") inputs["folderId"] = String(inputs["folderId"]);
  if (Array.isArray(inputs["invitations"])) inputs["invitations"] = inputs["invitations"].map(withTidyAddress);
  const checked = inputsIn(inputs);
  const failures = [
    // What state has already is the service's own: an import takes whatever the service shows.
    ...problemsOf(documentInputs, given, { secrets, kept: olds }).filter(({ name }) => !isContent(name)),
    ...ownMarker(known(checked.description), secrets?.has("description") === true),
    ...termFailures(given, secrets),
    ...pdf.failures,
  ];
  // Only a Check without old inputs comes before a create, and the engine repeats the others.
  const warnings = olds === undefined ? warningsAbout(inviteesIn(checked), secrets?.has("invitations") === true) : [];
  return { inputs, checked, failures, warnings };
}

function withTidyAddress(row: Value): Value {
  if (!isRecord(row) || typeof row["email"] !== "string") return row;
  const email = tidyAddress(row["email"]);
  return email === row["email"] ? row : { ...row, email };
}

function warningsAbout(people: readonly Invitee[], hidden: boolean): string[] {
  const warnings: string[] = [];
  const twice = invitedTwice(people);
  if (twice > 0)
    warnings.push(
      `${twice === 1 ? "one address is" : `${twice} addresses are`} invited twice in the same stage: the service mails each invitation.`,
    );
  const lacking = people
    .map(person => person?.email)
    .filter((email): email is string => typeof email === "string" && email.includes("@") && lacksDomain(email));
  if (lacking.length > 0) {
    const short = [...new Set(lacking)];
    const named = hidden ? (short.length === 1 ? "one address" : `${short.length} addresses`) : short.join(", ");
    warnings.push(`${named}: expected a domain with a dot in it, such as example.com, got none. It is sent as it is.`);
  }
  return warnings;
}

/** At the end of a description it says which create made the document: one that isn't ours would hide it from us. */
function ownMarker(description: string | undefined, hidden: boolean): Failure[] {
  const marker = markerIn(description ?? null);
  if (marker === undefined) return [];
  const reason = `description: expected one that doesn't end in [docsign:${marker}]: \`docsign:creationMarker\` writes such a mark itself`;
  return [{ property: hidden ? "" : "description", reason }];
}

function invitedTwice(people: readonly Invitee[]): number {
  if (people.length < 2) return 0;
  const places = people.map(placeOf).filter(place => place !== undefined);
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const place of places) (seen.has(place) ? twice : seen).add(place);
  return twice.size;
}

/** Address and stage; undefined where they aren't known. */
function placeOf(person: Invitee): string | undefined {
  if (typeof person?.email !== "string" || isUnknown(person.stage)) return undefined;
  return `${addressOf(person.email)}\n${person.stage ?? ""}`;
}

function withoutNullInputs(values: Values): Values {
  const given = bareRecord<Value>();
  for (const name of Object.keys(values)) {
    const value = values[name] ?? undefined;
    if (value !== undefined) given[name] = name === "extraParameters" ? value : tidy(value);
  }
  return given;
}

function tidy(value: Value): Value {
  if (Array.isArray(value)) return value.map(tidy);
  return isRecord(value) ? withoutNullInputs(value) : value;
}

// ---- Certificates ----

/** The interface doesn't show whether these addresses want the key. Both tries stay at the service's own origin. */
export async function needsKey(service: Service, address: string | null, ask: RequestOptions): Promise<boolean | null> {
  if (address === null) return null;
  for (const withKey of [false, true]) {
    try {
      if (await beginsAsPdf(await service.download(address, { ...ask, withKey }))) return withKey;
    } catch (error) {
      if (error instanceof CancelledError) throw error;
      if (!(error instanceof StatusError && error.isLasting)) return null;
    }
  }
  return null;
}

/** Reads its first bytes only, which ends the request. */
async function beginsAsPdf(chunks: AsyncIterable<Uint8Array>): Promise<boolean> {
  let head = "";
  for await (const chunk of chunks) {
    head += Buffer.from(chunk.subarray(0, 5)).toString("latin1");
    if (head.length >= 5) break;
  }
  return head.startsWith("%PDF-");
}

// ---- Outputs of a preview ----

const UNSAID: Preview<DocumentState> = withoutTerms(unknownOutputs(documentOutputs));

/** Outputs of a document that a preview would create: what the program says; what only the service knows is unknown. */
export function previewOutputs(inputs: CheckedInputs, service: string): Preview<DocumentState> {
  const { name, description, folderId } = inputs;
  const said: Preview<DocumentState> = { name, description, folderId, imported: false, service };
  return trimmed<Preview<DocumentState>>({ ...UNSAID, ...givenTerms(inputs), ...said });
}

/** What is known of a document whose id is and whose body isn't. */
export function bareOutputs(
  id: string,
  inputs: CheckedInputs,
  kept: { supersedes: readonly string[] },
  origin: string,
): DocumentOutputs {
  const outputs: DocumentOutputs = {
    documentId: id,
    name: known(inputs.name) ?? "",
    status: "unknown",
    allSigned: false,
    signers: [],
    pendingSigners: recipientsIn(inputs).map(({ email }) => email),
    versions: [],
    fileUrl: null,
    signedFileUrl: null,
    signedSha256: null,
    certificates: certificatesOf(undefined, ""),
    certificatesNeedKey: null,
    nom151: nom151Of(id, undefined),
    ...termsIn(inputs),
    supersedes: [...kept.supersedes],
    drift: [],
    imported: false,
    service: origin,
  };
  const description = filled(inputs.description);
  return description === undefined ? outputs : { ...outputs, description };
}

// ---- State as it was written ----

/** False for outputs that came with an import file or were edited: they say nothing about what the service holds. */
export const isWrittenByProvider = (id: string, { documentId, service = "" }: DocumentState): boolean =>
  documentId === id && service !== "";

/** What the service may keep in another form. Any other difference makes it another document. */
const MAY_DIFFER: readonly (keyof DocumentInputs)[] = ["description", "folderId"];

/** Refuses where state's inputs describe another document than the one that has its id. `held` is the service's. */
export function assertSameDocument(urn: string, body: DocumentBody, inputs: CheckedInputs, held: DocumentState): void {
  const differing = driftOf(inputs, held).filter(
    name => inputs[name] !== undefined && !MAY_DIFFER.some(each => each === name),
  );
  if (differing.length === 0) return;
  throw new Refusal(
    {
      cause: "other-document",
      headline: `state holds id ${body.id} with outputs that the provider didn't write, and document ${body.id} at the service differs in ${differing.join(", ")}. Nothing was changed.`,
      remedies: [
        { kind: "state-delete" },
        { kind: "import", token: documentDeclaration.token, id: body.id },
        { kind: "advice", text: "if the id is wrong, import the document that the program declares" },
      ],
    },
    urn,
  );
}

// ---- Folders ----

/** `folder_id` isn't in the service's public interface: it was sent. What is unfinished where the service didn't follow. */
export function unplaced(
  { folderPlacement }: CreationPolicy,
  call: Call,
  document: DocumentBody,
  { folderId: wanted }: CheckedInputs,
): string[] {
  if (typeof wanted !== "string" || document.folderId === wanted) return [];
  const where = document.folderId === null ? "no folder" : `folder ${document.folderId}`;
  const headline = `document ${document.id} is in ${where}, not in folder ${wanted}: the service didn't follow \`folderId\`.`;
  if (folderPlacement === "warn") {
    call.log.warn(`${headline} The output \`drift\` names it. To move it, use the platform; nobody is mailed.`);
    return [];
  }
  return [
    `${headline} [docsign/folder-placement]`,
    `Move it to folder ${wanted} on the platform and run \`pulumi up\`, or take \`folderId\` out of the program: neither mails anyone.`,
  ];
}
