import { own } from "../../../kit/records.js";
import { byId, unreadDocument } from "../../client/bodies.js";
import { readTwice } from "../../client/documents.js";
import { type AmbiguousWriteError, CancelledError, ServiceError, type StatusError } from "../../client/errors.js";
import { isUnsigned } from "../../client/files.js";
import type { Snapshot } from "../../client/lists.js";
import { DEFAULT_LIMITS } from "../../client/requests.js";
import type { CreateAnswer, DocumentBody, NewDocument, Service, Turn } from "../../client/service.js";
import { sameText } from "../../core/same.js";
import { messageOf } from "../../core/text.js";
import { createdBefore } from "../absence.js";
import { isOnItsWay, type NewLine, resendOf, sendAtMostOnce } from "../at-most-once.js";
import type { Context, CreationPolicy } from "../context.js";
import type { CreatesInFlight, ExistingDocuments, Flight } from "../creates-of-a-run.js";
import {
  type Attempt,
  contentHashesOf,
  type Journal,
  type Owned,
  type Scope,
  shortNameHash,
} from "../journal/contract.js";
import type { CreateSituation, ResourceInState } from "../journal/deployment-log.js";
import { JournalUnavailableError } from "../journal/log.js";
import { Refusal, type RefusalParts } from "../refusal.js";
import { type Finding, notReplaced, type ReplacedDocument, type ReplaceGuard, remediesFor } from "../replace-guard.js";
import type { Call } from "../resource.js";
import { resourceOf } from "../urn.js";
import { contentHash, markerIn, shortHash } from "./content.js";
import { type CheckedInputs, hashesOf } from "./declaration.js";
import {
  agreesInPeople,
  isInFolderOf,
  isOthers,
  type Likeness,
  type Look,
  Lookup,
  type LookupOptions,
  type LookupResult,
  matchOf,
  rewrittenHash,
  type SentContent,
  UNPROVEN,
} from "./lookup.js";
import { type DocumentSpec, newDocument } from "./state.js";
import * as words from "./words.js";

/*
 * One create of a Document, of the plugin or of a row: which document it comes to, without mailing anybody twice.
 * `DocumentCreate.decide` makes a plan (part two, pure) of facts (part one), with each document that may be the one and
 * what it is: to keep, take over, refuse or send. How facts are gathered is part three. `DocumentCreate.send` sends it at
 * most once and finds out what became of it (part four). What is said is in words.ts; document.ts says which words mean what.
 *
 * Taken at its word: `sendAtMostOnce` takes a turn, writes a line to the journal, asks about what is replaced, and sends
 * nothing where another line counts or too much time has passed. `resendOf` allows a second time only where lists prove
 * that the first led to nothing, after the longest time that its request may have been on its way.
 */

// ---- One create ----

export interface CreateOptions {
  readonly context: Context;
  readonly guard: ReplaceGuard;
  readonly existing: ExistingDocuments;
  readonly inFlight: CreatesInFlight;
  readonly call: Call;
  readonly scope: Scope;
  /** Undefined while an input isn't known yet. */
  readonly spec: DocumentSpec | undefined;
  readonly inputs: CheckedInputs;
  readonly situation: CreateSituation;
}

interface Taken {
  readonly kind: "taken";
  readonly body: DocumentBody;
  readonly supersedes: readonly string[];
}

/** One create, from the facts to the document: sent at most once, and never while what is known forbids it. */
export class DocumentCreate {
  readonly #progress: CreateProgress;

  constructor(readonly options: CreateOptions) {
    this.#progress = new CreateProgress(options);
  }

  /**
   * What is left to do: a document that is kept, or taken, is named. It begins anew where another create took each that
   * was to be taken; those aren't candidates any more.
   */
  async decide(): Promise<Taken | Plan<"keep" | "send">> {
    const { call } = this.options;
    for (;;) {
      const gathering = new CreateFacts(this.#progress);
      const facts = await gathering.fromMemory();
      const plan = planFromMemory(facts) ?? planCreate(facts, await gathering.fromService(facts));
      if (plan.kind === "refuse") {
        const refusal = isReplacement(facts) ? words.withoutImports(plan.refusal) : plan.refusal;
        throw new Refusal(refusal, call.urn);
      }
      if (plan.kind === "keep")
        call.log.info(`document ${plan.id} is kept, no one is mailed: ${plan.why}`, { keeps: 1 });
      if (plan.kind === "keep" || plan.kind === "send") return plan;
      const taken = await this.#take(plan);
      if (taken) return taken;
    }
  }

  /**
   * Sends the document once, and finds out what became of it. Undefined where nothing was sent, because another run has
   * sent the same since it was planned.
   */
  async send(spec: DocumentSpec, plan: Plan<"send">): Promise<DocumentBody | undefined> {
    this.#progress.supersedes = plan.supersedes;
    return new CreateSender(this.#progress, spec, plan.atStake).send();
  }

  /** In a preview, while the folder isn't known: fails where `pulumi up` does, whichever it is. False where it asked nothing. */
  async assertSendableAnywhere(): Promise<boolean> {
    const gathering = new CreateFacts(this.#progress);
    const facts = await gathering.fromMemory();
    const isReverted = facts.situation.kind === "reverted-replacement";
    if (isReverted || facts.earlierCreate || facts.predecessors.length > 0) return false;
    const service = await gathering.fromService(facts);
    // What may be its own by then is left to `pulumi up`.
    const documents = service.documents.map((each): SortedDocument => {
      const mayBeOwn = mayBeAlike(each) && (each.holder === "this resource" || each.isLetGo);
      return mayBeOwn ? { ...each, standing: "other" } : each;
    });
    const plan = service.attempt ? undefined : planOthers(facts, { ...service, documents });
    if (plan?.kind === "refuse") throw new Refusal(plan.refusal, this.options.call.urn);
    return service.listedAt > 0;
  }

  /** Takes one of these documents for this resource; undefined where others have taken all of them. */
  async #take({ candidates, supersedes: replaced }: Plan<"take">): Promise<Taken | undefined> {
    const { call, context, existing, scope, spec } = this.options;
    for (const { body, owner, why } of candidates) {
      const supersedes = [...new Set([...(owner?.supersedes ?? []), ...replaced])].filter(id => id !== body.id);
      // In a folder that the program doesn't name, it wasn't made of this.
      const isElsewhere = spec !== undefined && !isInFolderOf(body, spec);
      // A resource that lets go of it in this run may not have released it yet.
      const from = owner?.released ? undefined : owner?.urn;
      const isClaimed = call.preview
        ? existing.promise(scope, body.id)
        : await this.#progress.claim(body, { supersedes, from, ...(isElsewhere && { fingerprint: undefined }) });
      if (isClaimed) {
        call.log.info(why === undefined ? words.takingBack(body) : words.takingOver(call, body, why), { takesBack: 1 });
        return { kind: "taken", body, supersedes };
      }
      // Another resource of this program has it: this one is another contract. Another run's is the same, and is named.
      if (call.preview || (await this.#progress.owner(body.id))?.run === context.journal.run)
        this.#progress.takenByOthers.add(body.id);
    }
    return undefined;
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
  /** Created by an earlier run; nothing has shown that state has it. */
  readonly earlierCreate: Owned | undefined;
  /** Whether the guard still lets go of what `earlierCreate` replaced. */
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
  readonly attempt: { readonly attempt: SeenAttempt; readonly result: LookupResult } | undefined;
  /** Attempts at the same content by other runs. */
  readonly attemptsElsewhere: readonly { readonly attempt: SeenAttempt; readonly absenceProven: boolean }[];
  /** Each document that may be the one, and what it is to this create. */
  readonly documents: readonly SortedDocument[];
  /** With this resource's creation marker. */
  readonly marked: readonly { readonly body: DocumentBody; readonly same: boolean }[];
  /** What may have replaced a predecessor that only the journal names. */
  readonly successors: { readonly documents: readonly DocumentBody[]; readonly proven: boolean } | undefined;
  /** When the lists were asked for, by this machine's clock; 0 where they weren't. */
  readonly listedAt: number;
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
  /** The journal doesn't know it. */
  | "unknown"
  /** Whoever had it has let go of it. */
  | "nobody"
  | "this resource"
  /** Another resource of this program, as this deployment has shown, which keeps it. */
  | "another, shown"
  /** Another resource, by the journal. */
  | "another";

/** What the journal says of what a document was made of. */
type MadeOf = "this" | "other content" | "unknown";

/** A document that may be the one: what memory knows of it, and as far as something depends on it, what the service shows. */
export interface KnownDocument {
  readonly id: string;
  readonly source: Source;
  /** A person names it (`DOCSIGN_ADOPT`), whatever else shows it. */
  readonly isNamed: boolean;
  /** The journal's entry; undefined where it doesn't know it. */
  readonly owner: Owned | undefined;
  readonly holder: Holder;
  /** By the journal, which may say less than this deployment shows; or whoever has it lets go of it in this run. */
  readonly isLetGo: boolean;
  readonly madeOf: MadeOf;
  /** The program has the resource that the journal has it under, as far as this deployment has shown. */
  readonly isInProgram: boolean;
  /**
   * Nobody of this journal's made it, and it was there before this run sent anything, or a person names it: it isn't what
   * another create of this run led to.
   */
  readonly isStranger: boolean;
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

/** No other resource has it, as far as is known. */
const isFree = ({ holder }: KnownDocument): boolean =>
  holder === "unknown" || holder === "nobody" || holder === "this resource";

/** What a document is to a create: the first of these that holds, and otherwise `other`. */
const STANDINGS = {
  /**
   * Ours stays ours: this journal's resources made it, nobody has it now, and it is exactly what the program says. It is
   * taken back in place of sending another, which mails nobody: so its age, its resource and its signatures don't matter.
   */
  ours: ({ asOurs }) => asOurs === "same",
  /** No other resource's, and a person names it: it is taken in the same way. */
  adopted: each => each.isAdoptable && each.isNamed,
  /** Made of this content and let go of, and the service doesn't show it now, or not well enough. */
  "untold ours": ({ asOurs }) => asOurs === "untold",
  /** This resource had it before, by state, and the service doesn't show all that may tell it from what the program says. */
  "may be ours": ({ asOurs }) => asOurs === "doubtful",
  /** Whoever has it. */
  "exact match": ({ isAlike }) => isAlike,
  /** For the same people under the same name, and one that the journal knows: it may be alike. */
  unclear: each => each.source !== "history" && each.likeness === "unclear",
  /** A stranger's, or made of what the program says as far as the journal knows. */
  unread: ({ source, likeness, isStranger, holder, madeOf }) =>
    source !== "history" &&
    likeness === "unread" &&
    (isStranger || (holder !== "unknown" && madeOf !== "other content")),
  /** A stranger's for the same people under the same name, with other content. */
  "same name": each => each.source !== "history" && each.likeness === "same name and people" && each.isStranger,
  /** A stranger's that a person names: two of name, people and PDF are the program's. */
  similar: each => each.source === "person" && each.likeness === "similar" && each.isStranger,
} satisfies Readonly<Record<string, (document: Omit<SortedDocument, "standing">) => boolean>>;

type Standing = keyof typeof STANDINGS | "other";

const IN_ORDER = Object.keys(STANDINGS) as (keyof typeof STANDINGS)[];

export interface SortedDocument extends Readonly<KnownDocument> {
  readonly standing: Standing;
  /** It is exactly what the program says. */
  readonly isAlike: boolean;
  /** The same, and a person who names it gets it. */
  readonly isAdoptable: boolean;
}

/** One that the service shows. */
interface ReadDocument extends SortedDocument {
  readonly body: DocumentBody;
}

/**
 * Each of the documents that may be the one, with what it is. `isForced`: what state has is exactly what the program says,
 * and is replaced all the same: then what it replaced before is in nobody's way.
 */
export const sortCandidates = (
  documents: readonly KnownDocument[],
  { isForced }: { readonly isForced: boolean },
): SortedDocument[] =>
  documents.map(each => {
    const isAlike =
      each.asOurs === "doubtful" || (each.likeness === "same" && !(each.source === "history" && isForced));
    const document = { ...each, isAlike, isAdoptable: isAlike && isFree(each) };
    return { ...document, standing: IN_ORDER.find(name => STANDINGS[name](document)) ?? "other" };
  });

// ---- Part two: the decision ----

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
  | {
      readonly kind: "send";
      readonly supersedes: readonly string[];
      readonly replaces: readonly ReplacedDocument[];
      /** What is asked about again when it is sent: nothing of it may be signed by then. */
      readonly atStake: readonly words.AtStake[];
      /** In a preview: of `replaces`, what `pulumi up` only replaces where the engine deletes it first. */
      readonly onlyIfDeletedFirst: readonly string[];
    }
  | { readonly kind: "refuse"; readonly refusal: RefusalParts };

export type Plan<Kind extends CreatePlan["kind"]> = CreatePlan & { readonly kind: Kind };

const refuse = (refusal: RefusalParts): CreatePlan => ({ kind: "refuse", refusal });

const take = (bodies: readonly DocumentBody[], supersedes: readonly string[], why: string): CreatePlan => ({
  kind: "take",
  candidates: bodies.map(body => ({ body, why })),
  supersedes,
});

/** The decision where memory alone settles it: nothing is asked of the service's lists then. */
export function planFromMemory(facts: RememberedFacts): CreatePlan | undefined {
  const { situation, earlierCreate, predecessors, spec } = facts;
  if (situation.kind === "reverted-replacement") {
    const { id, supersedes, isUncertain } = situation.keeps;
    const why = isUncertain
      ? `what wasn't known yet is known now, and document ${id} is what the program says`
      : `the program is back to what document ${id} holds, so the interrupted replacement ends here`;
    return { kind: "keep", id, supersedes, why };
  }
  if (earlierCreate && spec) return planEarlierCreate(facts, earlierCreate);
  if (predecessors.length === 0 && situation.kind === "exists") return refuse(words.unknownPredecessor);
  const blocked = predecessors.find(({ finding }) => !finding.replaceable);
  if (blocked) return refuse(notReplaced(blocked.finding, "replace-signed", blocked));
  const [there] = facts.elsewhere;
  if (predecessors.length === 0 && !earlierCreate && there) return refuse(words.livesElsewhere(there, facts.origin));
  return spec ? undefined : send(facts);
}

/** Where memory doesn't settle it: the first of these that has an answer decides; where none has, it is sent. */
export function planCreate(facts: RememberedFacts, service: ServiceFacts): CreatePlan {
  return (
    planSuccessors(facts, service) ??
    planAttempt(facts, service) ??
    planTakeBack(facts, service) ??
    planAttemptsElsewhere(service) ??
    planOthers(facts, service) ??
    send(facts, exactMatchesIfDeletedFirst(facts, service), service.successors?.documents)
  );
}

/** What stands at the service under the same name, and isn't known to be this stack's. */
const planOthers = (facts: RememberedFacts, service: ServiceFacts): CreatePlan | undefined =>
  planMarked(facts, service) ?? planExactMatches(facts, service) ?? planNotAlike(service);

function send(
  { predecessors }: RememberedFacts,
  onlyIfDeletedFirst: readonly string[] = [],
  successors: readonly DocumentBody[] = [],
): CreatePlan {
  return {
    kind: "send",
    supersedes: supersedesOf(predecessors),
    replaces: predecessors.map(({ id, finding }) => ({ id, sha256: finding.sha256 })),
    atStake: [...predecessors, ...successors.map(({ id }) => words.maybeBefore(id))],
    onlyIfDeletedFirst,
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
    isOnItsWay(attempt, service.listedAt, service, policy);
  const open = attemptsElsewhere.find(each => !each.absenceProven || isRecent(each));
  // Of a run that is over, a document that is there is named or taken over.
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

/** Documents exactly alike: taken over where the settings say so and they are free, and never doubled. */
function planExactMatches(facts: RememberedFacts, service: ServiceFacts): CreatePlan | undefined {
  const { policy } = service;
  const { predecessors, spec } = facts;
  const others = inTheWay(facts, service);
  const [any] = others;
  if (!countsExisting(policy) || !any) return undefined;
  const bodies = others.map(({ body }) => body);
  const free = others.filter(each => isFree(each) && isPlaced(spec, each.body) && isUnsigned(each.body));
  if (policy.duplicatePolicy === "adopt") {
    const rival = free.map(({ body }) => signedInstead(body, service)).find(each => each !== undefined);
    if (rival) return refuse(rival);
    if (free.length === others.length)
      return take(bodies, supersedesOf(predecessors), "it has the same name, PDF and people");
  }
  // What may not be taken decides what is said.
  const first = others.find(match => !free.includes(match)) ?? any;
  if (first.standing === "may be ours") return refuse(words.mayBeOwn(first.body));
  const instead = isFree(first) ? signedInstead(first.body, service) : undefined;
  if (instead && predecessors.length === 0) return refuse(instead);
  const match = {
    wasOwn: first.source === "history",
    isReplaced: predecessors.some(({ id }) => id === first.id),
    isPlaced: isPlaced(spec, first.body),
    mayAdopt: isFree(first) && !instead,
    bodies,
    signed: signedIn(service).flatMap(({ body }) => (bodies.includes(body) ? [] : [body])),
    isInState: facts.situation.exists || predecessors.length > 0,
  };
  return refuse(words.exactMatch({ ...facts, ...first, ...match }));
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
function inTheWay(facts: RememberedFacts, service: ServiceFacts): ReadDocument[] {
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
const mayBeAlike = ({ standing }: SortedDocument): boolean => ALIKE.includes(standing);

const isRead = (document: SortedDocument): document is ReadDocument => document.body !== undefined;

const having = ({ documents }: ServiceFacts, ...standings: readonly Standing[]): ReadDocument[] =>
  documents.filter(isRead).filter(({ standing }) => standings.includes(standing));

/**
 * What somebody has signed, for the same people under the same name. One exactly alike counts whoever has it, as what the
 * journal knows of that may be out of date; of the others those that no other resource has.
 */
function signedIn({ documents }: ServiceFacts): ReadDocument[] {
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
  return words.signedInstead(unsigned, rivals, { ...first, isAlike: first.likeness === "same", isFree: isFree(first) });
}

/** Whether a document is where the program wants it. */
const isPlaced = (spec: RememberedFacts["spec"], { folderId }: DocumentBody): boolean =>
  spec?.folderId === undefined || spec.folderId === folderId;

/** Whether what the service has already counts. */
const countsExisting = ({ duplicatePolicy }: CreationPolicy): boolean => duplicatePolicy !== "create";

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
  constructor(private readonly progress: CreateProgress) {}

  async fromMemory(): Promise<RememberedFacts> {
    const { call, context, scope, spec } = this.progress.options;
    const { journal } = context;
    const situation = this.#situation();
    const isAsked = spec && asksLists(context.policy(), spec);
    // At once: a journal across a network answers all of it in one round trip, and keeps what it has read.
    await Promise.all([
      journal.refresh(),
      journal.resource(scope),
      isAsked && journal.ofContract(scope.service, spec.content),
    ]);
    const { owned } = await journal.resource(scope);
    this.progress.basis = { before: new Set(), owned: owned.map(({ id }) => id) };
    const isReverted = situation.kind === "reverted-replacement";
    const isShown = (id: string) => situation.inState.some(each => each.id === id);
    const earlierCreate = owned.find(({ id, shown, replaced }) => !shown && !replaced && !isShown(id));
    const isSettled = isReverted || (earlierCreate !== undefined && spec !== undefined);
    const others = owned.filter(each => each !== earlierCreate);
    return {
      urn: call.urn,
      preview: call.preview,
      origin: scope.service,
      ...{ spec, situation, earlierCreate },
      earlierCreatesPredecessor: isReverted || !spec ? undefined : await this.#predecessorOf(earlierCreate),
      elsewhere: await journal.elsewhere(scope),
      predecessors: isSettled ? [] : await this.#predecessors(situation.inState, others),
    };
  }

  /** A document is kept as well where all that Diff found wasn't known yet, and turned out to be what state has. */
  #situation(): CreateSituation {
    const { situation, spec } = this.progress.options;
    const keeps = situation.inState.find(({ id, isUncertain }) => isUncertain && this.progress.isMadeByState(id));
    return spec && keeps ? { ...situation, kind: "reverted-replacement", keeps } : situation;
  }

  /** What an earlier run's document replaced, as the guard finds it now; undefined where state has let go of that. */
  async #predecessorOf(created: Owned | undefined): Promise<Finding | undefined> {
    const { call, guard } = this.progress.options;
    const last = created?.supersedes.at(-1);
    if (last === undefined) return undefined;
    const owner = await this.progress.owner(last);
    return owner?.released && !owner.superseded ? undefined : guard.examine(last, call);
  }

  /** What this deployment or the journal knows the resource to have, as the guard finds it now. */
  async #predecessors(shown: readonly ResourceInState[], owned: readonly Owned[]): Promise<Predecessor[]> {
    const { call, guard } = this.progress.options;
    // What was shown says more of a document than the journal.
    const known = new Map<string, Owned | ResourceInState>([...owned, ...shown].map(each => [each.id, each]));
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
    const { call, context, existing, scope, spec } = this.progress.options;
    const { clock, journal } = context;
    const policy = context.policy();
    const { adopts = [] } = policy;
    const nothing: ServiceFacts = {
      ...{ attempt: undefined, attemptsElsewhere: [], documents: [], marked: [], successors: undefined },
      ...{ listedAt: 0, now: clock.now(), serviceNow: undefined, policy },
    };
    if (!spec) return nothing;
    const { attempt } = await journal.resource(scope);
    this.progress.attemptToken = attempt?.token;
    const replaced = replacedIn(facts);
    if (!attempt && !asksLists(policy, spec) && replaced.unshown.length === 0) return nothing;

    // First what became of its own attempt, then lists: what they show was there before anything is sent.
    const result = attempt && (await this.#outcome(attempt, spec, replaced.possibly));
    const { attempts, owned: ofContract } = await journal.ofContract(scope.service, spec.content);
    const knows = countsExisting(policy) ? [...attempts, ...ofContract].map(({ token }) => token) : undefined;
    const { losses } = journal;
    const underWay = attempts.some(({ run, urn }) => run === journal.run && urn !== scope.urn);
    const snapshot = await existing.before(call, underWay);
    this.progress.basis = { ...this.progress.basis, before: snapshot.ids, knows, losses, listedAt: snapshot.askedAt };
    const listed = snapshot.ofName(spec.name).map(({ id }) => id);
    // Thousands of rows of a preview: nothing bears on this one, so there is nothing to compare it with.
    const mayBeThere = attempts.length + ofContract.length + listed.length + adopts.length > 0;
    if (!mayBeThere && !attempt && facts.predecessors.length === 0 && spec.content.marker === undefined)
      return { ...nothing, listedAt: snapshot.askedAt };
    const asked: Asked = { snapshot, listed, ofContract, lookup: this.progress.lookup(), replaced, spec };
    return {
      attemptsElsewhere: await this.#attemptsElsewhere(attempts, asked),
      documents: await new Candidates(this.progress, asked).sorted(),
      marked: await this.#marked(asked),
      attempt: attempt && result ? { attempt: { ...attempt, seenAt: journal.seenAt(attempt) }, result } : undefined,
      successors: await this.#successors(asked),
      listedAt: snapshot.askedAt,
      now: clock.now(),
      serviceNow: context.service().ticks(),
      policy,
    };
  }

  /** What an earlier run's attempt came to. In a preview one look has to do. */
  async #outcome(attempt: Attempt, spec: DocumentSpec, replaced: readonly string[]): Promise<LookupResult> {
    const { call, context } = this.progress.options;
    const sent = attempt.fingerprint === spec.content.fingerprint ? spec : { content: attempt };
    const lookup = this.progress.lookup({ replaced: [...replaced, ...attempt.supersedes] });
    const forMs = call.preview ? 0 : context.policy().reconcileTimeoutMs;
    return this.progress.outcomeOf(attempt, sent, lookup, forMs);
  }

  async #attemptsElsewhere(
    attempts: readonly Attempt[],
    { lookup, snapshot }: Asked,
  ): Promise<ServiceFacts["attemptsElsewhere"]> {
    const { context, scope } = this.progress.options;
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
    const { scope } = this.progress.options;
    const { marker } = spec.content;
    const marked = [];
    for (const row of marker === undefined ? [] : snapshot.rows) {
      if (markerIn(row.description) !== marker || replaced.possibly.includes(row.id)) continue;
      if (isOthers(await this.progress.owner(row.id), scope)) continue;
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
  async #successors({ snapshot, listed, replaced }: Asked): Promise<ServiceFacts["successors"]> {
    const { call, context } = this.progress.options;
    const { certainly, unshown } = replaced;
    if (unshown.length === 0) return undefined;
    const oldest = Math.min(...unshown.map(({ finding }) => finding.createdAt ?? 0));
    const documents: DocumentBody[] = [];
    for (const id of listed) {
      if (certainly.includes(id) || this.progress.isHeld(await this.progress.owner(id))) continue;
      const body = await readTwice(context.service(), id, call.signal);
      if (!createdBefore(body, oldest)) documents.push(body);
    }
    const proven = unshown.every(({ finding }) =>
      snapshot.provesNoSignedSince(finding.createdAt ?? Number.NEGATIVE_INFINITY),
    );
    return { documents, proven };
  }
}

/** What a create replaces: what state has, and what that replaced before it. */
interface Replaced {
  /** What the engine has shown; where it has shown none, what the journal names may be it. */
  readonly current: readonly Predecessor[];
  /** What all of them replaced before: no candidate but for the first of its sources. */
  readonly history: readonly string[];
  /** Where the engine has shown none: what only the journal names. Beside a shown one, that is another document. */
  readonly unshown: readonly Predecessor[];
  /** Ids that this create replaces, whoever calls it. */
  readonly certainly: readonly string[];
  /** The same, with what it may replace in a preview: none of it can be what a create led to. */
  readonly possibly: readonly string[];
}

/**
 * What only the journal names may be lost from state (`pulumi state delete`) as well as replaced by force: a create
 * doesn't see which of the two it was, so it counts as another document, unless the resource is known to exist. A preview,
 * which calls no Delete to show it, names what decides.
 */
function replacedIn({ predecessors, situation, preview }: RememberedFacts): Replaced {
  const shown = predecessors.filter(each => each.isInState);
  const isShown = shown.length > 0;
  const isCertain = isShown || situation.kind === "exists";
  const current = isShown ? shown : predecessors;
  const history = predecessors.flatMap(({ supersedes }) => supersedes);
  const all = [...current.map(({ id }) => id), ...history];
  return {
    current,
    history,
    unshown: isShown ? [] : predecessors,
    certainly: isCertain ? all : history,
    possibly: isCertain || preview ? all : history,
  };
}

/** Gathers the documents that may be the one: first what memory says of them, then what the service shows. */
class Candidates {
  constructor(
    private readonly progress: CreateProgress,
    private readonly asked: Asked,
  ) {}

  async sorted(): Promise<SortedDocument[]> {
    const documents = await this.#remembered();
    const mayBeOurs = documents.filter(each => this.#mayBeOurs(each));
    const isForced = (mayBeOurs.length > 0 || this.asked.replaced.history.length > 0) && (await this.#isForced());
    // The person who forces that wants the people to be mailed: nothing is taken back.
    if (!isForced) await this.#compareAsOurs(mayBeOurs);
    await this.#compare(documents);
    return sortCandidates(documents, { isForced });
  }

  async #remembered(): Promise<KnownDocument[]> {
    const { listed, ofContract, replaced } = this.asked;
    const policy = this.progress.options.context.policy();
    const { adopts = [] } = policy;
    const sources = new Map<string, Source>();
    if (countsExisting(policy)) {
      for (const id of adopts) sources.set(id, "person");
      for (const id of [...listed, ...ofContract.map(each => each.id)]) sources.set(id, "name");
    }
    for (const id of [...replaced.certainly, ...this.progress.takenByOthers]) sources.delete(id);
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
    const { call, context, existing } = this.progress.options;
    const { deploymentLog } = context;
    const owner = await this.progress.owner(id);
    return {
      ...{ id, source, isNamed, owner },
      holder: this.#holder(owner),
      isLetGo: owner !== undefined && (owner.released || deploymentLog.letsGo(owner.urn, id)),
      madeOf: this.#madeOf(id, owner),
      isInProgram: owner !== undefined && deploymentLog.isOfProgram(resourceOf(owner.urn)),
      isStranger: !owner && (source === "person" || existing.wasThere(call, id)),
    };
  }

  #holder(owner: Owned | undefined): Holder {
    if (!owner) return "unknown";
    const { context, scope } = this.progress.options;
    // What is made of this, and replaced by something else in this run, may be the one that is wanted here.
    const isLeaving =
      context.deploymentLog.isChanging(owner.urn, owner.id) && this.#madeOf(owner.id, owner) !== "other content";
    if (this.progress.isHeld(owner) && !isLeaving) return "another, shown";
    if (owner.released) return "nobody";
    return owner.urn === scope.urn ? "this resource" : "another";
  }

  #madeOf(id: string, owner: Owned | undefined): MadeOf {
    if (owner?.fingerprint === undefined) return "unknown";
    if (owner.fingerprint === this.asked.spec.content.fingerprint) return "this";
    // Changed there since, and the program has followed: what it is now the service tells.
    return this.progress.isMadeByState(id) ? "unknown" : "other content";
  }

  /** Whether state has what the program says: by the journal or state, as a service needn't show all of it, or by the service. */
  async #isForced(): Promise<boolean> {
    const { lookup, spec } = this.asked;
    const { current } = this.asked.replaced;
    // Diff knows what the program said before.
    if (current.some(({ changed = [] }) => changed.length > 0)) return false;
    const unknown: string[] = [];
    for (const { id } of current) {
      const madeOf = this.#madeOf(id, await this.progress.owner(id));
      if (madeOf === "this" || this.progress.isMadeByState(id)) return true;
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

  /** Whether this journal's resources made it, nobody has it now, and it may be what the program says. */
  #mayBeOurs({ id, source, holder, madeOf, isLetGo }: KnownDocument): boolean {
    const { listed, ofContract, replaced } = this.asked;
    const { current } = replaced;
    const { options, takenByOthers } = this.progress;
    if (!countsExisting(options.context.policy()) || takenByOthers.has(id)) return false;
    if (current.some(each => each.id === id)) return false;
    // Nothing but the history says so.
    if (holder === "unknown") return source === "history";
    if (madeOf === "unknown") return isLetGo && (source === "history" || listed.includes(id));
    // Another one of the same content is another contract.
    if (holder === "another, shown") return false;
    // Its resource has it by the journal alone: state has had another one in its place since.
    const isReplaced = current.some(({ isInState, supersedes }) => isInState && supersedes.includes(id));
    const isNobodys = isLetGo || (holder === "this resource" && isReplaced);
    return madeOf === "this" && isNobodys && ofContract.some(each => each.id === id);
  }

  async #compareAsOurs(documents: readonly KnownDocument[]): Promise<void> {
    const { lookup, spec } = this.asked;
    const alike: KnownDocument[] = [];
    for (const each of documents) {
      const body = await this.#read(each);
      // What it was made of says where and for whom, too; of the others only the service tells.
      if (each.madeOf === "this" || this.progress.isMadeByState(each.id)) {
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
    const waiting = Map.groupBy(others, each => this.#comparing(each, beginning.get(each.id)));
    const { always, history, person } = Object.fromEntries(waiting);
    await compare(always);
    // Where something is taken back, one that was signed since comes first.
    if (others.length < documents.length) await compare(history);
    else if (!always?.some(({ source, likeness }) => source !== "history" && likeness === "same"))
      await compare(person);
  }

  /** When it is compared. `isWhole`: of a name that is only how the program's begins, whether it wasn't cut. */
  #comparing({ id, source, owner, holder, madeOf }: KnownDocument, isWhole: boolean | undefined): Source | "always" {
    const { snapshot, spec } = this.asked;
    switch (source) {
      case "name": {
        // Its name is only how ours begins, where the list or the journal tells that it wasn't cut.
        const isOtherName =
          isWhole !== undefined && owner?.name !== undefined && owner.name !== shortNameHash(spec.content);
        return holder === "another, shown" || isWhole || isOtherName ? source : "always";
      }
      // A service may list it under another name than it was sent.
      case "person":
        return snapshot.ids.has(id) ? source : "always";
      // What somebody has by the journal that may be made of exactly this: whoever it is, it isn't sent again.
      case "history":
        return owner?.released === false && madeOf !== "other content" ? "always" : source;
    }
  }

  async #read(document: KnownDocument): Promise<DocumentBody | undefined> {
    document.body ??= await this.asked.lookup.read(document.id);
    return document.body;
  }
}

// ---- Part four: sending ----

/** What a create was decided on beside its plan: the journal is asked about it once more when it is sent. */
interface Basis {
  /** What was listed before anything was sent. */
  readonly before: ReadonlySet<string>;
  /** Ids that the resource was known to have. */
  readonly owned: readonly string[];
  /** Tokens of what the journal had of this content; undefined where that doesn't matter. */
  readonly knows?: readonly string[] | undefined;
  /** How often the journal had lost something by then; undefined where that doesn't matter. */
  readonly losses?: number | undefined;
  /** When the lists were asked for, by this machine's clock; undefined where none were. */
  readonly listedAt?: number | undefined;
}

/** What one create has come to, shared by those who look and those who send. */
class CreateProgress {
  basis: Basis = { before: new Set(), owned: [] };
  supersedes: readonly string[] = [];
  /** Documents that this create was to take over, and that another one took first. */
  readonly takenByOthers = new Set<string>();
  /** Of the attempt that this create goes on from. */
  attemptToken: string | undefined;
  /** This create, once it is sent. */
  flight: Flight | undefined;
  /** How often the lists that it was decided on were too old when its turn came. */
  outdated = 0;

  constructor(readonly options: CreateOptions) {}

  owner(id: string): Promise<Owned | undefined> {
    const { context, scope } = this.options;
    return context.journal.owner(scope.service, id);
  }

  /** Takes it for this resource, as made of what the program says: false where another one has it. */
  async claim(
    body: DocumentBody,
    more: {
      readonly supersedes: readonly string[];
      readonly from?: string | undefined;
      readonly fingerprint?: undefined;
    },
  ): Promise<boolean> {
    const { context, scope, spec } = this.options;
    const rewrittenAs = spec && (await rewrittenHash(body, spec));
    return context.journal.claim(scope, body.id, { ...contentHashesOf(spec?.content), rewrittenAs, ...more });
  }

  /** Whether state says that it was made of what the program says. */
  isMadeByState(id: string): boolean {
    const { inputs, situation, spec } = this.options;
    const stated = situation.inState.flatMap(({ contents = {} }) => own(contents, id) ?? []);
    if (stated.length === 0) return false;
    const hashes = hashesOf(inputs);
    // Of an import that a template describes, state has the template's hash alone.
    const wanted = [contentHash(hashes), contentHash(hashes, shortHash(spec?.content.sha256))];
    return stated.some(each => wanted.includes(each));
  }

  /** Whether another resource of this program has it, as this deployment has shown. */
  isHeld(owner: Owned | undefined): boolean {
    const { context, scope } = this.options;
    return owner !== undefined && owner.urn !== scope.urn && context.deploymentLog.holds(owner.urn, owner.id);
  }

  lookup({
    replaced = this.supersedes,
    ...more
  }: { readonly replaced?: readonly string[] } & Partial<Pick<LookupOptions, "signal" | "claim">> = {}): Lookup {
    const { call, context, scope } = this.options;
    return new Lookup({
      ...{ context, scope, service: context.service(), signal: call.signal, ...more },
      owner: id => this.owner(id),
      isExcluded: id => replaced.includes(id) || this.basis.before.has(id) || this.takenByOthers.has(id),
      countsExisting: countsExisting(context.policy()),
    });
  }

  /** What an attempt led to: looked for so long and at least once, with pauses that grow. */
  async outcomeOf(attempt: Attempt, sent: SentContent, lookup: Lookup, forMs: number): Promise<LookupResult> {
    const { call, context } = this.options;
    const { clock } = context;
    const until = clock.now() + forMs;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      const isLast = clock.now() >= until;
      const result = await this.#look(attempt, sent, lookup, { isFirst: pause === FIRST_PAUSE_MS, isLast });
      if (isLast || result.kind === "found") return result;
      await clock.wait(Math.min(pause, Math.max(0, until - clock.now())), call.signal).catch(() => {
        throw new Refusal(words.cancelledCreate(), call.urn);
      });
    }
  }

  /** The last one is at any name, and again once the creates of this run that may have made what fits are over. */
  async #look(attempt: Attempt, sent: SentContent, lookup: Lookup, look: Look): Promise<LookupResult> {
    const { call, context, inFlight } = this.options;
    const isSentHere = lookup.options.claim !== undefined;
    try {
      for (;;) {
        const result = await lookup.once(attempt, sent, look);
        if (!look.isLast || result.kind !== "ambiguous") return result;
        const others = inFlight.othersThatMade(result.documents, this.flight);
        if (others.length > 0)
          call.log.progress("documents like this one are being created: waiting for their outcome");
        await context.journal.refresh();
        const taken = await Promise.all(result.documents.map(({ id }) => lookup.isTaken(id)));
        if (others.length === 0 && !taken.includes(true)) return result;
        await Promise.all(others);
      }
    } catch (error) {
      if (error instanceof CancelledError)
        throw new Refusal(words.cancelledCreate(isSentHere ? attempt.hints : []), call.urn);
      // Of what was sent already, a journal that can't be asked tells no more than a service that can't.
      const isOutOfReach = error instanceof ServiceError || (isSentHere && error instanceof JournalUnavailableError);
      if (!isOutOfReach) throw error;
      return { ...UNPROVEN, failed: error.message };
    }
  }
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 4_000;

/** How often one create may be sent in a run, each time only after proof that the one before led to nothing. */
const MOST_SENDS = 3;
/** How often lists are asked for again because the turn came late. */
const MOST_OUTDATED = 4;
/** After Ctrl-C the engine waits five seconds for its plugins: a create that was sent may be answered, and kept in state. */
const CANCEL_GRACE_MS = 4_000;

/** `error`: its answer was lost. */
type Sent = { readonly found: DocumentBody } | { readonly attempt: Attempt; readonly error?: AmbiguousWriteError };

/** Sends a document at most once, and finds out what became of it. */
class CreateSender {
  /** The call's signal, some seconds later. */
  readonly #late = new AbortController();

  constructor(
    private readonly progress: CreateProgress,
    private readonly spec: DocumentSpec,
    private readonly atStake: readonly words.AtStake[],
  ) {}

  get options(): CreateOptions {
    return this.progress.options;
  }

  /** Undefined where nothing was sent, because another run has sent the same meanwhile. */
  async send(): Promise<DocumentBody | undefined> {
    const { call, context, inFlight } = this.options;
    const document = await newDocument(this.spec);
    const flight = inFlight.begin(this.spec.name);
    this.progress.flight = flight;
    const cancel = () => {
      call.log.warn("cancelled: waiting up to 4 s for the answer to a create that was sent");
      void context.clock.wait(CANCEL_GRACE_MS).then(() => this.#late.abort());
    };
    call.signal.addEventListener("abort", cancel, { once: true });
    try {
      return await this.#untilFound(document);
    } finally {
      inFlight.end(flight);
      call.signal.removeEventListener("abort", cancel);
    }
  }

  async #untilFound(document: NewDocument): Promise<DocumentBody | undefined> {
    const { call, context } = this.options;
    for (let count = 1; ; count++) {
      const sent = await this.#once(document);
      if (!sent || "found" in sent) return sent?.found;
      const { attempt, error } = sent;
      const isNamed = attempt.hints.length > 0;
      if (!isNamed) call.log.progress("the create's answer was lost: looking for the document");
      const result = await this.#settle(attempt);
      const [found] = result.kind === "found" ? result.documents : [];
      if (found && !isNamed) this.#sayFound(found);
      if (found) return found;
      if (result.kind !== "absent") throw new Refusal(words.ambiguousCreate(attempt, result.documents), call.urn);
      const clocks = { now: context.clock.now(), serviceNow: context.service().ticks() };
      const resend = resendOf(attempt, result, clocks, context.policy());
      if (!resend.isAllowed || count >= MOST_SENDS) {
        const answer = error?.detail ?? (isNamed ? undefined : "the answer names no document");
        const about = { ...result, ...resend, answer, name: this.spec.name };
        throw new Refusal(words.unconfirmed(attempt, about), call.urn);
      }
      this.progress.basis = { ...this.progress.basis, listedAt: result.askedAt };
    }
  }

  #sayFound({ id }: DocumentBody): void {
    this.options.call.log.info(`found document ${id}. No one is mailed again.`);
  }

  /** Sends it, and remembers what the answer named. What provably never happened is thrown, and forgotten. */
  async #once(document: NewDocument): Promise<Sent | undefined> {
    const { call, context, scope } = this.options;
    const { clock, journal } = context;
    const { signal } = call;
    let found: DocumentBody | undefined;
    let refusals = 0;
    const sent = await sendAtMostOnce<Attempt, Turn, CreateAnswer>(
      {
        clock,
        serviceNow: () => context.service().ticks(),
        turn: work => context.service().turn(work, { signal }),
        begin: line => this.#begin(line),
        assertReplaceable: this.atStake.length === 0 ? undefined : turn => this.#assertReplaceable(turn),
        owns: ({ token }) => journal.owns(scope, token),
        send: (turn, _, mayLeave) => turn.createDocument(document, { signal, graceMs: CANCEL_GRACE_MS, mayLeave }),
        withdraw: ({ token }) => this.#withdraw(token),
        refused: async (line, error) => {
          // Every other time twice: a service that refuses every so many requests would refuse each create in the same rhythm.
          found = await this.#lookAfterRefusal(line, error, 1 + (refusals++ % 2));
          return !found;
        },
      },
      { lasts: lastsFor(document.pdf.size, context.policy()) },
    ).catch((error: unknown) => {
      throw error instanceof CancelledError && error.sent ? new Refusal(words.cancelledCreate(), call.urn) : error;
    });
    if (found) {
      this.#sayFound(found);
      return { found };
    }
    if (sent.kind === "forestalled") {
      await this.#assertNotCreated();
      return undefined;
    }
    // Its request is over: nothing of it is on its way any more.
    const attempt: Attempt = { ...sent.line, lasts: undefined };
    if (sent.kind === "lost") return { attempt, error: sent.error };
    const { hints, document: whole } = sent.answer;
    const isSent = whole && (await this.progress.lookup().isWhollySent(whole, this.spec, attempt));
    if (isSent && (await this.#claim(whole))) return { found: whole };
    await this.#remember(attempt.token, hints);
    return { attempt: { ...attempt, hints, answered: true } };
  }

  /** What the journal gets to know before it is sent. Undefined where it is to be decided anew. */
  async #begin(time: NewLine): Promise<Attempt | undefined> {
    if (this.#isOutdated(time)) {
      this.progress.outdated++;
      return undefined;
    }
    const { context, scope } = this.options;
    const { journal } = context;
    const { basis, supersedes, attemptToken } = this.progress;
    const { owned, knows, losses } = basis;
    const { account } = context.service();
    const inFolder = this.spec.folderId !== undefined;
    const line = { ...this.spec.content, ...time, inFolder, account, supersedes, owned, knows };
    const begun = await journal.begin(scope, line, attemptToken);
    if (!begun) return undefined;
    this.progress.attemptToken = begun.token;
    if (losses === undefined || losses === journal.losses) return begun;
    // What this create was decided on may be gone from the journal: the lists, asked again, show what others have sent.
    await this.#withdraw(begun.token);
    return undefined;
  }

  async #withdraw(token: string): Promise<void> {
    const { context, scope } = this.options;
    await context.journal.withdraw(scope, token);
    this.progress.attemptToken = undefined;
  }

  /** The service asks to wait. What is there after all; undefined where the lists, asked so often, don't show it. */
  async #lookAfterRefusal(line: Attempt, error: StatusError, looks: number): Promise<DocumentBody | undefined> {
    const { call, context } = this.options;
    // No request waits for so long: it couldn't be looked for.
    if (error.retryAt && error.retryAt.getTime() - context.clock.now() > DEFAULT_LIMITS.callMs) throw error;
    const until = error.retryAt ? ` until ${error.retryAt.toISOString()}` : "";
    call.log.progress(`the service asks to wait${until}: then the document is looked for, and sent again`);
    for (let look = 0; look < looks; look++) {
      // Whatever asks the service waits for as long as it wants.
      const result = await this.#settle(line, 0);
      if (result.kind === "found") return result.documents[0];
      if (result.kind !== "absent" || result.failed !== undefined) throw error;
      // Another create's document may be all that was found: that says nothing of how fresh the lists are.
      const { basis } = this.progress;
      this.progress.basis = { ...basis, listedAt: result.askedAt ?? basis.listedAt };
    }
    return undefined;
  }

  /**
   * Whether too much time has passed since the lists were asked for: a machine that has another journal, or whose lines
   * were lost again, may have sent the same. A clock that was set back tells nothing of it. Where places are scarce, a
   * create is decided anew so often and no more.
   */
  #isOutdated({ startedAt }: NewLine): boolean {
    const { listedAt = startedAt } = this.progress.basis;
    const { resendAfterMs } = this.options.context.policy();
    const age = startedAt - listedAt;
    return (age < 0 || age >= resendAfterMs / 2) && this.progress.outdated < MOST_OUTDATED;
  }

  /** Nothing that this create replaces was signed while it waited for its turn. */
  async #assertReplaceable(turn: Turn): Promise<void> {
    const { call, context, guard } = this.options;
    const service: Service = { ...context.service(), getDocument: turn.getDocument };
    for (const each of this.atStake) {
      const finding = await guard.examine(each.id, call, service);
      if (!finding.replaceable) throw new Refusal(notReplaced(finding, "replace-signed", each), call.urn);
    }
  }

  /** Another run that has sent the same content for another resource is found when it is decided anew. */
  async #assertNotCreated(): Promise<void> {
    const { call, context, scope } = this.options;
    const { attempt, owned } = await context.journal.resource(scope);
    const { attemptToken, basis } = this.progress;
    if (attempt?.token !== attemptToken || owned.some(({ id }) => !basis.owned.includes(id)))
      throw new Refusal(words.createUnderWay, call.urn);
  }

  /** The service has said that it was done. A journal that is out of reach now must not lose what it said. */
  async #remember(token: string, hints: readonly string[]): Promise<void> {
    const { call, context, scope } = this.options;
    try {
      for (const id of hints.length > 0 ? hints : [undefined]) await context.journal.hint(scope, token, id);
    } catch (error) {
      const which = hints.length === 0 ? "without an id" : `with id ${hints.join(", ")}`;
      call.log.warn(`the service answered the create ${which}, and the journal can't be written: ${messageOf(error)}`);
    }
  }

  /** The document that an attempt led to is taken. */
  #settle(attempt: Attempt, forMs = this.options.context.policy().reconcileTimeoutMs): Promise<LookupResult> {
    const lookup = this.progress.lookup({ signal: this.#late.signal, claim: body => this.#claim(body) });
    return this.progress.outcomeOf(attempt, this.spec, lookup, forMs);
  }

  #claim(body: DocumentBody): Promise<boolean> {
    const { call, inFlight } = this.options;
    const { supersedes } = this.progress;
    return this.progress.claim(body, { supersedes }).catch((error: unknown) => {
      if (!inFlight.take(body.id)) return false;
      call.log.warn(`document ${body.id} was created, and the journal can't be written: ${messageOf(error)}`);
      return true;
    });
  }
}

/** A slower upload is cut off. */
const SLOWEST_BYTES_PER_MS = 32;
const LEAST_MS = 1_000;

/** For how long the request of a create may be on its way. Its last byte leaves in the first half of that. */
function lastsFor(pdfBytes: number, { resendAfterMs, uploadTimeoutMs }: CreationPolicy): number {
  const upload = Math.ceil((pdfBytes * 4) / 3 / SLOWEST_BYTES_PER_MS);
  return Math.max(LEAST_MS, resendAfterMs, 2 * Math.min(uploadTimeoutMs, upload));
}
