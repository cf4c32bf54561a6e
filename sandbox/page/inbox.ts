import { bdi, chip, type Html, html, moment } from "../../commands/ui/html.js";
import { counted, grouped } from "../../commands/ui/time.js";
import { sampleForm } from "./forms.js";
import { PAGE, type View } from "./layout.js";
import type { Scene } from "./page.js";
import { type Letter, letters, nameOf, type Seat, seatsOf } from "./seats.js";

/** Mails, and people beside them. */
const SHOWN = 1_000;
const PEOPLE_SHOWN = 100;

interface Addressee {
  readonly email: string;
  readonly name: string;
  mails: number;
  turns: number;
  later: number;
}

/** The mails of everybody, or of one person. */
export function inboxView({ sandbox, context, query }: Scene): View {
  const { data } = context.store;
  const all = letters(data);
  const people = addressees(data.documents.flatMap(seatsOf), all);
  const chosen = query.get("to") ?? undefined;
  const person = people.find(({ email }) => email === chosen);
  const shown = chosen === undefined ? all : all.filter(({ mail }) => keyOf(mail.to) === chosen);
  const title = person ? `Inbox of ${nameOf(person)}` : "Inbox";
  const head = html`<div class="title"><h1>${person ? html`Inbox of ${bdi(nameOf(person))}` : "Inbox"}</h1>
<p class="muted">${
    all.length === 0
      ? "Every invitation and reminder that the service sends arrives here. Nobody is really mailed."
      : "What the service has mailed to the people who sign. Open a mail to sign as that person."
  }</p></div>`;
  if (people.length === 0) return { place: "inbox", title, body: [head, empty(sandbox.url)] };
  return {
    place: "inbox",
    title,
    body: html`${head}<div class="columns side">
<nav class="people panel" aria-label="People"><ul>
<li><a href="${PAGE}/inbox"${chosen === undefined ? html` aria-current="true"` : ""}><span class="who">Everybody</span> <span class="count">${grouped(all.length)}</span></a></li>
${people.slice(0, PEOPLE_SHOWN).map(one => personRow(one, chosen))}
</ul>${people.length > PEOPLE_SHOWN && html`<p class="muted">… and ${counted(people.length - PEOPLE_SHOWN, "more person", "more people")}, who have less to sign.</p>`}</nav>
<section class="stack" aria-label="Mails">${
      shown.length === 0
        ? html`<p class="note">${
            person
              ? html`No mail yet. ${bdi(nameOf(person))} is mailed when the stage before is complete.`
              : "No mail for this person."
          }</p>`
        : html`${shown.length > SHOWN && html`<p class="muted">${counted(shown.length, "mail")}, the newest ${grouped(SHOWN)} shown</p>`}<ul class="list panel plain">${shown.slice(0, SHOWN).map(mailRow)}</ul>`
    }</section></div>`,
  };
}

const keyOf = (email: string): string => email.trim().toLowerCase();

function addressees(seats: readonly Seat[], all: readonly Letter[]): Addressee[] {
  const found = new Map<string, Addressee>();
  const at = (email: string, name = ""): Addressee => {
    const key = keyOf(email);
    const known = found.get(key) ?? { email: key, name, mails: 0, turns: 0, later: 0 };
    found.set(key, known);
    return known;
  };
  for (const { invitation, state } of seats) {
    const one = at(invitation.email, invitation.name);
    if (state === "turn") one.turns += 1;
    if (state === "later") one.later += 1;
  }
  for (const { mail } of all) at(mail.to).mails += 1;
  return [...found.values()].sort((one, other) => other.turns - one.turns || (nameOf(one) < nameOf(other) ? -1 : 1));
}

function personRow({ email, name, mails, turns, later }: Addressee, chosen: string | undefined): Html {
  const state =
    turns > 0
      ? html`<span class="count lively" title="${counted(turns, "document")} to sign">${turns}<span class="unseen"> to sign</span></span>`
      : later > 0
        ? html`<small>later</small>`
        : html`<span class="count">${mails}<span class="unseen"> mails</span></span>`;
  return html`<li><a href="${PAGE}/inbox?to=${encodeURIComponent(email.toWellFormed())}"${
    email === chosen ? html` aria-current="true"` : ""
  }><span class="who" title="${email}">${bdi(nameOf({ name, email }))}</span> ${state}</a></li>`;
}

function mailRow({ number, mail, document, seat }: Letter): Html {
  const open = seat?.state === "turn";
  return html`<li id="mail-${number}"><a class="item${open ? "" : " done"}" href="${PAGE}/inbox/${number}">
<span class="subject clamp">${mail.kind === "reminder" ? "Reminder: please sign" : "Please sign"} ${bdi(document?.name ?? `document ${mail.documentId}`)}</span>
<span class="when"><small>${moment(mail.at)}</small></span>
<span class="clamp">To ${bdi(mail.to)}${mail.message ? html` <small>— ${bdi(mail.message)}</small>` : ""}</span>
<span class="when">${outcome(seat, document === undefined)}</span></a></li>`;
}

export function outcome(seat: Seat | undefined, gone: boolean): Html {
  if (gone || !seat) return chip("quiet", "gone");
  if (seat.state === "signed") return chip("good", "signed");
  if (seat.state === "declined") return chip("bad", "declined");
  return seat.state === "turn" ? chip("busy", "to sign") : chip("quiet", "later");
}

function empty(url: string): Html {
  return html`<section class="panel" aria-label="First steps"><h2>No mail yet</h2>
<p>Create a document with a Pulumi program, in a terminal. The key is the one that the sandbox printed when it started:</p>
<pre>export DOCSIGN_BASE_URL=${url} DOCSIGN_API_KEY=…
pulumi up</pre>
<p>The people it invites are mailed here. Sign for them, and run <code>pulumi up --refresh</code>: the stack says so.</p>
<div class="needs-script stack"><p>Or look around without a program first:</p>${sampleForm()}</div></section>`;
}
