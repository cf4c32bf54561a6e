import { bdi, type Html, html } from "../../ui/html.js";
import { dayText, span } from "../../ui/time.js";
import type { Board, Person } from "../model.js";
import { anchorOf, NO_ADDRESS } from "./contracts.js";

/** Who has to sign, the late ones and the longest waits first. */
export function waitingList({ people, stacks, contracts, madeAt }: Board): Html {
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
