import { byId } from "../../client/ids.js";
import type { DocumentBody, FileBody, InvitationBody, SignerBody } from "../../client/service.js";
import { tidyAddress } from "../../schema/types.js";
import type { SignerRow } from "./declaration.js";
import { trimmed } from "./trimmed.js";

/** Of a signer whose status the service doesn't show, or who can't be distinguished from others. */
export const UNKNOWN_STATUS = "unknown";

/** One row for each invitation, with what the latest version's signers say of it. */
export function signerRows(body: DocumentBody): SignerRow[] {
  const invitations = [...body.invitations].sort(byStageThenId);
  const signers = [...(latestFile(body)?.signers ?? [])].sort((a, b) => byId(a.id ?? "", b.id ?? ""));
  const joined = joinedBy(invitations, signers, [
    [invitation => [invitation.email, invitation.user?.email].map(addressOf), signer => addressOf(signer.email)],
    [invitation => [invitation.user?.id ?? ""], signer => signer.userId ?? ""],
  ]);
  const taken = new Set(joined.values());
  const others = statusOfOthers(
    body,
    invitations.length - joined.size,
    signers.filter(signer => !taken.has(signer)),
  );
  return invitations.map(invitation => {
    const signer = joined.get(invitation);
    return trimmed({
      email: invitation.email ?? "",
      name: invitation.name ?? undefined,
      stage: invitation.stage ?? undefined,
      invitationId: invitation.id,
      invitationStatus: invitation.status ?? undefined,
      signerId: signer?.id ?? undefined,
      signatureType: signer?.signatureType ?? undefined,
      status: signer ? (signer.status ?? UNKNOWN_STATUS) : others,
    });
  });
}

/** Addresses of those known not to have signed. */
export const pendingIn = (rows: readonly SignerRow[]): string[] => rows.filter(isPending).map(row => row.email);

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

type Join = readonly [
  keysOfInvitation: (invitation: InvitationBody) => readonly string[],
  keyOfSigner: (signer: SignerBody) => string,
];

/** Each invitation with its signer, by the first join that has one: the k-th invitation of a key takes the k-th signer. */
function joinedBy(
  invitations: readonly InvitationBody[],
  signers: readonly SignerBody[],
  joins: readonly Join[],
): Map<InvitationBody, SignerBody> {
  const joined = new Map<InvitationBody, SignerBody>();
  const free = new Set(signers);
  const places = new Map(signers.map((signer, place) => [signer, place]));
  const byPlace = (a: SignerBody, b: SignerBody): number => (places.get(a) ?? 0) - (places.get(b) ?? 0);
  for (const [keysOfInvitation, keyOfSigner] of joins) {
    const waiting = Map.groupBy(free, keyOfSigner);
    for (const list of waiting.values()) list.reverse();
    for (const invitation of invitations) {
      if (joined.has(invitation)) continue;
      const keys = keysOfInvitation(invitation).filter(key => key !== "");
      const lists = keys.map(key => waiting.get(key) ?? []);
      for (const list of lists) while (list.length > 0 && !free.has(list.at(-1) as SignerBody)) list.pop();
      const [signer] = lists.flatMap(list => list.slice(-1)).sort(byPlace);
      if (signer === undefined) continue;
      joined.set(invitation, signer);
      free.delete(signer);
    }
  }
  return joined;
}

/**
 * What is known of those who can't be joined. Signers hold one entry for each signature: where every entry that says
 * more than `unsigned` has its person, the others haven't signed. Otherwise it isn't known who it was, unless all did.
 */
function statusOfOthers(body: DocumentBody, people: number, signers: readonly SignerBody[]): string {
  const underWay = body.status === "unsigned" || body.status === "partially_signed";
  if (underWay && signers.every(signer => signer.status === "unsigned")) return "unsigned";
  const [first, ...more] = signers;
  const same = first !== undefined && signers.length === people && more.every(each => each.status === first.status);
  return (same ? first.status : null) ?? UNKNOWN_STATUS;
}

export const addressOf = (email: string | null | undefined): string => tidyAddress(email ?? "").toLowerCase();

const byStageThenId = (a: InvitationBody, b: InvitationBody): number =>
  (a.stage ?? 0) - (b.stage ?? 0) || byId(a.id, b.id);

/** The file whose version the document names as its last; where none has it, the one with the highest number. */
export function latestFile(body: DocumentBody): FileBody | undefined {
  const named = body.files.find(file => file.version === body.lastVersion);
  return named ?? [...body.files].sort((a, b) => Number(b.version) - Number(a.version))[0];
}

/** Counted from the signers, never taken from the document's status. */
export function allSigned(body: DocumentBody): boolean {
  const signers = latestFile(body)?.signers ?? [];
  return (
    signers.length > 0 &&
    signers.length >= body.invitations.length &&
    signers.every(signer => signer.status === "signed")
  );
}

/** Whether nobody has signed: the service says so and shows nobody who has. A status it adds later counts as signed. */
export function isUnsigned(body: DocumentBody): boolean {
  return (
    body.status === "unsigned" && body.files.every(file => file.signers.every(signer => signer.status === "unsigned"))
  );
}
