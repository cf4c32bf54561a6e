import { type PdfRead, readPdf } from "../../commands/redline/pdf.js";
import { BREAK, type ClauseRedline, type Run, redline } from "../../commands/redline/redline.js";
import { bdi, type Content, type Html, html } from "../../commands/ui/html.js";
import { counted } from "../../commands/ui/time.js";
import type { FileRecord } from "../entities.js";
import { PAGE, type View } from "./layout.js";
import type { Scene } from "./page.js";

/** Texts that are kept: of one version and of the one before it, so that a page that is drawn anew reads nothing again. */
const MOST_KEPT = 8;
const texts = new Map<string, Promise<PdfRead>>();

/** What a version of a document changed, word by word. */
export async function redlineView({ context }: Scene, id: number, version: number): Promise<View | undefined> {
  const document = context.store.document(id);
  const file = document?.files.find(one => one.version === version);
  const before = document?.files.find(one => one.version === version - 1);
  if (!document || !file || !before) return undefined;
  const textOf = (one: FileRecord) => textIn(one.sha256, context.store.pdfs.get(one.sha256));
  const [old, fresh] = await Promise.all([textOf(before), textOf(file)]);
  return {
    place: "documents",
    title: `${document.name}: what version ${version} changed`,
    body: html`<div class="title"><p><a href="${PAGE}/documents/${id}">← ${bdi(document.name)}</a></p>
<h1>What version ${version} changed</h1>
<p class="muted">${pagesText(old)} before, ${pagesText(fresh)} now. <del>What went</del>, <ins>what came</ins>.</p></div>
${"wrong" in old || "wrong" in fresh ? unread([before, old], [file, fresh]) : clauses(redline(old.clauses, fresh.clauses).clauses)}`,
  };
}

function textIn(hash: string, bytes: Buffer | undefined): Promise<PdfRead> {
  const known = texts.get(hash);
  if (known || !bytes) return known ?? Promise.resolve({ wrong: "the sandbox keeps no PDFs" });
  const [oldest] = texts.keys();
  if (oldest !== undefined && texts.size >= MOST_KEPT) texts.delete(oldest);
  const read = readPdf(bytes);
  texts.set(hash, read);
  return read;
}

const pagesText = ({ pages }: PdfRead): string => (pages === undefined ? "pages unknown" : counted(pages, "page"));

const unread = (...sides: [file: FileRecord, text: PdfRead][]): Content =>
  sides.map(([{ version }, text]) =>
    "wrong" in text ? html`<p class="note">The text of version ${version} can't be read: ${text.wrong}.</p>` : "",
  );

function clauses(all: readonly ClauseRedline[]): Html {
  const changed = all.filter(({ kind }) => kind !== "kept");
  return changed.length === 0
    ? html`<p>The words stay the same.</p>`
    : html`<div class="stack">${changed.map(clause)}</div>`;
}

/** The first line is the clause's title, which may be another one as well. */
function clause({ runs }: ClauseRedline): Html {
  const words = runs.flatMap(({ kind, words: own }) => own.map(word => ({ kind, word })));
  const end = words.findIndex(({ word }) => word === BREAK);
  const [title, text] = end < 0 ? [words, []] : [words.slice(0, end), words.slice(end + 1)];
  return html`<section class="panel">${title.length === 0 ? "" : html`<h2 dir="auto">${marked(title)}</h2>`}<p class="prose" dir="auto">${marked(text)}</p></section>`;
}

/** Words of one kind in a row as one mark. */
function marked(words: readonly { readonly kind: Run["kind"]; readonly word: string }[]): Html[] {
  const parts: { kind: Run["kind"]; text: string }[] = [];
  for (const { kind, word } of words) {
    const text = word === BREAK ? BREAK : `${word} `;
    const last = parts.at(-1);
    if (last?.kind === kind) last.text += text;
    else parts.push({ kind, text });
  }
  return parts.map(({ kind, text }) => {
    if (kind === "kept") return html`${text}`;
    return kind === "added" ? html`<ins>${text}</ins>` : html`<del>${text}</del>`;
  });
}
