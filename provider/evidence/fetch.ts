import { InvalidArgumentError, StatusError, TimeoutError, TransportError } from "../client/errors.js";
import type { Service } from "../client/service.js";
import { parseBaseUrl } from "../client/transport.js";
import type { Draft, Sink } from "./draft.js";
import { EvidenceError } from "./types.js";

const MOST_BREAKS = 4;

export interface FetchedPdf {
  readonly draft: Draft;
  readonly neededKey: boolean;
}

/**
 * The interface doesn't show whether an address needs the key, so it is tried without, and with the key only if that leads
 * nowhere. The key stays at the service's own origin; other origins are asked where they are allowed. No redirect is followed.
 */
export async function fetchPdf(
  service: Service,
  sink: Sink,
  fileName: string,
  address: string,
  allowOrigins: readonly string[],
  signal: AbortSignal | undefined,
): Promise<FetchedPdf | { readonly missing: string }> {
  let missing = "";
  const elsewhere = otherOrigin(service, address);
  for (const withKey of elsewhere === undefined ? [false, true] : [false]) {
    try {
      const draft = await downloaded(sink, fileName, () =>
        service.download(address, { signal, withKey, allowOrigins }),
      );
      if (draft.head.startsWith("%PDF-")) return { draft, neededKey: withKey };
      await sink.drop(draft);
      missing = "what the service sends isn't a PDF";
    } catch (error) {
      if (error instanceof InvalidArgumentError) {
        const advice = elsewhere === undefined ? "" : `; \`allowOrigins: [${JSON.stringify(elsewhere)}]\` fetches it`;
        return { missing: error.message + advice };
      }
      // The service refused, as opposed to having failed.
      if (!(error instanceof StatusError && error.isLasting)) throw error;
      missing = error.status === 404 ? "there is nothing at the address the service gives for it (404)" : error.message;
    }
  }
  return { missing };
}

/** The client repeats what is never answered; an answer that breaks off half-way is asked for anew here. */
async function downloaded(
  sink: Sink,
  fileName: string,
  download: () => Promise<AsyncIterable<Uint8Array>>,
): Promise<Draft> {
  for (let breaks = 1; ; breaks++) {
    const content = await download();
    try {
      return await sink.write(fileName, content);
    } catch (error) {
      const isBroken = error instanceof TimeoutError || (error instanceof TransportError && error.retryable);
      if (!isBroken || breaks === MOST_BREAKS) throw error;
    }
  }
}

/** Where the address leads, if not to the service's own origin. */
function otherOrigin({ baseUrl, origin }: Service, address: string): string | undefined {
  const found = URL.canParse(address, `${baseUrl}/`) ? new URL(address, `${baseUrl}/`).origin : origin;
  return found === origin ? undefined : found;
}

/** An origin as it was given: an address whose path says nothing. */
export function originOf(given: string): string {
  try {
    const { origin, href } = parseBaseUrl(given);
    if (href === origin) return origin;
  } catch {
    // Said below, in words that name the argument.
  }
  throw new EvidenceError(
    `allowOrigins: expected an origin such as https://files.example, got ${JSON.stringify(given)}`,
  );
}
