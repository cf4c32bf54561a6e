import { createHash } from "node:crypto";
import { type BaseUrl, resolveOwn } from "./address.js";
import type { Limits } from "./options.js";
import type { Auth, Requests } from "./requests.js";
import type { RequestOptions } from "./service.js";
import { refuseEncoding, within } from "./transport.js";

export interface DownloadAsk extends RequestOptions {
  readonly withKey?: boolean | undefined;
  /** Besides the service's own; the key is never sent there. */
  readonly allowOrigins?: readonly string[] | undefined;
}

/** A file of the service's, in pieces. Stopping early ends the request. */
export async function download(
  calls: Requests,
  keys: Auth,
  base: BaseUrl,
  address: string,
  ask: DownloadAsk,
  limits: Limits,
): Promise<AsyncIterable<Uint8Array>> {
  const { signal } = ask;
  const to = resolveOwn(base, address, ask.allowOrigins);
  const withKey = ask.withKey === true && to.origin === base.origin;
  const headers = { accept: "*/*" };
  const timeoutMs = limits.idleMs;
  const { stream, out, release } = await calls.stream(
    { method: "GET", to, headers, withKey, timeoutMs, limit: limits.downloadBytes, signal },
    keys,
  );
  stream.cut.addEventListener("abort", release, { once: true });
  const end = () => {
    stream.end();
    release();
  };
  try {
    refuseEncoding(out, stream.headers);
  } catch (error) {
    end();
    throw error;
  }
  return (async function* () {
    try {
      yield* within(out, stream);
    } finally {
      end();
    }
  })();
}

/** SHA-256 in hex, as the service writes it. */
export async function hashOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of bytes) hash.update(chunk);
  return hash.digest("hex");
}
