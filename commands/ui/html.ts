import { grouped, momentText } from "./time.js";

/** Markup that is safe to send as it is. */
export class Html {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

/** What may stand in a template: text is escaped, false and nothing leave no trace. */
export type Content = Html | string | number | false | null | undefined | readonly Content[];

/** A template for markup. Every value is escaped unless a template made it. */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  let text = strings[0] ?? "";
  for (const [index, value] of values.entries()) text += rendered(value) + (strings[index + 1] ?? "");
  return new Html(text);
}

function rendered(content: Content): string {
  if (content instanceof Html) return content.text;
  if (typeof content === "string" || typeof content === "number") return escaped(String(content));
  if (content === false || content === null || content === undefined) return "";
  return content.map(rendered).join("");
}

const ENTITIES = new Map(Object.entries({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" }));

// Browsers drop control characters or refuse them in attributes; a lone surrogate can't be encoded.
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[&<>"']/g, found => ENTITIES.get(found) ?? "")
    .replace(/[^\P{Cc}\t\n\r]/gu, "\u{fffd}");

/** Text of unknown direction: what stands beside it keeps its own. */
export const bdi = (text: string): Html => html`<bdi>${text}</bdi>`;

/** An address that leads somewhere when it is clicked; anything but a web address is plain text. */
export function link(href: string | undefined, content: Content): Html {
  return href !== undefined && /^https?:\/\//i.test(href) ? html`<a href="${href}">${content}</a>` : html`${content}`;
}

// ---- Parts of both pages ----

/** What each status means to a reader, and the colour it has everywhere. */
const STATUSES: Readonly<Record<string, { text: string; tone: Tone }>> = {
  signed: { text: "signed", tone: "good" },
  partially_signed: { text: "partly signed", tone: "busy" },
  unsigned: { text: "unsigned", tone: "quiet" },
};

export type Tone = "good" | "busy" | "bad" | "warn" | "quiet";

export const chip = (tone: Tone, content: Content): Html => html`<span class="chip ${tone}">${content}</span>`;

const known = (status: string) => (Object.hasOwn(STATUSES, status) ? STATUSES[status] : undefined);

/** A status the service adds later is shown as it is. */
export const statusText = (status: string): string => known(status)?.text ?? status;

export const statusChip = (status: string): Html => chip(known(status)?.tone ?? "warn", bdi(statusText(status)));

/** Somebody, by name where there is one, and always by address. */
export const person = (email: string, name?: string): Html =>
  name && name !== email
    ? html`<span class="person"><bdi>${name}</bdi> <bdi class="address">${email}</bdi></span>`
    : html`<span class="person"><bdi>${email}</bdi></span>`;

/** A moment, to the minute; a number is shown in UTC. */
export function moment(time: string | number): Html {
  const iso = typeof time === "number" ? new Date(time).toISOString() : time;
  const text = momentText(iso);
  return text === iso ? html`${iso}` : html`<time datetime="${iso}" title="${iso}">${text}</time>`;
}

/** A part of a whole, as a bar with its figures for those who can't see it. */
export function progress(part: number, whole: number, label: string): Html {
  return html`<progress max="${Math.max(whole, 1)}" value="${part}" aria-label="${label}">${part} of ${whole}</progress>`;
}

interface Figure {
  readonly value: Content;
  readonly label: string;
  readonly tone?: Tone;
}

export const figures = (all: readonly Figure[]): Html =>
  html`<dl class="figures">${all.map(
    ({ value, label, tone }) =>
      html`<div class="${tone ?? ""}"><dt>${label}</dt><dd>${typeof value === "number" ? grouped(value) : value}</dd></div>`,
  )}</dl>`;

/** The mark of both pages: a signature on its line. */
export const mark: Html = html`<svg class="mark" viewBox="0 0 24 24" aria-hidden="true"><path d="M3 20h18"/><path d="M4 15.5c3-7 5.500-11 7.500-11 2.600 0-3 10-.5 10 1.700 0 2.300-3.200 3.700-3.200 1.200 0 .3 2.700 1.800 2.700 1.200 0 2-.8 3-2"/></svg>`;
