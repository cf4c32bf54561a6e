import { firstFew } from "../../provider/core/text.js";
import { counted, momentText as plainMoment, span } from "../ui/time.js";
import { endingSoon, endText } from "./board.js";
import { isVisible } from "./documents.js";
import type { Board, Person } from "./model.js";
import type { Plan, PlannedMail } from "./preview.js";

/** A comment with this line is the board's own: who posts the next one looks for it and edits that comment. */
export const MARKER = "<!-- docsign-board -->";

/** Hosts refuse a comment of more than 65,536 characters. */
export const LONGEST = 60_000;

const MOST_ROWS = 50;
const MOST_QUOTED = 10;

type Part = (longest: number) => string;

/** Several parts as one comment: those that fit. */
export function together(parts: readonly Part[]): string {
  const written = fitting(parts, LONGEST - 100);
  const more = parts.length - written.length;
  return `${written.join("\n")}${more > 0 ? `\n… and ${more} more.\n` : ""}`;
}

/** The parts that fit into so many characters. Each may take its share of what those before it have left. */
export function fitting(parts: readonly Part[], characters: number): string[] {
  const written: string[] = [];
  let left = characters;
  for (const [index, part] of parts.entries()) {
    const text = part(Math.min(left, Math.max(2_000, Math.floor(left / (parts.length - index)))));
    if (text.length > left) continue;
    left -= text.length + 1;
    written.push(text);
  }
  return written;
}

/** Who is waiting, as a comment or a message. */
export function boardMarkdown(board: Board, longest = LONGEST): string {
  const { totals, people, madeAt, stacks, open } = board;
  const ending = endingSoon(board.contracts);
  const now = Date.parse(madeAt);
  const states = stacks
    .slice(0, MOST_QUOTED)
    .map(({ name, stateAt }) => `${code(name)}${stateAt ? `: state of ${momentText(stateAt)}` : ""}`);
  return composed(longest, [
    MARKER,
    `### Contracts: ${totals.signed} of ${totals.contracts} signed`,
    sentence([
      totals.waitingFor > 0 && `${counted(totals.waitingFor, "person", "people")} to sign`,
      totals.late > 0 && `**${counted(totals.late, "contract")} late**`,
      totals.drifted > 0 && `${counted(totals.drifted, "contract")} changed at the service`,
    ]) ?? "Nobody has to sign.",
    table(["Who", "Contracts", "Waiting", "Last reminder", "Deadline"], people, one => personCells(one, now)),
    table(["Contract", "Document", "End"], ending, one => [
      escaped(one.name),
      code(one.documentId),
      `${one.expiresAt}: ${endText(one)}${one.toRenew ? ", **to renew**" : ""}`,
    ]),
    table(["Create without a known outcome", "Stack", "Begun", "May be document"], open, one => [
      `${code(one.resource)} (${code(one.token)})`,
      code(one.stack),
      momentText(one.since),
      one.candidates.map(code).join(", "),
    ]),
    `<sub>${[...states, ...(stacks.length > MOST_QUOTED ? [`… and ${stacks.length - MOST_QUOTED} more`] : [])].join("; ")}</sub>`,
  ]);
}

function personCells(
  { email, name, late, since, contracts, lastReminderAt, nextDeadline }: Person,
  now: number,
): string[] {
  const wait = since === undefined ? "" : span(Math.max(0, now - Date.parse(since)));
  return [
    name ? `${escaped(name)} (${code(email)})` : code(email),
    firstFew(contracts.map(one => escaped(one.name))),
    late ? `**${wait}, late**` : wait,
    lastReminderAt === undefined ? "none" : momentText(lastReminderAt),
    nextDeadline === undefined ? "" : momentText(nextDeadline),
  ];
}

/** What a merge would mail, replace and refuse. */
export function planMarkdown(plan: Plan, longest = LONGEST): string {
  const { stack, mails, refused, refusals, failures, replaced, takenBack, unclear, unchanged, forgotten } = plan;
  return composed(longest, [
    MARKER,
    `### Contracts in ${code(stack)}`,
    sentence([
      whoIsMailed(plan),
      replaced > 0 && `${counted(replaced, "contract")} replaced`,
      takenBack > 0 && `${counted(takenBack, "contract")} taken back${mails.length > 0 ? " without mail" : ""}`,
      unchanged !== undefined && unchanged > 0 && `${counted(unchanged, "contract")} unchanged`,
      forgotten > 0 && `${counted(forgotten, "contract")} let go of`,
      unclear > 0 && `**${unclear} unclear**: not known whether ${unclear === 1 ? "it was" : "they were"} sent before`,
      refusals > 0 && `**${refusals} refused**: ${fewOf(refused.map(reasonOf), "; ")}`,
    ]),
    table(["Contract", "What happens", "Who is mailed"], mails, mailCells),
    { head: [], lines: refused.map(one => `> **Refused:** ${escaped(one.reason)}\n`), total: refused.length },
    { head: [], lines: failures.map(one => `> **Error:** ${escaped(one)}\n`), total: failures.length },
    plan.isCut && "The preview ends at an error, so there may be more changes than these.",
  ]);
}

function whoIsMailed({ people, known, mayOverlap, mails, silent, isCut }: Plan): string {
  const [only] = mails;
  if (silent.length > 0)
    return `**whom it mails isn't known**: the provider said nothing of ${fewOf(silent.map(code))}`;
  if (people === undefined)
    return known > 0
      ? `**${counted(known, "person", "people")} will be mailed, others aren't known yet**`
      : "**people who aren't known yet will be mailed**";
  if (people === 0) return isCut ? "**whom it mails isn't known**" : "nobody will be mailed";
  const total = `**${mayOverlap ? "at most " : ""}${counted(people, "person", "people")} will be mailed**`;
  if (mails.length > 1 || !only || only.people.length < people) return total;
  return `${total}: ${fewOf(only.people.map(code))} (${only.kind === "set" ? "set " : ""}${code(only.resource)})`;
}

const reasonOf = ({ resource, signedBy }: Plan["refused"][number]): string =>
  `${code(resource)}${signedBy.length > 0 ? `, signed by ${fewOf(signedBy.map(code))}` : ""}`;

function mailCells({ name, kind, sends, replaces, count, people }: PlannedMail): string[] {
  const many = kind === "set";
  const what = [
    kind === "reminder" && "reminder",
    sends > 0 && `${many ? `${sends} ` : ""}sent for the first time`,
    replaces > 0 &&
      `${many ? `${replaces} ` : ""}replaced; the old ${replaces === 1 ? "one stays" : "ones stay"} alive at the service`,
  ].filter(part => part !== false);
  const others = count === undefined ? undefined : count - people.length;
  const rest =
    others === undefined
      ? ["not known yet"]
      : others > 0
        ? [people.length === 0 ? `${others} not shown` : `${others} more`]
        : [];
  return [escaped(name), what.join(", "), [...people.slice(0, MOST_QUOTED).map(code), ...rest].join(", ")];
}

const fewOf = (items: readonly string[], separator = ", "): string => firstFew(items, MOST_QUOTED, separator);

/** A part of a comment of which as much is shown as fits. */
interface Listed {
  readonly head: readonly string[];
  readonly lines: readonly string[];
  /** How many there are, shown or not. */
  readonly total: number;
}

/** Paragraphs of at most so many characters. Lists give way, each to those after it by half. */
function composed(longest: number, sections: readonly (string | Listed | false | undefined)[]): string {
  const texts = sections.filter(one => typeof one === "string");
  let left = longest - texts.reduce((sum, one) => sum + one.length + 2, 0) - 100;
  const written = sections.flatMap(section => {
    if (section === false || section === undefined || (typeof section !== "string" && section.total === 0)) return [];
    if (typeof section === "string") return [section];
    const { head, lines, total } = section;
    const fitting: string[] = [];
    let used = head.join("\n").length;
    for (const line of lines) {
      if (used + line.length + 1 > left / 2) break;
      used += line.length + 1;
      fitting.push(line);
    }
    left -= used + 30;
    const more = total - fitting.length;
    const text = [...(fitting.length > 0 ? [...head, ...fitting] : []), ...(more > 0 ? [`\n… and ${more} more.`] : [])];
    return [text.join("\n").trim()];
  });
  return `${written.join("\n\n")}\n`;
}

const rowOf = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
const table = <T>(head: readonly string[], items: readonly T[], cells: (item: T) => string[]): Listed => ({
  head: [rowOf(head), rowOf(head.map(() => "---"))],
  lines: items.slice(0, MOST_ROWS).map(item => rowOf(cells(item))),
  total: items.length,
});

function sentence(parts: readonly (string | false)[]): string | undefined {
  const summary = parts.filter(one => one !== false).join(", ");
  return summary === "" ? undefined : `${summary.replace(/^\**[a-z]/, first => first.toUpperCase())}.`;
}

/**
 * What refers to an address, an issue, a request, a label, a milestone, an emoji or the like, or looks like a change, on one
 * host or another. It is looked for in what the text comes to, so it is no use to write it in another way.
 */
const REFERENCE = /[#!$&](?=\d)|[%~](?=[\w"])|[[{](?=[+-]|\w+:\S*\d)|\bG[HL]-(?=\d)|:(?=\/\/|[\w+-]+:)|\bwww(?=\.)|@/gi;

/** A moment of a state or a journal may be any text. */
const momentText = (given: string): string => escaped(plainMoment(given));

/** Text as text: nothing in a name may become a link, a mention, an image, a formula or another row. */
export function escaped(text: string): string {
  const short = [...text.slice(0, 400)].length > 200 ? `${[...text.slice(0, 400)].slice(0, 200).join("")}…` : text;
  const plain = short.replace(/[\s\p{Cc}]+/gu, " ").replace(/[\u202A-\u202E\u2066-\u2069]/gu, "");
  // Marks with nothing between them would be others.
  if (!isVisible(plain)) return "(blank)";
  return plain.replace(REFERENCE, "$&\u200b").replace(/[\\`*_{}[\]()<>#!|~&$^]/g, found => `&#${found.charCodeAt(0)};`);
}

/** An address or a name of the program as code, where nothing is a mention. */
export const code = (text: string): string => {
  const plain = text.replace(/[`|\s\p{Cc}\u202A-\u202E\u2066-\u2069]+/gu, " ").slice(0, 200);
  // Two backticks with nothing between them begin code that ends at the next two.
  return `\`${plain === "" ? " " : plain.toWellFormed()}\``;
};
