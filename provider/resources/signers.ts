import { z } from "zod";
import { property } from "../../kit/property.js";
import { trimmed } from "../../kit/records.js";
import { byId } from "../client/bodies.js";
import { latestFile } from "../client/files.js";
import type { DocumentBody, InvitationBody, SignerBody } from "../client/service.js";
import { addressOf } from "../core/same.js";
import { maybeText, objectType, text } from "../schema/types.js";

/*
 * Who has signed. The service has invitations, and apart from them the signers of each version: `signerRows` joins the two,
 * and the others read its rows.
 */

export const signer = objectType("Signer", "A person invited, and whether they have signed the latest version.", {
  email: text("Address the invitation was sent to."),
  name: maybeText("Name of the person invited."),
  stage: property(z.number().int().optional(), { description: "Signing stage, where the service returns it." }),
  invitationId: text("Id of the invitation: what a reminder is sent for."),
  invitationStatus: maybeText("Status of the invitation."),
  signerId: maybeText("Id of the signer on the latest version."),
  signatureType: maybeText("`advanced` or `autograph`, once known."),
  status: text(
    "`signed`, `unsigned`, or `unknown` where the service doesn't say; a value the service adds later is carried as it is.",
  ),
});

export type SignerRow = z.infer<typeof signer>;

/** Of a signer whose status the service doesn't show, or who can't be distinguished from others. */
export const UNKNOWN_STATUS = "unknown";

/** One row for each invitation, with what the latest version's signers say of it. */
export function signerRows(body: DocumentBody): SignerRow[] {
  const invitations = invitationsIn(body);
  const signers = (latestFile(body)?.signers ?? []).toSorted((a, b) => byId(a.id ?? "", b.id ?? ""));
  const { signerOf, left } = joined(invitations, signers);
  const statusOfOthers = statusWithoutSigner(body, invitations.length - signerOf.size, left);
  return invitations.map(invitation => {
    const signer = signerOf.get(invitation);
    return trimmed({
      email: invitation.email ?? "",
      name: invitation.name ?? undefined,
      stage: invitation.stage ?? undefined,
      invitationId: invitation.id,
      invitationStatus: invitation.status ?? undefined,
      signerId: signer?.id ?? undefined,
      signatureType: signer?.signatureType ?? undefined,
      status: signer ? (signer.status ?? UNKNOWN_STATUS) : statusOfOthers,
    });
  });
}

/** Addresses of those known not to have signed. */
export const pendingIn = (rows: readonly SignerRow[]): string[] => rows.filter(isPending).map(row => row.email);

export const isUnderWay = ({ status }: DocumentBody) => status === "unsigned" || status === "partially_signed";
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

// ---- Invitations and signers ----

/** In order of stage and invitation. */
export const invitationsIn = ({ invitations }: DocumentBody): readonly InvitationBody[] =>
  invitations.toSorted((a, b) => (a.stage ?? 0) - (b.stage ?? 0) || byId(a.id, b.id));

interface SignerMatches {
  readonly signerOf: ReadonlyMap<InvitationBody, SignerBody>;
  /** Signers without an invitation. */
  readonly left: readonly SignerBody[];
}

/** By address where that joins them, an invitation's own or its user's; the others by the user's id. */
function joined(invitations: readonly InvitationBody[], signers: readonly SignerBody[]): SignerMatches {
  const byAddress = joinedBy(
    invitations,
    ({ email, user }) => [addressOf(email), addressOf(user?.email)],
    signers,
    ({ email }) => addressOf(email),
  );
  const byUser = joinedBy(
    invitations.filter(invitation => !byAddress.signerOf.has(invitation)),
    ({ user }) => [user?.id ?? ""],
    byAddress.left,
    ({ userId }) => userId ?? "",
  );
  return { signerOf: new Map([...byAddress.signerOf, ...byUser.signerOf]), left: byUser.left };
}

/** In their order each signer takes the first invitation that has its key and no signer yet. An empty key is none. */
function joinedBy(
  invitations: readonly InvitationBody[],
  keysOf: (invitation: InvitationBody) => readonly string[],
  signers: readonly SignerBody[],
  keyOf: (signer: SignerBody) => string,
): SignerMatches {
  // The first one last: what is taken off the end moves nothing.
  const keyed = invitations.toReversed().flatMap(invitation => keysOf(invitation).map(key => ({ key, invitation })));
  const waiting = Map.groupBy(keyed, ({ key }) => key);
  waiting.delete("");
  const signerOf = new Map<InvitationBody, SignerBody>();
  const left = signers.filter(signer => {
    const list = waiting.get(keyOf(signer));
    let next = list?.pop()?.invitation;
    while (next && signerOf.has(next)) next = list?.pop()?.invitation;
    if (next) signerOf.set(next, signer);
    return !next;
  });
  return { signerOf, left };
}

/**
 * The status of people who have no signer. Signers hold one entry for each signature: where every entry that says more
 * than `unsigned` has its person, the others haven't signed. Otherwise it isn't known who it was, unless all did.
 */
function statusWithoutSigner(body: DocumentBody, people: number, left: readonly SignerBody[]): string {
  if (isUnderWay(body) && left.every(signer => signer.status === "unsigned")) return "unsigned";
  const [first, ...more] = left;
  const same = first !== undefined && left.length === people && more.every(each => each.status === first.status);
  return (same ? first.status : null) ?? UNKNOWN_STATUS;
}
