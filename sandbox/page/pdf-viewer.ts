import { type Html, html } from "../../commands/ui/html.js";
import type { FileRecord } from "../entities.js";

const addressOf = (file: FileRecord, name: string): string => `/_sandbox/files/${file.id}/${name}`;

/** The PDF in the browser's own viewer, and a link for browsers without one. */
export function pdfViewer(file: FileRecord, name: string): Html {
  const address = addressOf(file, file.signedEndedAt === null ? "original.pdf" : "signed.pdf");
  return html`<object class="pdf" id="pdf-${file.id}-${file.signedEndedAt ?? 0}" data="${address}" type="application/pdf" aria-label="PDF of ${name}" data-keep><p class="note">This browser shows no PDFs in a page.</p></object>
<p><a class="button" href="${address}">Open the PDF</a></p>`;
}

/** Everything of a version that is there to download. */
export function downloadLinks(file: FileRecord): Html {
  const all: [string, string, boolean][] = [
    ["original.pdf", "Original PDF", true],
    ["signed.pdf", "Signed PDF", file.signedEndedAt !== null],
    ["btc.pdf", "Bitcoin certificate", file.xmlBtcCert !== null],
    ["eth.pdf", "Ethereum certificate", file.xmlEthCert !== null],
    ["constancia.asn1", "NOM151 constancia", file.constancia !== null],
  ];
  return html`<ul class="row">${all
    .filter(([, , there]) => there)
    .map(([name, text]) => html`<li><a class="button" href="${addressOf(file, name)}">${text}</a></li>`)}</ul>`;
}
