import { quote } from "../core/text.js";
import { InvalidArgumentError } from "./errors.js";

export interface BaseUrl {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Without a trailing slash. */
  readonly href: string;
}

/** Reads `docsign:baseUrl`. The key travels with every request, so plain http stays on this machine. */
export function parseBaseUrl(text: string): BaseUrl {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  if (!url) throw refused(`${quote(text)} is not a URL; it looks like https://service.example`);
  if (url.username !== "" || url.password !== "") {
    throw refused(
      "it may not carry a user name or password; use docsign:apiKey, or docsign:email and docsign:password",
    );
  }
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw refused(`it must start with https://, got ${quote(url.protocol)}`);
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw refused(
      `http:// would send the key in the clear to ${quote(url.hostname)}; use https:// (http is for loopback addresses only)`,
    );
  }
  if (/[?#]/.test(text)) throw refused("it may not have a query (?) or a fragment (#)");
  return { origin: url.origin, href: url.origin + url.pathname.replace(/\/+$/, "") };
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

function refused(why: string): InvalidArgumentError {
  return new InvalidArgumentError(`docsign:baseUrl can't be used: ${why}`);
}

/** An address the service gave for a file, allowed only where the service itself lives, or at the origins given. */
export function resolveOwn(base: BaseUrl, address: string, allowOrigins: readonly string[] = []): URL {
  if (!URL.canParse(address, `${base.href}/`)) throw new InvalidArgumentError(`${quote(address)} is not an address`);
  const url = new URL(address, `${base.href}/`);
  if (url.origin !== base.origin && !allowOrigins.includes(url.origin)) {
    throw new InvalidArgumentError(
      `the file lives at ${quote(url.origin)}, not at the service's own origin ${base.origin}: it isn't fetched, the key and the request stay at home`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new InvalidArgumentError("the file's address carries a user name or password: it isn't fetched");
  }
  url.hash = "";
  return url;
}
