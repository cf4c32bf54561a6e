import type { Change } from "../../../kit/changes.js";
import { excerpt } from "../../../kit/check.js";
import { typeOf } from "../../../kit/resource.js";
import { Asset, isUnknown, known } from "../../../kit/values.js";
import type { NotFoundError } from "../../client/errors.js";
import { isUnsigned, latestFile } from "../../client/files.js";
import type { DocumentBody } from "../../client/service.js";
import {
  counted,
  lastingInWords,
  messageKind,
  messageOf,
  oneLine,
  statusInWords,
  withLocalTime,
} from "../../core/text.js";
import { mailsTo } from "../../schema/facts.js";
import { CLOCK_SLACK_MS } from "../absence.js";
import type { Resend } from "../at-most-once.js";
import { type Attempt, type Owned, type Scope, stackOf } from "../journal/contract.js";
import { markOf } from "../pdf/asset-source.js";
import { pdfHashOf } from "../pdf/pdf-input.js";
import { emailsOf } from "../people.js";
import { advice, forget, type MeantRemedy, nameOf, originIn, type RefusalParts, type Remedy } from "../refusal.js";
import { type Finding, notReplaced } from "../replace-guard.js";
import type { Call } from "../resource.js";
import { signerRows } from "../signers.js";
import { resourceOf } from "../urn.js";
import { nameHash } from "./content.js";
import { type CheckedInputs, type DocumentChange, type DocumentState, documentDeclaration } from "./declaration.js";
import type { LookupResult } from "./lookup.js";
import type { AtStake, Examined, ReadCandidate, RememberedFacts, ReplacedDocument } from "./plan.js";

/*
 * The words of a Document, and nothing else: what a preview announces, what a Delete says, and each refusal with its
 * remedies. Why and when they are said is decided in plan.ts and document.ts.
 */

// ---- What is announced ----

/** Says at preview who will be mailed and why, and what stays behind. */
export function announceMail(
  call: Call,
  inputs: CheckedInputs,
  {
    replaces,
    onlyIfDeletedFirst,
    mayBeKept,
  }: {
    readonly replaces: readonly ReplacedDocument[];
    readonly onlyIfDeletedFirst: readonly string[];
    /** Where what isn't known yet turns out as it was. */
    readonly mayBeKept: boolean;
  },
): void {
  const title = isUnknown(inputs.name)
    ? "a new document"
    : `document ${call.secrets.has("name") ? "(secret name)" : excerpt(inputs.name ?? "")}`;
  const lines = [
    mayBeKept
      ? `may mail ${invitees(inputs, call)}: ${title}, unless what isn't known yet turns out as it was`
      : `will mail ${invitees(inputs, call)}: ${title}`,
  ];
  for (const { id, sha256 } of replaces) {
    lines.push(`it replaces document ${id}, which stays at the service with its invitations open`);
    const hash = pdfHashOf(inputs);
    if (typeof hash === "string" && sha256 !== undefined && sha256 !== hash)
      lines.push(`the PDF changes: ${shortMark(sha256)} → ${shortMark(hash)}`);
  }
  call.log.info(lines.join("\n  "), {
    ...(known(inputs.invitations) && !mayBeKept ? mailsTo(emailsOf(inputs.invitations)) : { undecided: 1 }),
    ...(replaces.length > 0 ? { replaces: 1 } : { sends: 1 }),
  });
  if (onlyIfDeletedFirst.length === 0) return;
  call.log.warn(
    `\`pulumi up\` replaces document ${onlyIfDeletedFirst.join(", ")} only where a replacement is forced with the resource option \`deleteBeforeReplace: true\`. Otherwise, also where state has lost the document, it is taken back and nobody is mailed`,
  );
}

/** Those of the first stage are invited at once, the others when it is their turn. */
function invitees(inputs: CheckedInputs, call: Call): string {
  const people = known(inputs.invitations)?.map(known);
  if (!people) return "people not known yet";
  if (call.secrets.has("invitations")) return people.length === 1 ? "1 person" : `${people.length} people`;
  const addressesOf = (some: typeof people) =>
    some.map(person => known(person?.email) ?? "an address not known yet").join(", ");
  const stages = Map.groupBy(people, person => known(person?.stage) ?? 0);
  if (stages.size < 2) return addressesOf(people);
  const [first, ...later] = [...stages].sort(([a], [b]) => a - b);
  return [
    addressesOf(first?.[1] ?? []),
    ...later.map(([stage, some]) => `${addressesOf(some)} (in stage ${stage}, after those before)`),
  ].join(", then ");
}

export const takingOver = ({ preview }: Call, { id }: DocumentBody, why: string): string =>
  `${preview ? "will take over" : "takes over"} document ${id}, and mails no one: ${why}`;

/** Why what this resource has by the journal is taken: state has lost it, or a replacement is forced without a Delete before it. */
export const ownAgain =
  "this resource had it before, and it is exactly what the program says. To replace it all the same, set the resource option `deleteBeforeReplace: true` and force the replacement";

export const takingBack = ({ id, status }: DocumentBody): string =>
  `takes back document ${id} (${statusInWords(status)}), mails nobody: this stack or team had it before, with the same content`;

/** In a preview that doesn't know the folder yet. */
export function takenByFolder(own: readonly ReadCandidate[]): string {
  const where = own.map(({ id, body }) => `${id} (${body.folderId ? `in folder ${body.folderId}` : "in no folder"})`);
  return `document ${where.join(", ")} may be this very contract, and no resource holds it: \`pulumi up\` takes it over, which mails nobody, if it is in the folder, which isn't known yet, or DOCSIGN_ADOPT names it. Otherwise it refuses`;
}

// ---- What the guard finds ----

/** Changes as the guard's refusal names them: name, then before and after where both are known and safe to show. */
export function describeChanges(
  changes: readonly DocumentChange[],
  before: CheckedInputs | undefined,
  after: CheckedInputs,
  secrets: ReadonlySet<string>,
): string[] {
  if (!before) return changes.map(({ name }) => (name === "template" ? "template or variables" : name));
  return changes.map(({ name, path }) => {
    if (name === "file" || name === "base64File")
      return `${path} (${markText(pdfHashOf(before), "unknown PDF")} → ${markText(pdfHashOf(after), "unknown PDF")})`;
    const [was = "", is = ""] = [before[name], after[name]];
    if (was instanceof Asset && is instanceof Asset) return `${path} (${markText(was.hash)} → ${markText(is.hash)})`;
    const shown = path === name && name !== "extraParameters" && name !== "invitations" && !secrets.has(name);
    return shown ? `${path} (${excerpt(was)} → ${excerpt(is)})` : path;
  });
}

const markText = (hash: unknown, otherwise = "unknown"): string =>
  typeof hash === "string" ? shortMark(hash) : otherwise;

const shortMark = (hash: string): string => `${markOf(hash).slice(0, 19)}…`;

/** Who signed, how and when; and who hasn't. `secrets` are the inputs not to be shown. */
export function findingOf(
  body: DocumentBody,
  secrets: ReadonlySet<string>,
): Omit<Finding, "replaceable" | "confirmed" | "remedies"> {
  const hideNames = secrets.has("invitations");
  const title = `document ${body.id}${hideNames || secrets.has("name") ? "" : ` ${excerpt(body.name)}`}`;
  const isOdd = body.status === "unsigned" && !isUnsigned(body);
  const latest = latestFile(body);
  const times = new Map(latest?.signers.map(signer => [signer.id, signer.updatedAt]));
  const rows = signerRows(body);
  const details = rows.map(row => {
    const who = hideNames ? `invitation ${row.invitationId}` : row.email;
    if (row.status === "unsigned") return `waiting: ${who}`;
    const when = row.signerId === undefined ? undefined : times.get(row.signerId);
    return `${row.status}: ${who}${row.signatureType === undefined ? "" : ` (${row.signatureType})`}${when ? `, ${withLocalTime(when)}` : ""}`;
  });
  const created = Date.parse(body.createdAt ?? "");
  return {
    headline: `${title} is ${isOdd ? "unsigned by its status, but shows a signature" : statusInWords(body.status)}`,
    details,
    signed: hideNames ? [] : rows.flatMap(({ status, email }) => (status === "signed" ? [email] : [])),
    sha256: latest?.sha256 ?? undefined,
    createdAt: Number.isNaN(created) ? undefined : created,
  };
}

// ---- Remedies ----

export const importing = (id: string): Remedy => ({ kind: "import", token: documentDeclaration.token, id });

const importingFirst = (documents: readonly DocumentBody[]): Remedy[] =>
  documents.slice(0, 1).map(({ id }) => importing(id));

const NEW_ONE = "create a new one, which mails people again";

/**
 * Of a create that replaces: `pulumi import` takes nothing under a name whose document is replaced, and the resource option
 * does. What is taken over exactly alike needs none.
 */
export function withoutImports(refusal: RefusalParts): RefusalParts {
  const { remedies = [] } = refusal;
  const isAdoptable = remedies.some(({ kind }) => kind === "adopt");
  const inPlace = ({ id, when }: MeantRemedy & { readonly kind: "import" }): MeantRemedy => ({
    ...advice(
      `to hold document ${id} in place of the one in state: let the program say what it holds, and set the resource option import: "${id}"`,
    ),
    ...(when !== undefined && { when }),
  });
  return {
    ...refusal,
    remedies: remedies.flatMap(each => (each.kind !== "import" ? each : isAdoptable ? [] : inPlace(each))),
  };
}

/** A document of its name is there: only the setting lets another one be sent beside it. */
const forgetBeside = (token: string, effect = NEW_ONE): Remedy =>
  forget(
    token,
    `${effect}: pulumi config set docsign:duplicatePolicy create (it holds for the whole stack: afterwards, pulumi config rm docsign:duplicatePolicy), and then`,
  );

/** `sentAs`: the hash of the name that it was sent under, or how that begins. */
const forgetUnder = (token: string, name: string | undefined, sentAs: string | undefined): Remedy =>
  nameHash(name ?? "").startsWith(sentAs ?? "-") ? forgetBeside(token) : forget(token, NEW_ONE);

const ANOTHER: Remedy = {
  kind: "setting",
  name: "duplicatePolicy",
  value: "create",
  effect: "create another one on purpose, which mails people",
  once: true,
};

const OWN_NAME = advice("if it is another contract: give the new one a name of its own");
const ONCE_SHOWN = advice("run `pulumi up` again once the service shows it");
const AFTER_THE_OTHER = advice("wait until that run has ended, and run `pulumi up` again");
const IF_STATE_HAS = (what: string) => advice(`if state holds ${what}, run \`pulumi refresh\` and try again`);
const IF_FORCED = advice(
  "if state has it, and its replacement is forced (`pulumi state taint`, `--replace`): run `pulumi refresh` first, which shows this machine what state has",
);
const FROM_A_SET = advice(
  "if its row leaves a set of this program for this resource: give this one the option `dependsOn` with that set, which then lets go of the row first",
);

const folderOf = ({ folderId }: DocumentBody): string => (folderId === null ? "no folder" : `folder ${folderId}`);

const described = ({ id, status, createdAt }: DocumentBody): string =>
  `document ${id}, ${statusInWords(status)}, created ${createdAt ?? "at an unknown time"}`;

// ---- What a create replaces ----

export const shownBefore = (id: string): AtStake => ({
  id,
  because: "this create would replace it; with the program reverted, `pulumi up` keeps it and mails no one",
});

/** `isSame`: by the journal it was made of what the program says. */
export const rememberedBefore = (id: string, token: string, isShown: boolean, isSame: boolean): AtStake => ({
  id,
  because: "it was created for this resource before",
  remedies: [
    ...(isShown ? [] : [ONCE_SHOWN]),
    { kind: "untaint" },
    ...(isShown && isSame ? [{ kind: "adopt", id } as const] : []),
    importing(id),
    forget(
      token,
      isShown
        ? "if it belongs to something else"
        : "if it is gone for good, or belongs to something else, create a new one, which mails people",
    ),
  ],
});

export const shownElsewhere = ({ id, urn, token }: Owned, own: Scope): AtStake => ({
  id,
  because: `this resource had it, and a run or a preview has shown ${urn === own.urn ? "another in its place" : `it as ${urn}`} since`,
  remedies: [
    { kind: "untaint" },
    importing(id),
    advice("if the other resource has it now: name that one in this one's `dependsOn`, so that it is shown first"),
    forget(token, "if this resource has it no more, as after `pulumi state move`"),
  ],
});

export const maybeMoved = ({ id, urn, token }: Owned): AtStake => ({
  id,
  because: `by the journal it is of ${urn}, whose state may have been moved here`,
  remedies: [{ kind: "untaint" }, importing(id), forget(token, "if this is another stack")],
});

export const signedElsewhere = ({ finding, ...document }: Examined): RefusalParts => ({
  ...notReplaced(finding, "replace-signed", document),
  ending: ", and may be this resource's. Nothing was created.",
  // It has nothing here that could be kept or let go of.
  remedies: document.remedies ?? [],
});

export const maybeBefore = (id: string): AtStake => ({ id, because: "it may be what state holds by now" });

export const unknownPredecessor = {
  cause: "replace-unknown-predecessor",
  headline:
    "this create replaces a document, and nothing shows which one state holds now, so the service can't be asked about it. Nothing was created.",
  remedies: [
    advice(
      "set the resource option `deleteBeforeReplace: true`, so that the engine shows the document first, and run `pulumi up` again",
    ),
  ],
} as const satisfies RefusalParts;

export const signedSuccessor = ({ id, status }: DocumentBody, predecessors: readonly AtStake[]): RefusalParts => ({
  cause: "replace-signed",
  headline: `document ${id} is ${statusInWords(status)} and may be what state holds by now, so nothing is replaced. No one was mailed.`,
  details: [`this machine remembers document ${predecessors.map(each => each.id).join(", ")}`],
  remedies: [{ kind: "untaint" }, ...unknownPredecessor.remedies],
});

export const livesElsewhere = (
  { service, id, token }: { readonly service: string; readonly id: string; readonly token: string },
  here: string,
): RefusalParts => ({
  cause: "other-service",
  headline: `this resource holds document ${id} at ${service}, and the provider is configured for ${here}. Nothing was created.`,
  remedies: [
    { kind: "setting", name: "baseUrl", value: service, effect: "keep it" },
    forget(token, `create a new one at ${here}, which mails people again`),
  ],
});

// ---- What an earlier run created ----

export const createdWithOtherContent = ({ id, name, token }: Owned, wanted: string | undefined): RefusalParts => ({
  cause: "created-with-other-content",
  headline: `document ${id} was created for this resource by an earlier run, with other content, and state may not hold it. Nothing more was created.`,
  remedies: [IF_STATE_HAS("it"), importing(id), forgetUnder(token, wanted, name)],
});

/** Why what an earlier run created is kept. */
/** `mayBeForced`: in a preview, where nothing tells that no replacement is forced. */
export const keeping = (id: string, why: string, mayBeForced: boolean): string =>
  mayBeForced
    ? `document ${id} is kept and no one is mailed, unless a replacement is forced (\`--replace\`, a taint), which mails everyone: ${why}`
    : `document ${id} is kept, no one is mailed: ${why}`;

export const CREATED_EARLIER = "it was created by an earlier run, with this content";
export const FORCE_AGAIN = `${CREATED_EARLIER}. To force a replacement of it, run \`pulumi refresh\` first`;

/** `finding`: of what the document was created in place of. */
export const createdInPlaceOf = ({ id }: Owned, finding: Finding, isInState: boolean): RefusalParts => ({
  ...notReplaced(finding, "replace-signed", {
    because: `an earlier run created document ${id} in its place, and state may not hold it: look on the platform whether there are two`,
  }),
  signed: [],
  // The document in state may be the one that is signed: nothing is to take its place.
  remedies: [IF_STATE_HAS(`document ${id}`), { kind: "untaint" }, ...(isInState ? [] : [importing(id)])],
});

/** What an attempt of an earlier run came to, where it isn't taken over: another contract, or one of several documents. */
export function notTakenOver(
  attempt: Attempt,
  { kind, documents }: LookupResult & { readonly documents: readonly DocumentBody[] },
  wanted: string | undefined,
): RefusalParts {
  const isFound = kind === "found";
  const some = documents.length === 1 ? "one document" : `${documents.length} documents`;
  return {
    cause: isFound ? "created-with-other-content" : "create-ambiguous",
    headline: isFound
      ? `an earlier run created document ${documents[0]?.id} for this resource with other content and never saw the answer. Nothing more was created.`
      : `an earlier create of this document has no known outcome, and ${some} at the service may be it. Nothing more was created.`,
    details: documents.map(described),
    remedies: [...importingFirst(documents), forgetUnder(attempt.token, wanted, attempt.name)],
  };
}

export const sentElsewhere = ({ token, urn, startedAt, serviceTime }: Attempt): RefusalParts => ({
  cause: "create-elsewhere",
  headline:
    "another run has sent a document of the same name, PDF and people, and its outcome isn't known. Nothing was created.",
  details: [`sent ${new Date(serviceTime ?? startedAt).toISOString()} for ${urn}`],
  remedies: [AFTER_THE_OTHER, forget(token, "if that document isn't at the service"), ANOTHER],
});

export const createUnderWay: RefusalParts = {
  cause: "create-elsewhere",
  headline: "another run is creating this resource at this moment. Nothing was sent.",
  remedies: [AFTER_THE_OTHER],
};

// ---- What stands at the service already ----

export function marked(documents: readonly DocumentBody[], { id }: DocumentBody, isOther: boolean): RefusalParts {
  const isOne = documents.length === 1;
  const who = isOne ? `document ${id} carries` : "several documents carry";
  return {
    cause: isOne ? "duplicate" : "create-ambiguous",
    headline: `${who} this resource's creation marker${isOther ? ", but is for other people or has another PDF" : ""}. Nothing was created.`,
    details: documents.map(described),
    remedies: [importing(id)],
  };
}

interface ExactMatches {
  readonly all: readonly ReadCandidate[];
  /** What is signed beside them. */
  readonly signed: readonly ReadCandidate[];
  /** The first is in the folder that the program says, if it says one. */
  readonly isPlaced: boolean;
  readonly mayAdopt: boolean;
}

export function exactMatch(
  first: ReadCandidate,
  facts: RememberedFacts,
  { all, signed, isPlaced, mayAdopt }: ExactMatches,
): RefusalParts {
  const { body, owner } = first;
  const { preview, situation, predecessors } = facts;
  const isInState = situation.exists || predecessors.length > 0;
  const holder = owner
    ? heldBy(first, owner, facts.urn, isInState)
    : { words: "nothing shows that this stack sent it", remedies: [] };
  const isReplaced = predecessors.some(({ id }) => id === first.id);
  return {
    cause: "duplicate",
    headline: `document ${body.id} has the same name, PDF and people already, and ${holder.words}. Nothing was created.`,
    details: [
      ...all.map(each => described(each.body)),
      ...(isPlaced ? [] : [`document ${body.id} is in ${folderOf(body)}, and the program puts it into another one`]),
      ...signed.map(each => `${described(each.body)}, for the same people under the same name`),
    ],
    remedies: [
      ...holder.remedies,
      // Another resource's state has it, in this stack or another: there is nothing to import.
      ...(holder.remedies.length === 0 ? [importing(body.id)] : []),
      ...(isReplaced ? [advice("to replace it: set the resource option `deleteBeforeReplace: true`")] : []),
      ...(mayAdopt ? [{ kind: "adopt", id: body.id } satisfies Remedy] : []),
      // A preview deletes nothing, and so isn't shown what state has of a replacement that is forced.
      ...(owner || isInState || !preview ? [] : [IF_FORCED]),
      ...(owner ? [] : [FROM_A_SET]),
      ANOTHER,
    ],
  };
}

/** Who holds a document exactly alike, as far as the journal knows, and what can be done then. `urn`: of the create. */
function heldBy(
  { isInProgram, isChanging, source }: ReadCandidate,
  owner: Owned,
  urn: string,
  isInState: boolean,
): { words: string; remedies: readonly MeantRemedy[] } {
  const mine = resourceOf(urn);
  // The backend stays, as a resource has the same name in each.
  const theirs = owner.elsewhere ? owner.urn.replace(/#.*(?= \([^()]*\)$)/s, "") : resourceOf(owner.urn);
  const isOfStack = !owner.elsewhere && stackOf(mine) === stackOf(theirs);
  const name = isOfStack ? nameOf(theirs) : theirs;
  if (owner.released) return { words: `no resource holds it: \`${name}\` let go of it`, remedies: [] };
  if (owner.urn === urn) return { words: "this resource may hold it", remedies: [] };
  const words = `\`${name}\` holds it`;
  if (theirs === mine) return { words, remedies: [] };
  const first = `by a \`pulumi up\` ${isOfStack ? "of its own" : "of that stack"}: then it is taken back here, and mails no one, where the same journal is kept`;
  const leaving = advice(
    (owner.replaced || isChanging) && isOfStack
      ? `\`${name}\` is being replaced in the same run, or was to be: if it is by now, run \`pulumi up\` again. Otherwise, by a \`pulumi up\` each: put the program back, take this one out, change \`${name}\`, and put this one in again: then it is taken back, and mails no one, where the same journal is kept`
      : owner.urn.includes("#") && isOfStack
        ? `if its row leaves \`${name}\` for this resource: give this one the option \`dependsOn\` with that set, which then lets go of the row first. Or take the row out first, ${first}`
        : `if it leaves \`${name}\` for this resource: take it out there first, ${first}`,
  );
  if (!isOfStack) return { words, remedies: [leaving, { ...importing(owner.id), when: "if that stack is gone" }] };
  // What state has under this name wasn't renamed, nor what the program still has under its own.
  const isRenamed = !isInState && !isInProgram && typeOf(theirs) === typeOf(mine);
  // Nothing has shown yet that the program still has the other. What this one had before is its own as well: no order helps.
  const staying = advice(
    `if \`${name}\` keeps it, and this is another contract, which mails people: give this one the option \`dependsOn\` with \`${name}\``,
  );
  return {
    words,
    remedies: [
      ...(isRenamed ? [{ kind: "alias", urn: theirs } as const] : []),
      leaving,
      // By `pulumi state delete`, `retainOnDelete` or `deletedWith` state loses it, and no Delete tells the journal.
      ...(isInProgram || isChanging
        ? []
        : [{ ...importing(owner.id), when: `if neither the program nor state has \`${name}\` any more` }]),
      ...(source === "history" ? [] : [staying]),
    ],
  };
}

export const mayBeOwn = (body: DocumentBody): RefusalParts => ({
  cause: "duplicate",
  headline: `document ${body.id} is what this resource had before, and may be exactly this: the service doesn't show all that the program says of it. Nothing was created.`,
  details: [described(body)],
  remedies: [{ kind: "adopt", id: body.id }, ANOTHER],
});

/** `first`: of the rivals. */
export function signedInstead(
  unsigned: DocumentBody,
  rivals: readonly [ReadCandidate, ...ReadCandidate[]],
  isFree: boolean,
): RefusalParts {
  const [first] = rivals;
  const { id, status } = first.body;
  const isSame = first.likeness === "same";
  const [forWhom, whatElse] = isSame
    ? ["", "is exactly alike"]
    : [", for the same people under the same name", "has the program's content"];
  const reverting = `put the program back to what document ${id} holds: if it is this stack's, it is taken back, and mails no one`;
  return {
    cause: "duplicate",
    headline: `document ${id} is ${statusInWords(status)}${forWhom}, so document ${unsigned.id}, which ${whatElse} and nobody has signed, isn't taken in its place. Nothing was created.`,
    details: [...rivals.map(({ body }) => body), unsigned].map(described),
    remedies: [
      isFree ? importing(id) : OWN_NAME,
      ...(isFree && first.isAlike ? [{ kind: "adopt", id } satisfies Remedy] : []),
      ...(isSame ? [] : [advice(reverting)]),
      ANOTHER,
    ],
  };
}

/**
 * A run may have been cut off on a machine that forgot it, before the PDF changed; or a forced replacement shows nothing
 * of what state has.
 */
export function sameName(sameNameAndPeople: readonly ReadCandidate[]): RefusalParts {
  // What somebody has signed comes first.
  const sorted = sameNameAndPeople.toSorted((a, b) => Number(isUnsigned(a.body)) - Number(isUnsigned(b.body)));
  const documents = sorted.map(({ body }) => body);
  const whose = sorted[0]?.isOwnElsewhere
    ? "by the journal this resource has it in another backend"
    : "nothing shows that this stack sent it";
  return {
    cause: "duplicate",
    headline: `document ${documents[0]?.id} has the same name and people already, and ${whose}. Nothing was created.`,
    details: [
      ...documents.map(described),
      "its PDF or description differs: an earlier run may have sent it",
      "once it is imported, `pulumi up` replaces it, which mails people, while the program differs and nobody has signed it",
    ],
    remedies: [
      ...importingFirst(documents),
      OWN_NAME,
      advice("if this resource holds it: set the resource option `deleteBeforeReplace: true`"),
      ANOTHER,
    ],
  };
}

/** A person names it, and a service may store a name or a PDF otherwise than it was sent. */
export const notAlike = (documents: readonly DocumentBody[]): RefusalParts => ({
  cause: "duplicate",
  headline: `document ${documents[0]?.id}, which DOCSIGN_ADOPT names, may be this contract and isn't exactly alike. Nothing was created.`,
  details: [...documents.map(described), "its name, its people or its PDF differ"],
  remedies: [...importingFirst(documents), advice("if it is another contract: leave its id out of DOCSIGN_ADOPT")],
});

export const notTaken = (id: string): string =>
  `document ${id}, which DOCSIGN_ADOPT names, isn't taken for this one: its name, its people or its PDF differ. Where it is this contract, let the program say what it holds.`;

// ---- What can't be read ----

export const unreadSameName = (id: string, owner: Owned | undefined): RefusalParts => ({
  cause: "duplicate-unconfirmed",
  headline: `document ${id} has the same name and can't be read, so it may be this contract. Nothing was created.`,
  remedies: [ONCE_SHOWN, OWN_NAME, owner ? forgetBeside(owner.token) : ANOTHER],
});

export const unreadAdopted = (id: string): RefusalParts => ({
  cause: "duplicate-unconfirmed",
  headline: `DOCSIGN_ADOPT names document ${id}, which can't be read, so it may be this contract. Nothing was created.`,
  remedies: [ONCE_SHOWN, advice("if it isn't this contract: take its id out of DOCSIGN_ADOPT")],
});

export const unreadOwn = (id: string, owner: Owned | undefined): RefusalParts => ({
  cause: "duplicate-unconfirmed",
  headline: `document ${id} was made of this content and let go of, and the service doesn't show it now. Nothing was created.`,
  remedies: [
    advice("run `pulumi up` again once the service shows it: it is taken back, and mails no one"),
    owner?.fingerprint === undefined ? ANOTHER : forget(owner.token, `if it can't be had back, ${NEW_ONE}`),
  ],
});

// ---- A create without a known outcome ----

export const ambiguousCreate = ({ token }: Attempt, documents: readonly DocumentBody[]): RefusalParts => ({
  cause: "create-ambiguous",
  headline: "the document was sent once, and the service has some that may be it. Nothing more was created.",
  details: documents.map(described),
  remedies: [
    ...importingFirst(documents),
    forgetBeside(token, "if none of them is, create a new one, which mails people"),
  ],
});

export const cancelledCreate = (hints: readonly string[] = []): RefusalParts => ({
  cause: "cancelled-create",
  headline: "cancelled while the document was being created, so it isn't known whether the service has it.",
  details: hints.map(unconfirmedId),
  remedies: [advice("run `pulumi up` again: it is looked for before anything is sent")],
});

const unconfirmedId = (id: string): string => `the service answered with id ${id}, which couldn't be confirmed`;

type Absent = LookupResult & { kind: "absent" };

interface AboutUnconfirmed extends Omit<Absent, "kind" | "askedAt">, Omit<Resend, "isAllowed"> {
  /** Of the program's document. */
  readonly name?: string | undefined;
  /** What the request came to, where this run sent it. */
  readonly answer?: string | undefined;
}

/** What a create without a known outcome says: what was found out, and how to go on. */
export function unconfirmed(attempt: Attempt, about: AboutUnconfirmed): RefusalParts {
  const { proven, page, unread = [], name, waited, isTimed, sendableAt, answer } = about;
  const { token, said } = attempt;
  const again = new Date(sendableAt).toISOString();
  const isLater = proven && isTimed && !attempt.answered;
  const mayBePage = page !== undefined && isTimed && !attempt.answered && said === undefined;
  const why = whyUnconfirmed(attempt, { ...about, page: mayBePage ? page : undefined }, again);
  const sought = name !== undefined && nameHash(name) === attempt.name ? excerpt(name) : "it";
  const ago = isTimed ? `${lastingInWords(waited)} ago` : undefined;
  // A run that ended between its line in the journal and its request has sent nothing, and nobody knows it.
  const isSent = answer !== undefined || attempt.answered === true;
  const what = isSent
    ? `the document was sent once${ago ? `, ${ago},` : ""} and its outcome isn't known`
    : `another run began to send the document${ago ? ` ${ago}` : ""}, and it isn't known whether it did`;
  const next = isLater
    ? `run \`pulumi up\` again after ${again}: it looks first, and sends only what isn't there`
    : mayBePage
      ? "run `pulumi up` again once the account holds one more document: a longer list may tell"
      : "it may still appear: run `pulumi up` again, which takes over what it finds";
  const isUnread = unread.length > 0;
  return {
    cause: "create-unconfirmed",
    headline: `${what}. It is not sent again without proof.`,
    details: [
      ...(answer === undefined ? [] : [oneLine(answer)]),
      why,
      ...(isLater ? [] : [`look for ${sought} on the platform`]),
      ...attempt.hints.map(id =>
        id === said
          ? `${saidBy(attempt)} said that it is document ${id}, which couldn't be confirmed`
          : unconfirmedId(id),
      ),
    ],
    why: isUnread ? "hidden" : messageKind(why),
    remedies: [
      ...(isUnread ? [] : [advice(next)]),
      ...(isLater ? [] : [{ kind: "resolve", token, ids: unread } as const]),
      mayBePage && !isUnread
        ? forget(token, "it isn't there: send it again; the longer list may tell of others", { one: true })
        : forget(token, "it isn't there: send it again"),
    ],
  };
}

function whyUnconfirmed(attempt: Attempt, about: AboutUnconfirmed, again: string): string {
  const { proven, oldest, page, strangers, failed, isTimed } = about;
  if (failed !== undefined) return failed;
  if (attempt.said !== undefined)
    return `the document that ${saidBy(attempt)} named isn't what was sent, or the service doesn't show it`;
  if (attempt.answered) return "the service answered that it was created, and doesn't show it";
  if (proven)
    return isTimed
      ? `the service doesn't show it yet. Before ${again} it may still appear`
      : "the service doesn't show it, and its answers have no Date: no clock tells how long ago it was sent";
  // Lists that don't show it, and don't reach back far enough to prove that it isn't there.
  if (oldest === undefined) return "the service lists no document, so nothing tells whether its lists are complete";
  if (page !== undefined)
    return `the service's list shows ${page} documents, and not this one. A page may have as many: there may be more`;
  if (strangers)
    return "the service's lists don't show it, nor any other that was sent from here: nothing tells whether they show what is";
  return Date.parse(oldest) >= (attempt.serviceTime ?? attempt.startedAt) - CLOCK_SLACK_MS
    ? `the service's lists don't show it. The oldest document that they show is from ${withLocalTime(oldest)}: too young to tell`
    : "the service's lists don't show it, and may leave documents out";
}

const saidBy = ({ saidBy: name = "a person" }: Attempt): string => oneLine(name);

// ---- What goes on without it ----

export function maybeReplacing(id: string, changes: readonly Change[]): string {
  const [value, isNot] = changes.length === 1 ? ["value", "isn't"] : ["values", "aren't"];
  const names = changes.map(({ path }) => path).join(", ");
  return `the ${value} of ${names} ${isNot} known yet, so document ${id} may have to be replaced. That is decided once the value is known, and only an unsigned document is replaced.`;
}

export const keptUnread = (id: string, error: unknown): string[] => [
  `document ${id} is kept, but it couldn't be read: ${messageOf(error)}`,
  "Run `pulumi up` again: it is read then, and no one is mailed.",
];

export const listedUnread = (id: string): string =>
  `document ${id} is listed under its name, and the service doesn't show it: state has its id, and whatever else only the service knows comes with \`pulumi refresh\` once it does. Nobody is mailed again.`;

export const keepingState = (id: string): string =>
  `the service doesn't show document ${id}, so state keeps what it knew. The service can't delete documents: check docsign:baseUrl and that the key belongs to the account that owns the document.`;

export const importedWithoutHash = (id: string): string =>
  `the service doesn't show the hash of document ${id}'s PDF, and the PDF can't be downloaded, so it can't be compared: whatever \`file\` or \`base64File\` the program gives counts as that PDF.`;

export const importedWithoutDescription = (id: string): string =>
  `the service shows no description of document ${id}, which was imported: whatever \`description\` the program gives counts as its own, and nothing writes it there.`;

/** Added to what a create failed with after the engine's Delete. */
export const stillThere = (replaced: readonly ReplacedDocument[]): string =>
  `\nDocument ${replaced.map(({ id }) => id).join(", ")}, which the new one was to replace, is still at the service: with the program reverted, \`pulumi up\` keeps it in the stack and mails no one.`;

export function unfinishedReplacement(id: string, others: readonly Owned[], tokens: string): string {
  const which = others.length > 0 ? `: ${others.map(other => `document ${other.id}`).join(", ")}` : "";
  return `an earlier run began to create another document in place of document ${id} and was interrupted${which}. It may be at the service: look on the platform. Asking for that replacement again takes it over and mails no one. To hear nothing of it in one run: DOCSIGN_FORGET=${tokens} pulumi up; where that run sends or removes a document, the journal forgets it for good`;
}

export function unplaced(body: DocumentBody, wanted: string, mayBeMoved: boolean) {
  const why = mayBeMoved ? "somebody may have moved it on the platform" : "the service didn't follow `folderId`";
  const headline = `document ${body.id} is in ${folderOf(body)}, not in folder ${wanted}: ${why}.`;
  return {
    warning: `${headline} The output \`drift\` names it. To move it, use the platform; nobody is mailed.`,
    unfinished: [
      `${headline} [docsign/folder-placement]`,
      `Move it to folder ${wanted} on the platform and run \`pulumi up\`, or take \`folderId\` out of the program: neither mails anyone.`,
    ],
  };
}

// ---- What state has ----

export const otherDocument = (id: string, differing: readonly string[]): RefusalParts => ({
  cause: "other-document",
  headline: `state holds id ${id} with outputs that the provider didn't write, and document ${id} at the service differs in ${differing.join(", ")}. Nothing was changed.`,
  remedies: [
    { kind: "state-delete" },
    importing(id),
    advice("if the id is wrong, import the document that the program declares"),
  ],
});

export const notShown = (id: string, cause: NotFoundError, { inState } = { inState: false }): RefusalParts => ({
  cause: "not-shown",
  headline: `document ${id} can't be ${inState ? "read" : "imported"}: the service doesn't show it to this account.`,
  details: [cause.message],
  remedies: [
    advice("check the id, docsign:baseUrl and whose key is configured"),
    ...(inState ? [{ kind: "state-delete" } satisfies Remedy] : []),
  ],
});

export const heldTwice = (id: string, urns: readonly string[]): RefusalParts => ({
  cause: "held-twice",
  headline: `${urns.map(urn => `\`${nameOf(urn)}\``).join(" and ")} both hold document ${id} in state. Nothing was changed.`,
  remedies: [
    advice(
      "take one of the two out of the program, and run `pulumi up`: the other one keeps the document, and nobody is mailed",
    ),
  ],
});

/** What a delete says: the document lives on. */
export function forgetting(id: string, outputs: DocumentState, here: string | undefined, call: Call): string {
  const origin = originIn(outputs);
  const where =
    origin !== "" && origin !== here
      ? ` at ${origin}, which this provider isn't configured for`
      : " at the service, which can't delete documents";
  return `document ${id} is removed from state, not deleted: it stays${where}. ${signedWhenRead(outputs, call.secrets)}`;
}

/** Who has signed, by state. It is as old as the last read, and people may have signed since. */
function signedWhenRead(
  { status, pendingSigners: pending = [], signers = [] }: DocumentState,
  secrets: ReadonlySet<string>,
): string {
  const isSecret = secrets.has("invitations") || secrets.has("pendingSigners");
  const who = isSecret ? counted(pending.length, "person", "people") : pending.join(", ");
  if (status === "signed") return "It was signed when it was last read.";
  if (pending.length === 0 || (status !== "unsigned" && status !== "partially_signed"))
    return "State doesn't say who has signed.";
  const isPartial = status === "partially_signed" || signers.length > pending.length;
  const was = isPartial ? "It was partially signed" : "Nobody had signed";
  return `${was} when it was last read; ${who} can still sign.`;
}
