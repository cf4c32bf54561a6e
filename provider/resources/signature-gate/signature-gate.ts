import { problemsOf } from "../../../kit/check.js";
import { propertiesWhere, type Shape } from "../../../kit/property.js";
import { bareRecord } from "../../../kit/records.js";
import { hasUnknown, isGiven, isUnknown, UNKNOWN, type Value, type Values } from "../../../kit/values.js";
import { parseId } from "../../client/bodies.js";
import {
  NotFoundError,
  StatusError,
  TimeoutError,
  TransportError,
  UnreadableAnswerError,
} from "../../client/errors.js";
import { addressOf } from "../../core/same.js";
import { parseDuration } from "../../schema/types.js";
import type { Context } from "../context.js";
import { assertSameService } from "../replace-guard.js";
import {
  type Call,
  type Created,
  type Diff,
  type Failure,
  NO_CHANGE,
  PartialFailure,
  type PropertyChange,
  type ReadResult,
  type Resource,
  UserError,
} from "../resource.js";
import {
  DEFAULT_WAIT_MS,
  endFailures,
  GATE_DEFAULTS,
  gateDeclaration,
  gateInputs,
  gateOutputs,
} from "./declaration.js";
import {
  askFor,
  choiceFailures,
  type Evaluation,
  evaluate,
  idOfSeveral,
  idsMeaning,
  isInState,
  listedIn,
  minimumFailures,
  readEach,
  serviceNow,
  settled,
  timeText,
  together,
  unreadEvaluation,
  withTextIds,
} from "./evaluation.js";

/** What an input means, for each that is compared: two values that mean the same are no change. */
export type Meanings = Readonly<Record<string, (given: Value | undefined) => string | undefined>>;

export function changedInputs(
  shape: Shape,
  meanings: Meanings,
  before: Values,
  after: Values,
): Record<string, PropertyChange> {
  const replacing = new Set(propertiesWhere(shape, meta => meta.replaces === true));
  const changes = bareRecord<PropertyChange>();
  for (const [name, meaning] of Object.entries(meanings)) {
    const was = before[name];
    const is = after[name];
    if (!hasUnknown(is) && meaning(was) === meaning(is)) continue;
    const kind = !isGiven(was) ? "add" : isGiven(is) ? "update" : "delete";
    changes[name] = replacing.has(name) ? `${kind}-replace` : kind;
  }
  return changes;
}

export const textMeaning =
  (fallback?: string) =>
  (given: Value | undefined): string | undefined =>
    isGiven(given) ? String(given) : fallback;

export const durationMeaning =
  (fallback: string) =>
  (given: Value | undefined): string =>
    String(millisecondsOf(given, fallback));

/** Addresses mean the same in any order and case, and twice is once. */
export const addressesMeaning = (given: Value | undefined): string | undefined =>
  Array.isArray(given) ? [...new Set(given.map(email => addressOf(String(email))))].sort().join("\n") : undefined;

export function millisecondsOf(given: Value | undefined, fallback: string): number {
  const wanted = typeof given === "string" || typeof given === "number" ? parseDuration(given) : undefined;
  return wanted ?? parseDuration(fallback) ?? 0;
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1],
] as const;

/** `1h30m`; days from two of them on. */
export function durationText(milliseconds: number): string {
  let rest = Math.round(milliseconds);
  let text = "";
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    if (count === 0 || (unit === "d" && count < 2)) continue;
    text += `${count}${unit}`;
    rest -= count * size;
  }
  return text || "0s";
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

interface Wait {
  readonly context: Context;
  readonly call: Call;
  readonly timeoutMs: number;
  readonly intervalMs: number;
  readonly random: () => number;
  /** `satisfiedIds`: documents that needn't be read again. */
  ask(satisfiedIds: readonly string[]): Promise<Evaluation>;
}

interface Waited {
  readonly last: Evaluation;
  /** Why it ended before the gate was satisfied. */
  readonly ended?: { readonly by: "time-out" | "cancel" } | { readonly by: "error"; readonly error: Error };
}

/** Asks until the gate is satisfied, the time is over, the call is cancelled, or the service answers with an error that stays. */
async function waitFor(first: Evaluation, wait: Wait): Promise<Waited> {
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

// ---- The resource ----

const MEANINGS: Meanings = {
  documentId: textMeaning(),
  documentIds: idsMeaning,
  minimum: textMeaning(),
  until: textMeaning(GATE_DEFAULTS.until),
  expiresAt: textMeaning(),
  renewBefore: textMeaning(),
  mode: textMeaning(GATE_DEFAULTS.mode),
  signers: addressesMeaning,
  deadline: textMeaning(),
  pollInterval: durationMeaning(GATE_DEFAULTS.pollInterval),
};

/** Inputs that say what the gate waits for. A change of the others leaves a satisfied gate satisfied. */
const WAITED_FOR = ["documentId", "documentIds", "minimum", "until", "expiresAt", "renewBefore", "signers"];

/**
 * A gate in front of what may happen only once people have signed. It exists in state alone: its id is the document's, or
 * made of those it began with; it asks and never writes. Once satisfied it stays so, whatever the service says later.
 */
export class SignatureGateResource implements Resource {
  readonly token = gateDeclaration.token;
  /** URNs read since their last Check: their next Diff is the one a refresh or an import makes. */
  readonly #read = new Set<string>();
  /** What Diff was answered, by URN: the preview of the Update that follows shows the same. */
  readonly #found = new Map<string, Promise<Evaluation>>();

  constructor(
    private readonly context: Context,
    private readonly random: () => number = Math.random,
  ) {}

  async check(call: Call, { news }: { news: Values }): Promise<{ inputs: Values; failures: Failure[] }> {
    this.#read.delete(call.urn);
    this.#found.delete(call.urn);
    const inputs = withTextIds(news);
    const problems = problemsOf(gateInputs, news, { secrets: call.secrets });
    return {
      inputs,
      failures: [...problems, ...choiceFailures(inputs), ...minimumFailures(inputs), ...endFailures(inputs)],
    };
  }

  /**
   * A gate that isn't satisfied is an update without a changed input: Update looks again, and its preview says who is missing.
   * One that only observes is looked at here, and is no change where the service answers what state holds.
   */
  async diff(call: Call, { olds, oldInputs, news }: { olds: Values; oldInputs: Values; news: Values }): Promise<Diff> {
    const detailed = changedInputs(gateInputs, MEANINGS, oldInputs, news);
    const isChanged = Object.keys(detailed).length > 0;
    const isOpen = olds["satisfied"] !== true && !this.#read.has(call.urn);
    if (isOpen && (isChanged || !(await this.#isAsInState(call, olds, news)))) detailed["satisfied"] ??= "update";
    return Object.keys(detailed).length === 0 ? NO_CHANGE : { changes: "some", detailed, deleteBeforeReplace: false };
  }

  async #isAsInState(call: Call, olds: Values, news: Values): Promise<boolean> {
    if (modeOf(news) !== "observe") return false;
    const found = this.#lookAgain(call, olds, news);
    this.#found.set(call.urn, found);
    // A Diff that fails would stop resources that have nothing to do with this gate: Update says why.
    const evaluation = await found.catch(() => undefined);
    if (!evaluation || !isInState(evaluation, olds)) return false;
    this.#say(call, news, evaluation);
    return true;
  }

  async create(call: Call, { inputs }: { inputs: Values }): Promise<Created> {
    const { origin } = this.context.service();
    if (hasUnknown(inputs)) {
      call.log.info(`what the gate waits for isn't known yet${whatThen(inputs, call)}`);
      return { id: "", outputs: unknownOutputs(inputs, origin) };
    }
    const evaluation = await this.#look(call, inputs, { patient: !call.preview });
    if (call.preview) return { id: "", outputs: this.#preview(call, inputs, evaluation, undefined) };
    const listed = listedIn(inputs);
    const id = listed === undefined ? String(evaluation.outputs.documentId) : idOfSeveral(listed);
    return { id, outputs: await this.#decide(call, id, inputs, evaluation, undefined) };
  }

  async update(
    call: Call,
    { id, olds, oldInputs, news }: { id: string; olds: Values; oldInputs: Values; news: Values },
  ): Promise<Values> {
    const changed = changedInputs(gateInputs, MEANINGS, oldInputs, news);
    if (olds["satisfied"] === true && !WAITED_FOR.some(name => Object.hasOwn(changed, name))) return olds;
    if (hasUnknown(news)) return unknownOutputs(news, this.context.service().origin);
    const found = call.preview ? this.#found.get(call.urn) : undefined;
    const evaluation = await (found ?? this.#lookAgain(call, olds, news, changed));
    return call.preview
      ? this.#preview(call, news, evaluation, olds)
      : await this.#decide(call, id, news, evaluation, olds);
  }

  /** Looks, and never waits. Of an import it knows the document's id alone. */
  async read(
    call: Call,
    { id, inputs, outputs }: { id: string; inputs: Values | undefined; outputs: Values | undefined },
  ): Promise<ReadResult> {
    this.#read.add(call.urn);
    if (!inputs || !outputs) {
      const imported: Values = { documentId: parseId(id, "a document's id") };
      const evaluation = await this.#look(call, imported);
      return { id, inputs: imported, outputs: this.#settled(evaluation, undefined) };
    }
    assertSameService(this.context, outputs["service"], titleOf(outputs), call.urn);
    const wasSatisfied = outputs["satisfied"] === true;
    if (wasSatisfied && listedIn(inputs) !== undefined) return { id, inputs, outputs };
    const evaluation = await this.#look(call, inputs, { done: satisfiedIn(outputs) }).catch((error: unknown) => {
      if (!(error instanceof NotFoundError)) throw error;
      call.log.warn(`the gate is kept as it was: the service doesn't show ${titleOf(outputs)}. ${error.message}`);
      return undefined;
    });
    if (!evaluation) return { id, inputs, outputs };
    if (wasSatisfied && !evaluation.satisfied) {
      call.log.warn(
        `the gate was satisfied and stays so, though document ${id} now waits for ${evaluation.missing}. To start anew, replace the gate: pulumi up --target-replace '${call.urn}'`,
      );
      return { id, inputs, outputs };
    }
    return { id, inputs, outputs: this.#settled(evaluation, outputs) };
  }

  /** There is nothing to undo. */
  async delete(): Promise<void> {}

  /** Looks at what state holds already, and is satisfied with what satisfied it unless the program asks for more. */
  async #lookAgain(call: Call, olds: Values, news: Values, changed: object = {}): Promise<Evaluation> {
    assertSameService(this.context, olds["service"], titleOf(olds), call.urn);
    return this.#look(call, news, { done: "until" in changed || "signers" in changed ? [] : satisfiedIn(olds) });
  }

  /** Of a list, `done` aren't read again. */
  async #look(
    call: Call,
    inputs: Values,
    { patient = false, done = [] }: { patient?: boolean; done?: readonly string[] } = {},
  ): Promise<Evaluation> {
    const service = this.context.service();
    const lookAt = async (id: Value | undefined): Promise<Evaluation> =>
      evaluate(await askFor(this.context, call, id, { patient }), service, inputs, call, serviceNow(this.context));
    const listed = listedIn(inputs);
    if (listed === undefined) return lookAt(inputs["documentId"]);
    const before = listed.filter(id => done.includes(id));
    const { found, unread } = await readEach(listed, new Set(done), lookAt, call);
    const looked = [...found, ...unread.map(each => unreadEvaluation(each, service.origin))];
    return together(before, looked, inputs["minimum"], service.origin);
  }

  #settled(evaluation: Evaluation, before: Values | undefined): Values {
    return settled(evaluation, before, () => serviceNow(this.context).toISOString());
  }

  /** What `up` would find now. What a mode may not let pass stays unknown. */
  #preview(call: Call, inputs: Values, evaluation: Evaluation, before: Values | undefined): Values {
    const { outputs, satisfied } = evaluation;
    this.#say(call, inputs, evaluation);
    if (!satisfied && modeOf(inputs) !== "observe") return unknownOutputs(inputs, outputs.service);
    return settled(evaluation, before, () => UNKNOWN);
  }

  #say(call: Call, inputs: Values, evaluation: Evaluation): void {
    const { satisfied, missing, title } = evaluation;
    const late = this.#lateness(evaluation);
    const waits = late ?? `${title} waits for ${missing}${whatThen(inputs, call)}`;
    if (satisfied)
      call.log.info(
        listedIn(inputs) ? "the gate has all that it waits for" : `${title} has all that this gate waits for`,
      );
    else if (modeOf(inputs) === "require" || late !== undefined) call.log.warn(waits, { waits: 1 });
    else call.log.info(waits, { waits: 1 });
  }

  /** Why waiting longer is in vain. */
  #lateness({ satisfied, deadline, missing, title }: Evaluation): string | undefined {
    if (satisfied || deadline === undefined || serviceNow(this.context).getTime() <= deadline) return undefined;
    return `${title} still waits for ${missing}, and the deadline has passed: ${timeText(deadline)}. Set a later \`deadline\`, or take it out, to go on.`;
  }

  async #decide(
    call: Call,
    id: string,
    inputs: Values,
    evaluation: Evaluation,
    before: Values | undefined,
  ): Promise<Values> {
    const mode = modeOf(inputs);
    if (evaluation.satisfied) return this.#settled(evaluation, before);
    const late = this.#lateness(evaluation);
    if (mode === "observe") {
      if (late === undefined) call.log.info(`${evaluation.title} waits for ${evaluation.missing}`);
      else call.log.warn(late);
      return this.#settled(evaluation, before);
    }
    if (late !== undefined) throw new UserError(late);
    if (mode === "require") {
      sayWhatStops(call, evaluation);
      throw new UserError(
        `${evaluation.title} waits for ${evaluation.missing}, and the gate requires it. \`pulumi up\` looks again; \`mode: wait\` would wait.`,
      );
    }
    const { deadline } = evaluation;
    const left = deadline === undefined ? Number.POSITIVE_INFINITY : deadline + 1 - serviceNow(this.context).getTime();
    const timeoutMs = Math.min(call.timeoutMs ?? DEFAULT_WAIT_MS, left);
    const { last, ended } = await waitFor(evaluation, {
      context: this.context,
      call,
      timeoutMs,
      intervalMs: millisecondsOf(inputs["pollInterval"], GATE_DEFAULTS.pollInterval),
      random: this.random,
      ask: done => this.#look(call, inputs, { done }),
    });
    const outputs = this.#settled(last, before);
    if (!ended) return outputs;
    const overdue = this.#lateness(last);
    if (overdue !== undefined) throw new PartialFailure(id, outputs, inputs, [overdue]);
    const waited = `${last.title} waits for ${last.missing}`;
    if (ended.by === "time-out") sayWhatStops(call, last);
    const reason = {
      "time-out": `${waited}, and the ${durationText(timeoutMs)} to wait for it are over. Longer: the resource option customTimeouts.`,
      cancel: `cancelled while ${waited}.`,
      error: `${waited}, and asking for it failed: ${ended.by === "error" ? ended.error.message : ""}`,
    }[ended.by];
    throw new PartialFailure(id, outputs, inputs, [reason, "The gate is kept: `pulumi up` goes on waiting."]);
  }
}

const modeOf = ({ mode }: Values): Value => mode ?? GATE_DEFAULTS.mode;

/** Of a run that fails for want of signatures or certificates alone. */
const sayWhatStops = (call: Call, { title, missing }: Evaluation): void =>
  call.log.info(`${title} waits for ${missing}`, { waits: 1, stops: 1 });

const titleOf = ({ documentId }: Values): string =>
  typeof documentId === "string" ? `document ${documentId}` : "the documents of the gate";

const satisfiedIn = ({ satisfiedIds }: Values): string[] =>
  Array.isArray(satisfiedIds) ? satisfiedIds.map(String) : [];

function whatThen(inputs: Values, call: Call): string {
  const mode = modeOf(inputs);
  if (mode === "wait") return `: \`pulumi up\` waits for it, up to ${durationText(call.timeoutMs ?? DEFAULT_WAIT_MS)}`;
  return mode === "require" ? ": `pulumi up` fails until it is there" : "";
}

function unknownOutputs(inputs: Values, service: string): Values {
  const outputs: Values = Object.fromEntries(Object.keys(gateOutputs.shape).map(name => [name, UNKNOWN]));
  const { documentId } = inputs;
  return { ...outputs, documentId: documentId === undefined || isUnknown(documentId) ? UNKNOWN : documentId, service };
}
