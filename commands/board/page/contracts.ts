import { bdi, Html, html, link, statusText } from "../../ui/html.js";
import { dayText } from "../../ui/time.js";
import { endText } from "../board.js";
import type { Contract, Signer, StackSummary } from "../model.js";

/** Where a contract stands in the page. The same id may be in two stacks. */
export function anchorOf(
  { documentId, stack }: { documentId: string; stack: string },
  stacks: readonly string[],
): string {
  return `c${stacks.indexOf(stack)}-${encodeURIComponent(documentId.toWellFormed())}`;
}

/**
 * Every contract, whole, for readers without JavaScript; the script in the page finds and sorts them. Each row is short:
 * ten thousand of them make a page of a few megabytes. So end tags that HTML doesn't ask for are left out.
 */
export function contractList(contracts: readonly Contract[], stacks: readonly StackSummary[]): Html {
  const names = stacks.map(({ name }) => name);
  const statuses = [...new Set(contracts.map(one => statusText(one.status)))].sort();
  return html`<section class="stack" id="contracts" aria-labelledby="contracts-title"><h2 id="contracts-title">Contracts</h2>
${contracts.length === 0 ? html`<p class="note">There is no contract yet: the stacks hold no Document and no DocumentSet. What <code>pulumi up</code> sends is here the next time the board is made.</p>` : ""}
<form class="fields needs-script no-print" id="tools"${contracts.length === 0 ? html` hidden` : ""} role="search">
<div class="field"><label for="q">Find</label><input id="q" name="q" type="search" placeholder="name, person, id"></div>
${choice("status", "Status", [["", "all"], ["late", "late"], ["open", "not signed"], ["drift", "drifted or replaced"], ...statuses.map((one): Choice => [`=${one}`, one])])}
${names.length > 1 ? choice("stack", "Stack", [["", "all"], ...names.map((one, index): Choice => [String(index), one])]) : ""}
${choice("sort", "Sort by", [
  ["", "stack"],
  ["sent", "sent, oldest first"],
  ["recent", "sent, newest first"],
  ["name", "name"],
  ["deadline", "deadline"],
])}
<div class="row"><button type="button" id="csv">CSV</button><button type="button" id="print">Print</button></div></form>
<p class="muted needs-script" id="found" role="status"${contracts.length === 0 ? html` hidden` : ""}></p>
<ul class="list panel plain terse" id="rows"${contracts.length === 0 ? html` hidden` : ""}>${contracts.map(one => contractRow(one, names))}</ul>
<button type="button" id="more" class="needs-script no-print" hidden>Show more</button></section>`;
}

type Choice = readonly [value: string, text: string];
const choice = (name: string, label: string, options: readonly Choice[]): Html =>
  html`<div class="field"><label for="${name}">${label}</label><select id="${name}" name="${name}">${options.map(
    ([value, text]) => html`<option value="${value}">${text}</option>`,
  )}</select></div>`;

function contractRow(contract: Contract, stacks: readonly string[]): Html {
  const { name, stack, documentId, status, sentAt, signedAt, deadline, lastReminderAt, late, signers } = contract;
  const several = stacks.length > 1;
  const ends = endText(contract);
  const data = html`${several ? html` data-k=${stacks.indexOf(stack)}` : ""}${at("t", sentAt)}${at("e", deadline)}`;
  return html`<li id=${anchorOf(contract, stacks)}${data}><h3>${bdi(name)}</h3> ${statusMark(status)}${late ? html` <b class=l>late</b>` : ""}${contract.toRenew ? html` <b class=l>to renew</b>` : ""}<p>${documentId}${several ? html` · ${bdi(stack)}` : ""}${when("sent", sentAt)}${when("signed", signedAt)}${when("reminded", lastReminderAt)}${when("deadline", deadline)}${ends === undefined ? "" : ` · ${ends}`}${contract.signersSecret ? html`<p>The program keeps its signers secret.` : html`<ul>${signers.map(signerRow)}</ul>`}${links(contract)}${notes(contract)}`;
}

/** A moment in as few characters as sorting needs: minutes since 1970, in base 36. */
function at(name: string, iso: string | undefined): Html | string {
  const minutes = Math.floor(Date.parse(iso ?? "") / 60_000);
  return Number.isNaN(minutes) || minutes < 0 ? "" : html` data-${name}=${minutes.toString(36)}`;
}

const when = (what: string, iso: string | undefined) => (iso === undefined ? "" : ` · ${what} ${dayText(iso)}`);

const TONES = new Map(Object.entries({ unsigned: "", signed: " class=y", partially_signed: " class=t" }));

export const statusMark = (status: string): Html =>
  html`<b${new Html(TONES.get(status) ?? "")}>${TONES.has(status) ? statusText(status) : bdi(statusText(status))}</b>`;

/** Of somebody whose address the service doesn't return. */
export const NO_ADDRESS = "address not shown";

function signerRow({ email, name, status, turn }: Signer): Html {
  const [tone, label] =
    status === "signed"
      ? [" class=y", "signed"]
      : turn
        ? [" class=t", "to sign"]
        : ["", status === "unsigned" ? "later" : bdi(status)];
  return html`<li${new Html(tone)}>${name ? html`${bdi(name)} <i>${bdi(email)}</i>` : bdi(email || NO_ADDRESS)} ${label}`;
}

function links(contract: Contract): Html | string {
  const { signedUrl, bitcoinCertificateUrl: btc, ethereumCertificateUrl: eth, nom151 } = contract;
  const all = [
    signedUrl && link(signedUrl, "Signed PDF"),
    btc && link(btc, "Bitcoin"),
    eth && link(eth, "Ethereum"),
    nom151 && "NOM151",
  ].filter(Boolean);
  return all.length === 0 ? "" : html`<p>${all.flatMap((one, index) => (index === 0 ? [one] : [" · ", one]))}`;
}

/** What somebody should look at. */
function notes({ drift, supersedes }: Contract): Html {
  return html`${drift.length > 0 ? html`<p class=n>Changed at the service: ${bdi(drift.join(", "))}` : ""}${
    supersedes.length > 0 ? html`<p class=n>Replaces ${bdi(supersedes.join(", "))}, still alive at the service` : ""
  }`;
}
