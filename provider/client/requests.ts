import type { Clock } from "../core/clock.js";
import {
  AmbiguousWriteError,
  CancelledError,
  type HttpResponse,
  logInPage,
  RateLimitedError,
  type RequestInfo,
  ServiceError,
  StatusError,
  type StreamedResponse,
  statusError,
  TimeoutError,
  TooLargeError,
  TooLateError,
  TransportError,
  UnauthorizedError,
  UnreadableAnswerError,
} from "./errors.js";
import type { Redactor } from "./json.js";
import type { ServiceOptions } from "./service.js";
import {
  type BaseUrl,
  Deadline,
  type HttpRequest,
  type RequestOptions,
  readErrorText,
  readText,
  resolveOwn,
  type SendOptions,
  type Stream,
  type StreamedBody,
  type Transport,
} from "./transport.js";

// ---- Limits ----

export type Limits = Readonly<typeof DEFAULT_LIMITS>;

export const DEFAULT_LIMITS = {
  /** Bytes of a list's answer. */
  listBytes: 64_000_000,
  /** Bytes of any other JSON answer: a document carries its certificates' XML. */
  answerBytes: 16_000_000,
  downloadBytes: 512_000_000,
  /** How long a call may take with all its waiting and retries; a pause the service asks for beyond it is an error. */
  callMs: 120_000,
  /** A download with no new byte for so long is given up. */
  idleMs: 60_000,
};

// ---- The service's clock ----

/** So often, after so long each time, the same Date: no clock that runs shows that, and no single jump of ours. */
const STEP_MS = 2000;
const STEPS = 2;

/** How far the service's clock is from ours, by its Date headers. */
export class ServiceClock {
  /** At least so far ahead of ours: a Date header has whole seconds, cut off, and its answer took a while to come. */
  #offset: number | undefined;
  #same = { date: Number.NaN, at: 0, steps: 0 };

  note(dateHeader: string | undefined, receivedAt: number): void {
    const date = dateHeader === undefined ? Number.NaN : Date.parse(dateHeader);
    if (Number.isNaN(date)) return;
    this.#offset = date - receivedAt;
    const { at, steps } = this.#same;
    if (date !== this.#same.date) this.#same = { date, at: receivedAt, steps: 0 };
    else if (receivedAt - at >= STEP_MS) this.#same = { date, at: receivedAt, steps: steps + 1 };
  }

  /**
   * Surely not later than the service's time at that moment, however slow its answers: what it made must not look older
   * than the request.
   */
  at(local: number): Date | undefined {
    return this.#offset === undefined ? undefined : new Date(local + this.#offset);
  }

  /** Whether it was seen to: then it tells when something was made, and not how much time has passed. */
  get standsStill(): boolean {
    return this.#same.steps >= STEPS;
  }
}

// ---- Repeatable requests ----

/** May the same request go out again by itself? A write only if not a byte of it left. */
function mayRetry(error: ServiceError, write: boolean): boolean {
  if (error instanceof TransportError) return error.retryable && !(write && error.sent);
  if (error instanceof TimeoutError) return !(write && error.sent);
  if (write) return false;
  if (error instanceof StatusError) return !error.isLasting;
  return error instanceof UnreadableAnswerError && error.retryable;
}

/**
 * After this error of a write, is it certain that the service did nothing? Of one that is refused for now (429, 503 with
 * `Retry-After`) only a look is proof: the interface shows no failure statuses. A create looks before it is sent again. Where
 * nobody can look, as for a reminder, it counts as done: rather a mail too few than one too many.
 */
function isDefinite(error: ServiceError, { isUnseen = false } = {}): boolean {
  if (error instanceof TransportError || error instanceof TimeoutError || error instanceof TooLateError)
    return !error.sent;
  if (error instanceof StatusError) return error.meaning.done === "no" && !(isUnseen && !error.isLasting);
  return !(error instanceof UnreadableAnswerError || error instanceof TooLargeError);
}

/** Full jitter: anywhere between nothing and the doubled bound. */
const BASE_DELAY_MS = 200;
export const MAX_DELAY_MS = 20_000;
const MAX_ATTEMPTS = 5;

/** How long to wait before the given attempt (2 is the first retry). `random` is in [0, 1). */
export function backoffMs(attempt: number, random: number): number {
  const bound = Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** Math.max(0, attempt - 2));
  return Math.floor(bound * random);
}

/** Smithy's token bucket: when a service is down, everybody's retries dry up together instead of adding to the load. */
export class RetryBudget {
  #tokens: number;

  constructor(readonly capacity = 500) {
    this.#tokens = capacity;
  }

  get tokens(): number {
    return this.#tokens;
  }

  /** False when it's spent. */
  take(kind: "retry" | "timeout"): boolean {
    const price = PRICES[kind];
    if (this.#tokens < price) return false;
    this.#tokens -= price;
    return true;
  }

  /** A call went well; `afterRetry` gives its price back too. */
  refill(afterRetry?: "retry" | "timeout"): void {
    this.#tokens = Math.min(this.capacity, this.#tokens + (afterRetry ? PRICES[afterRetry] : 1));
  }
}

const PRICES = { retry: 5, timeout: 10 } as const;

// ---- Rate limit ----

/** An answer that comes within it lets one more go at a time: far from every timeout, whatever the connection carries. */
const QUICK_MS = 5000;

/**
 * So many at a time, in the order they came: `first` to begin with, one more for each quick answer up to `most`, and one
 * fewer for each slow one. Once the service has refused some, or some had no answer in time, it is half as many, and then
 * one more for each round of quick answers.
 */
export class Limiter {
  #taken = 0;
  #size: number;
  #halvedAt = Number.NEGATIVE_INFINITY;
  readonly #queue = new Set<() => void>();

  constructor(
    private readonly most: number,
    private readonly first = most,
  ) {
    this.#size = first;
  }

  answered(afterMs: number): void {
    if (afterMs >= QUICK_MS) this.#size = Math.min(this.#size, Math.max(this.first, this.#size - 1));
    else this.#size = Math.min(this.most, this.#size + (Number.isFinite(this.#halvedAt) ? 1 / this.#size : 1));
    this.#fill();
  }

  /** Those that were under way together count once. */
  refused(startedAt: number, now: number): void {
    this.#halve(startedAt, now, 1);
  }

  /** A service that answers nothing is found out with as many as at the beginning. */
  unanswered(startedAt: number, now: number): void {
    this.#halve(startedAt, now, Math.min(this.#size, this.first));
  }

  #halve(startedAt: number, now: number, least: number): void {
    if (startedAt <= this.#halvedAt) return;
    this.#halvedAt = now;
    this.#size = Math.max(least, this.#size / 2);
  }

  /** Resolves to what gives the slot back. Rejects with the signal's reason. */
  enter(signal?: AbortSignal | undefined): Promise<() => void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const go = () => {
        this.#queue.delete(go);
        signal?.removeEventListener("abort", quit);
        this.#taken++;
        resolve(this.#slot());
      };
      const quit = () => {
        this.#queue.delete(go);
        reject(signal?.reason);
      };
      this.#queue.add(go);
      signal?.addEventListener("abort", quit, { once: true });
      this.#fill();
    });
  }

  #slot(): () => void {
    let taken = true;
    return () => {
      if (!taken) return;
      taken = false;
      this.#taken--;
      this.#fill();
    };
  }

  #fill(): void {
    for (const next of this.#queue) {
      if (this.#taken + 1 > this.#size) return;
      next();
    }
  }
}

const FIRST_CLOSING_MS = 1000;
const LONGEST_CLOSING_MS = 30_000;
/** Those who waited don't all start in the same millisecond. */
const SPREAD_MS = 250;

/** Closed by a 429 for every request, for as long as the service asks. */
class RetryAfterPause {
  endsAt = 0;
  #hintless = 0;

  constructor(
    private readonly clock: Clock,
    private readonly random: () => number,
  ) {}

  /** Without a hint, each refusal in a row doubles the pause. */
  start(askedMs: number | undefined): void {
    const pause = askedMs ?? Math.min(LONGEST_CLOSING_MS, FIRST_CLOSING_MS * 2 ** this.#hintless++);
    // "Retry-After: 0" right after a refusal would be a storm.
    this.extend(Math.max(pause, 50 + backoffMs(2, this.random())));
  }

  /** For so long from now at least. */
  extend(ms: number): void {
    this.endsAt = Math.max(this.endsAt, this.clock.now() + ms);
  }

  reset(): void {
    this.#hintless = 0;
  }
}

// ---- Shared limit ----

/** An account's limits that processes on any machine have in common. Where it can't be reached, each keeps its own. */
export interface SharedLimit {
  /** Waits for a slot among all. */
  enter(signal?: AbortSignal | undefined): Promise<{
    readonly leave: () => void;
    /** For how long the service asked everybody to wait, from now. */
    readonly closedMs: number;
  }>;
  /** The service asks everybody to wait. */
  close(forMs: number): void;
  end(): Promise<void>;
}

// ---- Requests ----

export interface RequestSpec extends SendOptions {
  readonly method: "GET" | "POST";
  /** Below base_url, or a whole address that was checked to be the service's own. */
  readonly to: string | URL;
  readonly query?: Readonly<Record<string, string | undefined>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: object | StreamedBody | undefined;
  readonly withKey?: boolean | undefined;
  readonly timeoutMs?: number | undefined;
  readonly limit?: number | undefined;
  /** In the slot of the call that needs it: a log-in that queued behind its own callers would wait for ever. */
  readonly inSlot?: boolean | undefined;
  /** Sent once: again only where nothing left, a 401 says that nothing was done, or it `waits`. */
  readonly isWrite?: boolean | undefined;
  /** Of a write: it waits where the service asks to, and is sent again. */
  readonly waits?: boolean | undefined;
  /** Of a write: nothing at the service shows afterwards whether it was done. */
  readonly isUnseen?: boolean | undefined;
  /** Of a write: whether only who has read it, or has done it, can have written this text. */
  readonly isKnownTo?: ((text: string) => boolean) | undefined;
}

/** Where the key comes from. */
export interface Auth {
  readonly source: string;
  current(): Promise<string>;
  /** The service refused this key: true if another one can be had. */
  renew(refused: string): boolean;
}

type Given = "maxConcurrency" | "firstConcurrency" | "shared" | "requestTimeoutMs" | "userAgent";

interface RequestsOptions extends Pick<ServiceOptions, Given> {
  readonly base: BaseUrl;
  readonly keys: Auth;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
  readonly redactor: Redactor;
  readonly limits: Limits;
}

type Attempt<T> = (request: HttpRequest, info: RequestInfo) => Promise<T>;

export interface DownloadOptions extends RequestOptions {
  readonly withKey?: boolean | undefined;
  /** Besides the service's own; the key is never sent there. */
  readonly allowOrigins?: readonly string[] | undefined;
}

/** The rules by which requests are paced, repeated, or not repeated. */
export class Requests {
  /** Creates and reminders on one side, all else on the other: what reads doesn't keep a create waiting. */
  readonly #limiters: { readonly write: Limiter; readonly read: Limiter };
  readonly #pause: RetryAfterPause;
  readonly #budget = new RetryBudget();

  constructor(private readonly options: RequestsOptions) {
    const { maxConcurrency, firstConcurrency, clock, random } = options;
    const limiter = () => new Limiter(maxConcurrency, firstConcurrency);
    this.#limiters = { write: limiter(), read: limiter() };
    this.#pause = new RetryAfterPause(clock, random);
  }

  /** Asks until there's an answer, within bounds; a write as its `isWrite` says. */
  send<T>(call: RequestSpec, parse: (response: HttpResponse) => T): Promise<T> {
    return this.sendStreamed(call, async ({ chunks, ...head }) => {
      const response = { ...head, text: await readText(chunks) };
      const page = logInPage(response);
      if (page && !call.isKnownTo?.(response.text)) throw page;
      return parse(response);
    });
  }

  /** Of an answer that is understood while it arrives. */
  sendStreamed<T>(call: RequestSpec, parse: (response: StreamedResponse) => Promise<T>): Promise<T> {
    const attempt: Attempt<T> = async (request, info) => {
      const stream = await this.options.transport.open(request);
      try {
        const response = { ...info, ...stream };
        if (!isSuccess(response)) throw statusError({ ...response, text: await readErrorText(stream) });
        assertPlain(response);
        return await parse(response);
      } catch (error) {
        if (error instanceof ServiceError) throw error;
        // Whatever broke, the request was answered: a write must not look as if it had never been sent.
        throw new UnreadableAnswerError(
          `${info.endpoint} answered ${stream.status} with something that can't be understood`,
        );
      } finally {
        stream.end();
      }
    };
    return this.#withDeadline(call, async deadline => {
      const leave = call.inSlot ? () => {} : await this.#enter(call, deadline);
      try {
        return await this.#withRetries(call, deadline, attempt);
      } finally {
        leave();
      }
    });
  }

  /** A slot among the writes, taken once no pause that the service asked for is left and a key is at hand. */
  async turn<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const { clock, keys, limits } = this.options;
    const call: RequestSpec = { method: "POST", to: "", isWrite: true, signal };
    const leave = await this.#withDeadline(call, async deadline => {
      const release = await this.#enter(call, deadline);
      try {
        await this.#pauseOver(this.#endpointOf(call), clock.now() + limits.callMs, deadline);
        await deadline.race(keys.current());
        return release;
      } catch (error) {
        release();
        throw error;
      }
    });
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** A file of the service's, in pieces. Stopping early ends the request; the slot is kept until it's read or dropped. */
  async download(address: string, options: DownloadOptions): Promise<AsyncIterable<Uint8Array>> {
    const { base, limits, transport } = this.options;
    const to = resolveOwn(base, address, options.allowOrigins);
    const withKey = options.withKey === true && to.origin === base.origin;
    const bounds = { timeoutMs: limits.idleMs, limit: limits.downloadBytes };
    const { signal } = options;
    const call: RequestSpec = { method: "GET", to, headers: { accept: "*/*" }, withKey, signal, ...bounds };
    const open: Attempt<Stream> = async (request, info) => {
      const stream = await transport.open(request, "inactivity");
      try {
        const response = { ...info, ...stream };
        if (!isSuccess(response)) throw statusError({ ...response, text: "" });
        assertPlain(response);
        return stream;
      } catch (error) {
        stream.end();
        throw error;
      }
    };
    return this.#withDeadline(call, async deadline => {
      const release = await this.#enter(call, deadline);
      try {
        const { chunks, cut } = await this.#withRetries(call, deadline, open);
        cut.addEventListener("abort", release, { once: true });
        return piecesOf(chunks, release);
      } catch (error) {
        release();
        throw error;
      }
    });
  }

  async #withRetries<T>(call: RequestSpec, deadline: Deadline, attempt: Attempt<T>): Promise<T> {
    const { clock, keys, random, redactor, base, limits } = this.options;
    const { isWrite = false } = call;
    const limiter = this.#limiterOf(call);
    const until = clock.now() + limits.callMs;
    const endpoint = this.#endpointOf(call);
    let failures = 0;
    let refusals = 0;
    let renewed = false;
    let paid: "retry" | "timeout" | undefined;
    for (;;) {
      await this.#pauseOver(endpoint, until, deadline);
      const key = call.withKey === false ? undefined : await deadline.race(keys.current());
      const startedAt = clock.now();
      try {
        const info = { endpoint, origin: base.origin, source: keys.source, redactor, now: startedAt };
        const result = await attempt(this.#requestOf(call, endpoint, key), info);
        this.#pause.reset();
        limiter.answered(clock.now() - startedAt);
        this.#budget.refill(paid);
        return result;
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        if (error instanceof UnauthorizedError && key !== undefined && !renewed && keys.renew(key)) {
          renewed = true;
          continue;
        }
        const endsAt = this.#startPause(error, refusals);
        if (endsAt !== undefined) limiter.refused(startedAt, clock.now());
        else if (error instanceof TimeoutError || error instanceof TooLateError)
          limiter.unanswered(startedAt, clock.now());
        if (endsAt !== undefined && (isWrite ? call.waits : error instanceof RateLimitedError)) {
          refusals++;
          if (endsAt > until) throw error;
          continue;
        }
        paid = error instanceof TimeoutError ? "timeout" : "retry";
        const delay = backoffMs(++failures + 1, random());
        const again =
          mayRetry(error, isWrite) && failures < MAX_ATTEMPTS && clock.now() + delay < until && this.#budget.take(paid);
        if (!again) throw isWrite && !isDefinite(error, call) ? ambiguous(endpoint, error) : error;
        await deadline.race(clock.wait(delay, deadline.signal));
      }
    }
  }

  async #pauseOver(what: string, until: number, deadline: Deadline): Promise<void> {
    const { clock, random } = this.options;
    for (;;) {
      const { endsAt } = this.#pause;
      const left = endsAt - clock.now();
      if (left <= 0) return;
      if (endsAt > until) {
        const retryAt = new Date(endsAt);
        throw new RateLimitedError(
          `${what} wasn't sent: the service asked everybody to wait until ${retryAt.toISOString()}; try again then`,
          429,
          { retryAt },
        );
      }
      await deadline.race(clock.wait(left + Math.floor(SPREAD_MS * random()), deadline.signal));
    }
  }

  /** When what the service asks for is over; undefined where it asks for none. */
  #startPause(error: ServiceError, refusals: number): number | undefined {
    if (!(error instanceof StatusError) || error.meaning.retry !== "writes") return undefined;
    const { shared, clock } = this.options;
    const hint = error.retryAt && error.retryAt.getTime() - clock.now();
    const least = Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** refusals);
    this.#pause.start(hint === undefined ? undefined : Math.max(hint, least));
    shared?.close(this.#pause.endsAt - clock.now());
    return this.#pause.endsAt;
  }

  #endpointOf(call: RequestSpec): string {
    const { origin, pathname } = this.#url(call);
    return this.options.redactor.redact(`${call.method} ${origin}${pathname}`);
  }

  #requestOf(call: RequestSpec, endpoint: string, key: string | undefined): HttpRequest {
    const { requestTimeoutMs, limits, userAgent } = this.options;
    const { method, body, signal, graceMs, mayLeave } = call;
    return {
      ...{ endpoint, method, url: this.#url(call), signal, graceMs, mayLeave },
      headers: {
        accept: "application/json",
        "user-agent": userAgent,
        ...(key !== undefined && { "x-api-key": key }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...call.headers,
      },
      body: body === undefined || isStreamed(body) ? body : Buffer.from(JSON.stringify(body)),
      fresh: call.isWrite,
      timeoutMs: call.timeoutMs ?? requestTimeoutMs,
      limit: call.limit ?? limits.answerBytes,
    };
  }

  #url(call: RequestSpec): URL {
    const url = new URL(typeof call.to === "string" ? this.options.base.href + call.to : call.to);
    for (const [name, value] of Object.entries(call.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, value);
    }
    return url;
  }

  #limiterOf({ isWrite }: RequestSpec): Limiter {
    return this.#limiters[isWrite ? "write" : "read"];
  }

  /** One of this process's own slots, and one among all where processes share them. */
  async #enter(call: RequestSpec, { signal }: Deadline): Promise<() => void> {
    const { shared } = this.options;
    const leave = await this.#limiterOf(call).enter(signal);
    if (!shared) return leave;
    try {
      const slot = await shared.enter(signal);
      this.#pause.extend(slot.closedMs);
      return () => {
        slot.leave();
        leave();
      };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Waiting, pausing and backing off end with the caller's signal too; the transport reports what was sent. */
  async #withDeadline<T>(call: RequestSpec, work: (deadline: Deadline) => Promise<T>): Promise<T> {
    const deadline = new Deadline(call.signal, this.options.transport.closing);
    try {
      return await work(deadline);
    } catch (error) {
      if (error instanceof ServiceError || deadline.by === undefined) throw error;
      throw new CancelledError(`${this.#endpointOf(call)}: the request was cancelled before it was sent`, false);
    } finally {
      deadline.release();
    }
  }
}

const ambiguous = (what: string, cause: ServiceError): AmbiguousWriteError =>
  new AmbiguousWriteError(
    `${cause.message}. The outcome of ${what} is unknown: the service may have done it. It was sent once and isn't sent again`,
    cause.message,
    cause,
  );

function isStreamed(body: object): body is StreamedBody {
  return "open" in body && typeof body.open === "function";
}

async function* piecesOf(chunks: AsyncIterable<Uint8Array>, end: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } finally {
    end();
  }
}

const isSuccess = ({ status }: StreamedResponse): boolean => status >= 200 && status < 300;

function assertPlain({ endpoint, headers }: StreamedResponse): void {
  const encoding = headers["content-encoding"]?.trim().toLowerCase() ?? "";
  if (encoding !== "" && encoding !== "identity")
    throw new UnreadableAnswerError(`${endpoint}: the answer is compressed although it was asked not to be`);
}
