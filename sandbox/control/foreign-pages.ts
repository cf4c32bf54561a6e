import type { IncomingMessage } from "node:http";
import { isOwnAddress } from "../../commands/ui/served.js";
import { Refusal } from "../refusal.js";

/**
 * Keeps pages of other sites from driving the sandbox through their reader's browser. Browsers name the page's origin in
 * every POST; programs such as curl name none, and are let through.
 */
export function refuseForeignPages(request: IncomingMessage, listensOn: string): void {
  const { host = "", origin } = request.headers;
  if (!isOwnAddress(host, listensOn)) {
    throw new Refusal(403, "foreign_host", `expected this machine's address in the header Host, got ${host}`);
  }
  if (origin === undefined) return;
  if (hostOf(origin) !== host) {
    throw new Refusal(403, "foreign_origin", `expected a request of the sandbox's own page, got one of ${origin}`);
  }
  // What a form of another site could send would be of another type.
  if (request.method === "POST" && !/^application\/json\b/i.test(request.headers["content-type"] ?? "")) {
    throw new Refusal(415, "not_json", "expected Content-Type application/json from a page");
  }
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
