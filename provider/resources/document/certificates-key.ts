import { CancelledError, StatusError } from "../../client/errors.js";
import type { RequestOptions, Service } from "../../client/service.js";

/** The interface doesn't show whether these addresses want the key. Both tries stay at the service's own origin. */
export async function needsKey(service: Service, address: string | null, ask: RequestOptions): Promise<boolean | null> {
  if (address === null) return null;
  for (const withKey of [false, true]) {
    try {
      if (await beginsAsPdf(await service.download(address, { ...ask, withKey }))) return withKey;
    } catch (error) {
      if (error instanceof CancelledError) throw error;
      if (!(error instanceof StatusError && error.isLasting)) return null;
    }
  }
  return null;
}

/** Reads its first bytes only, which ends the request. */
async function beginsAsPdf(chunks: AsyncIterable<Uint8Array>): Promise<boolean> {
  let head = "";
  for await (const chunk of chunks) {
    head += Buffer.from(chunk.subarray(0, 5)).toString("latin1");
    if (head.length >= 5) break;
  }
  return head.startsWith("%PDF-");
}
