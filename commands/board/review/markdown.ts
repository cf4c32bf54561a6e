import { BREAK, type ClauseRedline, type Run } from "../../redline/redline.js";
import { counted } from "../../ui/time.js";
import { code, escaped, fitting } from "../markdown.js";
import type { Review, Reviewed } from "./review.js";

/** Words that stand around a change, on either side. */
const CONTEXT = 6;
/** Characters of one clause, so that a long one leaves room for the others. */
const LONGEST_CLAUSE = 6_000;

/** The redlines of a preview, as much of them as has room. */
export function reviewMarkdown({ base, contracts, more, problem }: Review, longest: number): string {
  if (problem !== undefined) return `### What changes\n\nNo redline: ${escaped(problem)}.\n`;
  if (contracts.length + more === 0) return "";
  const head = `### What changes\n\nCompared with ${code(base)}: ~~what goes~~ **what comes**.\n`;
  const parts = fitting(
    contracts.map(contract => share => contractMarkdown(contract, share)),
    longest - head.length - 40,
  );
  const rest = contracts.length - parts.length + more;
  return [head, ...parts, ...(rest > 0 ? [`… and ${counted(rest, "more contract")}.\n`] : [])].join("\n");
}

function contractMarkdown(
  { name, what, signedBy, notes, pages, redline, isOther, files }: Reviewed,
  longest: number,
): string {
  const counts = pagesText(pages);
  const title = `#### ${escaped(name)}${what === "template" ? "" : `: ${what}`}${counts === "" ? "" : `, ${counts}`}`;
  const who = signedBy.length > 0 ? `signed by ${signedBy.map(code).join(", ")}, so ` : "";
  const head = [
    title,
    ...(what === "refused"
      ? [`**Refused**: ${who}it stays as it is. This is what the change would have made of it.`]
      : []),
    ...(files.length > 0 ? [files.map(code).join(", ")] : []),
    ...notes.map(escaped),
  ];
  const changed = redline?.clauses.filter(({ kind }) => kind !== "kept");
  if (changed?.length === 0)
    head.push(isOther ? "The words stay the same; the PDF looks different." : "The words stay the same.");
  const blocks: string[] = [];
  let left = longest - head.reduce((sum, one) => sum + one.length + 2, 0) - 60;
  for (const clause of changed ?? []) {
    const block = clauseMarkdown(clause, Math.min(LONGEST_CLAUSE, left));
    if (block.length + 2 > left) break;
    left -= block.length + 2;
    blocks.push(block);
  }
  const rest = (changed?.length ?? 0) - blocks.length;
  return `${[...head, ...blocks, ...(rest > 0 ? [`… and ${counted(rest, "more clause")}.`] : [])].join("\n\n")}\n`;
}

function pagesText({ before, after }: Reviewed["pages"]): string {
  if (after === undefined) return "";
  return before === undefined || before === after
    ? counted(after, "page")
    : `${counted(before, "page")} before, ${after} now`;
}

const KINDS = { added: " (new)", removed: " (goes)", changed: "", kept: "" };

/** A quote with a title above it. */
function clauseMarkdown({ title, kind, runs }: ClauseRedline, longest: number): string {
  const head = `**${title === "" ? "Beginning" : escaped(title)}**${KINDS[kind]}\n`;
  const quote = new Quote(longest - head.length);
  for (const atom of atomsOf(kind === "changed" ? runs : withoutTitle(runs))) if (!quote.add(atom)) break;
  const text = quote.finished();
  return `${head}${text === "" ? "> Its words stay the same; its lines don't." : text}`;
}

/** What comes or goes as a whole: its title stands above it. */
const withoutTitle = (runs: readonly Run[]): Run[] =>
  runs.map(({ kind, words }) => ({ kind, words: words.slice(words.indexOf(BREAK) + 1) }));

interface Atom {
  readonly kind: Run["kind"];
  readonly word: string;
}

/** The changed words with a few around them, line by line; `…` stands for what is left out. */
function atomsOf(runs: readonly Run[]): Atom[] {
  const all = runs.flatMap(({ kind, words }) => words.map((word): Atom => ({ kind, word })));
  const near = new Uint8Array(all.length);
  const mark = (order: Iterable<number>) => {
    let close = 0;
    for (const at of order) {
      const { kind, word } = all[at] as Atom;
      close = kind !== "kept" ? CONTEXT : word === BREAK ? 0 : close - 1;
      if (kind !== "kept" || close >= 0) near[at] = 1;
    }
  };
  mark(all.keys());
  mark(Array.from(all.keys()).reverse());
  return all.flatMap((atom, at) => {
    if (atom.word === BREAK) {
      // A line that is split, or joined with the next, has no other words.
      const isShown = atom.kind !== "kept" && [all[at - 1], all[at + 1]].every(each => each?.kind === "kept");
      return isShown ? [{ kind: atom.kind, word: "¶" }, LINE_END] : [LINE_END];
    }
    if (near[at]) return [atom];
    const isFirst = at === 0 || near[at - 1] === 1 || all[at - 1]?.word === BREAK;
    return isFirst ? [{ kind: "kept" as const, word: ELLIPSIS }] : [];
  });
}

const LINE_END: Atom = { kind: "kept", word: BREAK };
const ELLIPSIS = "…";
const MARKS = { kept: "", removed: "~~", added: "**" };

/** Lines of a quote, as many as have room. */
class Quote {
  readonly #lines: string[] = [];
  #line: string[] = [];
  #isChanged = false;
  #open: Run["kind"] = "kept";
  #left: number;

  constructor(longest: number) {
    this.#left = longest - 40;
  }

  /** Whether there was room. */
  add({ kind, word }: Atom): boolean {
    if (word === BREAK) {
      this.#endLine();
      return this.#left > 0;
    }
    const text = word === ELLIPSIS ? word : escaped(word);
    this.#push(kind, kind === "kept" && this.#line.length === 0 ? plainStart(text) : text);
    return this.#left > 0;
  }

  finished(): string {
    const isCut = this.#left <= 0;
    this.#endLine();
    return [...this.#lines, ...(isCut ? ["> … and more."] : [])].join("\n>\n");
  }

  #push(kind: Run["kind"], text: string): void {
    const isSame = kind === this.#open && this.#line.length > 0;
    if (kind !== "kept") this.#isChanged = true;
    if (isSame) this.#line.push(` ${text}`);
    else this.#line.push(`${MARKS[this.#open]}${this.#line.length === 0 ? "" : " "}${MARKS[kind]}${text}`);
    this.#open = kind;
    this.#left -= text.length + 5;
  }

  #endLine(): void {
    if (this.#isChanged) {
      this.#lines.push(`> ${this.#line.join("")}${MARKS[this.#open]}`);
      this.#left -= 6;
    } else {
      // Nothing of it is shown.
      this.#left += this.#line.reduce((sum, part) => sum + part.trim().length + 5, 0);
    }
    this.#line = [];
    this.#open = "kept";
    this.#isChanged = false;
  }
}

/** At the start of a line, some marks would make a list or a heading of it. */
const plainStart = (text: string): string =>
  text
    .replace(/^[-+=]/, found => `&#${found.charCodeAt(0)};`)
    .replace(/^(\d+)([.)])/, (_, number, mark: string) => `${number}&#${mark.charCodeAt(0)};`);
