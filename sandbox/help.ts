import { type Paint, plainly } from "./command.js";
import { describedPoints } from "./dialect/dialect.js";
import { faultKinds } from "./faults/fault.js";
import { routeNames } from "./routes/route.js";

export const usage =
  "Usage: docsign sandbox [--port N] [--seed N|FILE] [--control] [--file FILE] …   (--help shows more)";

export const exampleSeed = `{
  "$schema": "./node_modules/pulumi-docsign/sandbox/seed.schema.json",
  "folders": [{ "name": "Leases" }],
  "documents": [
    {
      "name": "Lease 12",
      "folder": "Leases",
      "signed": ["ana@example.com"],
      "invitations": [{ "email": "ana@example.com" }, { "email": "ben@example.com", "stage": 2 }]
    }
  ]
}`;

const options = {
  "--port N": "port to listen on; 0 picks a free one (default 4010)",
  "--host HOST": "address to listen on (default 127.0.0.1, which only this machine reaches)",
  "--api-key KEY": "the key that opens it (default: made up, or fixed by --seed N)",
  "--latency MS": "milliseconds every answer takes (default 0)",
  "--seed N": "the same number gives the same keys and addresses in every run",
  "--seed FILE": "a JSON file of what to start with; may stand beside --seed N",
  "--file FILE": "keep the state in this file and go on from it next time; it then wins over --seed FILE",
  "--dialect POINT=ANSWER,…":
    "answer what the interface leaves open in another way; seed=N draws one. The points are below",
  "--control": "a page for browsers, and the same over HTTP under /_sandbox/: sign as a person, certify, inject faults",
  "--reset": "put a sandbox that runs already, with --control, back to how it started; --port and --host say where",
  "--version": "the version",
  "--help, -h": "this page",
};

const environment = {
  NO_COLOR: "any value: no colours. Without it there are colours on a terminal only",
  FORCE_COLOR: "1: colours in a file or a pipe as well; 0: none. It wins over NO_COLOR",
};

const exitCodes = {
  "0": "it was stopped (Ctrl-C, SIGTERM), or asked for this page or its version",
  "1": "it couldn't start: the port is taken, or the --file is not its own",
  "2": "a flag or the seed file is wrong; the message says which and why",
};

export function help(paint: Paint = plainly): string {
  const title = (text: string) => paint("bold", text);
  return `A stand-in for the document-signing service, on your machine. Nothing leaves it and nobody is mailed.

Usage: docsign sandbox [options]

${title("Examples")}
  docsign sandbox --control                          to look around; it prints its address and key
  docsign sandbox --control --seed 7 --api-key mine  the same keys and addresses every time, for a test
  docsign sandbox --control --seed seed.json         starts with folders and documents of yours
  docsign sandbox --file state.json                  goes on tomorrow where it stopped
  docsign sandbox --dialect paging=5,order=asc       its lists show the five oldest documents

${title("Options")}
${rows(options)}

${title("A Pulumi program talks to it")} with the key it printed:
  export DOCSIGN_BASE_URL=http://127.0.0.1:4010 DOCSIGN_API_KEY=KEY
  pulumi up

${title("First steps")}, with --control, after a document was made:
  In a page: open http://127.0.0.1:4010/
  Look:      curl -H 'x-api-key: KEY' http://127.0.0.1:4010/v1/documents
  Mails:     curl http://127.0.0.1:4010/_sandbox/mails
  Sign:      curl http://127.0.0.1:4010/_sandbox/sign -d '{"documentId": 5001, "who": "ana@example.com"}'
  Certify:   curl http://127.0.0.1:4010/_sandbox/certify -d '{"documentId": 5001}'
  Fault:     curl http://127.0.0.1:4010/_sandbox/fault -d '{"kind": "status", "status": 503, "match": {"route": "listDocuments"}}'
             and look again: the list answers 503, once

${title("A seed file")}. "$schema" is the path to it in this package, for editors: they complete names and explain them.
${indented(exampleSeed)}

${title("Dialects")}: what the interface leaves open, and the answers to each; the first is the sandbox's own
${rows(describedPoints())}

${title("Control")}: POST /_sandbox/NAME with a JSON body ("?" marks what may be left out)
${rows(controlActions)}
and GET /_sandbox/NAME
${rows({ ...controlViews, ...controlStreams })}

${title("Faults")}: "kind", for the next request that fits "match", or for the next "times" ("always")
${rows(faultKinds)}
  A match has any of route, method, path (such as /v1/documents/*), nth, reusedSocket. Routes:
  ${list(routeNames)}

${title("Environment")}
${rows(environment)}

${title("Exit codes")}
${rows(exitCodes)}
`;
}

function rows(table: Readonly<Record<string, string>>): string {
  const width = Math.max(...Object.keys(table).map(name => name.length));
  return Object.entries(table)
    .map(([name, what]) => `  ${name.padEnd(width)}  ${what}`)
    .join("\n");
}

const list = (names: readonly string[]) => names.join(", ").replace(/(.{60,90}), /g, "$1,\n  ");

const indented = (text: string) => text.replace(/^/gm, "  ");

// ---- The control surface ----

/** What each action takes, and does. */
export const controlActions: Readonly<Record<string, string>> = {
  sign: `{documentId, who, type?}: a person signs; who is an e-mail or an invitation's id, type advanced or autograph`,
  "sign-all": "{documentId}: everybody who hasn't signed does, stage by stage",
  decline: "{documentId, who}: a person declines",
  certify: "{documentId, what?, constancia?}: certificates appear; what is requested, blockchain, nom151 or all",
  version: "{documentId, pdf}: a new version is uploaded, its bytes in base64",
  comment: "{documentId, by, text, title?}: a registered person comments",
  status: "{documentId, status}: the service claims this status, known or not; null follows its rules again",
  edit: "{documentId, name?, description?, folderId?, organizationId?}: changed behind a client's back",
  remove: "{documentId}: it is gone",
  invite: "{documentId, email, name?, message?, stage?, allowedSignatureTypes?}: one person more",
  account: "{email, name?, password?, apiKey?, quota?, storage?}: another account",
  user: "{email, name}: a registered person without an account",
  organization: "{name, members?}: an organization of registered people",
  seed: "what a seed file holds, on top of what is there",
  configure: "behaviour the interface leaves open; answers all settings, so {} shows them",
  fault: "a fault for a coming request; the kinds are below",
  "rate-limit": "{limit, windowMs, match?, retryAfter?}: 429 for what is more",
  disarm: "{kind}: takes back every armed fault of this kind",
  "clear-faults": "{}: no faults, holds or limits any more",
  hold: "{match?, at?}: a request waits at headers, before, after or mid-body; answers its hold's number",
  arrived: "{hold}: answers once a request waits there",
  release: "{hold}: lets it go on",
  clock: "{set?, advance?, frozen?}: the service's time; advance is in milliseconds",
  reset: "{}: as it was at the start",
};

export const controlViews: Readonly<Record<string, string>> = {
  state: "everything below, the settings and the time",
  documents: "with signers, versions and files",
  folders: "all folders",
  mails: "who was mailed, about which document",
  history: "every request seen",
};

/** What else can be got, and isn't JSON. */
const controlStreams: Readonly<Record<string, string>> = {
  events: "server-sent events: one whenever there is something new to see",
  "files/ID/NAME": "of a version: original.pdf, signed.pdf, btc.pdf, eth.pdf or constancia.asn1",
  page: "the page for browsers, at the sandbox's own address",
};
