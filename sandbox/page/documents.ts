import { bdi, chip, figures, type Html, html, moment, progress, statusChip } from "../../commands/ui/html.js";
import { counted } from "../../commands/ui/time.js";
import type { DocumentRecord } from "../entities.js";
import { documentStatus, latestFile } from "../rules.js";
import { sampleForm } from "./forms.js";
import { PAGE, type View } from "./layout.js";
import type { Scene } from "./page.js";

const SHOWN = 500;

/** Every document of the service, the newest first. */
export function documentsView({ sandbox, context, query }: Scene): View {
  const { documents } = context.store.data;
  const sought = (query.get("q") ?? "").trim().toLowerCase();
  const found = [...documents].reverse().filter(one => fits(one, sought));
  const { documentsLeft, storageLeft } = sandbox.account;
  const signed = documents.filter(one => documentStatus(one) === "signed").length;
  return {
    place: "documents",
    title: "Documents",
    body: html`<div class="title"><h1>Documents</h1><p class="muted">What the service holds, as any client would find it.</p></div>
${figures([
  { value: documents.length, label: documents.length === 1 ? "document" : "documents" },
  { value: signed, label: "signed", tone: "good" },
  { value: documents.length - signed, label: "not signed yet" },
  { value: documentsLeft ?? "no limit", label: "may still be signed" },
  { value: storageLeft === null ? "no limit" : bytes(storageLeft), label: "storage left" },
])}
${
  documents.length === 0
    ? html`<section class="panel"><h2>No documents yet</h2><p>A Pulumi program that uses this sandbox creates them.</p>${sampleForm()}</section>`
    : html`<form class="row" role="search" data-filter><div class="field"><label for="q">Find by name, person or id</label><input id="q" name="q" type="search" value="${query.get("q") ?? ""}"></div><button class="small without-script">Find</button></form>
<p class="muted" role="status">${counted(found.length, "document")}${found.length > SHOWN ? `, the newest ${SHOWN} shown` : ""}</p>
${found.length > 0 && html`<ul class="list panel plain">${found.slice(0, SHOWN).map(documentRow)}</ul>`}`
}`,
  };
}

function fits(document: DocumentRecord, sought: string): boolean {
  const { id, name, description, invitations } = document;
  const texts = [String(id), name, description, ...invitations.flatMap(one => [one.email, one.name])];
  return sought === "" || texts.some(text => text.toLowerCase().includes(sought));
}

function documentRow(document: DocumentRecord): Html {
  const file = latestFile(document);
  const signed = file.signers.filter(one => one.signedAt !== null).length;
  const total = document.invitations.length;
  const comments = document.files.reduce((sum, one) => sum + one.comments.length, 0);
  return html`<li id="document-${document.id}"><a class="item" href="${PAGE}/documents/${document.id}">
<span class="subject clamp">${bdi(document.name)}</span>
<span class="when">${statusChip(documentStatus(document))}</span>
<span><small>${document.id} · ${signed} of ${total} signed${document.files.length > 1 ? ` · version ${file.version}` : ""}${
    comments > 0 ? ` · ${counted(comments, "comment")}` : ""
  }</small>${file.constancia !== null || file.xmlBtcCert !== null ? html` ${chip("good", "certified")}` : ""}${progress(signed, total, `${signed} of ${total} signed`)}</span>
<span class="when"><small>${moment(document.createdAt)}</small></span></a></li>`;
}

export function bytes(count: number): string {
  if (count < 1024) return counted(count, "byte");
  if (count < 1024 ** 2) return `${(count / 1024).toFixed(1)} KB`;
  return `${(count / 1024 ** 2).toFixed(1)} MB`;
}
