import { byId } from "../../client/bodies.js";
import { isUnsigned } from "../../client/files.js";
import type { DocumentBody } from "../../client/service.js";
import { createdBefore } from "../absence.js";
import { isOnItsWay, resendOf } from "../at-most-once.js";
import { type CreationPolicy, countsExisting } from "../context.js";
import type { Attempt, Journal, Owned } from "../journal/contract.js";
import type { CreateSituation } from "../journal/deployment-log.js";
import type { RefusalParts } from "../refusal.js";
import { type Finding, notReplaced, type ReplacedDocument } from "../replace-guard.js";
import { isPlaced, type Likeness, type LookupResult } from "./lookup.js";
import type { DocumentSpec } from "./state.js";
import * as words from "./words.js";

/*
 * What a create of a Document comes to, without mailing anybody twice. All of it is pure: facts.ts gathers the facts, create.ts does
 * what the plan says, and words.ts says it.
 *
 * A predecessor is a document that this create replaces or, where only the journal names it, may replace: the guard must let
 * each go. Its history is what it replaced before. An attempt is a create that the journal knows of and whose outcome it doesn't.
 * An `Owned` is what the journal has of a document: released once state has let go of it, and shown once an earlier deployment
 * has shown it in state.
 */

// ---- A plan ----

export type CreatePlan =
  /** What state has stays. */
  | { readonly kind: "keep"; readonly id: string; readonly supersedes: readonly string[]; readonly why: string }
  /** The first of these that no other create takes: with its owner one that is taken back, of the others `why` it is taken. */
  | {
      readonly kind: "take";
      readonly candidates: readonly {
        readonly body: DocumentBody;
        readonly owner?: Owned | undefined;
        readonly why?: string | undefined;
      }[];
      readonly supersedes: readonly string[];
    }
  /** `atStake` is asked about again when it is sent: nothing of it may be signed by then. */
  | {
      readonly kind: "send";
      readonly supersedes: readonly string[];
      readonly atStake: readonly words.AtStake[];
      readonly replaces: readonly ReplacedDocument[];
      /** What a person names and nobody has, where some of name, people and PDF are the program's. */
      readonly notTaken: readonly string[];
      /** In a preview: of `replaces`, what `pulumi up` only replaces where the engine deletes it first. */
      readonly onlyIfDeletedFirst: readonly string[];
    }
  | { readonly kind: "refuse"; readonly refusal: RefusalParts };

export type Plan<Kind extends CreatePlan["kind"]> = Extract<CreatePlan, { readonly kind: Kind }>;

const refuse = (refusal: RefusalParts): Plan<"refuse"> => ({ kind: "refuse", refusal });

const keep = ({ id, supersedes }: Pick<Owned, "id" | "supersedes">, why: string): Plan<"keep"> => ({
  ...{ kind: "keep", id, supersedes },
  why,
});

const take = (bodies: readonly DocumentBody[], supersedes: readonly string[], why: string): Plan<"take"> => ({
  kind: "take",
  candidates: bodies.map(body => ({ body, why })),
  supersedes,
});

// ---- The rules: the first that has an answer decides ----

/** By memory alone, without the service's lists. Undefined where that doesn't settle it. */
export const planFromMemory = (facts: RememberedFacts): Plan<"keep" | "refuse"> | undefined =>
  keepWanted(facts) ?? keepEarlierCreate(facts) ?? refuseToReplace(facts) ?? refuseOtherService(facts);

/** By what the service shows. With `duplicatePolicy: create`, what others sent is in nobody's way (`countsExisting`). */
export const planCreate = (facts: RememberedFacts, service: ServiceFacts): CreatePlan =>
  refuseSuccessors(facts, service) ??
  takeBackBesideAttempt(facts, service) ??
  continueAttempt(facts, service) ??
  takeBack(facts, service) ??
  refuseWhileOthersSend(service) ??
  planByLikeness(facts, service) ??
  send(facts, service);

/** While the folder isn't known, in a preview: what is refused in any. What may be its own by then is left to `pulumi up`. */
export function planInAnyFolder(facts: RememberedFacts, service: ServiceFacts): CreatePlan | undefined {
  if (service.attempt) return undefined;
  const documents = service.documents.map((each): Candidate => {
    const mayBeOwn = isExactMatch(each) && (each.holder === "this resource" || each.isLetGo);
    return mayBeOwn ? { ...each, standing: "other" } : each;
  });
  return planByLikeness(facts, { ...service, documents });
}

const planByLikeness = (facts: RememberedFacts, service: ServiceFacts): CreatePlan | undefined =>
  takeMarked(facts, service) ?? planExactMatches(facts, service) ?? refuseSimilar(service);

// ---- Facts ----

/** What the deployment log and the journal say of a create, and the guard of what it replaces, before lists are asked for. */
export interface RememberedFacts {
  readonly urn: string;
  readonly preview: boolean;
  readonly origin: string;
  /** What the program says; undefined while an input isn't known yet. */
  readonly spec: Pick<DocumentSpec, "name" | "folderId" | "content"> | undefined;
  /** What the engine is doing to the resource. */
  readonly situation: CreateSituation;
  /** Deleted for a replacement that never came, and made of this: the resource left the program, or state has lost it. */
  readonly deletedFirst: Owned | undefined;
  /** Created by an earlier run; nothing has shown that state has it. */
  readonly earlierCreate: Owned | undefined;
  /** What `earlierCreate` replaced, as the guard finds it now; undefined where state has let go of that. */
  readonly earlierCreatesPredecessor: Finding | undefined;
  /** What this deployment or the journal knows the resource to have. */
  readonly predecessors: readonly Predecessor[];
  /** What it has at other services. */
  readonly atOtherServices: Awaited<ReturnType<Journal["atOtherServices"]>>;
}

/** A document that this create replaces, as the service shows it now. */
export interface Predecessor extends words.AtStake {
  readonly supersedes: readonly string[];
  /** Inputs that Diff found to be others. */
  readonly changed?: readonly string[] | undefined;
  /** The engine has shown it in this deployment, in Diff or Delete; otherwise only the journal names it. */
  readonly isInState: boolean;
  readonly finding: Finding;
}

/** What the service shows. */
export interface ServiceFacts {
  /** This resource's own create without a known outcome, and what it led to. */
  readonly attempt: { readonly attempt: SeenAttempt; readonly result: LookupResult } | undefined;
  /** Attempts at the same content by other runs. */
  readonly attemptsOfOtherRuns: readonly { readonly attempt: SeenAttempt; readonly absenceProven: boolean }[];
  /** Each document that may be the one, and what it is to this create. */
  readonly documents: readonly Candidate[];
  /** With this resource's creation marker. */
  readonly marked: readonly { readonly body: DocumentBody; readonly same: boolean }[];
  /** What may have replaced a predecessor that only the journal names. */
  readonly successors: { readonly documents: readonly DocumentBody[]; readonly proven: boolean } | undefined;
  /** When the lists were asked for, by this machine's clock; undefined where none were. */
  readonly listedAt?: number | undefined;
  readonly now: number;
  /** By the service's clock, where it shows one. */
  readonly serviceNow: number | undefined;
  readonly policy: CreationPolicy;
}

/** With the time when another machine's was first read here, as the journal says. */
export type SeenAttempt = Attempt & { readonly seenAt?: number | undefined };

// Documents that may be the one:

/** Why a document may be the one: the first of these that holds. */
export type Source =
  /** It is what state's document replaced. */
  | "history"
  /** It is listed under the program's name, or the journal knows it for the same name, PDF and people. */
  | "name"
  /** A person names it. */
  | "person";

/** Who has a document, as far as this deployment and the journal know. */
export type Holder =
  /**
   * Nobody of this journal's made it, and it was there before this run sent anything, or a person names it: it isn't what
   * another create of this run led to.
   */
  | "stranger"
  /** The journal doesn't know it. */
  | "unknown"
  /** Whoever had it has let go of it. */
  | "nobody"
  | "this resource"
  /** Another resource of this program, as this deployment has shown, which keeps it. */
  | "another, shown"
  /** Another resource, by the journal. */
  | "another";

/** Whether a document was made of what the program says: by the journal, or where that doesn't say so, by state. */
export type MadeOf = "this" | "this, by state" | "other content" | "unknown";

/** A document that may be the one: what memory knows of it, and as far as something depends on it, what the service shows. */
export interface KnownDocument {
  readonly id: string;
  readonly source: Source;
  /** A person names it (`DOCSIGN_ADOPT`), whatever else shows it. */
  readonly isNamed: boolean;
  /** The journal's entry; undefined where it doesn't know it. */
  readonly owner: Owned | undefined;
  readonly holder: Holder;
  /** The journal says released, or whoever has it lets go of it in this run; by `holder` it may still be another's. */
  readonly isLetGo: boolean;
  readonly madeOf: MadeOf;
  /** Whoever has it gets another one in its place, by Diff. */
  readonly isChanging: boolean;
  /** The program has the resource that the journal has it under, as far as this deployment has shown. */
  readonly isInProgram: boolean;
  /** By the journal this resource has it in another backend, in place of what state has here: one of the two states is old. */
  readonly isSuccessorElsewhere: boolean;
  /** Undefined where it can't be read, too. */
  body?: DocumentBody | undefined;
  /**
   * Of what this journal's resources made and nobody has now: `same`, exactly what the program says; `doubtful`, as far as
   * the service shows it; `untold`, made of what the program says, and not shown, or not well enough.
   */
  asOurs?: "same" | "doubtful" | "untold" | undefined;
  /** How it compares with what the program says. */
  likeness?: Likeness | "unread" | undefined;
}

type Fits = (document: Omit<Candidate, "standing">) => boolean;

/** No other resource has it, as far as is known. */
export const isFree = ({ holder }: KnownDocument): boolean => holder !== "another" && holder !== "another, shown";

const isStranger = ({ holder }: KnownDocument): boolean => holder === "stranger";

/** What a document is to a create: the first that fits. `takeBack` asks for the first three, `planExactMatches` for the next two, `refuseSimilar` for the rest. */
const STANDINGS = {
  /**
   * Ours stays ours: this journal's resources made it, nobody has it now, and it is exactly what the program says. It is
   * taken back in place of sending another, which mails nobody: so its age, its resource and its signatures don't matter.
   */
  ours: ({ asOurs }) => asOurs === "same",
  /** Exactly alike, no other resource's, and a person names it: it is taken in the same way. */
  adopted: document => document.isAlike && document.isNamed && isFree(document),
  /** Made of this content and let go of, and the service doesn't show it now, or not well enough. */
  "untold ours": ({ asOurs }) => asOurs === "untold",
  /** This resource had it before, by state, and the service doesn't show all that may tell it from what the program says. */
  "may be ours": ({ asOurs }) => asOurs === "doubtful",
  /** Exactly alike, whoever has it. */
  "exact match": ({ isAlike }) => isAlike,
  /** What state's document replaced, and nothing of the above. */
  earlier: ({ source }) => source === "history",
  /** For the same people under the same name, and one that the journal knows: it may be alike. */
  unclear: ({ likeness }) => likeness === "unclear",
  /** It can't be read, and is a stranger's, or made of what the program says as far as the journal knows. */
  unread: document =>
    document.likeness === "unread" &&
    (isStranger(document) || (document.holder !== "unknown" && document.madeOf !== "other content")),
  /** For the same people under the same name, with other content: a stranger's, or what this resource has in another backend. */
  "same name": document =>
    document.likeness === "same name and people" && (isStranger(document) || document.isSuccessorElsewhere),
  /** A stranger's that a person names: two of name, people and PDF are the program's. */
  similar: document => document.source === "person" && document.likeness === "similar" && isStranger(document),
  other: () => true,
} satisfies Readonly<Record<string, Fits>>;

export type Standing = keyof typeof STANDINGS;

export interface Candidate extends Readonly<KnownDocument> {
  /** Exactly what the program says, or as far as the service shows it; and not what is replaced by force. */
  readonly isAlike: boolean;
  readonly standing: Standing;
}

/**
 * `isForced`: what state has is exactly what the program says, and is replaced all the same: then what it replaced before is
 * in nobody's way.
 */
export function candidateOf(document: KnownDocument, { isForced }: { readonly isForced: boolean }): Candidate {
  const { asOurs, likeness, source } = document;
  const isAlike = asOurs === "doubtful" || (likeness === "same" && !(isForced && source === "history"));
  const compared = { ...document, isAlike };
  const fitting = Object.entries<Fits>(STANDINGS).find(([, fits]) => fits(compared));
  return { ...compared, standing: fitting?.[0] as Standing };
}

// ---- By memory ----

/** What the program says is what state's document is, or one that was deleted for a replacement that never came. */
function keepWanted({ situation, deletedFirst }: RememberedFacts): Plan<"keep"> | undefined {
  const wanted = situation.kind === "still-wanted" ? situation.keeps : deletedFirst;
  return wanted && keep(wanted, "it is what the program says");
}

/** An earlier run created one, and nothing shows that state has it. Kept if it is this, and may have replaced what it did. */
function keepEarlierCreate(facts: RememberedFacts): Plan<"keep" | "refuse"> | undefined {
  const { preview, spec, situation, earlierCreate: created, earlierCreatesPredecessor: finding } = facts;
  if (!created || !spec) return undefined;
  if (created.fingerprint !== spec.content.fingerprint)
    return refuse(words.createdWithOtherContent(created, spec.name));
  if (finding && !finding.replaceable) return refuse(words.createdInPlaceOf(created, finding, situation.exists));
  return keep(created, words.createdEarlier(preview));
}

/** State has a document and nothing shows which; or a predecessor is signed, or can't be read. */
function refuseToReplace(facts: RememberedFacts): Plan<"refuse"> | undefined {
  const { situation, earlierCreate, predecessors } = facts;
  const isUnknown = situation.kind === "exists" && !earlierCreate && predecessors.length === 0;
  if (isUnknown) return refuse(words.unknownPredecessor);
  const blocked = predecessors.find(({ finding }) => !finding.replaceable);
  return blocked && refuse(notReplaced(blocked.finding, "replace-signed", blocked));
}

/** The resource has a document at another service, and none here that the journal or state knows of. */
function refuseOtherService(facts: RememberedFacts): Plan<"refuse"> | undefined {
  const { origin, earlierCreate, predecessors } = facts;
  const [there] = facts.atOtherServices;
  if (!there || earlierCreate || predecessors.length > 0) return undefined;
  return refuse(words.livesElsewhere(there, origin));
}

// ---- By what the service shows ----

/**
 * Another machine may have replaced what only the journal names: a newer document of that name is signed, or lists don't prove
 * that none is. Not in a preview, which calls no Delete to show what state has. What can't be read fails there as well.
 */
function refuseSuccessors(
  { preview, predecessors }: RememberedFacts,
  { successors }: ServiceFacts,
): CreatePlan | undefined {
  if (!successors || preview) return undefined;
  const signed = successors.documents.find(body => !isUnsigned(body));
  if (signed) return refuse(words.signedSuccessor(signed, predecessors));
  return successors.proven ? undefined : refuse(words.unknownPredecessor);
}

/**
 * The resource's own attempt was of other content: what is ours is taken back beside it. Not while somebody has signed what the
 * attempt led to, which state may have by now.
 */
function takeBackBesideAttempt(facts: RememberedFacts, service: ServiceFacts): CreatePlan | undefined {
  if (!service.attempt || service.attempt.attempt.fingerprint === facts.spec?.content.fingerprint) return undefined;
  const { result } = service.attempt;
  if (result.kind !== "absent" && !result.documents.every(isUnsigned)) return undefined;
  const plan = takeBack(facts, service);
  return plan?.kind === "take" ? plan : undefined;
}

/**
 * The resource's own attempt. What it led to is taken if it is this. The create goes on if it is proven to have led to nothing,
 * long enough ago.
 */
function continueAttempt({ spec }: RememberedFacts, service: ServiceFacts): CreatePlan | undefined {
  if (!service.attempt) return undefined;
  const { attempt, result } = service.attempt;
  if (result.kind === "absent") {
    const resend = resendOf(attempt, result, service, service.policy);
    if (resend.isAllowed) return undefined;
    return refuse(words.unconfirmed(attempt, { ...result, ...resend, name: spec?.name }));
  }
  if (result.kind === "found" && attempt.fingerprint === spec?.content.fingerprint)
    return take(result.documents, attempt.supersedes, "an earlier run created it and never saw the answer");
  return refuse(words.notTakenOver(attempt, result, spec?.name));
}

/**
 * One that was ours and that nobody has now, or that a person names, is exactly this: it is taken, signed or not. The first choice
 * is the one that a person names, then one that is signed, then the latest.
 */
function takeBack({ predecessors }: RememberedFacts, service: ServiceFacts): CreatePlan | undefined {
  const ours = having(service, "ours", "adopted").sort(
    (a, b) =>
      Number(b.isNamed) - Number(a.isNamed) ||
      Number(isUnsigned(a.body)) - Number(isUnsigned(b.body)) ||
      byId(b.id, a.id),
  );
  const [first] = ours;
  const unread = service.documents.find(({ standing }) => standing === "untold ours");
  if (!first) return unread && refuse(words.unreadOwn(unread.id, unread.owner));
  const rival = rivalOf(first.body, service);
  if (rival) return refuse(rival);
  const candidates = ours
    .filter(({ body }) => !rivalOf(body, service))
    .map(({ body, owner, isNamed }) => ({ body, owner, why: isNamed ? "DOCSIGN_ADOPT names it" : undefined }));
  return { kind: "take", candidates, supersedes: supersedesOf(predecessors) };
}

/**
 * Another run's attempt at the same, unless it is proven to have led to nothing, long enough ago. Where there is an exact match,
 * that one decides, once no attempt may still be under way.
 */
function refuseWhileOthersSend(service: ServiceFacts): CreatePlan | undefined {
  const { attemptsOfOtherRuns, documents, listedAt = 0, policy } = service;
  if (!countsExisting(policy)) return undefined;
  const isRecent = ({ attempt }: (typeof attemptsOfOtherRuns)[number]) =>
    isOnItsWay(attempt, listedAt, service, policy);
  const unsettled = attemptsOfOtherRuns.find(each => !each.absenceProven || isRecent(each));
  if (!unsettled || (documents.some(isExactMatch) && !attemptsOfOtherRuns.some(isRecent))) return undefined;
  return refuse(words.sentElsewhere(unsettled.attempt));
}

/** One that has this resource's creation marker is taken: if it is the only one, unsigned, and what was sent. */
function takeMarked(facts: RememberedFacts, service: ServiceFacts): CreatePlan | undefined {
  const [mark, ...more] = service.marked;
  if (!mark) return undefined;
  const signed = service.marked.find(({ body }) => !isUnsigned(body));
  const { body } = signed ?? mark;
  if (more.length > 0 || signed || !mark.same) {
    const documents = service.marked.map(each => each.body);
    return refuse(words.marked(documents, body, !mark.same && !signed));
  }
  const rival = rivalOf(body, service);
  if (rival) return refuse(rival);
  if (service.policy.duplicatePolicy === "refuse" && exactMatches(facts, service).length > 0) return undefined;
  return take([body], supersedesOf(facts.predecessors), "it carries this resource's creation marker");
}

/**
 * An exact match is never sent again. With `duplicatePolicy: adopt` it is taken, if each is unsigned, no other resource's and in
 * the program's folder.
 */
function planExactMatches(facts: RememberedFacts, service: ServiceFacts): CreatePlan | undefined {
  const { policy } = service;
  const matches = exactMatches(facts, service);
  const [any] = matches;
  if (!countsExisting(policy) || !any) return undefined;
  const isTakeable = (each: ReadCandidate) => isFree(each) && isPlaced(facts.spec, each.body) && isUnsigned(each.body);
  const blocked = matches.find(each => !isTakeable(each));
  if (policy.duplicatePolicy === "adopt") {
    const [rival] = matches.filter(isTakeable).flatMap(({ body }) => rivalOf(body, service) ?? []);
    if (rival) return refuse(rival);
    const bodies = matches.map(({ body }) => body);
    if (!blocked) return take(bodies, supersedesOf(facts.predecessors), "it has the same name, PDF and people");
  }
  return refuse(refusalOfMatch(blocked ?? any, matches, facts, service));
}

function refusalOfMatch(
  first: ReadCandidate,
  matches: readonly ReadCandidate[],
  facts: RememberedFacts,
  service: ServiceFacts,
): RefusalParts {
  if (first.standing === "may be ours") return words.mayBeOwn(first.body);
  const rival = isFree(first) ? rivalOf(first.body, service) : undefined;
  if (rival && facts.predecessors.length === 0) return rival;
  return words.exactMatch(first, facts, {
    all: matches,
    signed: signedIn(service).filter(each => !matches.includes(each)),
    isPlaced: isPlaced(facts.spec, first.body),
    mayAdopt: isFree(first) && !rival,
  });
}

/** One that may be this contract, though it isn't alike in all: for a person to say. */
function refuseSimilar(service: ServiceFacts): CreatePlan | undefined {
  const unread = service.documents.filter(({ standing }) => standing === "unread");
  const named = unread.find(({ isNamed }) => isNamed);
  if (!countsExisting(service.policy)) return named && refuse(words.unreadAdopted(named.id));
  const sameName = [...having(service, "same name"), ...having(service, "unclear")];
  if (sameName.length > 0) return refuse(words.sameName(sameName));
  const similar = having(service, "similar");
  if (similar.length > 0) return refuse(words.notAlike(similar.map(({ body }) => body)));
  const [first] = unread;
  if (named) return refuse(words.unreadAdopted(named.id));
  return first && refuse(words.unreadSameName(first.id, first.owner));
}

function send(facts: RememberedFacts, service: ServiceFacts): CreatePlan {
  const { predecessors } = facts;
  const successors = service.successors?.documents ?? [];
  return {
    kind: "send",
    supersedes: supersedesOf(predecessors),
    replaces: predecessors.map(({ id, finding }) => ({ id, sha256: finding.sha256 })),
    atStake: [...predecessors, ...successors.map(({ id }) => words.maybeBefore(id))],
    notTaken: service.documents.filter(isNamedInVain).map(({ id }) => id),
    onlyIfDeletedFirst: idsIfDeletedFirst(facts, service),
  };
}

// ---- What the rules ask ----

/** Another row may take it, so nothing is refused for it. */
const isNamedInVain = ({ source, isNamed, likeness = "other", holder }: Candidate): boolean =>
  isNamed &&
  source !== "history" &&
  (holder === "stranger" || holder === "nobody") &&
  likeness !== "same" &&
  likeness !== "other";

const supersedesOf = (predecessors: readonly Predecessor[]): string[] => [
  ...new Set(predecessors.flatMap(({ id, supersedes }) => [...supersedes, id])),
];

/** One that the service shows. */
export interface ReadCandidate extends Candidate {
  readonly body: DocumentBody;
}

const isRead = (document: Candidate): document is ReadCandidate => document.body !== undefined;

const having = ({ documents }: ServiceFacts, ...standings: readonly Standing[]): ReadCandidate[] =>
  documents.filter(isRead).filter(({ standing }) => standings.includes(standing));

const isExactMatch = ({ standing }: Candidate): boolean => standing === "exact match" || standing === "may be ours";

/** Exact matches that this create neither is nor replaces. */
function exactMatches(facts: RememberedFacts, service: ServiceFacts): ReadCandidate[] {
  const without = [service.marked[0]?.body.id, ...idsIfDeletedFirst(facts, service)];
  return service.documents.filter(isRead).filter(each => isExactMatch(each) && !without.includes(each.id));
}

/** In a preview: exact matches that only the journal names as predecessors. `pulumi up` replaces them if Delete shows them. */
function idsIfDeletedFirst(
  { preview, predecessors }: RememberedFacts,
  { documents, policy }: ServiceFacts,
): readonly string[] {
  if (!preview || !countsExisting(policy) || predecessors.some(({ isInState }) => isInState)) return [];
  const isPredecessor = (id: string) => predecessors.some(each => each.id === id);
  return documents.filter(each => isExactMatch(each) && isPredecessor(each.id)).map(({ id }) => id);
}

/**
 * What somebody has signed, for the same people under the same name. One exactly alike counts whoever has it, as what the
 * journal knows of that may be out of date; of the others those that no other resource has.
 */
function signedIn({ documents }: ServiceFacts): ReadCandidate[] {
  // A signed one of ours is a rival of none: it is taken back itself, unless a person names another.
  const signed = documents.filter(isRead).filter(({ body, standing }) => standing !== "ours" && !isUnsigned(body));
  const alike = signed.filter(({ likeness }) => likeness === "same");
  const others = signed.filter(
    each => isFree(each) && (each.likeness === "same name and people" || each.likeness === "unclear"),
  );
  return [...alike, ...others];
}

/**
 * An unsigned document isn't taken where somebody has signed a rival: one exactly alike, or newer, or that took its place. Which
 * of the two is the contract, a person says.
 */
function rivalOf(unsigned: DocumentBody, service: ServiceFacts): RefusalParts | undefined {
  if (!isUnsigned(unsigned)) return undefined;
  const [first, ...more] = signedIn(service).filter(
    ({ body, likeness, owner }) =>
      likeness === "same" ||
      owner?.supersedes.includes(unsigned.id) ||
      !createdBefore(body, Date.parse(unsigned.createdAt ?? "")),
  );
  if (!first) return undefined;
  const rivals = [first.body, ...more.map(({ body }) => body)] as const;
  const about = {
    isSame: first.likeness === "same",
    isFree: isFree(first),
    isAdoptable: isFree(first) && first.isAlike,
  };
  return words.signedInstead(unsigned, rivals, about);
}
