import { InvalidArgumentError, RateLimitedError, type Service, StatusError } from "../provider/client/index.js";
import type { Draft, Drafts } from "./draft.js";

export interface Fetched {
  readonly draft: Draft;
  readonly neededKey: boolean;
}

/**
 * The interface doesn't show whether an address needs the key, so it is tried without, and with the key only if that leads
 * nowhere. Both stay at the service's own origin, and neither follows a redirect.
 */
export async function fetchPdf(
  service: Service,
  drafts: Drafts,
  fileName: string,
  address: string,
  signal: AbortSignal | undefined,
): Promise<Fetched | { readonly missing: string }> {
  let missing = "";
  for (const withKey of [false, true]) {
    try {
      const draft = await drafts.write(fileName, await service.download(address, { signal, withKey }));
      if (draft.head.startsWith("%PDF-")) return { draft, neededKey: withKey };
      await drafts.drop(draft);
      missing = "what the service sends isn't a PDF";
    } catch (error) {
      if (error instanceof InvalidArgumentError) return { missing: error.message };
      if (!isAnswer(error)) throw error;
      missing = error.status === 404 ? "there is nothing at the address the service gives for it (404)" : error.message;
    }
  }
  return { missing };
}

/** The service said no, as opposed to being in trouble. */
const isAnswer = (error: unknown): error is StatusError =>
  error instanceof StatusError && error.status < 500 && !(error instanceof RateLimitedError);
