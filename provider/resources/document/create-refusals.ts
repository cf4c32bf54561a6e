import type { DocumentBody } from "../../client/service.js";
import { oneLine, statusInWords } from "../../core/text.js";
import { excerpt } from "../../schema/check.js";
import type { CreationPolicy } from "../context.js";
import type { Attempt, Owned } from "../journal/contract.js";
import { nameOf, Refusal, type RefusalParts, type Remedy } from "../refusal.js";
import { type Finding, NOT_REPLACED } from "../replace-guard.js";
import { typeOf } from "../urn.js";
import { resendsAfter } from "./attempt-age.js";
import { CLOCK_SLACK_MS } from "./clocks.js";
import { nameHash } from "./content.js";
import { documentDeclaration } from "./declaration.js";
import { withLocalTime } from "./finding.js";
import type { Looked } from "./lookup.js";
import type { AtStake } from "./plan-facts.js";

export function ambiguousCreate(
  urn: string,
  attempt: Attempt,
  looked: Looked & { kind: "found" | "ambiguous" },
): Refusal {
  const [first] = looked.documents;
  return new Refusal(
    {
      cause: "create-ambiguous",
      headline: "the document was sent once, and the service has some that may be it. Nothing more was created.",
      details: looked.documents.map(
        ({ id, status, createdAt }) =>
          `document ${id}, ${statusInWords(status)}, created ${createdAt ?? "at an unknown time"}`,
      ),
      remedies: [
        ...(first ? [{ kind: "import", token: documentDeclaration.token, id: first.id } satisfies Remedy] : []),
        { kind: "forget", token: attempt.token, effect: "if none of them is, create a new one, which mails people" },
      ],
    },
    urn,
  );
}

export function createUnderWay(urn: string): Refusal {
  return new Refusal(
    {
      cause: "create-elsewhere",
      headline: "another run is creating this resource at this moment. Nothing was sent.",
      remedies: [{ kind: "advice", text: "wait until that run has ended, and run `pulumi up` again" }],
    },
    urn,
  );
}

export function cancelledCreate(urn: string, hints: readonly string[] = []): Refusal {
  return new Refusal(
    {
      cause: "cancelled-create",
      headline: "cancelled while the document was being created, so it isn't known whether the service has it.",
      details: hints.map(id => `the service answered with id ${id}, which couldn't be confirmed`),
      remedies: [{ kind: "advice", text: "run `pulumi up` again: it is looked for before anything is sent" }],
    },
    urn,
  );
}

export function blockedBy({ finding, because, remedies }: AtStake & { readonly finding: Finding }): RefusalParts {
  return {
    cause: finding.confirmed ? "replace-signed" : "replace-unconfirmed",
    headline: `${oneLine(finding.headline)}${NOT_REPLACED}`,
    details: [...because, ...finding.details.map(oneLine)],
    remedies: [...remedies, ...finding.remedies],
    signed: finding.signed ?? [],
  };
}

export const unknownPredecessor = (): RefusalParts => ({
  cause: "replace-unknown-predecessor",
  headline:
    "this create replaces a document, and nothing shows which one state holds now, so the service can't be asked about it. Nothing was created.",
  remedies: [
    {
      kind: "advice",
      text: "set the resource option `deleteBeforeReplace: true`, so that the engine shows the document first, and run `pulumi up` again",
    },
  ],
});

/**
 * A run may have been cut off on a machine that forgot it, before the PDF changed; or a forced replacement shows nothing
 * of what state holds.
 */
export const sameName = (token: string, documents: readonly DocumentBody[]): RefusalParts => ({
  cause: "duplicate",
  headline: `document ${documents[0]?.id} has the same name and people already, and nothing shows that this stack sent it. Nothing was created.`,
  details: [...documents.map(line), "its PDF or description differs: an earlier run may have sent it"],
  remedies: [
    ...documents.slice(0, 1).map(({ id }): Remedy => ({ kind: "import", token, id })),
    { kind: "advice", text: "if it is another contract: give the new one a name of its own" },
    { kind: "advice", text: "if this resource holds it: set the resource option `deleteBeforeReplace: true`" },
    another,
  ],
});

/** Whose a document exactly alike is, as far as the journal knows, and what can be done then. */
export function heldBy(
  urn: string,
  owner: Owned | undefined,
  { isInState }: { readonly isInState: boolean },
): { words: string; remedies: readonly Remedy[] } {
  if (!owner) return { words: "nothing shows that this stack sent it", remedies: [] };
  if (owner.urn === urn && !owner.released) return { words: "this resource may hold it", remedies: [] };
  // A row's URN is its set's, and its key.
  const [mine = "", theirs = ""] = [urn, owner.urn].map(each => each.replace(/#.*$/s, ""));
  const isOfStack = stackIn(mine) === stackIn(theirs);
  const name = isOfStack ? nameOf(theirs) : theirs;
  if (owner.released) return { words: `no resource holds it: \`${name}\` let go of it`, remedies: [] };
  const isOther = isOfStack && theirs !== mine;
  const first = "by a `pulumi up` of its own: then it is taken back here, and mails no one";
  const text = owner.urn.includes("#")
    ? `if its row leaves \`${name}\` for this resource: give this one the option \`dependsOn\` with that set, which then lets go of the row first. Or take the row out first, ${first}`
    : `if it leaves \`${name}\` for this resource: take it out there first, ${first}`;
  return {
    words: `\`${name}\` holds it`,
    remedies: [
      // What state has under this name wasn't renamed.
      ...(isOther && !isInState && typeOf(theirs) === typeOf(mine) ? [{ kind: "alias", urn: theirs } as const] : []),
      ...(isOther ? [{ kind: "advice", text } as const] : []),
    ],
  };
}

const stackIn = (urn: string): string => urn.split("::").slice(0, 2).join("::");

export const unreadNamesake = ([id]: readonly string[]): RefusalParts => ({
  cause: "duplicate-unconfirmed",
  headline: `document ${id} has the same name and can't be read, so it may be this contract. Nothing was created.`,
  remedies: [
    { kind: "advice", text: "run `pulumi up` again once the service shows it" },
    { kind: "advice", text: "if it is another contract: give the new one a name of its own" },
    another,
  ],
});

export const livesElsewhere = (
  there: { readonly service: string; readonly id: string; readonly token: string },
  origin: string,
): RefusalParts => ({
  cause: "other-service",
  headline: `this resource holds document ${there.id} at ${there.service}, and the provider is configured for ${origin}. Nothing was created.`,
  remedies: [
    { kind: "setting", name: "baseUrl", value: there.service, effect: "keep it" },
    { kind: "forget", token: there.token, effect: `create a new one at ${origin}, which mails people again` },
  ],
});

/** What a create without a known outcome says: what was found out, and how to go on. */
export function unconfirmed(
  attempt: Attempt,
  {
    proven,
    oldest,
    failed,
    name,
    waited,
    timed = true,
    now,
    policy,
    answer,
  }: {
    proven: boolean;
    /** When the oldest document was created that the service's lists show. */
    oldest?: string | undefined;
    failed?: string | undefined;
    /** Of the program's document. */
    name?: string | undefined;
    waited: number;
    /** False: nothing tells how long ago another machine sent it. */
    timed?: boolean;
    now: number;
    policy: CreationPolicy;
    /** What the request came to, where this run sent it. */
    answer?: string | undefined;
  },
): RefusalParts {
  const sentAt = attempt.serviceTime ?? attempt.startedAt;
  const again = new Date(now + resendsAfter(attempt, policy) - waited).toISOString();
  const isLater = proven && timed && !attempt.answered;
  const why =
    failed !== undefined
      ? `looking for it failed: ${failed}`
      : attempt.said !== undefined
        ? `the document that ${saidBy(attempt)} named isn't what was sent, or the service doesn't show it`
        : attempt.answered
          ? "the service answered that it was created, and doesn't show it"
          : proven && !timed
            ? "the service doesn't show it, and its answers have no Date: clocks of two machines don't tell how long ago it was sent"
            : proven
              ? `the service doesn't show it yet. Before ${again} it may still appear`
              : unproven(oldest, sentAt);
  const sought = name !== undefined && nameHash(name) === attempt.name ? excerpt(name) : "it";
  const ago = timed ? `${Math.round(Math.max(0, waited) / 1000)} s ago` : undefined;
  // A run that ended between its line in the journal and its request has sent nothing, and nobody knows it.
  const isSent = answer !== undefined || attempt.answered === true;
  const what = isSent
    ? `the document was sent once${ago ? `, ${ago},` : ""} and its outcome isn't known`
    : `another run began to send the document${ago ? ` ${ago}` : ""}, and it isn't known whether it did`;
  return {
    cause: "create-unconfirmed",
    headline: `${what}. It is not sent again without proof.`,
    details: [
      ...(answer === undefined ? [] : [oneLine(answer)]),
      why,
      ...(isLater ? [] : [`look for ${sought} on the platform`]),
      ...attempt.hints.map(id =>
        id === attempt.said
          ? `${saidBy(attempt)} said that it is document ${id}, which couldn't be confirmed`
          : `the service answered with id ${id}, which couldn't be confirmed`,
      ),
    ],
    remedies: [
      {
        kind: "advice",
        text: isLater
          ? `run \`pulumi up\` again after ${again}: it looks first, and sends only what isn't there`
          : "it is there, or may still appear: run `pulumi up` again, which takes over what it finds",
      },
      forget(attempt.token, "it isn't there: send it again"),
    ],
  };
}

const saidBy = ({ saidBy: name = "a person" }: Attempt): string => oneLine(name);

/** Lists that don't show it, and don't reach back far enough to prove that it isn't there. */
function unproven(oldest: string | undefined, sentAt: number): string {
  if (oldest === undefined) return "the service lists no document, so nothing tells whether its lists are complete";
  return Date.parse(oldest) >= sentAt - CLOCK_SLACK_MS
    ? `the service's lists don't show it. The oldest document that they show is from ${withLocalTime(oldest)}: too young to tell`
    : "the service's lists don't show it, and may leave documents out";
}

export const another: Remedy = {
  kind: "setting",
  name: "duplicatePolicy",
  value: "create",
  effect: "create another one on purpose, which mails people",
  once: true,
};

export const forget = (token: string, effect = "create a new one, which mails people again"): Remedy => ({
  kind: "forget",
  token,
  effect,
});

export const line = ({ id, status, createdAt }: DocumentBody): string =>
  `document ${id}, ${statusInWords(status)}, created ${createdAt ?? "at an unknown time"}`;
