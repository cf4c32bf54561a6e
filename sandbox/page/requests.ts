import { bdi, chip, type Html, html, type Tone } from "../../commands/ui/html.js";
import { counted } from "../../commands/ui/time.js";
import { isRecord } from "../../kit/records.js";
import type { SeenRequest } from "../history.js";
import { routeNames } from "../routes/route.js";
import { bytes } from "./documents.js";
import { PAGE, type View } from "./layout.js";
import type { Scene } from "./page.js";

const SHOWN = 200;
const OUTCOMES = ["answered well", "refused", "failed", "no answer", "with a fault"] as const;
type Outcome = (typeof OUTCOMES)[number];

/** What was asked and answered, the newest first. */
export function requestsView({ sandbox, query }: Scene): View {
  const sought = { text: query.get("q") ?? "", route: query.get("route") ?? "", outcome: query.get("outcome") ?? "" };
  const before = Number(query.get("before") ?? Number.POSITIVE_INFINITY);
  const found = sandbox.history.filter(one => one.number < before && fits(one, sought)).reverse();
  const shown = found.slice(0, SHOWN);
  const older = new URLSearchParams(query);
  older.set("before", String(shown.at(-1)?.number ?? 0));
  const option = (value: string, chosen: string) =>
    html`<option${value === chosen ? html` selected` : ""}>${value}</option>`;
  const head = html`<div class="title"><h1>Requests</h1><p class="muted">What the service was asked, and what it answered. Keys are left out, PDFs are folded.</p></div>`;
  return {
    place: "requests",
    title: "Requests",
    body:
      sandbox.history.length === 0
        ? html`${head}<section class="panel"><h2>No requests yet</h2><p>What a Pulumi program or another client asks of ${sandbox.url} appears here as it comes.</p></section>`
        : html`${head}
<form class="fields" role="search" data-filter>
<div class="field"><label for="q">Find</label><input id="q" name="q" type="search" value="${sought.text}"></div>
<div class="field"><label for="route">Route</label><select id="route" name="route"><option value="">all</option>${routeNames.map(one => option(one, sought.route))}</select></div>
<div class="field"><label for="outcome">Outcome</label><select id="outcome" name="outcome"><option value="">all</option>${OUTCOMES.map(one => option(one, sought.outcome))}</select></div>
<div class="without-script"><button>Filter</button></div></form>
<p class="muted" role="status">${counted(found.length, "request")}${found.length > SHOWN ? `, the newest ${SHOWN} shown` : ""}</p>
${shown.length === 0 ? "" : html`<ul class="list panel plain">${shown.map(one => requestRow(one, sandbox.url))}</ul>`}
${found.length > SHOWN ? html`<p><a href="${PAGE}/requests?${older.toString()}">Older requests</a></p>` : ""}`,
  };
}

interface RequestFilter {
  text: string;
  route: string;
  outcome: string;
}

function fits(request: SeenRequest, { text, route, outcome }: RequestFilter): boolean {
  if (route !== "" && request.route !== route) return false;
  if (outcome === "with a fault" ? request.fault === null : outcome !== "" && outcomeOf(request) !== outcome)
    return false;
  const words = `${request.method} ${addressOf(request)} ${JSON.stringify(request.body)} ${request.fault ?? ""}`;
  return words.toLowerCase().includes(text.trim().toLowerCase());
}

function outcomeOf({ status }: SeenRequest): Outcome {
  if (status === null) return "no answer";
  if (status < 400) return "answered well";
  return status < 500 ? "refused" : "failed";
}

const TONES: Record<Outcome, Tone> = {
  "answered well": "good",
  refused: "busy",
  failed: "bad",
  "no answer": "bad",
  "with a fault": "warn",
};

function addressOf({ path, query }: SeenRequest): string {
  const sent = new URLSearchParams(query).toString();
  return sent === "" ? path : `${path}?${sent}`;
}

function requestRow(request: SeenRequest, url: string): Html {
  const { number, at, method, route, status, fault, processed, headers, credential, body, answer } = request;
  const curl = curlOf(request, url);
  return html`<li id="request-${number}"><details id="request-${number}-details"><summary class="item">
<span class="subject"><span class="mono">${method} ${bdi(addressOf(request))}</span></span>
<span class="when">${fault === null ? "" : html`${chip("warn", fault)} `}${chip(TONES[outcomeOf(request)], status ?? "no answer")}</span>
<span><small>${number} · ${route ?? "no such route"}${processed ? "" : " · not acted on"}</small></span>
<span class="when"><small><time datetime="${at}">${at.slice(11, 23)}</time></small></span></summary>
<div class="inside"><h2>Asked</h2>
<pre tabindex="0" aria-label="What was asked">${headerLines(headers, credential)}${
    body === null
      ? ""
      : html`

${JSON.stringify(body, foldPdf, 2)}`
  }</pre>
<h2>Answered</h2><pre tabindex="0" aria-label="What was answered">${
    status === null
      ? "Nothing."
      : html`${status}
${answer ?? ""}`
  }</pre>
<div class="row"><h2>As curl</h2><button class="small needs-script" type="button" data-copy="curl-${number}">Copy as curl</button></div>
<pre tabindex="0" id="curl-${number}" aria-label="As curl">${curl}</pre></div></details></li>`;
}

function headerLines(headers: SeenRequest["headers"], credential: SeenRequest["credential"]): string {
  const key =
    credential === "api-key" ? ["x-api-key: ***"] : credential === "bearer" ? ["authorization: Bearer ***"] : [];
  return [...key, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join("\n");
}

/** The PDF of a create is known by its hash alone. */
function foldPdf(name: string, value: unknown): unknown {
  if (name !== "base64_file" || !isRecord(value)) return value;
  return `[PDF, ${bytes(Number(value["byteLength"]))}, sha256 ${value["sha256"]}]`;
}

/** The same request for a terminal, with the key from the environment; a PDF has to be put in. */
export function curlOf(request: SeenRequest, url: string): string {
  const { method, body, credential } = request;
  const parts = [`curl -X ${method} ${quoted(`${url}${addressOf(request)}`)}`];
  if (credential === "api-key") parts.push(`-H "x-api-key: $DOCSIGN_API_KEY"`);
  if (credential === "bearer") parts.push(`-H "Authorization: Bearer $TOKEN"`);
  if (body !== null) {
    parts.push("-H 'Content-Type: application/json'");
    const placeholder = (name: string, value: unknown) =>
      name === "base64_file" && isRecord(value) ? "data:application/pdf;base64,PUT_THE_PDF_HERE" : value;
    parts.push(`-d ${quoted(typeof body === "string" ? body : JSON.stringify(body, placeholder))}`);
  }
  return parts.join(" \\\n  ");
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
