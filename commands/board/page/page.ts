import { createHash } from "node:crypto";
import { bdi, chip, figures, Html, html, mark, moment, progress } from "../../ui/html.js";
import { asset } from "../../ui/served.js";
import { counted, dayText, grouped, span } from "../../ui/time.js";
import type { Board, Person, StackSummary } from "../model.js";
import { anchorOf, contractList, NO_ADDRESS } from "./contracts.js";

export interface PageOptions {
  /** For a board that is served: how often readers look for a newer one. */
  readonly refreshSeconds?: number;
}

/** Tells boards apart by what they show, whenever they were made. */
export const versionOf = (board: Board): string =>
  createHash("sha256")
    .update(JSON.stringify({ ...board, madeAt: undefined }))
    .digest("hex")
    .slice(0, 16);

/** The board as one HTML file, which loads nothing. */
export function boardPage(board: Board, { refreshSeconds }: PageOptions = {}): string {
  const { totals, stacks, contracts, people, madeAt, lateAfterDays } = board;
  const style = asset("style.css");
  const script = asset("board.js").replaceAll("</", "<\\/");
  return html`<!doctype html>
<html lang="en"${refreshSeconds === undefined ? "" : html` data-refresh="${refreshSeconds}" data-version="${versionOf(board)}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Contracts: ${totals.signed} of ${totals.contracts} signed</title>
<link rel="icon" href="data:,">
${refreshSeconds === undefined ? "" : html`<noscript><meta http-equiv="refresh" content="${refreshSeconds}"></noscript>`}
<meta http-equiv="Content-Security-Policy" content="${policy(style, [EARLY, script])}">
<style>${new Html(style)}</style>
<script>${new Html(EARLY)}</script>
</head>
<body>
<a class="skip" href="#contracts">Skip to the contracts</a>
<header class="top"><div><a class="brand" href="#top">${mark} Contracts</a>
${totals.contracts > 0 && html`<nav aria-label="Sections"><a href="#waiting">Waiting <span class="count${people.length > 0 ? " lively" : ""}">${grouped(people.length)}</span></a><a href="#contracts">Contracts <span class="count">${grouped(totals.contracts)}</span></a></nav>`}
<span class="aside">Made ${moment(madeAt)} UTC</span></div></header>
<main id="top">
<div class="title"><h1>${totals.contracts === 0 ? "No contracts yet" : html`${grouped(totals.signed)} of ${counted(totals.contracts, "contract")} signed`}</h1>
<p class="muted">Read from the state of ${counted(stacks.length, "stack")}. Late means past the deadline or, without one, sent more than ${counted(lateAfterDays, "day")} ago.</p></div>
${
  totals.contracts > 0 &&
  figures([
    { value: totals.signed, label: "signed", tone: "good" },
    { value: totals.partlySigned, label: "partly signed" },
    { value: totals.unsigned + totals.other, label: totals.other > 0 ? "unsigned or other" : "unsigned" },
    { value: totals.waitingFor, label: "people to sign" },
    { value: totals.late, label: "late", tone: totals.late > 0 ? "bad" : "quiet" },
    { value: totals.drifted, label: "drifted" },
    { value: totals.superseded, label: "replaced, still alive" },
  ])
}
<section class="stack" aria-label="Stacks"><h2>Stacks</h2><ul class="list panel plain">${stacks.map(stackRow)}</ul></section>
${openCreates(board)}
${waitingList(board)}
${contractList(contracts, stacks)}
</main>
<footer class="foot"><p>It reads the state that Pulumi keeps and changes nothing. What a program keeps secret isn't here. Refreshing state is the stack's business: <code>pulumi up --refresh</code>.</p></footer>
<div class="toast" id="toast" role="status" aria-live="polite"></div>
<script type="module">${new Html(script)}</script>
</body>
</html>
`.text;
}

/** Creates whose outcome isn't known: what people have to know before they send anything. */
const openCreates = ({ open }: Board): Html | "" =>
  open.length === 0
    ? ""
    : html`<section class="stack" aria-label="Creates without a known outcome"><h2>Creates without a known outcome</h2><ul class="list panel plain">${open.map(
        ({ token, stack, resource, since, candidates }) =>
          html`<li class="inside-row">${bdi(resource)} in ${bdi(stack)}, begun ${moment(since)} UTC. ${
            candidates.length > 0 ? html`Document ${candidates.join(", ")} may be it. ` : ""
          }The next <code>pulumi up</code> looks for it; or <code>docsign journal resolve ${token}</code>.</li>`,
      )}</ul></section>`;

/** Before anything is drawn: with a script, long lists are drawn piece by piece, and not once as a whole before. */
const EARLY = `document.documentElement.classList.add("live")`;

/** Nothing runs but the script of this file, and nothing is loaded from anywhere. */
function policy(style: string, scripts: readonly string[]): string {
  const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  return [
    "default-src 'none'",
    `style-src ${hash(style)}`,
    `script-src ${scripts.map(hash).join(" ")}`,
    "img-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

function stackRow({ name, contracts, signed, stateAt }: StackSummary): Html {
  const text = `${grouped(signed)} of ${grouped(contracts)} signed`;
  return html`<li><div class="item"><span class="subject">${bdi(name)}</span>
<span class="when">${contracts > 0 && signed === contracts ? chip("good", "all signed") : html`<small>${text}</small>`}</span>
<span>${progress(signed, contracts, `${name}: ${text}`)}</span>
<span class="when"><small>${stateAt === undefined ? "state of an unknown time" : html`state of ${moment(stateAt)}`}</small></span></div></li>`;
}

/** Who has to sign, the late ones and the longest waits first. */
function waitingList({ people, stacks, contracts, madeAt }: Board): Html {
  const now = Date.parse(madeAt);
  const names = stacks.map(({ name }) => name);
  return html`<section class="stack" id="waiting" aria-labelledby="waiting-title"${contracts.length === 0 ? html` hidden` : ""}><h2 id="waiting-title">Who has to sign</h2>
${
  people.length === 0
    ? html`<p class="note good">Nobody: there is no contract that waits for a signature.</p>`
    : html`<ul class="list panel plain terse" id="people">${people.map(one => personRow(one, now, names))}</ul>`
}<button type="button" id="more-people" class="needs-script no-print" hidden>Show more people</button></section>`;
}

function personRow(one: Person, now: number, stacks: readonly string[]): Html {
  const { email, name, late, since, lastReminderAt, nextDeadline, contracts } = one;
  return html`<li><h3>${bdi(name || email || NO_ADDRESS)}</h3>${name ? html` <i>${bdi(email)}</i>` : ""} ${late ? html`<b class=l>late</b> ` : ""}${
    since === undefined ? "" : html`<small>waiting for ${span(now - Date.parse(since))}</small>`
  }<p>${contracts.flatMap((contract, index) => [index > 0 && " · ", html`<a href="#${anchorOf(contract, stacks)}">${bdi(contract.name)}</a>`])}<p>${[since && `sent ${dayText(since)}`, lastReminderAt && `reminded ${dayText(lastReminderAt)}`, nextDeadline && `deadline ${dayText(nextDeadline)}`].filter(Boolean).join(" · ")}`;
}
