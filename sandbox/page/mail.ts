import { bdi, type Content, type Html, html, moment, person, statusChip } from "../../commands/ui/html.js";
import type { DocumentRecord, SignatureType } from "../entities.js";
import { documentStatus, latestFile } from "../rules.js";
import { pdfViewer } from "./document.js";
import { actionForm, fixed } from "./forms.js";
import { outcome } from "./inbox.js";
import { PAGE, type View } from "./layout.js";
import type { Scene } from "./page.js";
import { forbids, type Letter, letters, nameOf, type Seat, stages, whyLater } from "./seats.js";

/** One mail, with the contract it is about, and what its reader can do. */
export function mailView({ context }: Scene, number: number): View | undefined {
  const letter = letters(context.store.data).find(one => one.number === number);
  if (!letter) return undefined;
  const { mail, document, seat } = letter;
  const name = document?.name ?? `document ${mail.documentId}`;
  const title = `${mail.kind === "reminder" ? "Reminder: please sign" : "Please sign"} ${name}`;
  return {
    place: "inbox",
    title,
    body: html`<div class="title"><p><a href="${PAGE}/inbox?to=${encodeURIComponent(mail.to.trim().toLowerCase().toWellFormed())}">← Inbox of ${bdi(mail.to)}</a></p>
<div class="row"><h1>${mail.kind === "reminder" ? "Reminder: please sign" : "Please sign"} ${bdi(name)}</h1>${outcome(seat, !document)}</div>
<p class="muted">To ${person(mail.to, seat?.invitation.name)}, ${moment(mail.at)} UTC</p></div>
${document && seat ? opened(letter, document, seat) : html`<p class="note">This invitation isn't at the service any more.</p>`}`,
  };
}

function opened({ mail, number }: Letter, document: DocumentRecord, seat: Seat): Content {
  return html`<div class="columns letter">
<div class="stack">${mail.message ? html`<p class="panel prose" dir="auto">${mail.message}</p>` : ""}
${pdfViewer(latestFile(document), document.name)}</div>
<div class="stack">${decision(seat, document, number)}
<section class="panel" aria-label="The contract"><h2 dir="auto">${document.name}</h2>
${document.description ? html`<p class="prose" dir="auto">${document.description}</p>` : ""}
<p>${statusChip(documentStatus(document))} <a href="${PAGE}/documents/${document.id}">Document ${document.id}</a></p>
${stages(document)}</section></div></div>`;
}

function decision(seat: Seat, document: DocumentRecord, number: number): Html {
  const who = bdi(nameOf(seat.invitation));
  if (seat.state === "signed") {
    return html`<p class="note good">${who} signed, as ${seat.signer?.signatureType ?? ""}, ${moment(seat.signer?.signedAt ?? 0)} UTC.
<br>A stack says so after <code>pulumi up --refresh</code>; a gate that waits goes on when it next asks: its row says how often it does.</p>`;
  }
  const invitation = [fixed("documentId", document.id), fixed("who", seat.invitation.id)];
  return html`<section class="panel" aria-labelledby="sign-title"><h2 id="sign-title">Sign as ${who}</h2>
${seat.state === "later" ? html`<p class="note busy">${whyLater(document, seat)}</p>` : ""}
${seat.state === "declined" ? html`<p class="note bad">${who} has declined, and can still sign.</p>` : ""}
<p class="without-script note">Signing from here needs JavaScript.</p>
${actionForm(
  "sign",
  { id: `sign-${number}`, done: `Signed as ${nameOf(seat.invitation)}.`, label: "Sign" },
  html`${invitation}<fieldset class="stack"${seat.state === "later" ? html` disabled` : ""}><legend class="unseen">Kind of signature</legend>
${kind(seat, "advanced", "With a certificate.")}${kind(seat, "autograph", "Drawn or typed, by hand.")}
<div class="by-hand stack"><div class="field"><label for="typed-${number}">Type your name</label><input class="typed" id="typed-${number}" data-hand autocomplete="off"></div>
<div class="field"><span class="label" id="pad-${number}">or draw</span><canvas class="pad" data-hand role="img" aria-labelledby="pad-${number}" data-keep></canvas></div>
<p><small>The sandbox notes that it was signed by hand; the drawing isn't kept.</small></p></div>
<button class="main">Sign as ${who}</button></fieldset>`,
)}
${actionForm(
  "decline",
  { id: `decline-${number}`, done: `${nameOf(seat.invitation)} has declined.`, label: "Decline" },
  html`${invitation}<button${seat.state === "turn" ? "" : html` disabled`}>Decline</button>`,
)}</section>`;
}

function kind(seat: Seat, type: SignatureType, what: string): Html {
  const why = forbids(seat.invitation, type);
  const checked = why === undefined && (type === "advanced" || seat.invitation.allowedSignatureTypes === "autograph");
  return html`<label class="choice"><input type="radio" name="type" value="${type}" data-kind="text" required${
    checked ? html` checked` : ""
  }${why === undefined ? "" : html` disabled`}>${type === "advanced" ? "Advanced" : "Autograph"}<small>${why ?? what}</small></label>`;
}
