import { escapeText } from "../../kit/text.js";

export { clipped, escapeText, messageOf, printable, withoutHostCommands } from "../../kit/text.js";

/** At most so many characters, with an ellipsis where there were more. */
export function shorten(text: string, length = LENGTH): string {
  const characters = [...text.slice(0, length * 2)];
  return characters.length > length ? `${characters.slice(0, length).join("")}…` : characters.join("");
}

/** What a message says of others as well: numbers, quoted texts and addresses aside. */
export const messageKind = (message: string): string => message.replace(/(?<!\S)\S+@\S+|\d+|"[^"]*"/g, "…");

/** Quotes a value that was given to us, short and on one line. */
export function quote(value: unknown): string {
  const text = typeof value === "string" ? value : String(value);
  return `"${shorten(escapeText(text.slice(0, LENGTH)), 40)}"`;
}

/** Text of the service's or of another program's in a message of ours: it can't look like lines that we wrote. */
export function oneLine(text: string): string {
  return escapeText(text.slice(0, LENGTH).replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " "));
}

/** A status of the service's, such as `partially_signed`, as a person reads it. */
export const statusInWords = (status: string): string => oneLine(status).replaceAll("_", " ");

/** `1 document`, `2,030 documents`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${grouped(count)} ${count === 1 ? one : many}`;

/** Of a time that has passed, as exactly as a person wants to know it. */
export function lastingInWords(milliseconds: number): string {
  const seconds = Math.round(Math.max(0, milliseconds) / 1000);
  if (seconds < 600) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : counted(Math.round(hours / 24), "day");
}

/** Rows, documents or people that a message names before it counts the others. */
export const MOST_NAMED = 20;

/** `a, b, c and 4 more` */
export function firstFew(texts: readonly string[], most = 3, separator = ", "): string {
  const more = texts.length - most;
  return `${texts.slice(0, most).join(separator)}${more > 0 ? ` and ${more} more` : ""}`;
}

/** The first of these lines, and how many more there are. */
export const firstLines = (lines: readonly string[], most = MOST_NAMED): string[] =>
  lines.length <= most ? [...lines] : [...lines.slice(0, most), `and ${lines.length - most} more`];

/** Thousands apart. */
export const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ",");

const LENGTH = 200;

/** Made when it is first used: that takes 7 ms, and many a process compares nothing. */
let collator: Intl.Collator | undefined;

/** p1, p2, p10: the same on every machine. */
export function byKey(one: string, other: string): number {
  collator ??= new Intl.Collator("en", { numeric: true });
  return collator.compare(one, other);
}

/** A word of a shell command. */
export const quoted = (word: string): string =>
  /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** The service writes times in its own zone: where this machine's is another, its time stands beside it. */
export function withLocalTime(when: string): string {
  const time = new Date(when);
  const [, sign = "", hours = "", minutes = ""] = /([+-])(\d\d):?(\d\d)$/.exec(when) ?? [];
  const offset = sign === "" ? 0 : Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes));
  if (Number.isNaN(time.getTime()) || offset === -time.getTimezoneOffset()) return when;
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return `${when} (${local.toISOString().slice(0, 16).replace("T", " ")} local time)`;
}

/** What the system or a data base calls an error. */
export const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? "error");
