import type { DocumentBody } from "../../client/service.js";
import { oneLine } from "../../core/text.js";
import type { CreationPolicy } from "../context.js";
import type { Attempt } from "../journal/contract.js";
import { Refusal, type RefusalParts, type Remedy } from "../refusal.js";
import { NOT_REPLACED } from "../replace-guard.js";
import { documentDeclaration } from "./declaration.js";
import type { Looked } from "./lookup.js";
import type { Predecessor } from "./plan-facts.js";

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
        ({ id, status, createdAt }) => `document ${id}, ${status}, created ${createdAt ?? "at an unknown time"}`,
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

export function cancelledCreate(urn: string): Refusal {
  return new Refusal(
    {
      cause: "cancelled-create",
      headline: "cancelled while the document was being created, so it isn't known whether the service has it.",
      remedies: [{ kind: "advice", text: "run `pulumi up` again: it is looked for before anything is sent" }],
    },
    urn,
  );
}

export function blockedBy({ finding, because, remedies }: Predecessor): RefusalParts {
  return {
    cause: finding.confirmed ? "replace-signed" : "replace-unconfirmed",
    headline: `${oneLine(finding.headline)}${NOT_REPLACED}`,
    details: [...because, ...finding.details.map(oneLine)],
    remedies: [...remedies, ...finding.remedies],
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
  headline: `document ${documents[0]?.id} has the same name and people already, and isn't this resource's own. Nothing was created.`,
  details: [...documents.map(line), "its PDF or description differs: an earlier run may have sent it"],
  remedies: [
    ...documents.slice(0, 1).map(({ id }): Remedy => ({ kind: "import", token, id })),
    { kind: "advice", text: "if it is another contract: give the new one a name of its own" },
    { kind: "advice", text: "if this resource holds it: set the resource option `deleteBeforeReplace: true`" },
    another,
  ],
});

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
    failed,
    waited,
    now,
    policy,
    answer,
  }: {
    proven: boolean;
    failed?: string | undefined;
    waited: number;
    now: number;
    policy: CreationPolicy;
    /** What the request came to, where this run sent it. */
    answer?: string | undefined;
  },
): RefusalParts {
  const sentAt = new Date(attempt.serviceTime ?? attempt.startedAt).toISOString();
  const again = new Date(now + policy.resendAfterMs - waited).toISOString();
  const isLater = proven && !attempt.answered;
  const why =
    failed !== undefined
      ? `looking for it failed: ${failed}`
      : attempt.answered
        ? "the service answered that it was created, and doesn't show it"
        : proven
          ? `the service doesn't show it yet. Before ${again} it may still appear`
          : `the service's lists don't show it. That proves nothing, unless they are complete and reach back well before ${sentAt}`;
  return {
    cause: "create-unconfirmed",
    headline: `the document was sent once, ${Math.round(Math.max(0, waited) / 1000)} s ago, and its outcome isn't known. It is not sent again without proof.`,
    details: [
      ...(answer === undefined ? [] : [oneLine(answer)]),
      why,
      ...attempt.hints.map(id => `the service answered with id ${id}, which couldn't be confirmed`),
    ],
    remedies: [
      {
        kind: "advice",
        text: isLater
          ? `run \`pulumi up\` again after ${again}: it looks first, and sends only what isn't there`
          : "run `pulumi up` again: it looks first, and takes over what it finds",
      },
      forget(attempt.token, "if you have made sure on the platform that the document isn't there, send it again"),
    ],
  };
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
  `document ${id}, ${oneLine(status)}, created ${createdAt ?? "at an unknown time"}`;
