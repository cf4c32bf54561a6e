import {
  RateLimitedError,
  ServiceFaultError,
  TimeoutError,
  TransportError,
  UnreadableAnswerError,
} from "../../client/errors.js";
import type { Context } from "../context.js";
import type { Call } from "../resource.js";
import type { Evaluation } from "./evaluation.js";

const GROWTH = 1.5;
const LONGEST_PAUSE_MS = 5 * 60_000;
/** A row that says the same for so long says it again, with the time. */
const REPEAT_MS = 10 * 60_000;
/** Questions in a row that may go without an answer, each of them after the client's own retries. */
const MOST_UNANSWERED = 5;

/** The pause after the `poll`-th question: it grows from the interval to minutes, and no two gates keep in step. */
export function pauseMs(intervalMs: number, poll: number, random: number): number {
  const grown = Math.min(intervalMs * GROWTH ** Math.max(0, poll - 1), Math.max(intervalMs, LONGEST_PAUSE_MS));
  return Math.round(grown * (0.8 + 0.4 * random));
}

export interface Wait {
  readonly context: Context;
  readonly call: Call;
  readonly timeoutMs: number;
  readonly intervalMs: number;
  readonly random: () => number;
  /** `satisfiedIds`: documents that needn't be read again. */
  ask(satisfiedIds: readonly string[]): Promise<Evaluation>;
}

export interface Waited {
  readonly last: Evaluation;
  /** Why it ended before the gate was satisfied. */
  readonly ended?: { readonly by: "time-out" | "cancel" } | { readonly by: "error"; readonly error: Error };
}

/** Asks until the gate is satisfied, the time is over, the call is cancelled, or the service answers with an error that stays. */
export async function waitFor(first: Evaluation, wait: Wait): Promise<Waited> {
  const { clock } = wait.context;
  const { signal, log } = wait.call;
  const startedAt = clock.now();
  const until = startedAt + wait.timeoutMs;
  let last = first;
  let said = { text: "", at: 0 };
  let unanswered = 0;
  const say = (text: string): void => {
    const now = clock.now();
    if (text === said.text && now - said.at < REPEAT_MS) return;
    log.progress(text === said.text ? `${text} (for ${Math.round((now - startedAt) / 60_000)} min)` : text);
    said = { text, at: now };
  };

  for (let poll = 1; !last.satisfied; poll++) {
    if (unanswered === 0) say(`waiting for ${last.missing}`);
    const left = until - clock.now();
    if (left <= 0) return { last, ended: { by: "time-out" } };
    try {
      await clock.wait(Math.min(pauseMs(wait.intervalMs, poll, wait.random()), left), signal);
      last = await wait.ask(last.satisfiedIds);
      unanswered = 0;
    } catch (error) {
      if (signal.aborted) return { last, ended: { by: "cancel" } };
      if (!(error instanceof Error)) throw error;
      if (!mayPass(error) || ++unanswered >= MOST_UNANSWERED) return { last, ended: { by: "error", error } };
      say(`waiting for ${last.missing}; the service gave no answer just now`);
    }
  }
  return { last };
}

/** Failures that say nothing about the document: a day's wait shouldn't end with one. */
const mayPass = (error: Error): boolean =>
  error instanceof TransportError ||
  error instanceof TimeoutError ||
  error instanceof ServiceFaultError ||
  error instanceof RateLimitedError ||
  (error instanceof UnreadableAnswerError && error.retryable);
