import { SERVICE_CLOCK_ERROR_MS } from "../at-most-once.js";
import type { CreationPolicy } from "../context.js";
import type { Attempt } from "../journal/contract.js";

export interface Clocks {
  readonly now: number;
  /** By the service's clock; undefined where it shows none, or one that stands still. */
  readonly serviceNow: number | undefined;
}

/**
 * What the clocks said then. A proof that something isn't there is as old as the question: whatever happened after it was
 * asked, it doesn't show.
 */
export const clocksAt = ({ now, serviceNow }: Clocks, then: number): Clocks => ({
  now: then,
  serviceNow: serviceNow === undefined ? undefined : serviceNow - (now - then),
});

/** `seenAt`: as the journal says. */
export type Seen = Attempt & { readonly seenAt?: number | undefined };

/** Whether one clock has seen it begin and sees it now: the service's, or that of the machine that sent it. */
export const isTimed = ({ serviceTime, seenAt }: Seen, { serviceNow }: Pick<Clocks, "serviceNow">): boolean =>
  seenAt === undefined || (serviceTime !== undefined && serviceNow !== undefined);

/**
 * The shorter of what two clocks say: the clock of the machine that sent it may be wrong, and this one's. Where the
 * service shows no time, another machine's says nothing: then it counts from when it was first read here.
 */
export function waitedSince({ startedAt, serviceTime, seenAt = startedAt }: Seen, { now, serviceNow }: Clocks): number {
  if (serviceTime === undefined || serviceNow === undefined) return Math.min(now - startedAt, now - seenAt);
  return Math.min(now - startedAt, serviceNow - serviceTime + SERVICE_CLOCK_ERROR_MS);
}

/** How long after it was sent the same may be sent again: until then its request may still be on its way. */
export const resendsAfter = ({ lasts = 0 }: Attempt, { resendAfterMs }: CreationPolicy): number =>
  Math.max(resendAfterMs, lasts);

/** What the service said was done is never sent again, whatever it shows. */
export const maySendAgain = (
  attempt: Attempt,
  { proven, waited, policy }: { readonly proven: boolean; readonly waited: number; readonly policy: CreationPolicy },
): boolean => !attempt.answered && proven && waited >= resendsAfter(attempt, policy);

/** A slower upload is cut off. */
const SLOWEST_BYTES_PER_MS = 32;
const LEAST_MS = 1_000;

/** For how long the request of a create may be on its way. Its last byte leaves in the first half of that. */
export const lastsFor = (pdfBytes: number, { resendAfterMs, uploadTimeoutMs }: CreationPolicy): number =>
  Math.max(
    LEAST_MS,
    resendAfterMs,
    2 * Math.min(uploadTimeoutMs, Math.ceil((pdfBytes * 4) / 3 / SLOWEST_BYTES_PER_MS)),
  );
