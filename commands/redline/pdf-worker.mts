import { parentPort, workerData } from "node:worker_threads";
import { getDocumentProxy } from "unpdf";
import type { PdfLine } from "./pdf-clauses.js";

interface Item {
  readonly str: string;
  readonly height: number;
  readonly transform: readonly number[];
  readonly hasEOL: boolean;
}

const { bytes, mostPages, mostCharacters } = workerData as {
  bytes: Uint8Array;
  mostPages: number;
  mostCharacters: number;
};

/** Nothing but types is imported from beside it: built or not, the thread starts from one file. */
async function read() {
  // What a PDF embeds isn't run, no font is looked for on this machine, and nothing is fetched.
  const options = { disableFontFace: true, useSystemFonts: false, enableXfa: false, verbosity: 0 };
  const document = await getDocumentProxy(bytes, options);
  const pages = document.numPages;
  if (pages > mostPages) return { pages, wrong: `expected at most ${mostPages} pages, got ${pages}` };
  const lines: PdfLine[] = [];
  let left = mostCharacters;
  for (let page = 1; page <= pages; page++) {
    const { items } = await (await document.getPage(page)).getTextContent();
    for (const line of linesOf(items.filter((item): item is Item & typeof item => "str" in item))) {
      left -= line.text.length + 1;
      if (left < 0) return { pages, wrong: `expected at most ${mostCharacters} characters, got more` };
      lines.push({ page, ...line });
    }
  }
  return { pages, lines };
}

function linesOf(items: readonly Item[]): Omit<PdfLine, "page">[] {
  const lines: { text: string; size: number; y: number }[] = [];
  let isOpen = false;
  for (const { str, height, transform, hasEOL } of items) {
    const y = transform[5] ?? 0;
    let line = lines.at(-1);
    // A raised word stays in its line.
    const isSame = line && Math.abs(line.y - y) <= Math.max(line.size, height) * 0.6;
    if (str !== "" && (!isOpen || !line || (!isSame && str.trim() !== ""))) {
      line = { text: "", size: 0, y };
      lines.push(line);
      isOpen = true;
    }
    if (line && isOpen) {
      line.text += str;
      if (str.trim() !== "") line.size = Math.max(line.size, height);
    }
    if (hasEOL) isOpen = false;
  }
  return lines
    .map(line => ({ ...line, text: line.text.replace(/\s+/g, " ").trim() }))
    .filter(({ text }) => text !== "");
}

const REASONS = new Map([
  ["PasswordException", "it wants a password"],
  ["InvalidPDFException", "it is no PDF, or damaged"],
]);

read().then(
  found => parentPort?.postMessage(found),
  (error: unknown) => {
    const name = error instanceof Error ? error.name : "";
    parentPort?.postMessage({ wrong: REASONS.get(name) ?? "it is damaged" });
  },
);
