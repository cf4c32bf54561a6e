import { bdi, type Html, html, moment } from "../../commands/ui/html.js";
import { counted } from "../../commands/ui/time.js";
import { resetPoints } from "../control/parse.js";
import { type Fault, type FaultKind, faultKinds } from "../faults/fault.js";
import { createAnswers } from "../routes/create-answer.js";
import { routeNames } from "../routes/route.js";
import { actionForm, type Field, field, fixed } from "./forms.js";
import type { View } from "./layout.js";
import type { Scene } from "./page.js";

const HOUR = 3_600_000;

/** Faults, and the service's clock. */
export function faultsView({ sandbox }: Scene): View {
  const { pending } = sandbox.faults;
  const kinds = Object.keys(faultFields) as (keyof typeof faultFields)[];
  return {
    place: "faults",
    title: "Faults and clock",
    body: html`<div class="title"><h1>Faults and clock</h1><p class="muted">Break the service on purpose, and move its time.</p></div>
<div class="columns even"><section class="panel" aria-label="Clock"><h2>Clock</h2>
<p>${sandbox.clock.frozen ? "Time stands still at" : "It is"} <strong>${moment(sandbox.clock.now())}</strong> UTC at the service.</p>
<div class="row">${travel("1 hour", HOUR)}${travel("1 day", 24 * HOUR)}${travel("7 days", 7 * 24 * HOUR)}</div>
${actionForm("clock", { id: "travel", done: "Time has moved.", class: "row low" }, html`<div class="field"><label for="travel-advance">Go on by hours</label><input id="travel-advance" name="advance" data-kind="hours" type="number" step="any" required></div><button>Go</button>`)}
${actionForm(
  "clock",
  { id: "freeze", done: sandbox.clock.frozen ? "Time goes on." : "Time stands still.", class: "row" },
  html`${fixed("frozen", !sandbox.clock.frozen)}<button role="switch" aria-checked="${String(sandbox.clock.frozen)}" aria-labelledby="freeze-name"></button><span id="freeze-name">Stand still</span>`,
)}</section>
<section class="panel" aria-label="Armed faults"><h2>${pending.length === 0 ? "No fault is armed" : `${counted(pending.length, "fault")} armed`}</h2>
${pending.length === 0 ? html`<p class="muted">A fault waits for the next request that fits, and is gone once that has met it.</p>` : html`<ul class="stack">${pending.map(fault => html`<li>${faultText(fault)}</li>`)}</ul>`}
${actionForm("clear-faults", { id: "clear", done: "No fault is armed any more." }, html`<div><button class="small">Clear all faults, holds and limits</button></div>`)}</section></div>
<section class="panel" aria-label="Often tried"><h2>Often tried</h2><div class="row">
${preset("lost-answer", "The next create loses its answer", { kind: "reset", at: "after", route: "createDocument" })}
${preset("never", "The next create is never answered", { kind: "never", processed: true, route: "createDocument" })}
${preset("down", "The service is down", { kind: "status", status: 503, times: "always" })}
${preset("slow", "Every answer takes 2 seconds", { kind: "delay", ms: 2000, times: "always" })}
${actionForm("rate-limit", { id: "rate", done: "Limited.", class: "row" }, html`${fixed("limit", 2)}${fixed("windowMs", 10_000)}<button class="small">2 requests in 10 seconds</button>`)}
</div></section>
<section class="stack" aria-label="All faults"><h2>All faults</h2><ul class="list panel plain">${kinds.map(kind => faultRow(kind, pending))}</ul></section>`,
  };
}

const travel = (text: string, ms: number): Html =>
  actionForm(
    "clock",
    { id: `travel-${ms}`, done: `${text} later.`, class: "row" },
    html`${fixed("advance", ms)}<button class="small">+ ${text}</button>`,
  );

function preset(id: string, text: string, { route, ...fault }: Record<string, string | number | boolean>): Html {
  return actionForm(
    "fault",
    { id: `preset-${id}`, done: `${text}: armed.`, class: "row" },
    html`${Object.entries(fault).map(([name, value]) => fixed(name, value))}${
      route === undefined ? "" : fixed("match.route", route)
    }<button class="small">${text}</button>`,
  );
}

function faultRow(kind: keyof typeof faultFields, pending: readonly Fault[]): Html {
  const armed = pending.filter(fault => fault.kind === kind).length;
  const id = `fault-${kind}`;
  const routes = [{ value: "", text: "any request" }, ...routeNames.map(name => ({ value: name, text: name }))];
  const times = ["1", "2", "3", "5", "always"].map(value => ({
    value,
    text: value === "always" ? "always" : `${value} ×`,
  }));
  return html`<li id="${id}-row"><details class="fold"${armed > 0 ? html` open` : ""}><summary><h3>${kind}</h3>${
    armed > 0 ? html` <span class="chip warn">${armed} armed</span>` : ""
  } <small>${inCode(faultKinds[kind])}</small></summary>${actionForm(
    armed > 0 ? "disarm" : "fault",
    { id, done: armed > 0 ? `${kind}: taken back.` : `${kind}: armed.`, class: "inside-row stack" },
    html`${fixed("kind", kind)}<div class="row"><button role="switch" aria-checked="${String(armed > 0)}" aria-label="${kind}"></button><span aria-hidden="true">${armed > 0 ? "Armed" : "Arm it"}</span></div>${
      armed > 0
        ? ""
        : html`<div class="fields">${field(id, { name: "match.route", label: "For", options: routes })}${field(id, { name: "times", label: "How often", kind: "json", options: times })}${faultFields[kind].map(one => field(id, one))}</div>`
    }`,
  )}</details></li>`;
}

/** What stands between backticks is code. */
const inCode = (text: string): Html[] =>
  text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));

function faultText({ kind, match = {}, times = 1, ...rest }: Fault): Html {
  const parts = Object.entries(rest).map(([name, value]) => `${name} ${String(value)}`);
  const where = match.route ?? match.path?.toString() ?? match.method ?? "any request";
  return html`<strong>${kind}</strong> for ${bdi(where)}, ${times === "always" ? "always" : `${times} ×`}${parts.length > 0 ? html`<br><small>${bdi(parts.join(", "))}</small>` : ""}`;
}

// ---- The parameters of each ----

const number = (name: string, label: string, value: number | "" = ""): Field => ({
  name,
  label,
  kind: "number",
  value,
});
const text = (name: string, label: string, value = ""): Field => ({ name, label, value });
const boolean = (name: string, label: string, options: Readonly<Record<string, string>>): Field => ({
  name,
  label,
  kind: "boolean",
  options: Object.entries(options).map(([value, text]) => ({ value, text })),
});
const processed = boolean("processed", "Acted on first", { "": "as usual", true: "yes", false: "no" });

/** The parameters each fault takes. A function, as `rewrite` needs, can't come over HTTP. */
const faultFields: Record<Exclude<FaultKind, "rewrite">, readonly Field[]> = {
  delay: [number("ms", "Milliseconds", 2000)],
  status: [number("status", "Status", 503), text("retryAfter", "Retry-After"), text("body", "Body"), processed],
  reset: [{ name: "at", label: "When", options: resetPoints, value: "after" }],
  never: [processed],
  drip: [number("ms", "Milliseconds a byte", 10)],
  stall: [number("bytes", "Bytes first")],
  truncated: [number("bytes", "Bytes")],
  html: [number("status", "Status", 200)],
  "content-type": [text("contentType", "Content-Type", "text/plain")],
  empty: [],
  bom: [],
  "not-ok": [number("status", "Status", 200)],
  "too-large": [number("bytes", "Bytes")],
  bomb: [number("bytes", "Bytes")],
  deep: [number("levels", "Levels", 10_000)],
  redirect: [
    number("status", "Status", 302),
    text("to", "To"),
    boolean("crossOrigin", "To another origin", { "": "no", true: "yes" }),
  ],
  raw: [text("body", "Bytes", "HTTP/1.1 200 OK")],
  answer: [
    number("status", "Status", 200),
    text("contentType", "Content-Type", "application/json"),
    text("body", "Body", "{}"),
  ],
  date: [number("ms", "Milliseconds", 3_600_000)],
  "stale-socket": [],
  "create-answer": [{ name: "variant", label: "Variant", options: createAnswers }, number("status", "Status", 201)],
};
