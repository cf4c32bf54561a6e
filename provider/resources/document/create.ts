import { own } from "../../../kit/records.js";
import { byId, unreadDocument } from "../../client/bodies.js";
import { readTwice } from "../../client/documents.js";
import { isUnsigned } from "../../client/files.js";
import type { Snapshot } from "../../client/lists.js";
import type { DocumentBody } from "../../client/service.js";
import { sameText } from "../../core/same.js";
import { createdBefore } from "../absence.js";
import { isOnItsWay, resendOf } from "../at-most-once.js";
import { type CreationPolicy, countsExisting } from "../context.js";
import { type Attempt, type Journal, type Owned, shortNameHash } from "../journal/contract.js";
import type { CreateSituation, ResourceInState } from "../journal/deployment-log.js";
import { Refusal, type RefusalParts } from "../refusal.js";
import { type Finding, notReplaced, type ReplacedDocument, remediesFor } from "../replace-guard.js";
import { resourceOf } from "../urn.js";
import { contentHash, markerIn, shortHash } from "./content.js";
import { hashesOf } from "./declaration.js";
import {
  agreesInPeople,
  isInFolderOf,
  isOthers,
  isPlaced,
  type Likeness,
  Lookup,
  type LookupOptions,
  type LookupResult,
  matchOf,
} from "./lookup.js";
import { type Basis, type CreateOptions, CreateSender, claim, outcomeOf, type SendPlan } from "./send.js";
import type { DocumentSpec } from "./state.js";
import * as words from "./words.js";

/*
 * One create of a Document, of the plugin or of a row: which document it comes to, without mailing anybody twice.
 * `DocumentCreate` gathers facts (part three), makes a plan of them (part two, pure), and takes, or sends, what that says
 * (send.ts). Part one says what the facts are, with each document that may be the one and what it is: to keep, take over,
 * refuse or send. What is said is in words.ts.
 *
 * Words, beside those of document.ts: a predecessor is a document that this create replaces or, where only the journal names
 * it, may replace: the guard must let each go. Its history is what it replaced before. An `Owned` is replaced where Delete took
 * it out of state for a successor that doesn't exist yet, and superseded where it was released because another one took its
 * place.
 */

// ---- One create ----

interface Taken {
  readonly kind: "taken";
  readonly body: DocumentBody;
  readonly supersedes: readonly string[];
}

/** How often a create is decided anew because lists were too old when its turn came, where places are scarce. */
const MOST_OUTDATED = 4;

/** One create, from the facts to the document: sent at most once, and never while what is known forbids it. */
export class DocumentCreate {
  /** Documents that this create was to take over, and that another one took first. */
  readonly #takenByOthers = new Set<string>();
  /** How often the lists that it was decided on were too old. */
  #outdated = 0;

  constructor(readonly options: CreateOptions) {}

  /**
   * Takes the document that this create comes to, where it is there; or says what is left to do. It begins anew where
   * another create took each that was to be taken; those aren't candidates any more.
   */
  async takeOrPlan(): Promise<Taken | Plan<"keep" | "send">> {
    const { call } = this.options;
    for (;;) {
      const plan = await this.#plan();
      if (plan.kind === "keep")
        call.log.info(`document ${plan.id} is kept, no one is mailed: ${plan.why}`, { keeps: 1 });
      if (plan.kind !== "take") return plan;
      const taken = await this.#take(plan);
      if (taken) return taken;
    }
  }

  async #plan(): Promise<Plan<"keep" | "take" | "send">> {
    const gathering = new CreateFacts(this.options, this.#takenByOthers);
    const facts = await gathering.fromMemory();
    const plan = planFromMemory(facts) ?? planCreate(facts, await gathering.fromService(facts));
    if (plan.kind !== "refuse") return plan;
    const refusal = isReplacement(facts) ? words.withoutImports(plan.refusal) : plan.refusal;
    throw new Refusal(refusal, this.options.call.urn);
  }

  /** Takes one of these documents for this resource; undefined where others have taken all of them. */
  async #take({ candidates, supersedes: replaced }: Plan<"take">): Promise<Taken | undefined> {
    const { call, context, existing, scope, spec } = this.options;
    const { journal } = context;
    for (const { body, owner, why } of candidates) {
      const supersedes = [...new Set([...(owner?.supersedes ?? []), ...replaced])].filter(id => id !== body.id);
      // In a folder that the program doesn't name, it wasn't made of this.
      const isElsewhere = spec !== undefined && !isInFolderOf(body, spec);
      // A resource that lets go of it in this run may not have released it yet.
      const from = owner?.released ? undefined : owner?.urn;
      const isClaimed = call.preview
        ? existing.promise(scope, body.id)
        : await claim(this.options, body, { supersedes, from, ...(isElsewhere && { fingerprint: undefined }) });
      if (isClaimed) {
        call.log.info(why === undefined ? words.takingBack(body) : words.takingOver(call, body, why), { takesBack: 1 });
        return { kind: "taken", body, supersedes };
      }
      // Another resource of this program has it: this one is another contract. Another run's is the same, and is named.
      if (call.preview || (await journal.owner(scope.service, body.id))?.run === journal.run)
        this.#takenByOthers.add(body.id);
    }
    return undefined;
  }

  /**
   * Sends the document once, and finds out what became of it. Undefined where nothing was sent, and what to do is to be
   * decided anew.
   */
  async send(spec: DocumentSpec, plan: Plan<"send">): Promise<DocumentBody | undefined> {
    const { basis, supersedes } = plan;
    const sender = new CreateSender(this.options, {
      ...{ ...plan, spec },
      isExcluded: id => supersedes.includes(id) || basis.before.has(id) || this.#takenByOthers.has(id),
      mayBeOutdated: this.#outdated >= MOST_OUTDATED,
    });
    const body = await sender.send();
    if (sender.wasOutdated) this.#outdated++;
    return body;
  }

  /** In a preview, while the folder isn't known: fails where `pulumi up` does, whichever it is. False where it asked nothing. */
  async assertSendableAnywhere(): Promise<boolean> {
    const { call } = this.options;
    const gathering = new CreateFacts(this.options, this.#takenByOthers);
    const facts = await gathering.fromMemory();
    const isReverted = facts.situation.kind === "reverted-replacement";
    if (isReverted || facts.earlierCreate || facts.predecessors.length > 0) return false;
    const service = await gathering.fromService(facts);
    // What may be its own by then is left to `pulumi up`.
    const documents = service.documents.map((each): Candidate => {
      const mayBeOwn = mayBeAlike(each) && (each.holder === "this resource" || each.isLetGo);
      return mayBeOwn ? { ...each, standing: "other" } : each;
    });
    const plan = service.attempt ? undefined : planOthers(facts, { ...service, documents });
    if (plan?.kind === "refuse") throw new Refusal(plan.refusal, call.urn);
    return service.basis.listedAt !== undefined;
  }
}

// ---- Part one: facts ----

/** What the deployment log and the journal say of a create, and the guard of what it replaces, before lists are asked for. */
export interface RememberedFacts {
  readonly urn: string;
  readonly preview: boolean;
  readonly origin: string;
  /** What the program says; undefined while an input isn't known yet. */
  readonly spec: Pick<DocumentSpec, "name" | "folderId" | "content"> | undefined;
  /** What the engine is doing to the resource. */
  readonly situation: CreateSituation;
  /** Ids that the journal knows the resource to have. */
  readonly owned: readonly string[];
  /** Created by an earlier run; nothing has shown that state has it. */
  readonly earlierCreate: Owned | undefined;
  /** What `earlierCreate` replaced, as the guard finds it now; undefined where state has let go of that. */
  readonly earlierCreatesPredecessor: Finding | undefined;
  /** What this deployment or the journal knows the resource to have. */
  readonly predecessors: readonly Predecessor[];
  readonly elsewhere: Awaited<ReturnType<Journal["elsewhere"]>>;
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
  readonly attemptsElsewhere: readonly { readonly attempt: SeenAttempt; readonly absenceProven: boolean }[];
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

/** With the time when another machine's was first read here, as the journal says. */
export type SeenAttempt = Attempt & { readonly seenAt?: number | undefined };

// Documents that may be the one:

/** Why a document may be the one: the first of these that holds. */
type Source =
  /** It is what state's document replaced. */
  | "history"
  /** It is listed under the program's name, or the journal knows it for the same name, PDF and people. */
  | "name"
  /** A person names it. */
  | "person";

/** Who has a document, as far as this deployment and the journal know. */
type Holder =
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
type MadeOf = "this" | "this, by state" | "other content" | "unknown";

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
  /** The program has the resource that the journal has it under, as far as this deployment has shown. */
  readonly isInProgram: boolean;
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

/** What a document is to a create: the first of these that holds. */
export type Standing =
  /**
   * Ours stays ours: this journal's resources made it, nobody has it now, and it is exactly what the program says. It is
   * taken back in place of sending another, which mails nobody: so its age, its resource and its signatures don't matter.
   */
  | "ours"
  /** Exactly alike, no other resource's, and a person names it: it is taken in the same way. */
  | "adopted"
  /** Made of this content and let go of, and the service doesn't show it now, or not well enough. */
  | "untold ours"
  /** This resource had it before, by state, and the service doesn't show all that may tell it from what the program says. */
  | "may be ours"
  /** Exactly alike, whoever has it. */
  | "exact match"
  /** For the same people under the same name, and one that the journal knows: it may be alike. */
  | "unclear"
  /** It can't be read, and is a stranger's, or made of what the program says as far as the journal knows. */
  | "unread"
  /** A stranger's for the same people under the same name, with other content. */
  | "same name"
  /** A stranger's that a person names: two of name, people and PDF are the program's. */
  | "similar"
  | "other";

export interface Candidate extends Readonly<KnownDocument> {
  readonly standing: Standing;
}

/** No other resource has it, as far as is known. */
const isFree = ({ holder }: KnownDocument): boolean => holder !== "another" && holder !== "another, shown";

/**
 * The first that holds, in the order of `Standing`. `isForced`: what state has is exactly what the program says, and is
 * replaced all the same: then what it replaced before is in nobody's way.
 */
export function standingOf(document: KnownDocument, { isForced }: { readonly isForced: boolean }): Standing {
  const { source, holder, madeOf, asOurs, likeness, isNamed } = document;
  const isEarlier = source === "history";
  const isAlike = asOurs === "doubtful" || (likeness === "same" && !(isEarlier && isForced));
  if (asOurs === "same") return "ours";
  if (isAlike && isNamed && isFree(document)) return "adopted";
  if (asOurs === "untold") return "untold ours";
  if (asOurs === "doubtful") return "may be ours";
  if (isAlike) return "exact match";
  // What state's document replaced is ours, adopted, alike, or nothing.
  if (isEarlier) return "other";
  if (likeness === "unclear") return "unclear";
  const isStranger = holder === "stranger";
  if (likeness === "unread" && (isStranger || (holder !== "unknown" && madeOf !== "other content"))) return "unread";
  if (likeness === "same name and people" && isStranger) return "same name";
  return source === "person" && likeness === "similar" && isStranger ? "similar" : "other";
}

// ---- Part two: the decision ----

/*
 * What a create comes to: the first of these that has an answer decides. By memory alone, without the service's lists:
 *
 * 1. What the program says is what state's document is, by Diff or once an unknown input is known: it is kept.
 * 2. An earlier run created it, nothing shows that state has it, and every input is known: kept where it has this content;
 *    refused where it has another, or what it replaced is signed or can't be read.
 * 3. State holds a document and nothing shows which; or one that the create replaces is signed or can't be read: refused.
 * 4. The resource has a document at another service, and none here that the journal or state knows of: refused.
 *
 * By what the service shows:
 *
 * 5. Another machine may have replaced what only the journal names: refused where a newer document of that name is signed,
 *    or lists don't prove that none is. Not in a preview.
 * 6. The resource's own attempt has no known outcome: what it led to is taken if it has this content. Where it is proven to
 *    have led to nothing, long enough ago, the next rules decide; otherwise refused.
 * 7. One that was ours and that nobody has now is exactly this, or a person names one that is: it is taken, signed or not.
 *    Refused where there is only one of ours that isn't shown; or where the one to take is unsigned, and somebody has signed
 *    another one that is alike, or that took its place or is newer, for the same people under the same name. A forced
 *    replacement takes nothing of ours back.
 * 8. Another run's attempt at the same has no known outcome: refused. An exact match leaves it to 10, unless an attempt may
 *    still be under way.
 * 9. One has this resource's creation marker: taken. Refused where several have it, it is signed or isn't what was sent, or
 *    somebody has signed another one as in 7; left to 10 where `duplicatePolicy` is `refuse` and another is exactly alike.
 * 10. One is exactly alike: refused; or taken where `duplicatePolicy` is `adopt`, and each is unsigned, no other resource's
 *    and in the program's folder; refused also where somebody has signed another one as in 7. A preview leaves out what the
 *    create replaces by the journal alone.
 * 11. One has the same name and people and may be this contract, or can't be read, or a person names one that agrees in two
 *    of name, people and PDF: refused.
 *
 * Otherwise it is sent. With `duplicatePolicy: create`, 8, 10 and 11 don't apply, and 7 only to one of the predecessors'
 * history that a person names.
 */

export type CreatePlan =
  | { readonly kind: "keep"; readonly id: string; readonly supersedes: readonly string[]; readonly why: string }
  | {
      readonly kind: "take";
      /** The first that no other create takes: with its owner one that is taken back, of the others `why` it is taken. */
      readonly candidates: readonly {
        readonly body: DocumentBody;
        readonly owner?: Owned | undefined;
        readonly why?: string | undefined;
      }[];
      readonly supersedes: readonly string[];
    }
  | (SendPlan & {
      readonly kind: "send";
      readonly replaces: readonly ReplacedDocument[];
      /** In a preview: of `replaces`, what `pulumi up` only replaces where the engine deletes it first. */
      readonly onlyIfDeletedFirst: readonly string[];
    })
  | { readonly kind: "refuse"; readonly refusal: RefusalParts };

export type Plan<Kind extends CreatePlan["kind"]> = CreatePlan & { readonly kind: Kind };

const refuse = (refusal: RefusalParts): CreatePlan => ({ kind: "refuse", refusal });

const take = (bodies: readonly DocumentBody[], supersedes: readonly string[], why: string): CreatePlan => ({
  kind: "take",
  candidates: bodies.map(body => ({ body, why })),
  supersedes,
});

/** Rules 1 to 4; undefined where memory doesn't settle it. */
export function planFromMemory(facts: RememberedFacts): CreatePlan | undefined {
  const { situation, earlierCreate, predecessors, spec } = facts;
  if (situation.kind === "reverted-replacement") {
    const { id, supersedes } = situation.keeps;
    return { kind: "keep", id, supersedes, why: "it is what the program says" };
  }
  if (earlierCreate && spec) return planEarlierCreate(facts, earlierCreate);
  if (predecessors.length === 0 && situation.kind === "exists") return refuse(words.unknownPredecessor);
  const blocked = predecessors.find(({ finding }) => !finding.replaceable);
  if (blocked) return refuse(notReplaced(blocked.finding, "replace-signed", blocked));
  const [there] = facts.elsewhere;
  if (predecessors.length > 0 || earlierCreate || !there) return undefined;
  return refuse(words.livesElsewhere(there, facts.origin));
}

/** Rules 5 to 11, and sending. */
export function planCreate(facts: RememberedFacts, service: ServiceFacts): CreatePlan {
  return (
    planSuccessors(facts, service) ??
    planAttempt(facts, service) ??
    planTakeBack(facts, service) ??
    planAttemptsElsewhere(service) ??
    planOthers(facts, service) ??
    send(facts, service)
  );
}

/** Rules 9 to 11: what stands at the service, and isn't known to be this stack's. */
const planOthers = (facts: RememberedFacts, service: ServiceFacts): CreatePlan | undefined =>
  planMarked(facts, service) ?? planExactMatches(facts, service) ?? planNotAlike(service);

function send(facts: RememberedFacts, service: ServiceFacts): CreatePlan {
  const { predecessors } = facts;
  const successors = service.successors?.documents ?? [];
  return {
    kind: "send",
    supersedes: supersedesOf(predecessors),
    replaces: predecessors.map(({ id, finding }) => ({ id, sha256: finding.sha256 })),
    atStake: [...predecessors, ...successors.map(({ id }) => words.maybeBefore(id))],
    basis: service.basis,
    onlyIfDeletedFirst: exactMatchesIfDeletedFirst(facts, service),
  };
}

/** An earlier run created it, and nothing shows that state has it. */
function planEarlierCreate(facts: RememberedFacts, created: Owned): CreatePlan {
  const { spec, situation, earlierCreatesPredecessor: finding } = facts;
  if (created.fingerprint !== spec?.content.fingerprint)
    return refuse(words.createdWithOtherContent(created, spec?.name));
  if (finding && !finding.replaceable) return refuse(words.createdInPlaceOf(created, finding, situation.exists));
  const forced = facts.preview
    ? ". No preview shows a replacement that is forced now, by `--replace` or a taint: that one mails everyone"
    : "";
  const why = `it was created by an earlier run, with this content. To replace it, run \`pulumi refresh\`, and then \`pulumi up\` again${forced}`;
  return { kind: "keep", id: created.id, supersedes: created.supersedes, why };
}

/** Another machine may have replaced what this machine's journal names. */
function planSuccessors(facts: RememberedFacts, { successors }: ServiceFacts): CreatePlan | undefined {
  // A preview calls no Delete, which would show what state has. What can't be read fails there as well.
  if (!successors || facts.preview) return undefined;
  const signed = successors.documents.find(body => !isUnsigned(body));
  if (signed) return refuse(words.signedSuccessor(signed, facts.predecessors));
  return successors.proven ? undefined : refuse(words.unknownPredecessor);
}

/** This resource's own create without a known outcome. */
function planAttempt({ spec }: RememberedFacts, service: ServiceFacts): CreatePlan | undefined {
  if (!service.attempt) return undefined;
  const { attempt, result } = service.attempt;
  if (result.kind === "absent") {
    const resend = resendOf(attempt, result, service, service.policy);
    return resend.isAllowed
      ? undefined
      : refuse(words.unconfirmed(attempt, { ...result, ...resend, name: spec?.name }));
  }
  if (result.kind === "found" && attempt.fingerprint === spec?.content.fingerprint)
    return take(result.documents, attempt.supersedes, "an earlier run created it and never saw the answer");
  return refuse(words.notTakenOver(attempt, result, spec?.name));
}

/** The one to take back comes first: the one that a person names, then one that is signed, then the latest. */
function planTakeBack({ predecessors }: RememberedFacts, service: ServiceFacts): CreatePlan | undefined {
  const ours = having(service, "ours", "adopted").sort(
    (a, b) =>
      Number(b.isNamed) - Number(a.isNamed) ||
      Number(isUnsigned(a.body)) - Number(isUnsigned(b.body)) ||
      byId(b.id, a.id),
  );
  const [first] = ours;
  const unread = service.documents.find(({ standing }) => standing === "untold ours");
  if (!first) return unread && refuse(words.unreadOwn(unread.id, unread.owner));
  const instead = signedInstead(first.body, service);
  if (instead) return refuse(instead);
  const candidates = ours.map(({ body, owner, isNamed }) => ({
    ...{ body, owner },
    why: isNamed ? "DOCSIGN_ADOPT names it" : undefined,
  }));
  return { kind: "take", candidates, supersedes: supersedesOf(predecessors) };
}

/** Another run has sent the same, and nothing shows yet what became of it. */
function planAttemptsElsewhere(service: ServiceFacts): CreatePlan | undefined {
  const { attemptsElsewhere, documents, policy } = service;
  if (!countsExisting(policy)) return undefined;
  const isRecent = ({ attempt }: (typeof attemptsElsewhere)[number]) =>
    isOnItsWay(attempt, service.basis.listedAt ?? 0, service, policy);
  const open = attemptsElsewhere.find(each => !each.absenceProven || isRecent(each));
  // An exact match decides in rule 10, unless an attempt may still be under way.
  if (!open || (documents.some(mayBeAlike) && !attemptsElsewhere.some(isRecent))) return undefined;
  return refuse(words.sentElsewhere(open.attempt));
}

/** Documents with this resource's creation marker. */
function planMarked(facts: RememberedFacts, service: ServiceFacts): CreatePlan | undefined {
  const [mark, ...more] = service.marked;
  if (!mark) return undefined;
  const signed = service.marked.find(({ body }) => !isUnsigned(body));
  const { body } = signed ?? mark;
  if (more.length > 0 || signed || !mark.same) {
    const documents = service.marked.map(each => each.body);
    return refuse(words.marked(documents, body, !mark.same && !signed));
  }
  const instead = signedInstead(body, service);
  if (instead) return refuse(instead);
  if (service.policy.duplicatePolicy === "refuse" && inTheWay(facts, service).length > 0) return undefined;
  return take([body], supersedesOf(facts.predecessors), "it carries this resource's creation marker");
}

/** Documents exactly alike: taken over where the settings say so and all are free, and never doubled. */
function planExactMatches(facts: RememberedFacts, service: ServiceFacts): CreatePlan | undefined {
  const { policy } = service;
  const matches = inTheWay(facts, service);
  const [any] = matches;
  if (!countsExisting(policy) || !any) return undefined;
  const free = matches.filter(each => isFree(each) && isPlaced(facts.spec, each.body) && isUnsigned(each.body));
  if (policy.duplicatePolicy === "adopt") {
    const rival = free.map(({ body }) => signedInstead(body, service)).find(each => each !== undefined);
    if (rival) return refuse(rival);
    const bodies = matches.map(({ body }) => body);
    if (free.length === matches.length)
      return take(bodies, supersedesOf(facts.predecessors), "it has the same name, PDF and people");
  }
  // What may not be taken decides what is said.
  const first = matches.find(match => !free.includes(match)) ?? any;
  return refuse(exactMatch(facts, service, first, matches));
}

/** Why another one isn't sent beside `first`, one of these exact matches. */
function exactMatch(
  { urn, preview, spec, situation, predecessors }: RememberedFacts,
  service: ServiceFacts,
  first: ReadCandidate,
  matches: readonly ReadCandidate[],
): RefusalParts {
  const { id, body, owner, isInProgram, source } = first;
  if (first.standing === "may be ours") return words.mayBeOwn(body);
  const instead = isFree(first) ? signedInstead(body, service) : undefined;
  if (instead && predecessors.length === 0) return instead;
  const bodies = matches.map(match => match.body);
  return words.exactMatch({
    ...{ urn, preview, body, owner, isInProgram, bodies },
    wasOwn: source === "history",
    isReplaced: predecessors.some(each => each.id === id),
    isPlaced: isPlaced(spec, body),
    mayAdopt: isFree(first) && !instead,
    signed: signedIn(service).flatMap(each => (bodies.includes(each.body) ? [] : [each.body])),
    isInState: situation.exists || predecessors.length > 0,
  });
}

/** Documents for the same people under the same name, or that a person names, which aren't exactly alike. */
function planNotAlike(service: ServiceFacts): CreatePlan | undefined {
  const sameName = [...having(service, "same name"), ...having(service, "unclear")];
  if (sameName.length > 0) return refuse(words.sameName(sameName.map(({ body }) => body)));
  const similar = having(service, "similar");
  if (similar.length > 0) return refuse(words.notAlike(similar.map(({ body }) => body)));
  const unread = service.documents.filter(({ standing }) => standing === "unread");
  const named = unread.find(({ isNamed }) => isNamed);
  const [first] = unread;
  if (named) return refuse(words.unreadAdopted(named.id));
  return first && refuse(words.unreadSameName(first.id, first.owner));
}

/** Exact matches that this create neither is nor replaces. */
function inTheWay(facts: RememberedFacts, service: ServiceFacts): ReadCandidate[] {
  const without = [service.marked[0]?.body.id, ...exactMatchesIfDeletedFirst(facts, service)];
  return having(service, ...ALIKE).filter(({ id }) => !without.includes(id));
}

/** Documents exactly alike that a preview's create may replace, and that `pulumi up` takes for others unless Delete shows them. */
function exactMatchesIfDeletedFirst(
  { preview, predecessors }: RememberedFacts,
  { documents, policy }: ServiceFacts,
): readonly string[] {
  if (!preview || !countsExisting(policy) || predecessors.some(({ isInState }) => isInState)) return [];
  return documents.flatMap(each =>
    mayBeAlike(each) && predecessors.some(({ id }) => id === each.id) ? [each.id] : [],
  );
}

/** State has it, and another one is to take its place. A row's document that is let go of gets a name of its own. */
const isReplacement = ({ urn, situation, predecessors, earlierCreate }: RememberedFacts): boolean =>
  situation.exists && (predecessors.length > 0 || earlierCreate !== undefined) && !urn.includes("#");

const supersedesOf = (predecessors: readonly Predecessor[]): string[] => [
  ...new Set(predecessors.flatMap(({ id, supersedes }) => [...supersedes, id])),
];

/** Exactly alike, or as far as the service shows it; and neither ours nor taken by a person's word. */
const ALIKE: readonly Standing[] = ["exact match", "may be ours"];
const mayBeAlike = ({ standing }: Candidate): boolean => ALIKE.includes(standing);

/** One that the service shows. */
interface ReadCandidate extends Candidate {
  readonly body: DocumentBody;
}

const isRead = (document: Candidate): document is ReadCandidate => document.body !== undefined;

const having = ({ documents }: ServiceFacts, ...standings: readonly Standing[]): ReadCandidate[] =>
  documents.filter(isRead).filter(({ standing }) => standings.includes(standing));

/**
 * What somebody has signed, for the same people under the same name. One exactly alike counts whoever has it, as what the
 * journal knows of that may be out of date; of the others those that no other resource has.
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
 * A signed document is never dropped for an unsigned one that it may have taken the place of, or that is exactly like it: which of
 * the two is the contract, a person says.
 */
function signedInstead(unsigned: DocumentBody, service: ServiceFacts): RefusalParts | undefined {
  if (!isUnsigned(unsigned)) return undefined;
  const [first, ...more] = signedIn(service).filter(
    ({ body, likeness, owner }) =>
      likeness === "same" ||
      owner?.supersedes.includes(unsigned.id) ||
      !createdBefore(body, Date.parse(unsigned.createdAt ?? "")),
  );
  if (!first) return undefined;
  const rivals = [first.body, ...more.map(({ body }) => body)] as const;
  const about = { isAlike: first.likeness === "same", isFree: isFree(first), isAdoptable: isAdoptable(first) };
  return words.signedInstead(unsigned, rivals, about);
}

/** A person who names it gets it, unless it is in the history of what is replaced by force: then it is nothing to the create. */
function isAdoptable(document: Candidate): boolean {
  const { asOurs, likeness, source, standing } = document;
  const isSame = likeness === "same" && !(source === "history" && standing === "other");
  return isFree(document) && (asOurs === "doubtful" || isSame);
}

// ---- Part three: gathering facts ----

/** Whether lists are asked for: a creation marker is looked for whatever else counts. */
const asksLists = (policy: CreationPolicy, { content }: DocumentSpec): boolean =>
  countsExisting(policy) || content.marker !== undefined;

/** What a create asks about what is at the service, and by what. */
interface Asked {
  readonly snapshot: Snapshot;
  /** Ids that are listed under the program's name. */
  readonly listed: readonly string[];
  /** What the journal knows for the same name, PDF and people. */
  readonly ofContract: readonly Owned[];
  readonly lookup: Lookup;
  readonly replaced: Replaced;
  readonly spec: DocumentSpec;
}

/** What decides whether a create may be sent: what this deployment and the journal know, and what the service shows. */
class CreateFacts {
  constructor(
    private readonly options: CreateOptions,
    private readonly takenByOthers: ReadonlySet<string>,
  ) {}

  async fromMemory(): Promise<RememberedFacts> {
    const { call, context, scope, spec } = this.options;
    const { journal } = context;
    const situation = this.#situation();
    const nothing: RememberedFacts = {
      ...{ urn: call.urn, preview: call.preview, origin: scope.service, spec, situation },
      ...{ owned: [], earlierCreate: undefined, earlierCreatesPredecessor: undefined, predecessors: [], elsewhere: [] },
    };
    // It is kept, whatever the journal knows.
    if (situation.kind === "reverted-replacement") return nothing;
    const isAsked = spec && asksLists(context.policy(), spec);
    // At once: a journal across a network answers all of it in one round trip, and keeps what it has read.
    await Promise.all([
      journal.refresh(),
      journal.resource(scope),
      isAsked && journal.ofContract(scope.service, spec.content),
    ]);
    const { owned } = await journal.resource(scope);
    const ids = owned.map(({ id }) => id);
    const isInState = (id: string) => situation.inState.some(each => each.id === id);
    const earlierCreate = owned.find(({ id, shown, replaced }) => !shown && !replaced && !isInState(id));
    if (earlierCreate && spec) {
      const earlierCreatesPredecessor = await this.#predecessorOf(earlierCreate);
      return { ...nothing, owned: ids, earlierCreate, earlierCreatesPredecessor };
    }
    const others = owned.filter(each => each !== earlierCreate);
    return {
      ...{ ...nothing, owned: ids, earlierCreate },
      elsewhere: await journal.elsewhere(scope),
      predecessors: await this.#predecessors(situation.inState, others),
    };
  }

  /** A document is kept as well where all that Diff found wasn't known yet, and turned out to be what state has. */
  #situation(): CreateSituation {
    const { situation, spec } = this.options;
    const keeps = situation.inState.find(({ id, isUncertain }) => isUncertain && isMadeByState(this.options, id));
    return spec && keeps ? { ...situation, kind: "reverted-replacement", keeps } : situation;
  }

  /** What an earlier run's document replaced, as the guard finds it now; undefined where state has let go of that. */
  async #predecessorOf({ supersedes }: Owned): Promise<Finding | undefined> {
    const { call, context, guard, scope } = this.options;
    const last = supersedes.at(-1);
    if (last === undefined) return undefined;
    const owner = await context.journal.owner(scope.service, last);
    return owner?.released && !owner.superseded ? undefined : guard.examine(last, call);
  }

  /** What this deployment or the journal knows the resource to have, as the guard finds it now. */
  async #predecessors(inState: readonly ResourceInState[], owned: readonly Owned[]): Promise<Predecessor[]> {
    const { call, guard } = this.options;
    // State says more of a document than the journal.
    const known = new Map<string, Owned | ResourceInState>([...owned, ...inState].map(each => [each.id, each]));
    const predecessors: Predecessor[] = [];
    for (const each of known.values()) {
      const { id, supersedes } = each;
      const changed = "token" in each ? undefined : each.changed;
      const finding = await guard.examine(id, call);
      predecessors.push({
        ...("token" in each ? words.rememberedBefore(id, each.token) : words.shownBefore(id)),
        ...{ supersedes, changed, isInState: !("token" in each) },
        finding: { ...finding, remedies: remediesFor(finding.remedies, changed) },
      });
    }
    return predecessors;
  }

  /** Nothing is asked that decides nothing: most creates have no attempt, no predecessor and nothing of their name. */
  async fromService(facts: RememberedFacts): Promise<ServiceFacts> {
    const { call, context, existing, scope, spec } = this.options;
    const { clock, journal } = context;
    const policy = context.policy();
    const { adopts = [] } = policy;
    const { owned, predecessors } = facts;
    const nothing: ServiceFacts = {
      ...{ attempt: undefined, attemptsElsewhere: [], documents: [], marked: [], successors: undefined },
      ...{ basis: { owned, before: new Set() }, now: clock.now(), serviceNow: undefined, policy },
    };
    if (!spec) return nothing;
    const { attempt } = await journal.resource(scope);
    const token = attempt?.token;
    const replaced = replacedIn(facts);
    if (!attempt && !asksLists(policy, spec) && replaced.remembered.length === 0) return nothing;

    // First what became of its own attempt, then lists: what they show was there before anything is sent.
    const result = attempt && (await this.#outcome(attempt, spec, replaced.mayBeReplaced));
    const { attempts, owned: ofContract } = await journal.ofContract(scope.service, spec.content);
    const knows = countsExisting(policy) ? [...attempts, ...ofContract].map(({ token }) => token) : undefined;
    const { losses } = journal;
    const underWay = attempts.some(({ run, urn }) => run === journal.run && urn !== scope.urn);
    const snapshot = await existing.before(call, underWay);
    const basis: Basis = { owned, token, before: snapshot.ids, knows, losses, listedAt: snapshot.askedAt };
    const listed = snapshot.ofName(spec.name).map(({ id }) => id);
    // Thousands of rows of a preview: nothing bears on this one, so there is nothing to compare it with.
    const mayBeThere = attempts.length + ofContract.length + listed.length + adopts.length > 0;
    if (!mayBeThere && !attempt && predecessors.length === 0 && spec.content.marker === undefined)
      return { ...nothing, basis };
    const asked: Asked = { snapshot, listed, ofContract, lookup: this.#lookup(), replaced, spec };
    return {
      attemptsElsewhere: await this.#attemptsElsewhere(attempts, asked),
      documents: await new Candidates(this.options, this.takenByOthers, asked).sorted(),
      marked: await this.#marked(asked),
      attempt: attempt && result ? { attempt: { ...attempt, seenAt: journal.seenAt(attempt) }, result } : undefined,
      successors: await this.#successors(asked),
      basis,
      now: clock.now(),
      serviceNow: context.service().ticks(),
      policy,
    };
  }

  /** What an earlier run's attempt came to. In a preview one look has to do. */
  async #outcome(attempt: Attempt, spec: DocumentSpec, replaced: readonly string[]): Promise<LookupResult> {
    const { call, context } = this.options;
    const sent = attempt.fingerprint === spec.content.fingerprint ? spec : { content: attempt };
    const excluded = [...replaced, ...attempt.supersedes];
    const lookup = this.#lookup(id => excluded.includes(id) || this.takenByOthers.has(id));
    return outcomeOf(this.options, lookup, {
      ...{ attempt, sent },
      forMs: call.preview ? 0 : context.policy().reconcileTimeoutMs,
    });
  }

  #lookup(isExcluded: LookupOptions["isExcluded"] = () => false): Lookup {
    const { call, context, scope } = this.options;
    return new Lookup({ context, scope, signal: call.signal, isExcluded });
  }

  async #attemptsElsewhere(
    attempts: readonly Attempt[],
    { lookup, snapshot }: Asked,
  ): Promise<ServiceFacts["attemptsElsewhere"]> {
    const { context, scope } = this.options;
    const elsewhere: ServiceFacts["attemptsElsewhere"][number][] = [];
    for (const each of attempts)
      if (each.run !== context.journal.run && each.urn !== scope.urn)
        elsewhere.push({
          attempt: { ...each, seenAt: context.journal.seenAt(each) },
          absenceProven: !each.answered && (await lookup.provesAbsence(snapshot, each)),
        });
    return elsewhere;
  }

  async #marked({ snapshot, lookup, replaced, spec }: Asked): Promise<ServiceFacts["marked"]> {
    const { scope } = this.options;
    const { marker } = spec.content;
    const marked = [];
    for (const row of marker === undefined ? [] : snapshot.rows) {
      if (markerIn(row.description) !== marker || replaced.mayBeReplaced.includes(row.id)) continue;
      if (isOthers(await lookup.owner(row.id), scope)) continue;
      const body = (await lookup.read(row.id)) ?? unreadDocument(row);
      // The marker tells the resource, and what it was made of.
      const same = body.isUnread
        ? sameText(spec.name, row.name)
        : (await matchOf(body, spec, () => lookup.firstHash(body))) === "same";
      marked.push({ body, same });
    }
    return marked;
  }

  /** Newer documents of the same name that nobody in this program has: one of them may be what state has by now. */
  async #successors({ snapshot, listed, lookup, replaced }: Asked): Promise<ServiceFacts["successors"]> {
    const { call, context } = this.options;
    const { remembered } = replaced;
    if (remembered.length === 0) return undefined;
    const oldest = Math.min(...remembered.map(({ finding }) => finding.createdAt ?? 0));
    const documents: DocumentBody[] = [];
    for (const id of listed) {
      if (replaced.certainly.includes(id) || isHeldByAnother(this.options, await lookup.owner(id))) continue;
      const body = await readTwice(context.service(), id, call.signal);
      if (!createdBefore(body, oldest)) documents.push(body);
    }
    const proven = remembered.every(({ finding }) =>
      snapshot.provesNoSignedSince(finding.createdAt ?? Number.NEGATIVE_INFINITY),
    );
    return { documents, proven };
  }
}

/** Whether another resource of this program has it, as this deployment has shown. */
const isHeldByAnother = ({ context, scope }: CreateOptions, owner: Owned | undefined): boolean =>
  owner !== undefined && owner.urn !== scope.urn && context.deploymentLog.holds(owner.urn, owner.id);

/** Whether state says that a document was made of what the program says. */
function isMadeByState({ inputs, situation, spec }: CreateOptions, id: string): boolean {
  const stated = situation.inState.flatMap(({ contents = {} }) => own(contents, id) ?? []);
  if (stated.length === 0) return false;
  const hashes = hashesOf(inputs);
  // Of an import that a template describes, state has the template's hash alone.
  const wanted = [contentHash(hashes), contentHash(hashes, shortHash(spec?.content.sha256))];
  return stated.some(each => wanted.includes(each));
}

/** What a create replaces: what state has, and what that replaced before it. */
interface Replaced {
  /** What state has, or where the engine hasn't shown it, may have. */
  readonly current: readonly Predecessor[];
  /** Those of `current` that only the journal names. */
  readonly remembered: readonly Predecessor[];
  /** What the predecessors themselves replaced: candidates as `history` only, never by name or because a person names them. */
  readonly history: readonly string[];
  /** Ids that this create replaces, whoever calls it. */
  readonly certainly: readonly string[];
  /** The same, with what it may replace in a preview: none of it can be what a create led to. */
  readonly mayBeReplaced: readonly string[];
}

/**
 * What only the journal names may be lost from state (`pulumi state delete`) as well as replaced by force: a create
 * doesn't see which of the two it was, so it counts as another document, unless the resource is known to exist. A preview,
 * which calls no Delete to show it, names what decides.
 */
function replacedIn({ predecessors, situation, preview }: RememberedFacts): Replaced {
  const inState = predecessors.filter(({ isInState }) => isInState);
  const history = predecessors.flatMap(({ supersedes }) => supersedes);
  const withHistory = (current: readonly Predecessor[]) => [...current.map(({ id }) => id), ...history];
  // What the journal names beside what state has is another document.
  if (inState.length > 0) {
    const certainly = withHistory(inState);
    return { current: inState, remembered: [], history, certainly, mayBeReplaced: certainly };
  }
  const all = withHistory(predecessors);
  const isCertain = situation.kind === "exists";
  return {
    ...{ current: predecessors, remembered: predecessors, history },
    certainly: isCertain ? all : history,
    mayBeReplaced: isCertain || preview ? all : history,
  };
}

const isOfThis = (madeOf: MadeOf): boolean => madeOf === "this" || madeOf === "this, by state";

/** Gathers the documents that may be the one: first what memory says of them, then what the service shows. */
class Candidates {
  constructor(
    private readonly options: CreateOptions,
    private readonly takenByOthers: ReadonlySet<string>,
    private readonly asked: Asked,
  ) {}

  async sorted(): Promise<Candidate[]> {
    const documents = await this.#remembered();
    const mayBeOurs = documents.filter(each => this.#mayBeOurs(each));
    const isForced = (mayBeOurs.length > 0 || this.asked.replaced.history.length > 0) && (await this.#isForced());
    // The person who forces that wants the people to be mailed: nothing is taken back.
    if (!isForced) await this.#compareAsOurs(mayBeOurs);
    await this.#compare(documents);
    return documents.map(each => ({ ...each, standing: standingOf(each, { isForced }) }));
  }

  async #remembered(): Promise<KnownDocument[]> {
    const { listed, ofContract, replaced } = this.asked;
    const policy = this.options.context.policy();
    const { adopts = [] } = policy;
    const sources = new Map<string, Source>();
    if (countsExisting(policy)) {
      for (const id of adopts) sources.set(id, "person");
      for (const id of [...listed, ...ofContract.map(each => each.id)]) sources.set(id, "name");
    }
    for (const id of [...replaced.certainly, ...this.takenByOthers]) sources.delete(id);
    for (const id of replaced.history) sources.set(id, "history");

    const documents: KnownDocument[] = [];
    for (const [id, source] of sources) {
      const document = await this.#rememberedAs(id, source, adopts.includes(id));
      // What another resource has isn't a person's to give.
      if (source !== "person" || isFree(document)) documents.push(document);
    }
    return documents.sort(
      (a, b) => Number(a.source === "history") - Number(b.source === "history") || byId(a.id, b.id),
    );
  }

  async #rememberedAs(id: string, source: Source, isNamed: boolean): Promise<KnownDocument> {
    const { deploymentLog } = this.options.context;
    const owner = await this.asked.lookup.owner(id);
    return {
      ...{ id, source, isNamed, owner },
      holder: this.#holder(id, source, owner),
      isLetGo: owner !== undefined && (owner.released || deploymentLog.letsGo(owner.urn, id)),
      madeOf: this.#madeOf(id, owner),
      isInProgram: owner !== undefined && deploymentLog.isOfProgram(resourceOf(owner.urn)),
    };
  }

  #holder(id: string, source: Source, owner: Owned | undefined): Holder {
    const { call, context, existing, scope } = this.options;
    if (!owner) return source === "person" || existing.wasThere(call, id) ? "stranger" : "unknown";
    // What is made of this, and replaced by something else in this run, may be the one that is wanted here.
    const isLeaving = context.deploymentLog.isChanging(owner.urn, id) && this.#madeOf(id, owner) !== "other content";
    if (isHeldByAnother(this.options, owner) && !isLeaving) return "another, shown";
    if (owner.released) return "nobody";
    return owner.urn === scope.urn ? "this resource" : "another";
  }

  /** What the journal knows was sent; what was changed there since, and the program has followed, state tells. */
  #madeOf(id: string, owner: Owned | undefined): MadeOf {
    const fingerprint = owner?.fingerprint;
    if (fingerprint === this.asked.spec.content.fingerprint) return "this";
    if (isMadeByState(this.options, id)) return "this, by state";
    return fingerprint === undefined ? "unknown" : "other content";
  }

  /** Whether state has what the program says: by the journal or state, as a service needn't show all of it, or by the service. */
  async #isForced(): Promise<boolean> {
    const { lookup, spec } = this.asked;
    const { current } = this.asked.replaced;
    // Diff knows what the program said before.
    if (current.some(({ changed = [] }) => changed.length > 0)) return false;
    const unknown: string[] = [];
    for (const { id } of current) {
      const madeOf = this.#madeOf(id, await lookup.owner(id));
      if (isOfThis(madeOf)) return true;
      if (madeOf === "unknown") unknown.push(id);
    }
    for (const id of unknown) {
      const body = await lookup.read(id);
      // The same in another folder is moved: nobody forces that.
      if (body && isInFolderOf(body, spec) && (await lookup.likenessOf(body, spec)) === "same") return true;
    }
    return false;
  }

  // As ours:

  /**
   * Ours: let go of, and made of this by the journal; or let go of, in the history or listed under this name, and not known to
   * be other content. One that the journal has under this resource counts as let go of where state has replaced it. Without
   * a journal entry: only from the history.
   */
  #mayBeOurs({ id, source, owner, holder, madeOf, isLetGo }: KnownDocument): boolean {
    const { listed, ofContract, replaced } = this.asked;
    const { current } = replaced;
    if (!countsExisting(this.options.context.policy()) || this.takenByOthers.has(id)) return false;
    if (current.some(each => each.id === id)) return false;
    // Nothing but the history says so.
    if (!owner) return source === "history";
    switch (madeOf) {
      case "other content":
        return false;
      case "unknown":
      case "this, by state":
        return isLetGo && (source === "history" || listed.includes(id));
      case "this": {
        // Another one of the same content is another contract.
        if (holder === "another, shown" || !ofContract.some(each => each.id === id)) return false;
        // Its resource has it by the journal alone: state has had another one in its place since.
        const isReplaced = current.some(({ isInState, supersedes }) => isInState && supersedes.includes(id));
        return isLetGo || (holder === "this resource" && isReplaced);
      }
    }
  }

  async #compareAsOurs(documents: readonly KnownDocument[]): Promise<void> {
    const { lookup, spec } = this.asked;
    const alike: KnownDocument[] = [];
    for (const each of documents) {
      const body = await this.#read(each);
      // What it was made of says where and for whom, too; of the others only the service tells.
      if (isOfThis(each.madeOf)) {
        const now = body ? await lookup.comparedToMade(body, spec) : "untold";
        if (now !== "other") each.asOurs = now;
      } else if (await this.#isAlikeInAll(body)) alike.push(each);
    }
    const asOurs = alike.length === 0 || (await this.#isToldApart()) ? "same" : "doubtful";
    for (const each of alike) each.asOurs = asOurs;
  }

  /** Whether what state has isn't what the program says, by what the service shows or by what Diff found. */
  async #isToldApart(): Promise<boolean> {
    const { current } = this.asked.replaced;
    if (current.some(({ changed }) => changed?.length === 1 && changed[0] === "folderId")) return true;
    for (const { id } of current) if (await this.#isAlikeInAll(await this.asked.lookup.read(id))) return false;
    return true;
  }

  async #isAlikeInAll(body: DocumentBody | undefined): Promise<boolean> {
    const { lookup, spec } = this.asked;
    const isSame = body && isPlaced(spec, body) && agreesInPeople(body, spec);
    return isSame === true && (await lookup.likenessOf(body, spec)) === "same";
  }

  // As anybody's:

  /** How each that isn't ours compares with what the program says, as far as something depends on it. */
  async #compare(documents: readonly KnownDocument[]): Promise<void> {
    const { lookup, snapshot, spec } = this.asked;
    const compare = async (some: readonly KnownDocument[] = []) => {
      for (const each of some) {
        const body = await this.#read(each);
        each.likeness = body ? await lookup.likenessOf(body, spec) : "unread";
      }
    };
    const beginning = snapshot.beginning(spec.name);
    const others = documents.filter(({ asOurs }) => asOurs !== "same");
    const when = Map.groupBy(others, each => this.#isCompared(each, beginning.get(each.id)));
    await compare(when.get("always"));
    const isAlike = when.get("always")?.some(({ source, likeness }) => source !== "history" && likeness === "same");
    // Where something is taken back, one that was signed since comes first.
    if (others.length < documents.length) await compare(when.get("if something is taken back"));
    else if (!isAlike) await compare(when.get("if nothing is alike"));
  }

  /** When it is compared. `isWhole`: of a name that is only how the program's begins, whether it wasn't cut. */
  #isCompared(
    { id, source, owner, holder, madeOf }: KnownDocument,
    isWhole: boolean | undefined,
  ): "always" | "if something is taken back" | "if nothing is alike" | "never" {
    const { snapshot, spec } = this.asked;
    switch (source) {
      case "name": {
        // Its name is only how ours begins, where the list or the journal tells that it wasn't cut.
        const isOtherName =
          isWhole !== undefined && owner?.name !== undefined && owner.name !== shortNameHash(spec.content);
        return holder === "another, shown" || isWhole || isOtherName ? "never" : "always";
      }
      // A service may list it under another name than it was sent.
      case "person":
        return snapshot.ids.has(id) ? "if nothing is alike" : "always";
      // What somebody has by the journal that may be made of exactly this: whoever it is, it isn't sent again.
      case "history":
        return owner?.released === false && madeOf !== "other content" ? "always" : "if something is taken back";
    }
  }

  async #read(document: KnownDocument): Promise<DocumentBody | undefined> {
    document.body ??= await this.asked.lookup.read(document.id);
    return document.body;
  }
}
