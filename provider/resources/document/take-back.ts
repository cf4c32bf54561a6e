import type { DocumentBody } from "../../client/service.js";
import { statusInWords } from "../../core/text.js";
import type { Owned } from "../journal/contract.js";
import type { RefusalParts, Remedy } from "../refusal.js";
import { another, forget, line } from "./create-refusals.js";
import { documentDeclaration } from "./declaration.js";
import { byId, isUnsigned } from "./document-state.js";

/**
 * Ours stays ours: a document that this journal's resources made, that nobody holds now and that is exactly what the
 * program says, is taken back in place of sending another. It mails nobody, so its age, its resource and its signatures
 * don't matter. What the journal doesn't know is a stranger's.
 */
export interface Ours {
  readonly body: DocumentBody;
  /** What it replaced. */
  readonly supersedes: readonly string[];
  /** The resource that lets go of it in this run, and may not have released it yet. */
  readonly from: string | undefined;
  /** A person has named it: then it comes first, whatever else is there. */
  readonly named?: boolean;
}

/** What the journal knows of this content and nobody holds. `letsGo`: whether a resource gives an id up in this run. */
export const heldByNobody = (rows: readonly Owned[], letsGo: (urn: string, id: string) => boolean): readonly Owned[] =>
  rows.filter(({ urn, id, released }) => released || letsGo(urn, id));

/** Whether no other resource has it, as far as the journal knows. */
export const isFreeFor = (urn: string, owner: Owned | undefined): boolean =>
  !owner || owner.released || owner.urn === urn;

export interface TakeBackFacts {
  readonly ours: readonly Ours[];
  /** Made of this content and let go of, and the service doesn't show them now. */
  readonly unreadOurs: readonly Owned[];
  readonly signed: readonly Signed[];
}

/** Signed, for the same people under the same name, and no other resource's unless it is exactly alike. */
export interface Signed {
  readonly body: DocumentBody;
  /** It has the program's content. */
  readonly alike: boolean;
  /** What it took the place of, as far as the journal knows. */
  readonly supersedes: readonly string[];
}

/** The one to take back comes first: the one that a person names, then one that is signed, then the latest. */
export type TakeBack =
  | { readonly kind: "take-back"; readonly ours: readonly Ours[] }
  | { readonly kind: "refuse"; readonly refusal: RefusalParts };

export function takeBack({ ours, unreadOurs, signed }: TakeBackFacts): TakeBack | undefined {
  const sorted = ours.toSorted(
    (a, b) =>
      Number(b.named ?? false) - Number(a.named ?? false) ||
      Number(isUnsigned(a.body)) - Number(isUnsigned(b.body)) ||
      byId(b.body.id, a.body.id),
  );
  const [first] = sorted;
  const [unread] = unreadOurs;
  if (!first) return unread && { kind: "refuse", refusal: unreadOwn(unread) };
  const refusal = first.named ? undefined : signedInstead(first.body, signed);
  if (refusal) return { kind: "refuse", refusal };
  return { kind: "take-back", ours: sorted };
}

/**
 * A signed document is never dropped for an unsigned one that it may have taken the place of, or that is its twin: which of
 * the two is the contract, a person says.
 */
export function signedInstead(unsigned: DocumentBody, signed: readonly Signed[]): RefusalParts | undefined {
  if (!isUnsigned(unsigned)) return undefined;
  const rivals = signed.filter(
    ({ body, alike, supersedes }) =>
      alike || supersedes.includes(unsigned.id) || !(timeOf(body.createdAt) < timeOf(unsigned.createdAt)),
  );
  const first = rivals.find(({ alike }) => alike) ?? rivals[0];
  if (!first) return undefined;
  const { id, status } = first.body;
  const isSigned = `document ${id} is ${statusInWords(status)}`;
  return {
    cause: "duplicate",
    headline: first.alike
      ? `${isSigned}, so document ${unsigned.id}, which is exactly alike and nobody has signed, isn't taken in its place. Nothing was created.`
      : `${isSigned}, for the same people under the same name, so document ${unsigned.id}, which has the program's content and nobody has signed, isn't taken in its place. Nothing was created.`,
    details: [...rivals.map(({ body }) => body), unsigned].map(line),
    remedies: [
      { kind: "import", token: documentDeclaration.token, id },
      ...(first.alike
        ? []
        : [
            {
              kind: "advice",
              text: `put the program back to what document ${id} holds: if it is this stack's, it is taken back, and mails no one`,
            } satisfies Remedy,
          ]),
      { kind: "adopt", id: unsigned.id },
      another,
    ],
  };
}

const timeOf = (createdAt: string | null): number => Date.parse(createdAt ?? "");

const unreadOwn = ({ id, token }: Owned): RefusalParts => ({
  cause: "duplicate-unconfirmed",
  headline: `document ${id} was made of this content and let go of, and the service doesn't show it now. Nothing was created.`,
  remedies: [
    { kind: "advice", text: "run `pulumi up` again once the service shows it: it is taken back, and mails no one" },
    forget(token, "if it can't be had back, create a new one, which mails people again"),
  ],
});
