import { actions, views } from "./control/actions.js";
import { faultKinds } from "./faults/fault.js";

export const usage =
  "Usage: docsign-sandbox [--port N] [--seed N|FILE] [--control] [--file FILE] …   (--help tells more)";

const list = (names: readonly string[]) => names.join(", ").replace(/(.{60,80}), /g, "$1,\n  ");

export function help(): string {
  const faults = Object.entries(faultKinds).map(([kind, what]) => `  ${kind.padEnd(14)} ${what}`);
  return `A stand-in for the document-signing service, on your machine. Nothing leaves it and nobody is mailed.

Usage: docsign-sandbox [options]

Options
  --port N          port to listen on; 0 picks a free one (default 4010)
  --host HOST       address to listen on (default 127.0.0.1)
  --api-key KEY     the API key that opens it (default: made up, or fixed by --seed N)
  --latency MS      milliseconds every answer takes (default 0)
  --seed N          the same number gives the same keys and addresses in every run
  --seed FILE       a JSON file of accounts, users, organizations, folders and documents to start with
  --file FILE       keep the state in this file, and start from it next time
  --control         answer under /_sandbox/ too: sign as a person, certify, inject faults
  --help            this page

A seed file
  { "folders": [{ "name": "Leases" }],
    "documents": [{ "name": "Lease 12", "folder": "Leases", "signed": ["ana@example.com"],
                    "invitations": [{ "email": "ana@example.com" }, { "email": "ben@example.com", "stage": 2 }] }] }

First steps, with --control and the key it printed
  Look:      curl -H 'x-api-key: KEY' http://127.0.0.1:4010/v1/documents
  Sign:      curl http://127.0.0.1:4010/_sandbox/sign -d '{"documentId": 5001, "who": "ana@example.com"}'
  Certify:   curl http://127.0.0.1:4010/_sandbox/certify -d '{"documentId": 5001}'
  Trouble:   curl http://127.0.0.1:4010/_sandbox/fault -d '{"kind": "status", "status": 503, "match": {"route": "listDocuments"}}'
  Mails:     curl http://127.0.0.1:4010/_sandbox/mails

Control (--control): POST /_sandbox/NAME with a JSON body
  ${list(Object.keys(actions))}
and GET /_sandbox/NAME
  ${list(Object.keys(views))}

Faults, each for the next request that fits "match" ({"route", "method", "path", "nth", "reusedSocket"})
${faults.join("\n")}
`;
}
