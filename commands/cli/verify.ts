import { isAbsolute, relative, resolve } from "node:path";
import { counted, firstLines, oneLine } from "../../provider/core/text.js";
import { EvidenceError } from "../../provider/evidence/types.js";
import { type Verification, type VerifiedDocument, verify } from "../../provider/evidence/verify.js";
import { bdi, Html, html } from "../ui/html.js";
import type { CommandIo } from "./command.js";
import { CommandError, parseFlags, UsageError, writeWhole } from "./flags.js";

const MOST_NAMED = 50;

export async function verifyFolder(
  argv: readonly string[],
  io: Pick<CommandIo, "out" | "err" | "cwd">,
): Promise<number> {
  const flags = readVerifyFlags(argv);
  if (flags === "help") {
    io.out(verifyHelp);
    return 0;
  }
  const directory = resolve(io.cwd, flags.directory);
  const page = flags.html === undefined ? undefined : resolve(io.cwd, flags.html);
  if (page !== undefined && isInside(page, directory))
    throw new CommandError(
      `--html: expected a file outside ${flags.directory}, got ${flags.html}: it would be one that nobody pulled`,
    );
  const verified = await verify(directory, flags.sha256).catch((error: unknown) => {
    throw error instanceof EvidenceError ? new CommandError(error.message) : error;
  });
  if (page !== undefined)
    await writeWhole(page, verifiedPage(verified, { at: new Date(), isPinned: flags.sha256 !== undefined }));
  const { findings, documents, sha256 } = verified;
  const lines = findings.map(({ path, what }) => `${oneLine(path)}: ${what}`);
  for (const line of firstLines(lines, MOST_NAMED)) io.out(`${line}\n`);
  const files = documents.reduce((sum, each) => sum + each.files, 0);
  const result =
    findings.length === 0 ? "every file is the one that was pulled" : `${counted(findings.length, "thing")} found`;
  io.out(
    `${counted(documents.length, "document")}, ${counted(files, "file")}: ${result}\n${stamps(verified)}sha256 of manifest.json: ${sha256}\n`,
  );
  return findings.length === 0 ? 0 : 1;
}

function stamps({ documents }: Verification): string {
  const proven = documents.filter(({ stamp, unproven }) => stamp && unproven === undefined).length;
  const unproven = documents.filter(each => each.unproven !== undefined).length;
  const incomplete = documents.filter(({ complete }) => !complete).length;
  return [
    `${counted(proven, "time stamp")} ${proven === 1 ? "fits its" : "fit their"} documents; who issued them nobody checked\n`,
    unproven > 0 ? `${counted(unproven, "constancia")} can't be checked\n` : "",
    incomplete > 0 ? `${counted(incomplete, "document")} incomplete: evidence.json says what was missing\n` : "",
  ].join("");
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== "" && !way.startsWith("..") && !isAbsolute(way);
}

// ---- The page to print ----

const STYLE = `
body { font: 10pt/1.4 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #111; background: #fff }
h1 { font-size: 16pt } h2 { font-size: 12pt; margin-top: 2em }
table { border-collapse: collapse; width: 100% } caption { text-align: left }
th, td { border-bottom: 1px solid #999; padding: .3em .6em .3em 0; text-align: left; vertical-align: top }
code { font-size: 8pt; overflow-wrap: anywhere } thead { display: table-header-group } tr { break-inside: avoid }
@media print { body { margin: 0; max-width: none; padding: 0 } }
`;

/** What \`docsign verify\` found, as one HTML file to print, which loads nothing. */
function verifiedPage(verified: Verification, { at, isPinned }: { at: Date; isPinned: boolean }): string {
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

// ---- Flags and help ----

export const verifyFlags = {
  sha256: { type: "string" },
  html: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

export function readVerifyFlags(argv: readonly string[]) {
  const { values, positionals } = parseFlags(argv, verifyFlags);
  if (values.help) return "help";
  const [directory, ...more] = positionals;
  if (directory === undefined || more.length > 0)
    throw new UsageError(`verify: expected one folder, got ${positionals.join(" ") || "none"}`);
  const { sha256, html } = values;
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/i.test(sha256))
    throw new UsageError(`--sha256: expected 64 hex digits, got ${sha256}`);
  return { directory, sha256, html };
}

const verifyHelp = `Compares a folder of \`docsign evidence pull\` with its manifest, and checks the time stamps. It asks nobody.

Usage: docsign verify FOLDER [--sha256 HASH] [--html FILE]

Options
  --sha256 HASH  what \`docsign evidence pull\` printed: the manifest is compared with it
  --html FILE    writes a page to print
  --help, -h     this page

Exit codes
  0  every file is the one that was pulled, and no time stamp is refuted
  1  something differs, is missing or was added
  2  a flag is wrong
`;
