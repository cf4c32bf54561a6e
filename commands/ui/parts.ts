import { bdi, type Content, type Html, html } from "./html.js";
import { grouped } from "./time.js";

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

/** A part of a whole, as a bar with its figures for those who can't see it. */
export function progress(part: number, whole: number, label: string): Html {
  return html`<progress max="${Math.max(whole, 1)}" value="${part}" aria-label="${label}">${part} of ${whole}</progress>`;
}

export interface Figure {
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
