import type { Change } from "../../../kit/changes.js";
import type { Stored } from "../../../kit/check.js";
import { isKnown, type Preview, unknownOutputs } from "../../../kit/define.js";
import { UNKNOWN } from "../../../kit/values.js";
import { parseId } from "../../client/bodies.js";
import {
  NotFoundError,
  StatusError,
  TimeoutError,
  TransportError,
  UnreadableAnswerError,
} from "../../client/errors.js";
import { durationText, millisecondsOf } from "../../schema/types.js";
import { type Context, defineOurs } from "../context.js";
import { assertSameService } from "../refusal.js";
import { type Call, UserError } from "../resource.js";
import {
  DEFAULT_WAIT_MS,
  type GateInputs,
  type GateOutputs,
  type GateState,
  gateDeclaration,
  gateFailures,
  gateInputs,
  gateOutputs,
} from "./declaration.js";
import {
  askFor,
  type Evaluation,
  evaluate,
  idOf,
  isInState,
  listedIn,
  readEach,
  serviceNow,
  timeText,
  together,
  unreadEvaluation,
  withTime,
} from "./evaluation.js";

// ---- The resource ----

/** Inputs that say what the gate waits for. A change of the others leaves a satisfied gate satisfied. */
const WAITED_FOR = ["documentId", "documentIds", "minimum", "until", "expiresAt", "renewBefore", "signers"];

/**
 * A gate in front of what may happen only once people have signed. It exists in state alone: its id is the document's, or
 * made of those it began with; it asks and never writes. Once satisfied it stays so, whatever the service says later.
 */
export const gateResource = defineOurs({
  ...gateDeclaration,

  contradictions: gateFailures,

  /**
   * Update looks again at a gate that isn't satisfied, and its preview says who is missing. One that only observes is looked at
   * here, and is up to date where the service answers what state holds.
   */
  async outdated({ call, context, inputs, outputs, changes }) {
    if (outputs.satisfied) return { outputs: [] };
    if (changes.length > 0 || inputs.mode !== "observe" || !isKnown(inputs)) return { outputs: ["satisfied"] };
    const found = lookAgain(context, call, inputs, { outputs, changes });
    // A Diff that fails would stop resources that have nothing to do with this gate: Update says why.
    const evaluation = await found.catch(() => undefined);
    if (!evaluation || !isInState(evaluation, outputs)) return { outputs: ["satisfied"], found };
    say(context, call, inputs, evaluation);
    return { outputs: [], found };
  },

  /** What `up` would find now. What a mode may not let pass stays unknown. */
  async preview({ call, context, inputs, before, found }) {
    if (before && staysSatisfied(before)) return { outputs: before.outputs };
    const unknown: Preview<GateOutputs> = {
      ...unknownOutputs(gateOutputs),
      documentId: inputs.documentId ?? UNKNOWN,
      service: context.service().origin,
    };
    if (!isKnown(inputs)) {
      if (!before) call.log.info(`what the gate waits for isn't known yet${whatThen(inputs, call)}`);
      return { outputs: unknown };
    }
    const evaluation = await (found ??
      (before ? lookAgain(context, call, inputs, before) : look(context, call, inputs)));
    say(context, call, inputs, evaluation);
    if (!evaluation.outputs.satisfied && inputs.mode !== "observe") return { outputs: unknown };
    return { outputs: withTime(evaluation, before?.outputs, () => UNKNOWN) };
  },

  async create({ call, context, inputs }) {
    const evaluation = await look(context, call, inputs, { patient: true });
    return { id: idOf(inputs), ...(await decide(context, call, inputs, evaluation)) };
  },

  async update({ call, context, inputs, outputs, changes }) {
    if (staysSatisfied({ outputs, changes })) return { outputs };
    return decide(context, call, inputs, await lookAgain(context, call, inputs, { outputs, changes }), outputs);
  },

  /** Looks, and never waits. Of an import it knows the document's id alone. */
  async read({ call, context, id, inputs, outputs }) {
    const now = () => serviceNow(context).toISOString();
    if (!inputs || !outputs) {
      const imported = { documentId: parseId(id, "a document's id") };
      const evaluation = await look(context, call, gateInputs.parse(imported));
      return { inputs: imported, outputs: withTime(evaluation, undefined, now) };
    }
    assertSameService(context, outputs.service, titleOf(outputs), call.urn);
    if (outputs.satisfied && listedIn(inputs) !== undefined) return { outputs };
    const evaluation = await look(context, call, inputs, { done: outputs.satisfiedIds }).catch((error: unknown) => {
      if (!(error instanceof NotFoundError)) throw error;
      call.log.warn(`the gate is kept as it was: the service doesn't show ${titleOf(outputs)}. ${error.message}`);
      return undefined;
    });
    if (!evaluation) return { outputs };
    if (outputs.satisfied && !evaluation.outputs.satisfied) {
      call.log.warn(
        `the gate was satisfied and stays so, though document ${id} now waits for ${evaluation.missing}. To start anew, replace the gate: pulumi up --target-replace '${call.urn}'`,
      );
      return { outputs };
    }
    return { outputs: withTime(evaluation, outputs, now) };
  },
});

interface Before {
  readonly outputs: GateState;
  readonly changes: readonly Change[];
}

const staysSatisfied = ({ outputs, changes }: Before): boolean =>
  outputs.satisfied === true && !changes.some(({ name }) => WAITED_FOR.includes(name));

/** Looks at what state holds already, and is satisfied with what satisfied it unless the program asks for more. */
async function lookAgain(
  context: Context,
  call: Call,
  inputs: GateInputs,
  { outputs, changes }: Before,
): Promise<Evaluation> {
  assertSameService(context, outputs.service, titleOf(outputs), call.urn);
  const asksForMore = changes.some(({ name }) => name === "until" || name === "signers");
  return look(context, call, inputs, { done: asksForMore ? [] : outputs.satisfiedIds });
}

/** Of a list, `done` aren't read again. */
async function look(
  context: Context,
  call: Call,
  inputs: Stored<GateInputs>,
  { patient = false, done = [] }: { patient?: boolean; done?: readonly string[] | undefined } = {},
): Promise<Evaluation> {
  const service = context.service();
  const lookAt = async (id: string): Promise<Evaluation> =>
    evaluate(await askFor(context, call, id, { patient }), service, inputs, call, serviceNow(context));
  const listed = listedIn(inputs);
  if (listed === undefined) return lookAt(inputs.documentId ?? "");
  const before = listed.filter(id => done.includes(id));
  const { found, unread } = await readEach(listed, new Set(done), lookAt, call);
  const others = [...found, ...unread.map(each => unreadEvaluation(each, service.origin))];
  return together(before, others, inputs.minimum, service.origin);
}

function say(context: Context, call: Call, inputs: GateInputs, evaluation: Evaluation): void {
  const { missing, title, outputs } = evaluation;
  const late = latenessOf(context, evaluation);
  const waits = late ?? `${title} waits for ${missing}${whatThen(inputs, call)}`;
  const has = inputs.documentIds ? "the gate has all that it waits for" : `${title} has all that this gate waits for`;
  if (outputs.satisfied) call.log.info(has);
  else if (inputs.mode === "require" || late !== undefined) call.log.warn(waits, { waits: 1 });
  else call.log.info(waits, { waits: 1 });
}

/** Why waiting longer is in vain. */
function latenessOf(context: Context, { outputs, deadline, missing, title }: Evaluation): string | undefined {
  if (outputs.satisfied || deadline === undefined || serviceNow(context).getTime() <= deadline) return undefined;
  return `${title} still waits for ${missing}, and the deadline has passed: ${timeText(deadline)}. Set a later \`deadline\`, or take it out, to go on.`;
}

async function decide(
  context: Context,
  call: Call,
  inputs: GateInputs,
  evaluation: Evaluation,
  before?: GateState,
): Promise<{ readonly outputs: GateOutputs; readonly unfinished?: readonly string[] }> {
  const outputsOf = (found: Evaluation) => withTime(found, before, () => serviceNow(context).toISOString());
  if (evaluation.outputs.satisfied) return { outputs: outputsOf(evaluation) };
  const late = latenessOf(context, evaluation);
  if (inputs.mode === "observe") {
    if (late === undefined) call.log.info(`${evaluation.title} waits for ${evaluation.missing}`);
    else call.log.warn(late);
    return { outputs: outputsOf(evaluation) };
  }
  if (late !== undefined) throw new UserError(late);
  if (inputs.mode === "require") {
    sayWhatStops(call, evaluation);
    throw new UserError(
      `${evaluation.title} waits for ${evaluation.missing}, and the gate requires it. \`pulumi up\` looks again; \`mode: wait\` would wait.`,
    );
  }
  const { deadline } = evaluation;
  const left = deadline === undefined ? Number.POSITIVE_INFINITY : deadline + 1 - serviceNow(context).getTime();
  const timeoutMs = Math.min(call.timeoutMs ?? DEFAULT_WAIT_MS, left);
  const { last, ended } = await waitFor(context, call, inputs, evaluation, timeoutMs);
  const outputs = outputsOf(last);
  if (!ended) return { outputs };
  const overdue = latenessOf(context, last);
  if (overdue !== undefined) return { outputs, unfinished: [overdue] };
  const waited = `${last.title} waits for ${last.missing}`;
  if (ended === "time-out") sayWhatStops(call, last);
  const reason =
    ended === "time-out"
      ? `${waited}, and the ${durationText(timeoutMs)} to wait for it are over. Longer: the resource option customTimeouts.`
      : ended === "cancel"
        ? `cancelled while ${waited}.`
        : `${waited}, and asking for it failed: ${ended.message}`;
  return { outputs, unfinished: [reason, "The gate is kept: `pulumi up` goes on waiting."] };
}

/** Of a run that fails for want of signatures or certificates alone. */
const sayWhatStops = (call: Call, { title, missing }: Evaluation): void =>
  call.log.info(`${title} waits for ${missing}`, { waits: 1, stops: 1 });

const titleOf = ({ documentId }: GateState): string =>
  documentId === undefined ? "the documents of the gate" : `document ${documentId}`;

function whatThen({ mode }: Preview<GateInputs>, call: Call): string {
  if (mode === "wait") return `: \`pulumi up\` waits for it, up to ${durationText(call.timeoutMs ?? DEFAULT_WAIT_MS)}`;
  return mode === "require" ? ": `pulumi up` fails until it is there" : "";
}

// ---- Waiting ----

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

/**
 * Asks until the gate is satisfied, the time is over, the call is cancelled, or the service answers with an error that stays.
 * `ended`: why, where the gate isn't satisfied.
 */
async function waitFor(
  context: Context,
  call: Call,
  inputs: GateInputs,
  first: Evaluation,
  timeoutMs: number,
): Promise<{ readonly last: Evaluation; readonly ended?: "time-out" | "cancel" | Error }> {
  const { clock, random = Math.random } = context;
  const { signal, log } = call;
  const intervalMs = millisecondsOf(inputs.pollInterval);
  const startedAt = clock.now();
  const until = startedAt + timeoutMs;
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

  while (!last.outputs.satisfied) {
    const pause = pauseMs(intervalMs, clock.now() - newsAt);
    if (unanswered === 0) say(`waiting for ${last.missing}; ${pauseText(intervalMs, pause)}`);
    const left = until - clock.now();
    if (left <= 0) return { last, ended: "time-out" };
    try {
      await clock.wait(Math.min(withJitter(pause, random()), left), signal);
      const found = await look(context, call, inputs, { done: last.outputs.satisfiedIds });
      // Who follows in the next stage may sign as soon.
      if (found.missing !== last.missing) newsAt = clock.now();
      last = found;
      unanswered = 0;
    } catch (error) {
      if (signal.aborted) return { last, ended: "cancel" };
      if (!(error instanceof Error)) throw error;
      if (!mayPass(error) || ++unanswered >= MOST_UNANSWERED) return { last, ended: error };
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
