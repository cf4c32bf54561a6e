import type { DocumentBody } from "../../client/service.js";
import { oneLine, statusInWords } from "../../core/text.js";
import type { Owned } from "../journal/contract.js";
import type { RefusalParts, Remedy } from "../refusal.js";
import { NOT_REPLACED, type Replaced } from "../replace-guard.js";
import { clocksAt, isTimed, maySendAgain, resendsAfter, waitedSince } from "./attempt-age.js";
import {
  another,
  blockedBy,
  forget,
  heldBy,
  line,
  livesElsewhere,
  sameName,
  unconfirmed,
  unknownPredecessor,
  unreadNamesake,
} from "./create-refusals.js";
import { isUnsigned } from "./document-state.js";
import type { AtStake, Predecessor, RememberedFacts, ServiceFacts } from "./plan-facts.js";
import { isFreeFor, type Ours, signedInstead, takeBack } from "./take-back.js";

export type CreatePlan =
  | { readonly kind: "keep"; readonly id: string; readonly supersedes: readonly string[]; readonly why: string }
  | {
      readonly kind: "adopt";
      readonly candidates: readonly DocumentBody[];
      readonly supersedes: readonly string[];
      readonly why: string;
    }
  | {
      readonly kind: "take-back";
      readonly ours: readonly Ours[];
      readonly supersedes: readonly string[];
    }
  | {
      readonly kind: "send";
      readonly supersedes: readonly string[];
      readonly replaces: readonly Replaced[];
      /** What is asked about again when it is sent: nothing of it may be signed by then. */
      readonly atStake: readonly AtStake[];
      /** In a preview: of `replaces`, what `pulumi up` only replaces where the engine deletes it first. */
      readonly unshown: readonly string[];
    }
  | { readonly kind: "refuse"; readonly refusal: RefusalParts };

const refuse = (refusal: RefusalParts): CreatePlan => ({ kind: "refuse", refusal });

/** The decision where memory alone settles it: nothing is asked of the service's lists then. */
export function planFromMemory(facts: RememberedFacts): CreatePlan | undefined {
  const { interrupted, unshown, predecessors, fingerprint } = facts;
  if (interrupted)
    return {
      kind: "keep",
      ...interrupted,
      why: `the program is back to what document ${interrupted.id} holds, so the interrupted replacement ends here`,
    };
  if (unshown && fingerprint !== undefined) return planUnshown(facts, unshown);
  if (predecessors.length === 0 && facts.hadOldInputs) return refuse(unknownPredecessor());
  const blocked = predecessors.find(({ finding }) => !finding.replaceable);
  if (blocked) return refuse(blockedBy(blocked));
  const [there] = facts.elsewhere;
  if (predecessors.length === 0 && !unshown && there) return refuse(livesElsewhere(there, facts.origin));
  if (fingerprint === undefined) return send(facts);
  return undefined;
}

export function planCreate(facts: RememberedFacts, service: ServiceFacts): CreatePlan {
  return (
    planFromMemory(facts) ??
    planSuccessors(facts, service) ??
    planAttempt(facts, service) ??
    planTakeBack(facts, service) ??
    planForeign(service) ??
    planOthers(facts, service) ??
    send(facts, unshownTwins(facts, service), service.successors?.documents)
  );
}

/** What stands at the service under the same name, and isn't known to be this stack's. */
export const planOthers = (facts: RememberedFacts, service: ServiceFacts): CreatePlan | undefined =>
  planTwins(facts, service) ?? planNamesakes(facts, service);

function planNamesakes({ token }: RememberedFacts, { namesakes, unread }: ServiceFacts): CreatePlan | undefined {
  if (namesakes.length > 0) return refuse(sameName(token, namesakes));
  return unread.length > 0 ? refuse(unreadNamesake(unread)) : undefined;
}

function send(
  { predecessors }: RememberedFacts,
  unshown: readonly string[] = [],
  successors: readonly DocumentBody[] = [],
): CreatePlan {
  return {
    kind: "send",
    supersedes: supersededBy(predecessors),
    replaces: predecessors.map(({ id, finding }) => ({ id, sha256: finding.sha256 })),
    atStake: [
      ...predecessors,
      ...successors.map(({ id }) => ({ id, because: ["it may be what state holds by now"], remedies: [] })),
    ],
    unshown,
  };
}

/** Documents exactly alike that a preview's create may replace, and that `pulumi up` takes for others unless Delete shows them. */
function unshownTwins({ preview, predecessors }: RememberedFacts, { twins, policy }: ServiceFacts): readonly string[] {
  if (!preview || policy.duplicatePolicy === "create" || predecessors.some(({ shown }) => shown)) return [];
  const remembered = predecessors.map(({ id }) => id);
  return twins.map(({ body }) => body.id).filter(id => remembered.includes(id));
}

const supersededBy = (predecessors: readonly Predecessor[]): string[] => [
  ...new Set(predecessors.flatMap(({ id, supersedes }) => [...supersedes, id])),
];

function planUnshown(facts: RememberedFacts, thing: Owned): CreatePlan {
  const { token, fingerprint, unshownPredecessor } = facts;
  const keep: Remedy = { kind: "import", token, id: thing.id };
  if (thing.fingerprint !== fingerprint)
    return refuse({
      cause: "created-with-other-content",
      headline: `document ${thing.id} was created for this resource by an earlier run, with other content, and state may not hold it. Nothing more was created.`,
      remedies: [
        { kind: "advice", text: "if state holds it, run `pulumi refresh` and try again" },
        keep,
        forget(thing.token),
      ],
    });
  if (unshownPredecessor && !unshownPredecessor.replaceable)
    return refuse({
      cause: unshownPredecessor.confirmed ? "replace-signed" : "replace-unconfirmed",
      headline: `${oneLine(unshownPredecessor.headline)}${NOT_REPLACED}`,
      details: [
        `an earlier run created document ${thing.id} in its place and was interrupted: look on the platform whether there are two`,
        ...unshownPredecessor.details.map(oneLine),
      ],
      remedies: [
        { kind: "advice", text: `if state holds document ${thing.id}, run \`pulumi refresh\` and try again` },
        { kind: "untaint" },
        keep,
      ],
    });
  return {
    kind: "keep",
    id: thing.id,
    supersedes: thing.supersedes,
    why: "it was created by an earlier run, with this content. To replace it, run `pulumi refresh`, and then `pulumi up` again",
  };
}

/** Another machine may have replaced what this machine's journal names. */
function planSuccessors(facts: RememberedFacts, { successors }: ServiceFacts): CreatePlan | undefined {
  // A preview calls no Delete, which would show what state holds.
  if (!successors || facts.preview) return undefined;
  const signed = successors.documents.find(body => !isUnsigned(body));
  if (signed)
    return refuse({
      cause: "replace-signed",
      headline: `document ${signed.id} is ${statusInWords(signed.status)} and may be what state holds by now, so nothing is replaced. No one was mailed.`,
      details: [`this machine remembers document ${facts.predecessors.map(({ id }) => id).join(", ")}`],
      remedies: [{ kind: "untaint" }, ...(unknownPredecessor().remedies ?? [])],
    });
  return successors.proven ? undefined : refuse(unknownPredecessor());
}

function planAttempt(
  facts: RememberedFacts,
  { attempt: open, policy, ...clocks }: ServiceFacts,
): CreatePlan | undefined {
  if (!open) return undefined;
  const { attempt, looked } = open;
  const { token } = facts;
  switch (looked.kind) {
    case "found":
      if (attempt.fingerprint === facts.fingerprint)
        return {
          kind: "adopt",
          candidates: looked.documents,
          supersedes: attempt.supersedes,
          why: "an earlier run created it and never saw the answer",
        };
      return refuse({
        cause: "created-with-other-content",
        headline: `an earlier run created document ${looked.documents[0]?.id} for this resource with other content and never saw the answer. Nothing more was created.`,
        details: looked.documents.map(line),
        remedies: [
          ...looked.documents.slice(0, 1).map((body): Remedy => ({ kind: "import", token, id: body.id })),
          forget(attempt.token),
        ],
      });
    case "ambiguous":
      return refuse({
        cause: "create-ambiguous",
        headline: `an earlier create of this document has no known outcome, and ${looked.documents.length === 1 ? "one document" : `${looked.documents.length} documents`} at the service may be it. Nothing more was created.`,
        details: looked.documents.map(line),
        remedies: [
          ...looked.documents.slice(0, 1).map((body): Remedy => ({ kind: "import", token, id: body.id })),
          forget(attempt.token),
        ],
      });
    case "absent": {
      const waited = waitedSince(attempt, clocksAt(clocks, looked.askedAt ?? clocks.now));
      if (maySendAgain(attempt, { ...looked, waited, policy })) return undefined;
      const timed = isTimed(attempt, clocks);
      return refuse(unconfirmed(attempt, { ...looked, name: facts.name, waited, timed, now: clocks.now, policy }));
    }
  }
}

function planTakeBack({ predecessors }: RememberedFacts, service: ServiceFacts): CreatePlan | undefined {
  const taken = takeBack(service);
  return taken?.kind === "take-back" ? { ...taken, supersedes: supersededBy(predecessors) } : taken;
}

function planForeign({ foreign, twins, policy, listedAt, ...clocks }: ServiceFacts): CreatePlan | undefined {
  if (policy.duplicatePolicy === "create") return undefined;
  const isRecent = ({ attempt }: (typeof foreign)[number]) =>
    waitedSince(attempt, clocksAt(clocks, listedAt)) < resendsAfter(attempt, policy);
  const open = foreign.find(each => !each.absenceProven || isRecent(each));
  // Of a run that is over, a document that is there is named or taken over.
  if (!open || (twins.length > 0 && !foreign.some(isRecent))) return undefined;
  const { attempt } = open;
  return refuse({
    cause: "create-elsewhere",
    headline: "another run has sent a document exactly alike, and its outcome isn't known. Nothing was created.",
    details: [`sent ${new Date(attempt.serviceTime ?? attempt.startedAt).toISOString()} for ${attempt.urn}`],
    remedies: [
      { kind: "advice", text: "wait until that run has ended, and run `pulumi up` again" },
      forget(attempt.token, "if that document isn't at the service"),
      another,
    ],
  });
}

function planTwins(facts: RememberedFacts, service: ServiceFacts): CreatePlan | undefined {
  const { twins, marked, policy } = service;
  const { token, predecessors } = facts;
  const supersedes = supersededBy(predecessors);
  const [mark, ...moreMarks] = marked;
  const unshown = unshownTwins(facts, service);
  const others = twins.filter(({ body }) => body.id !== mark?.body.id && !unshown.includes(body.id));
  const named = (body: DocumentBody): Remedy => ({ kind: "import", token, id: body.id });
  if (mark) {
    const signed = marked.find(({ body }) => !isUnsigned(body));
    const wrong = moreMarks.length > 0 || signed !== undefined || !mark.same;
    const instead = wrong ? undefined : signedInstead(mark.body, service.signed);
    if (instead) return refuse(instead);
    if (!wrong && (others.length === 0 || policy.duplicatePolicy !== "refuse"))
      return { kind: "adopt", candidates: [mark.body], supersedes, why: "it carries this resource's creation marker" };
    if (wrong)
      return refuse({
        cause: moreMarks.length > 0 ? "create-ambiguous" : "duplicate",
        headline: `${moreMarks.length > 0 ? "several documents carry" : `document ${(signed ?? mark).body.id} carries`} this resource's creation marker${mark.same || signed ? "" : ", but is for other people or has another PDF"}. Nothing was created.`,
        details: marked.map(({ body }) => line(body)),
        remedies: [named((signed ?? mark).body)],
      });
  }
  if (policy.duplicatePolicy === "create") return undefined;
  if (others.length === 0) return undefined;
  const bodies = others.map(({ body }) => body);
  const free = others.filter(({ body, adoptable }) => adoptable && isUnsigned(body));
  const instead = free.map(({ body }) => signedInstead(body, service.signed)).find(each => each !== undefined);
  if (policy.duplicatePolicy === "adopt" && instead) return refuse(instead);
  if (policy.duplicatePolicy === "adopt" && free.length === others.length)
    return { kind: "adopt", candidates: bodies, supersedes, why: "it has the same name, PDF and people" };
  const inTheWay = others.find(twin => !free.includes(twin)) ?? others[0];
  const isInState = facts.isInState || predecessors.length > 0;
  const holder = heldBy(facts.urn, inTheWay?.owner, { isInState });
  return refuse({
    cause: "duplicate",
    headline: `document ${inTheWay?.body.id} has the same name, PDF and people already, and ${holder.words}. Nothing was created.`,
    details: bodies.map(line),
    remedies: [
      ...holder.remedies,
      // State of this stack holds it under the old name: there is nothing to import.
      ...(inTheWay && holder.remedies.length === 0 ? [named(inTheWay.body)] : []),
      ...(predecessors.some(({ id }) => id === inTheWay?.body.id)
        ? [
            {
              kind: "advice",
              text: "to replace it: set the resource option `deleteBeforeReplace: true`",
            } satisfies Remedy,
          ]
        : []),
      ...(inTheWay && isFreeFor(facts.urn, inTheWay.owner)
        ? [{ kind: "adopt", id: inTheWay.body.id } satisfies Remedy]
        : []),
      another,
    ],
  });
}
