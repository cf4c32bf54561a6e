import { AmbiguousWriteError, CancelledError, ServiceError, StatusError, TooLateError } from "../client/errors.js";
import type { Clock } from "../core/clock.js";
import { UserError } from "./resource.js";

/**
 * Whatever mails people goes through these steps, in this order, and nothing in between:
 *
 * 1. Take the turn: a place among the requests, past any pause that the service asked for, with a key at hand.
 * 2. Write the line that says what is about to be sent, and for how long it may be on its way.
 * 3. Read back what order made of it, in one exchange with the write: another line may have come first.
 * 4. Ask the service about what would be replaced.
 * 5. Check the time since the line was written and since that question, by two clocks, and that the line still counts.
 * 6. Send. The time is checked again right before the request starts, and before each piece of it leaves.
 * 7. Say what came of it: the caller does, outside of the turn.
 *
 * A refusal for now (429, 503 with a time to wait) says that nothing was done: the line is withdrawn, and all begins again.
 * What was decided before step 1 may be outdated by any length of time, and is decided again in steps 3 to 6.
 */
export interface Sending<Line, Turn, Answer> {
  readonly clock: Pick<Clock, "now">;
  /** By the service's clock, in milliseconds; undefined where it shows none. */
  serviceNow(): number | undefined;
  turn<T>(work: (turn: Turn) => Promise<T>): Promise<T>;
  /** Undefined where another line counts. Durable when it returns. */
  begin(line: NewLine): Promise<Line | undefined>;
  /** Throws what refuses. Left out where nothing is replaced. */
  readonly assertReplaceable?: ((turn: Turn) => Promise<void>) | undefined;
  owns(line: Line): Promise<boolean>;
  /** Once `mayLeave` answers false, nothing more leaves, and it fails with a TooLateError. */
  send(turn: Turn, line: Line, mayLeave: () => boolean): Promise<Answer>;
  /** Nothing was done. Where it fails, the line stays, and forbids. */
  withdraw(line: Line): Promise<void>;
  /**
   * The service refused to do it now, and asks to come back: whether it is sent again, from step 1 on. Asked once the line
   * is withdrawn and the turn is over. Left out: what it said is thrown.
   */
  readonly refused?: ((line: Line, error: StatusError) => Promise<boolean>) | undefined;
}

/** What a line says of its time. */
export interface NewLine {
  /** By this machine's clock, in milliseconds. */
  readonly startedAt: number;
  readonly serviceTime: number | undefined;
  /** Nothing of its request leaves later than half of this after it was written. Who finds it open waits for all of it. */
  readonly lasts: number;
}

export type SendOutcome<Line, Answer> =
  | { readonly kind: "answered"; readonly line: Line; readonly answer: Answer }
  /** The service may have done it. */
  | { readonly kind: "lost"; readonly line: Line; readonly error: AmbiguousWriteError }
  /** Another line counts, so nothing was sent: what is to be done is decided anew. */
  | { readonly kind: "forestalled" };

interface Refused<Line> {
  readonly kind: "refused";
  readonly line: Line;
  readonly error: StatusError;
}

/** A Date header has whole seconds, and its answer took a while to come. */
const SERVICE_CLOCK_ERROR_MS = 2_000;

/** A line that was just read back isn't asked for again. */
const FRESH_MS = 1_000;
/** Each time with twice the time of the one before. */
const MOST_TRIES = 9;
/** For so long a service that refuses to do it now is asked again. */
const REFUSED_FOR_MS = 10 * 60_000;

/** Errors are thrown where nothing was done, and the line withdrawn, and where the call was cancelled after it was sent. */
export async function sendAtMostOnce<Line, Turn, Answer>(
  sending: Sending<Line, Turn, Answer>,
  { lasts }: { readonly lasts: number },
): Promise<SendOutcome<Line, Answer>> {
  const { clock, refused } = sending;
  let until: number | undefined;
  for (let late = 0; late < MOST_TRIES; ) {
    const sent = await sending.turn(turn => sendInTurn(sending, turn, { lasts: lasts * 2 ** late, asked: lasts }));
    if (sent.kind === "late") late++;
    else if (sent.kind === "refused") {
      until ??= clock.now() + REFUSED_FOR_MS;
      if (!refused || clock.now() >= until) throw sent.error;
      if (!(await refused(sent.line, sent.error))) return { kind: "forestalled" };
    } else return sent;
  }
  throw new UserError(
    `nothing was sent: each of ${MOST_TRIES} times too much time passed between the decision and the request. Is this machine, its journal or the service overloaded? Run \`pulumi up\` again`,
  );
}

async function sendInTurn<Line, Turn, Answer>(
  sending: Sending<Line, Turn, Answer>,
  turn: Turn,
  { lasts, asked }: { readonly lasts: number; readonly asked: number },
): Promise<SendOutcome<Line, Answer> | { readonly kind: "late" } | Refused<Line>> {
  const { assertReplaceable } = sending;
  const began = timesOf(sending);
  const line = await sending.begin({ ...began, lasts });
  if (line === undefined) return { kind: "forestalled" };
  const passed = () => longest(began, timesOf(sending));
  let mayLeave = () => passed() < lasts / 2;
  let isSending = false;
  try {
    if (assertReplaceable !== undefined) {
      const question = timesOf(sending);
      await assertReplaceable(turn);
      // However often it was too late: what may be signed is as fresh as at the first time.
      mayLeave = () => passed() < lasts / 2 && longest(question, timesOf(sending)) < asked / 2;
    }
    if ((assertReplaceable !== undefined || passed() >= FRESH_MS) && !(await sending.owns(line))) {
      await sending.withdraw(line);
      return { kind: "forestalled" };
    }
    if (!mayLeave()) throw new TooLateError("too much time had passed before it was sent", false);
    isSending = true;
    return { kind: "answered", line, answer: await sending.send(turn, line, mayLeave) };
  } catch (error) {
    if (error instanceof AmbiguousWriteError) return { kind: "lost", line, error };
    if (isSending && mayHaveArrived(error)) throw error;
    await sending.withdraw(line).catch(() => undefined);
    if (error instanceof TooLateError) return { kind: "late" };
    if (isSending && error instanceof StatusError && error.meaning.retry === "writes")
      return { kind: "refused", line, error };
    throw error;
  }
}

/** Cancelled half-way; or what it is isn't known. */
const mayHaveArrived = (error: unknown): boolean =>
  error instanceof CancelledError ? error.sent : !(error instanceof ServiceError);

type Times = Pick<NewLine, "startedAt" | "serviceTime">;

const timesOf = (clocks: Pick<Sending<never, never, never>, "clock" | "serviceNow">): Times => ({
  startedAt: clocks.clock.now(),
  serviceTime: clocks.serviceNow(),
});

/** The longer of what two clocks say has passed. One that was set back says nothing, so it may be any time. */
function longest(before: Times, now: Times): number {
  const here = now.startedAt - before.startedAt;
  if (here < 0) return Number.POSITIVE_INFINITY;
  if (before.serviceTime === undefined || now.serviceTime === undefined) return here;
  return Math.max(here, now.serviceTime - before.serviceTime - SERVICE_CLOCK_ERROR_MS);
}

// ---- May the same be sent again? ----

/** A line whose outcome isn't known, as the journal has it. */
interface OpenLine {
  readonly startedAt: number;
  readonly serviceTime?: number | undefined;
  readonly lasts?: number | undefined;
  /** The service said that it was done. */
  readonly answered?: boolean | undefined;
  /** When it was first read here, where another machine wrote it. */
  readonly seenAt?: number | undefined;
}

interface Clocks {
  readonly now: number;
  /** By the service's clock; undefined where it shows none, or one that stands still. */
  readonly serviceNow: number | undefined;
}

interface ResendPolicy {
  readonly resendAfterMs: number;
}

export interface Resend {
  readonly isAllowed: boolean;
  /** For how long it has been on its way, surely. */
  readonly waited: number;
  /** When it may be sent again, by this machine's clock, if it is proven then that nothing was done. */
  readonly sendableAt: number;
  /** Whether one clock has seen it begin and sees it now: the service's, or that of the machine that sent it. */
  readonly isTimed: boolean;
}

/**
 * Whether the same may be sent again: where it is proven that it led to nothing, by what was asked at `askedAt`. What the
 * service said was done never is, whatever it shows.
 */
export function resendOf(
  line: OpenLine,
  { proven, askedAt }: { readonly proven: boolean; readonly askedAt?: number | undefined },
  clocks: Clocks,
  policy: ResendPolicy,
): Resend {
  const { now, serviceNow } = clocks;
  const waited = waitedSince(line, clocks);
  const isOver = !isOnItsWay(line, askedAt ?? now, clocks, policy);
  return {
    isAllowed: proven && isOver && !line.answered,
    waited,
    sendableAt: now + longestWay(line, policy) - waited,
    isTimed: line.seenAt === undefined || (line.serviceTime !== undefined && serviceNow !== undefined),
  };
}

/**
 * Whether its request may have been on its way then. A proof that something isn't there is as old as the question: what
 * happened after it was asked, it doesn't show.
 */
export function isOnItsWay(line: OpenLine, then: number, { now, serviceNow }: Clocks, policy: ResendPolicy): boolean {
  const clocks = { now: then, serviceNow: serviceNow === undefined ? undefined : serviceNow - (now - then) };
  return waitedSince(line, clocks) < longestWay(line, policy);
}

const longestWay = ({ lasts = 0 }: OpenLine, { resendAfterMs }: ResendPolicy): number => Math.max(resendAfterMs, lasts);

/**
 * The shorter of what two clocks say: the clock of the machine that sent it may be wrong, and this one's. Where the
 * service shows no time, another machine's says nothing: then it counts from when it was first read here.
 */
function waitedSince({ startedAt, serviceTime, seenAt = startedAt }: OpenLine, { now, serviceNow }: Clocks): number {
  const isByService = serviceTime !== undefined && serviceNow !== undefined;
  return Math.min(now - startedAt, isByService ? serviceNow - serviceTime + SERVICE_CLOCK_ERROR_MS : now - seenAt);
}
