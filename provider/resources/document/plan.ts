import { byId } from "../../client/bodies.js";
import { isUnsigned } from "../../client/files.js";
import type { DocumentBody } from "../../client/service.js";
import { createdBefore } from "../absence.js";
import { isOnItsWay, resendOf } from "../at-most-once.js";
import { type CreationPolicy, countsExisting } from "../context.js";
import type { Attempt, Journal, Owned } from "../journal/contract.js";
import type { CreateSituation } from "../journal/deployment-log.js";
import type { RefusalParts, Remedy } from "../refusal.js";
import { type Finding, notReplaced } from "../replace-guard.js";
import { type Candidate, isFree, type Standing } from "./candidates.js";
import { type DocumentSpec, hasOthersMarker } from "./content.js";
import { isPlaced, type LookupResult } from "./lookup.js";
import * as words from "./words.js";

/*
 * What a create of a Document comes to, without mailing anybody twice. All of it is pure: facts.ts gathers the facts, create.ts does
 * what the plan says, and words.ts says it.
 *
 * A predecessor is a document that this create replaces or, where only the journal names it, may replace: the guard must let
 * each go. Its history is what it replaced before. An attempt is a create that the journal knows of and whose outcome it doesn't.
 * An `Owned` is a document in the journal: `shown` once the engine has shown it in state, `replaced` once it was deleted for a
 * successor, `released` once it is nobody's.
 *
 * Each document that may be the one has a `Standing` (candidates.ts). An exact match has the program's name, people, PDF and
 * description.
 *
 * | `ours`, `adopted`, `untold ours` | `takeBack` | takes one of the first two; with none it refuses where one is `untold ours` |
 * | `may be ours`, `exact match` | `planExactMatches` | takes by `duplicatePolicy: adopt`, or what this resource has by the journal; or refuses |
 * | `replaced if deleted first` | `send`, in a preview | is named in what is sent |
 * | `same name`, `unclear`, `similar`, `unread` | `refuseSimilar` | refuses |
 */

// ---- A plan ----

export type CreatePlan =
  /** The resource has it already, by state or the journal. */
  | {
      readonly kind: "keep";
      readonly id: string;
      readonly supersedes: readonly string[];
      readonly why: string;
      /** In a preview: `pulumi up` replaces it where that is forced and a Delete comes first. */
      readonly mayBeForced: boolean;
    }
  /** The first of these that no other create takes. `owner`: the journal's entry of one that is taken back; `why`: for the log. */
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
      readonly atStake: readonly AtStake[];
      readonly replaces: readonly ReplacedDocument[];
      /** What a person names and nobody has, where some of name, people and PDF are the program's. */
      readonly notTaken: readonly string[];
      /** In a preview: of `replaces`, what `pulumi up` only replaces where the engine deletes it first. */
      readonly onlyIfDeletedFirst: readonly string[];
      readonly basis: Basis;
    }
  | { readonly kind: "refuse"; readonly refusal: RefusalParts };

export interface ReplacedDocument {
  readonly id: string;
  readonly sha256: string | undefined;
}

export type Plan<Kind extends CreatePlan["kind"]> = Extract<CreatePlan, { readonly kind: Kind }>;
type TakeOrRefuse = Plan<"take" | "refuse">;

const refuse = (refusal: RefusalParts): Plan<"refuse"> => ({ kind: "refuse", refusal });

const keep = (
  { id, supersedes }: Pick<Owned, "id" | "supersedes">,
  why: string,
  mayBeForced = false,
): Plan<"keep"> => ({ kind: "keep", id, supersedes, why, mayBeForced });

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
  continueAttempt(facts, service) ??
  takeBack(facts, service) ??
  refuseWhileOthersSend(service) ??
  planByLikeness(facts, service) ??
  refuseBlocked(facts) ??
  // It may as well be another stack's: named only where nothing else is refused.
  refuseMoved(facts) ??
  send(facts, service);

/** What a preview that doesn't know the folder refuses, whichever it is. What may be this resource's own is left to `pulumi up`. */
export function refusalInAnyFolder(facts: RememberedFacts, service: ServiceFacts): RefusalParts | undefined {
  if (service.ownAttempt) return undefined;
  const documents = service.documents.map(
    (each): Candidate => (mayBeOwn(each) ? { ...each, standing: "other" } : each),
  );
  const plan = planByLikeness(facts, { ...service, documents });
  return plan?.kind === "refuse" ? plan.refusal : undefined;
}

/** What `pulumi up` takes in such a folder, or refuses because of: nobody is mailed. */
export const ownInSomeFolder = ({ ownAttempt, documents }: ServiceFacts): readonly ReadCandidate[] =>
  ownAttempt ? [] : documents.filter(isRead).filter(mayBeOwn);

const mayBeOwn = (document: Candidate): boolean =>
  document.standing === "adopted" ||
  ((document.standing === "ours" || isExactMatch(document)) &&
    (document.holder === "this resource" || document.isLetGo));

const planByLikeness = (facts: RememberedFacts, service: ServiceFacts): TakeOrRefuse | undefined =>
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
  /** What the resource has, and the program says: its replacement was taken back or never came, or unknown inputs turned out the same. */
  readonly wanted: Pick<Owned, "id" | "supersedes"> | undefined;
  /** Created by an earlier run, and nothing has shown that state has it. `replaced`: what it replaced; undefined where state has let go of that. */
  readonly earlierCreate: { readonly created: Owned; readonly replaced: Finding | undefined } | undefined;
  readonly predecessors: readonly Predecessor[];
  /** What it had by the journal, and the engine has shown otherwise since, if only in a preview. */
  readonly shownElsewhere: readonly Examined[];
  /** Where it has nothing: what a resource of its name has in another backend, whose state may have been moved here. */
  readonly maybeMoved: readonly Examined[];
  /** What it has at other services. */
  readonly atOtherServices: Awaited<ReturnType<Journal["atOtherServices"]>>;
}

/** A document that a create replaces, or may replace. */
export interface AtStake {
  readonly id: string;
  /** Why it counts as this resource's. */
  readonly because: string;
  readonly remedies?: readonly Remedy[];
}

/** The same, as the guard finds it now. */
export interface Examined extends AtStake {
  readonly finding: Finding;
}

/** What this deployment or the journal knows the resource to have: this create replaces it, or may. */
export interface Predecessor extends Examined {
  readonly supersedes: readonly string[];
  /** Inputs that Diff found to be others. */
  readonly changed?: readonly string[] | undefined;
  /** The engine has shown it in this deployment, in Diff or Delete; otherwise only the journal names it. */
  readonly isInState: boolean;
  /**
   * State has lost it, as its set or a person (`DOCSIGN_ADOPT`) tells, and by the journal it was made of what the program says: it is
   * taken back if the service shows that.
   */
  readonly isLost: boolean;
}

/** What the service shows, beside what the journal says of it. */
export interface ServiceFacts {
  /** This resource's attempt, and what it led to. */
  readonly ownAttempt: { readonly attempt: SeenAttempt; readonly result: LookupResult } | undefined;
  /** Other runs' attempts at the same content. */
  readonly attemptsOfOtherRuns: readonly { readonly attempt: SeenAttempt; readonly absenceProven: boolean }[];
  /** Each document that may be the one, and what it is to this create. */
  readonly documents: readonly Candidate[];
  /** With this resource's creation marker. */
  readonly marked: readonly { readonly body: DocumentBody; readonly same: boolean }[];
  /** What may have replaced a predecessor that only the journal names. */
  readonly successors: { readonly documents: readonly DocumentBody[]; readonly proven: boolean } | undefined;
  readonly basis: Basis;
  readonly now: number;
  /** By the service's clock, where it shows one. */
  readonly serviceNow: number | undefined;
  readonly policy: CreationPolicy;
}

/** What a create was decided on. The journal is asked about it once more when it is sent. */
export interface Basis {
  /** Ids that the resource was known to have. */
  readonly owned: readonly string[];
  /** The resource's attempt that this create goes on from. */
  readonly token?: string | undefined;
  /** What was listed before anything was sent. */
  readonly before: ReadonlySet<string>;
  /** When the lists were asked for, by this machine's clock; undefined where none were. */
  readonly listedAt?: number | undefined;
  /** Tokens of what the journal had of this content; undefined where that doesn't matter. */
  readonly knows?: readonly string[] | undefined;
  /** How often the journal had lost something by then; undefined where that doesn't matter. */
  readonly losses?: number | undefined;
}

/** With the time when another machine's was first read here, as the journal says. */
export type SeenAttempt = Attempt & { readonly seenAt?: number | undefined };

// ---- By memory ----

const keepWanted = ({ wanted, situation }: RememberedFacts): Plan<"keep"> | undefined => {
  const moves = situation.kind === "still-wanted" ? situation.moves : undefined;
  return wanted && keep(wanted, moves?.why ?? "it is what the program says");
};

/** An earlier run created one, and state never showed it. Kept if it is this, and what it replaced is unsigned or let go of. */
function keepEarlierCreate(facts: RememberedFacts): Plan<"keep" | "refuse"> | undefined {
  const { preview, spec, situation, earlierCreate } = facts;
  if (!earlierCreate || !spec) return undefined;
  const { created, replaced } = earlierCreate;
  if (created.fingerprint !== spec.content.fingerprint)
    return refuse(words.createdWithOtherContent(created, spec.name));
  if (replaced && !replaced.replaceable) return refuse(words.createdInPlaceOf(created, replaced, situation.exists));
  // A row whose set is in state isn't forced by itself.
  const mayBeForced = preview && !situation.exists;
  return keep(created, preview ? words.CREATED_EARLIER : words.FORCE_AGAIN, mayBeForced);
}

/** Refuses where state has a document and nothing shows which; or where one that may be replaced, and not taken back, is blocked. */
function refuseToReplace(facts: RememberedFacts): Plan<"refuse"> | undefined {
  const { situation, earlierCreate, predecessors } = facts;
  const isUnknown = situation.kind === "exists" && !earlierCreate && predecessors.length === 0;
  if (isUnknown) return refuse(words.unknownPredecessor);
  return refuseBlocked({ ...facts, predecessors: predecessors.filter(({ isLost }) => !isLost) });
}

function refuseBlocked({ predecessors, shownElsewhere }: RememberedFacts): Plan<"refuse"> | undefined {
  const blocked = [...predecessors, ...shownElsewhere].find(isBlocked);
  return blocked && refuse(notReplaced(blocked.finding, "replace-signed", blocked));
}

function refuseMoved({ maybeMoved }: RememberedFacts): Plan<"refuse"> | undefined {
  const blocked = maybeMoved.find(isBlocked);
  return blocked && refuse(words.signedElsewhere(blocked));
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
 * Only the journal names the predecessor: another machine may have replaced it since. Refused if a newer document of that name
 * is signed, or lists don't prove that none is. In a preview nothing is refused: no Delete has shown what state has.
 */
function refuseSuccessors(
  { preview, predecessors }: RememberedFacts,
  { successors }: ServiceFacts,
): Plan<"refuse"> | undefined {
  if (!successors || preview) return undefined;
  const signed = successors.documents.find(body => !isUnsigned(body));
  if (signed) return refuse(words.signedSuccessor(signed, predecessors));
  return successors.proven ? undefined : refuse(words.unknownPredecessor);
}

/**
 * The resource's own attempt, by what it led to:
 *
 * | it led to | the attempt was for this content | for other content |
 * |---|---|---|
 * | nothing, which is proven and long enough ago | the create goes on | the create goes on |
 * | nothing, as far as is known | refuses | takes back what is ours, or refuses |
 * | one document | takes it | takes back what is ours unless that one is signed, or refuses |
 * | one of several | refuses | the same |
 */
function continueAttempt(facts: RememberedFacts, service: ServiceFacts): TakeOrRefuse | undefined {
  if (!service.ownAttempt) return undefined;
  const { attempt, result } = service.ownAttempt;
  const name = facts.spec?.name;
  const isThis = attempt.fingerprint === facts.spec?.content.fingerprint;
  const takeBackOr = (refusal: RefusalParts): TakeOrRefuse => {
    const back = isThis ? undefined : takeBack(facts, service);
    return back?.kind === "take" ? back : refuse(refusal);
  };
  if (result.kind === "absent") {
    const resend = resendOf(attempt, result, service, service.policy);
    return resend.isAllowed ? undefined : takeBackOr(words.unconfirmed(attempt, { ...result, ...resend, name }));
  }
  if (result.kind === "found" && isThis)
    return take(result.documents, attempt.supersedes, "an earlier run created it and never saw the answer");
  const refusal = words.notTakenOver(attempt, result, name);
  // State may have by now what the attempt led to, if somebody has signed that.
  return result.documents.every(isUnsigned) ? takeBackOr(refusal) : refuse(refusal);
}

/**
 * Takes what is exactly this and was ours and is nobody's now, or that a person names, signed or not. The first choice is the one
 * that a person names, then one that is signed, then the latest.
 */
function takeBack({ predecessors }: RememberedFacts, service: ServiceFacts): TakeOrRefuse | undefined {
  const ours = having(service, "ours", "adopted").sort(
    (a, b) =>
      Number(b.isNamed) - Number(a.isNamed) ||
      Number(isUnsigned(a.body)) - Number(isUnsigned(b.body)) ||
      byId(b.id, a.id),
  );
  const [first] = ours;
  const unread = service.documents.find(({ standing }) => standing === "untold ours");
  if (!first) return unread && refuse(words.unreadOwn(unread.id, unread.owner));
  const rival = refuseForRival(first.body, service);
  if (rival) return rival;
  const candidates = ours
    .filter(({ body }) => rivalsOf(body, service).length === 0)
    .map(({ body, owner, isNamed }) => ({ body, owner, why: isNamed ? "DOCSIGN_ADOPT names it" : undefined }));
  return { kind: "take", candidates, supersedes: supersedesOf(predecessors) };
}

/**
 * Refuses while another run's attempt at the same may be under way; or, with no exact match to decide on, isn't proven to have led
 * to nothing.
 */
function refuseWhileOthersSend(service: ServiceFacts): Plan<"refuse"> | undefined {
  const { attemptsOfOtherRuns, basis, documents, policy } = service;
  if (!countsExisting(policy)) return undefined;
  const underWay = attemptsOfOtherRuns.find(({ attempt }) => isOnItsWay(attempt, basis.listedAt ?? 0, service, policy));
  const unproven = documents.some(isExactMatch) ? undefined : attemptsOfOtherRuns.find(each => !each.absenceProven);
  const blocking = underWay ?? unproven;
  return blocking && refuse(words.sentElsewhere(blocking.attempt));
}

/** One that has this resource's creation marker is taken: if it is the only one, unsigned, and what was sent. */
function takeMarked(facts: RememberedFacts, service: ServiceFacts): TakeOrRefuse | undefined {
  const [mark, ...more] = service.marked;
  if (!mark) return undefined;
  const signed = service.marked.find(({ body }) => !isUnsigned(body));
  const { body } = signed ?? mark;
  if (more.length > 0 || signed || !mark.same) {
    const documents = service.marked.map(each => each.body);
    return refuse(words.marked(documents, body, !mark.same && !signed));
  }
  const rival = refuseForRival(body, service);
  if (rival) return rival;
  // Another exact match beside it: `planExactMatches` refuses.
  if (service.policy.duplicatePolicy === "refuse" && otherMatches(service).length > 0) return undefined;
  return take([body], supersedesOf(facts.predecessors), "it carries this resource's creation marker");
}

/**
 * Nothing is sent beside an exact match, unless `duplicatePolicy` is `create`. One is taken, if none of them is blocked or has a
 * rival: with `duplicatePolicy: adopt`, or where this resource has them by the journal. Then state has lost it, as where another
 * machine took the resource out, or a replacement is forced and no Delete came first.
 */
function planExactMatches(facts: RememberedFacts, service: ServiceFacts): TakeOrRefuse | undefined {
  const matches = otherMatches(service);
  const [first] = matches;
  if (!countsExisting(service.policy) || !first) return undefined;
  const mayTake = ({ body }: ReadCandidate) =>
    isPlaced(facts.spec, body) && isUnsigned(body) && !hasOthersMarker(body, facts.spec);
  const takeable = matches.filter(each => isFree(each) && mayTake(each));
  const blocked = matches.find(each => !takeable.includes(each));
  const isOwn = matches.every(({ holder, standing }) => holder === "this resource" && standing === "exact match");
  if (service.policy.duplicatePolicy !== "adopt" && !isOwn)
    return refuseMatch(blocked ?? first, matches, facts, service);
  const bodies = takeable.map(({ body }) => body);
  const contested = bodies.find(body => rivalsOf(body, service).length > 0);
  if (contested) return refuseForRival(contested, service);
  if (blocked) return refuseMatch(blocked, matches, facts, service);
  return take(
    bodies,
    supersedesOf(facts.predecessors),
    isOwn ? words.ownAgain : "it has the same name, PDF and people",
  );
}

/** Says of one match what a person has to decide. */
function refuseMatch(
  match: ReadCandidate,
  matches: readonly ReadCandidate[],
  facts: RememberedFacts,
  service: ServiceFacts,
): Plan<"refuse"> {
  if (match.standing === "may be ours") return refuse(words.mayBeOwn(match.body));
  const mayTake = isFree(match);
  const rival = mayTake ? refuseForRival(match.body, service) : undefined;
  if (rival && facts.predecessors.length === 0) return rival;
  const about = {
    all: matches,
    signed: signedIn(service).filter(each => !matches.includes(each)),
    isPlaced: isPlaced(facts.spec, match.body),
    mayAdopt: mayTake && !rival,
  };
  return refuse(words.exactMatch(match, facts, about));
}

/** One that may be this contract, though it isn't alike in all: for a person to say. */
function refuseSimilar(service: ServiceFacts): Plan<"refuse"> | undefined {
  if (countsExisting(service.policy)) {
    const sameName = [...having(service, "same name"), ...having(service, "unclear")];
    if (sameName.length > 0) return refuse(words.sameName(sameName));
    const similar = having(service, "similar");
    if (similar.length > 0) return refuse(words.notAlike(similar.map(({ body }) => body)));
  }
  const unread = service.documents.filter(({ standing }) => standing === "unread");
  const named = unread.find(({ isNamed }) => isNamed);
  if (named) return refuse(words.unreadAdopted(named.id));
  const [first] = countsExisting(service.policy) ? unread : [];
  return first && refuse(words.unreadSameName(first.id, first.owner));
}

function send(facts: RememberedFacts, service: ServiceFacts): Plan<"send"> {
  const { predecessors, shownElsewhere, maybeMoved } = facts;
  const successors = service.successors?.documents ?? [];
  return {
    kind: "send",
    supersedes: supersedesOf(predecessors),
    replaces: predecessors.map(({ id, finding }) => ({ id, sha256: finding.sha256 })),
    atStake: [...predecessors, ...shownElsewhere, ...maybeMoved, ...successors.map(({ id }) => words.maybeBefore(id))],
    notTaken: service.documents.filter(isNamedInVain).map(({ id }) => id),
    onlyIfDeletedFirst: having(service, "replaced if deleted first").map(({ id }) => id),
    basis: service.basis,
  };
}

// ---- What the rules ask ----

/** It is signed, or can't be read. */
const isBlocked = ({ finding }: Examined): boolean => !finding.replaceable;

/** A person names it, nobody has it, and some of it is what the program says. A row of a set may take it, so it is only said. */
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

const EXACT: readonly Standing[] = ["replaced if deleted first", "may be ours", "exact match"];
const isExactMatch = ({ standing }: Candidate): boolean => EXACT.includes(standing);

/** Exact matches that this create neither is nor replaces. */
const otherMatches = (service: ServiceFacts): ReadCandidate[] =>
  having(service, "may be ours", "exact match").filter(({ id }) => id !== service.marked[0]?.body.id);

/**
 * What somebody has signed, for the same people under the same name: first what is exactly alike, whoever has it, as the journal
 * may be out of date; then what no other resource has. Without `ours`: one that is signed is taken itself.
 */
function signedIn({ documents }: ServiceFacts): ReadCandidate[] {
  const signed = documents.filter(isRead).filter(({ body, standing }) => standing !== "ours" && !isUnsigned(body));
  const alike = signed.filter(({ likeness }) => likeness === "same");
  const others = signed.filter(
    each => isFree(each) && (each.likeness === "same name and people" || each.likeness === "unclear"),
  );
  return [...alike, ...others];
}

/**
 * The refusal to take an unsigned 4711 beside a signed 4712 (`signedIn`) that is exactly alike, took its place, or isn't known to be
 * older: a person says which of them is the contract. Undefined: 4711 has no rival.
 */
function refuseForRival(unsigned: DocumentBody, service: ServiceFacts): Plan<"refuse"> | undefined {
  const [first, ...more] = rivalsOf(unsigned, service);
  return first && refuse(words.signedInstead(unsigned, [first, ...more], isFree(first)));
}

function rivalsOf(unsigned: DocumentBody, service: ServiceFacts): ReadCandidate[] {
  if (!isUnsigned(unsigned)) return [];
  return signedIn(service).filter(({ body, likeness, owner }) => {
    const tookItsPlace = owner?.supersedes.includes(unsigned.id);
    const isOlder = createdBefore(body, Date.parse(unsigned.createdAt ?? ""));
    return likeness === "same" || tookItsPlace || !isOlder;
  });
}
