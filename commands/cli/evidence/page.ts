import { counted } from "../../../provider/core/text.js";
import type { Verification, VerifiedDocument } from "../../../provider/evidence/verify.js";
import { bdi, Html, html } from "../../ui/html.js";

const STYLE = `
body { font: 10pt/1.4 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #111; background: #fff }
h1 { font-size: 16pt } h2 { font-size: 12pt; margin-top: 2em }
table { border-collapse: collapse; width: 100% } caption { text-align: left }
th, td { border-bottom: 1px solid #999; padding: .3em .6em .3em 0; text-align: left; vertical-align: top }
code { font-size: 8pt; overflow-wrap: anywhere } thead { display: table-header-group } tr { break-inside: avoid }
@media print { body { margin: 0; max-width: none; padding: 0 } }
`;

/** What \`docsign verify\` found, as one HTML file to print, which loads nothing. */
export function verifiedPage(verified: Verification, { at, isPinned }: { at: Date; isPinned: boolean }): string {
  const { documents, findings, sha256, service } = verified;
  const files = documents.reduce((sum, each) => sum + each.files, 0);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Evidence of ${counted(documents.length, "document")}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<h1>Evidence of ${counted(documents.length, "document")}: ${findings.length === 0 ? "unchanged" : `${counted(findings.length, "thing")} found`}</h1>
<p>Signed at ${bdi(service)}. Compared with the manifest on ${at.toISOString()}: ${counted(files, "file")}. The manifest's SHA-256
${isPinned ? "was compared with one kept elsewhere" : "wasn't compared with one kept elsewhere, so whoever could write to the folder could have changed both"}:<br><code>${sha256}</code></p>
${
  findings.length > 0 &&
  html`<section><h2>Found</h2><ul>${findings.map(({ path, what }) => html`<li>${bdi(path)}: ${what}</li>`)}</ul></section>`
}
<h2>Documents</h2>
<table>
<thead><tr><th scope="col">Document</th><th scope="col">Result</th><th scope="col">Time stamp</th><th scope="col">SHA-256 of the signed PDF</th></tr></thead>
<tbody>${documents.map(row)}</tbody>
</table>
<p>A time stamp counts where its imprint is a file's hash and its signature fits the certificate that it carries. Whether that certificate belongs to
an authority, the signatures inside the PDFs and the blockchains weren't checked.</p>
</body>
</html>
`.text;
}

const row = ({ documentId, name, complete, findings, stamp, unproven, signedSha256 }: VerifiedDocument): Html =>
  html`<tr><td>${documentId} ${bdi(name)}</td><td>${
    findings.length > 0 ? "differs" : complete ? "unchanged, complete" : "unchanged, incomplete"
  }</td><td>${stamp && html`${stamp.time}${stamp.issuer !== undefined && html` by ${bdi(stamp.issuer)}`}`}${
    unproven !== undefined && html`${stamp && "; "}not proven: ${unproven}`
  }${!stamp && unproven === undefined && "none"}</td><td><code>${signedSha256 ?? "none"}</code></td></tr>`;
