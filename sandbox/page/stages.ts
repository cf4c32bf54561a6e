import { bdi, type Html, html, moment, person } from "../../commands/ui/html.js";
import type { DocumentRecord } from "../entities.js";
import { fileStatus, latestFile, signingStage } from "../rules.js";
import { type Seat, seatsOf } from "./seats.js";

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
  const said =
    state === "signed"
      ? html`signed as ${signer?.signatureType ?? ""}, ${moment(signer?.signedAt ?? 0)}`
      : state === "turn"
        ? "to sign now"
        : state === "declined"
          ? "declined"
          : "mailed when the stage opens";
  return html`<li class="${state}"><span class="dot" aria-hidden="true"></span><div>${person(invitation.email, invitation.name)}<br><small>${said}${
    allowed === "all" ? "" : html` · ${bdi(allowed)} only`
  }</small></div></li>`;
}
