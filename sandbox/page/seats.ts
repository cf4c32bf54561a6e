import { bdi, type Html, html, moment, person } from "../../commands/ui/html.js";
import type { DocumentRecord, InvitationRecord, MailRecord, SignatureType, SignerRecord } from "../entities.js";
import { fileStatus, inOrderOfStages, latestFile, signerOf, signingStage } from "../rules.js";
import type { Stored } from "../store.js";

type SeatState = "signed" | "declined" | "turn" | "later";

/** Where one invited person stands on the latest version. */
export interface Seat {
  readonly invitation: InvitationRecord;
  readonly signer: SignerRecord | undefined;
  readonly state: SeatState;
}

export function seatsOf(document: DocumentRecord): Seat[] {
  const file = latestFile(document);
  const open = signingStage(document);
  return inOrderOfStages(document).map(invitation => {
    const signer = signerOf(file, invitation);
    return { invitation, signer, state: stateOf(invitation, signer, open) };
  });
}

function stateOf({ stage, status }: InvitationRecord, signer: SignerRecord | undefined, open: number): SeatState {
  if (signer?.signedAt != null) return "signed";
  if (stage > open) return "later";
  return status === "declined" ? "declined" : "turn";
}

/** Why somebody's turn comes later. */
export function whyLater(document: DocumentRecord, { invitation }: Seat): string {
  const open = signingStage(document);
  const ahead = seatsOf(document).filter(({ invitation: { stage }, state }) => stage === open && state !== "signed");
  const names = ahead.map(seat => nameOf(seat.invitation)).join(", ");
  return `${nameOf(invitation)} signs in stage ${invitation.stage}; stage ${open} comes first (${names}).`;
}

export const nameOf = ({ name, email }: { name: string; email: string }): string => name || email;

/** Why a way of signing is closed to somebody; undefined where it is open. */
export function forbids({ email, name, allowedSignatureTypes: allowed }: InvitationRecord, type: SignatureType) {
  return allowed === "all" || allowed === type
    ? undefined
    : `The invitation lets ${nameOf({ name, email })} sign as ${allowed} only.`;
}

export interface Letter {
  /** Its place in all mails, counted from 1. */
  readonly number: number;
  readonly mail: MailRecord;
  readonly document: DocumentRecord | undefined;
  readonly seat: Seat | undefined;
}

/** Every mail, the newest first, with what has become of what it asks for. */
export function letters(stored: Stored): Letter[] {
  const documents = new Map(stored.documents.map(one => [one.id, one]));
  const seats = new Map<number, Seat>();
  for (const document of documents.values()) {
    for (const seat of seatsOf(document)) seats.set(seat.invitation.id, seat);
  }
  return stored.mails
    .map((mail, index) => ({
      number: index + 1,
      mail,
      document: documents.get(mail.documentId),
      seat: seats.get(mail.invitationId),
    }))
    .reverse();
}

/** How many people are asked to sign something now, once for each document. */
export function mailsToAnswer({ documents }: Stored): number {
  return documents.flatMap(seatsOf).filter(({ state }) => state === "turn").length;
}

// ---- Stage by stage ----

/** Who signs, stage by stage, and whose turn it is. */
export function stages(document: DocumentRecord): Html {
  const seats = seatsOf(document);
  const done = fileStatus(latestFile(document)) === "signed";
  const open = signingStage(document);
  const numbers = [...new Set(seats.map(seat => seat.invitation.stage))];
  return html`<ol class="stages">${numbers.map(number => {
    const state = done || number < open ? "complete" : number === open ? "open" : "later";
    return html`<li class="${state}"><h3>Stage ${number} <span>· ${state}</span></h3><ul>${seats
      .filter(({ invitation }) => invitation.stage === number)
      .map(seatRow)}</ul></li>`;
  })}</ol>`;
}

function seatRow({ invitation, signer, state }: Seat): Html {
  const allowed = invitation.allowedSignatureTypes;
  const text =
    state === "signed"
      ? html`signed as ${signer?.signatureType ?? ""}, ${moment(signer?.signedAt ?? 0)}`
      : state === "turn"
        ? "to sign now"
        : state === "declined"
          ? "declined"
          : "mailed when the stage opens";
  return html`<li class="${state}"><span class="dot" aria-hidden="true"></span><div>${person(invitation.email, invitation.name)}<br><small>${text}${
    allowed === "all" ? "" : html` · ${bdi(allowed)} only`
  }</small></div></li>`;
}
