import { bdi, type Html, html, moment, person, statusChip } from "../../commands/ui/html.js";
import { counted } from "../../commands/ui/time.js";
import type { DocumentRecord, FileRecord } from "../entities.js";
import { downloads } from "../routes/files.js";
import { documentStatus, fileStatus, latestFile } from "../rules.js";
import { bytes } from "./documents.js";
import { actionForm, field, fixed } from "./forms.js";
import { PAGE, type View } from "./layout.js";
import type { Scene } from "./page.js";
import { stages } from "./seats.js";

/** One document, and what can be done to it on the platform. */
export function documentView({ sandbox, context }: Scene, id: number): View | undefined {
  const document = context.store.document(id);
  if (!document) return undefined;
  const file = latestFile(document);
  const status = documentStatus(document);
  const folder = document.folderId === null ? undefined : context.store.folder(document.folderId);
  return {
    place: "documents",
    title: document.name,
    body: html`<div class="title"><p><a href="${PAGE}/documents">← Documents</a></p>
<div class="row"><h1>${bdi(document.name)}</h1>${statusChip(status)}</div>
<p class="muted">Document ${document.id} of ${bdi(context.store.account(document.ownerId)?.email ?? "")}, created ${moment(document.createdAt)} UTC${
      folder ? html`, in ${bdi(folder.name)} (${folder.id})` : ""
    }</p>
${document.description ? html`<p class="prose" dir="auto">${document.description}</p>` : ""}</div>
<div class="columns letter"><div class="stack">${pdfViewer(file, document.name)}</div>
<div class="stack">
<section class="panel" aria-label="Who signs"><h2>Who signs</h2>${stages(document)}
${actionForm(
  "sign-all",
  { id: "sign-all", done: "Everybody has signed." },
  html`${fixed("documentId", id)}<div><button class="small"${
    fileStatus(file) === "signed" ? html` disabled` : ""
  }>Everybody signs</button></div>`,
)}</section>
${certificates(document, file)}
${[...document.files].reverse().map(one => version(one, one === file))}
${upload(document, status)}
${comments(document, sandbox.email)}
</div></div>`,
  };
}

function version(file: FileRecord, latest: boolean): Html {
  return html`<section class="panel" aria-label="Version ${file.version}"><div class="row"><h2>Version ${file.version}</h2>${
    latest ? "" : html`<small>replaced by a later one</small>`
  }<small class="end">${bytes(file.byteLength)}</small></div>
<p class="mono muted">sha256 ${file.sha256}</p>${
    file.version === 1
      ? ""
      : html`<p><a href="${PAGE}/documents/${file.documentId}/versions/${file.version}">What it changed</a></p>`
  }${downloadLinks(file)}</section>`;
}

function certificates(document: DocumentRecord, file: FileRecord): Html {
  const signed = fileStatus(file) === "signed";
  const options = [
    { value: "all", text: "All certificates" },
    { value: "nom151", text: "The NOM151 constancia" },
    { value: "blockchain", text: "The blockchain certificates" },
    { value: "requested", text: "Blockchain certificates requested, not ready" },
  ];
  return html`<section class="panel" aria-label="Certificates"><h2>Certificates</h2>
<dl class="facts"><dt>NOM151</dt><dd>${file.constancia === null ? "not made" : "made"}</dd><dt>Blockchain</dt><dd>${file.certsStatus}</dd></dl>
${signed ? "" : html`<p class="note">Certificates are made for signed documents only.</p>`}
${actionForm(
  "certify",
  { id: "certify", done: "Certified." },
  html`${fixed("documentId", document.id)}<fieldset class="stack"${signed ? "" : html` disabled`}>${field("certify", { name: "what", label: "Make", options })}<div><button class="small">Certify</button></div></fieldset>`,
)}</section>`;
}

function upload(document: DocumentRecord, status: string): Html {
  const open = status === "unsigned";
  return html`<section class="panel needs-script" aria-label="New version"><h2>New version</h2>
${open ? "" : html`<p class="note">A new version needs an unsigned document; this one is ${status}.</p>`}
${actionForm(
  "version",
  { id: "version", done: "The new version is there." },
  html`${fixed("documentId", document.id)}<fieldset class="stack"${open ? "" : html` disabled`}>${field("version", { name: "pdf", label: "PDF", kind: "base64", required: true })}<div><button class="small">Upload</button></div></fieldset>`,
)}</section>`;
}

function comments(document: DocumentRecord, email: string): Html {
  const all = document.files.flatMap(file => file.comments.map(one => ({ ...one, version: file.version })));
  return html`<section class="panel" aria-label="Comments"><h2>${counted(all.length, "comment")}</h2>
${
  all.length === 0
    ? ""
    : html`<ul class="stack">${all.map(
        one => html`<li><p>${person(one.user.email, one.user.name)} <small>${moment(one.createdAt)}, version ${one.version}</small></p>
${one.title ? html`<h3 dir="auto">${one.title}</h3>` : ""}<p class="prose" dir="auto">${one.text}</p></li>`,
      )}</ul>`
}
${actionForm(
  "comment",
  { id: "comment", done: "The comment is there." },
  html`${fixed("documentId", document.id)}${field("comment", { name: "by", label: "By (a registered person)", value: email, required: true })}${field("comment", { name: "text", label: "Comment", long: true, required: true })}<div><button class="small">Comment</button></div>`,
)}</section>`;
}

// ---- Its PDFs ----

const addressOf = (file: FileRecord, name: string): string => `/_sandbox/files/${file.id}/${name}`;

/** The PDF in the browser's own viewer, and a link for browsers without one. */
export function pdfViewer(file: FileRecord, name: string): Html {
  const address = addressOf(file, file.signedEndedAt === null ? "original.pdf" : "signed.pdf");
  return html`<object class="pdf" id="pdf-${file.id}-${file.signedEndedAt ?? 0}" data="${address}" type="application/pdf" aria-label="PDF of ${name}" data-keep><p class="note">This browser shows no PDFs in a page.</p></object>
<p><a class="button" href="${address}">Open the PDF</a></p>`;
}

/** Everything of a version that is there to download. */
function downloadLinks(file: FileRecord): Html {
  return html`<ul class="row">${Object.entries(downloads)
    .filter(([, { isThere }]) => isThere(file))
    .map(([name, { label }]) => html`<li><a class="button" href="${addressOf(file, name)}">${label}</a></li>`)}</ul>`;
}
