import { StatusError, TimeoutError, TransportError, UnreadableAnswerError } from "../../client/errors.js";
import type { Context } from "../context.js";
import type { Call } from "../resource.js";
import { durationText } from "./changed-inputs.js";
import type { Evaluation } from "./evaluation.js";

/** Of the time since somebody last did something: what they do next is found at most a tenth later than it took. */
const SHARE = 0.1;
const LONGEST_PAUSE_MS = 5 * 60_000;
/** Pauses that a row names: one for every question would be a line for each. */
const NAMED_PAUSES_MS = [30_000, 60_000, 120_000, LONGEST_PAUSE_MS];
/** A row that says the same for so long says it again, with the time. */
const REPEAT_MS = 10 * 60_000;
/** Questions in a row that may go without an answer, each of them after the client's own retries. */
const MOST_UNANSWERED = 5;

/** The pause after a question: the interval, and after a quiet time of many intervals longer, up to minutes. */
export const pauseMs = (intervalMs: number, quietMs: number): number =>
  Math.max(intervalMs, Math.min(Math.round(quietMs * SHARE), LONGEST_PAUSE_MS));

/** No two gates keep in step. */
const withJitter = (pause: number, random: number): number => Math.round(pause * (0.8 + 0.4 * random));

function pauseText(intervalMs: number, pause: number): string {
  const named = pause <= intervalMs ? intervalMs : (NAMED_PAUSES_MS.find(each => each >= pause) ?? pause);
  return `asks about every ${durationText(Math.max(named, intervalMs))}`;
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
  let newsAt = startedAt;
  const say = (text: string): void => {
    const now = clock.now();
    if (text === said.text && now - said.at < REPEAT_MS) return;
    log.progress(text === said.text ? `${text} (for ${Math.round((now - startedAt) / 60_000)} min)` : text);
    said = { text, at: now };
  };

  while (!last.satisfied) {
    const pause = pauseMs(wait.intervalMs, clock.now() - newsAt);
    if (unanswered === 0) say(`waiting for ${last.missing}; ${pauseText(wait.intervalMs, pause)}`);
    const left = until - clock.now();
    if (left <= 0) return { last, ended: { by: "time-out" } };
    try {
      await clock.wait(Math.min(withJitter(pause, wait.random()), left), signal);
      const found = await wait.ask(last.satisfiedIds);
      // Who follows in the next stage may sign as soon.
      if (found.missing !== last.missing) newsAt = clock.now();
      last = found;
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
  (error instanceof StatusError && !error.isLasting) ||
  (error instanceof UnreadableAnswerError && error.retryable);
