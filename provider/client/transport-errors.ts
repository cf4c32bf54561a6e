import { escapeText, shorten } from "../core/text.js";
import { TransportError } from "./errors.js";
import type { Redactor } from "./excerpt.js";

const UNREACHABLE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ENOTFOUND: "the host name is unknown; check docsign:baseUrl (DOCSIGN_BASE_URL)",
    EAI_AGAIN: "the host name can't be resolved just now; check the network",
    ECONNREFUSED: "nothing listens at that address; check docsign:baseUrl (DOCSIGN_BASE_URL)",
    EHOSTUNREACH: "the host can't be reached; check the network",
    ENETUNREACH: "the network can't be reached",
    UND_ERR_CONNECT_TIMEOUT:
      "no connection within 10 s; check docsign:baseUrl (DOCSIGN_BASE_URL), network and firewall",
  }),
);

/** What OpenSSL makes of an answer that isn't TLS. */
const NO_TLS = /^(EPROTO|ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG))$/;

// Names of OpenSSL's verify errors and of Node's own check of host names.
const CERTIFICATE = /CERT|SELF_SIGNED|VERIFY|ISSUER|CRL/;

const NOT_TLS =
  "what answers there doesn't speak TLS: https:// at a port for http, or a proxy in between; check docsign:baseUrl (DOCSIGN_BASE_URL)";

/** A socket's failure in words. `sent: false` comes from undici's own word that nothing was written. */
export function transportError(asked: string, sent: boolean, error: unknown, redactor: Redactor): TransportError {
  const code = codeOf(error);
  const reason = shorten(escapeText(redactor.redact(error instanceof Error ? error.message : String(error))));
  if (sent) {
    return new TransportError(
      `${asked}: the connection broke before the answer was complete (${code ?? reason})`,
      true,
      code,
      true,
    );
  }
  if (code !== undefined && CERTIFICATE.test(code)) {
    const advice = "the service's certificate isn't trusted; for a private authority set NODE_EXTRA_CA_CERTS";
    return new TransportError(`${asked}: ${advice} (${code}: ${reason})`, false, code, false);
  }
  const plain = code !== undefined && NO_TLS.test(code);
  const why = plain ? NOT_TLS : (UNREACHABLE.get(code ?? "") ?? "no connection could be made");
  return new TransportError(`${asked}: ${why} (${code ?? reason})`, false, code, true);
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { code, errors } = error as { code?: unknown; errors?: unknown };
  if (typeof code === "string") return code;
  return Array.isArray(errors) ? errors.map(codeOf).find(c => c !== undefined) : undefined;
}
