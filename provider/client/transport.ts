import type { Agent, Dispatcher } from "undici";
import type { Clock } from "../core/clock.js";
import { bareRecord } from "../core/records.js";
import { Deadline } from "./deadline.js";
import {
  CancelledError,
  ServiceError,
  TimeoutError,
  TooLargeError,
  TooLateError,
  UnreadableAnswerError,
} from "./errors.js";
import type { Redactor } from "./excerpt.js";
import type { ServiceClock } from "./service-clock.js";
import { transportError } from "./transport-errors.js";

export interface StreamedBody {
  readonly length: number;
  open(): AsyncIterable<Uint8Array>;
}

export interface Outgoing {
  readonly method: "GET" | "POST";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | StreamedBody | undefined;
  /** On a connection of its own: a kept one may have died, and then nobody could tell if a write arrived. */
  readonly fresh?: boolean | undefined;
  readonly timeoutMs: number;
  /** Bytes of the answer. */
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
  /** How long an answer may still come after the signal's abort, once the request was sent. */
  readonly graceMs?: number | undefined;
  /** Asked before the request starts and before each piece of a streamed body: once it is false, nothing more leaves. */
  readonly mayLeave?: (() => boolean) | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** An answer whose body is still to be read. */
export interface Arriving {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: AsyncIterable<Uint8Array>;
}

export interface Stream extends Arriving {
  /** Aborted when it's cut short, be it read or not. */
  readonly cut: AbortSignal;
  end(): void;
}

export interface TransportOptions {
  readonly maxConcurrency: number;
  readonly connect?: object | undefined;
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
  readonly redactor: Redactor;
}

const CONNECT_TIMEOUT_MS = 10_000;
/** An error's body is a courtesy: this much of it is enough to quote. */
const ERROR_BODY_BYTES = 64 * 1024;

/** One request, one answer. Knows sockets, deadlines and sizes; neither keys nor retries. */
export class Transport {
  #agents: Promise<{ readonly kept: Agent; readonly fresh: Agent }> | undefined;
  readonly #closing = new AbortController();
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /** Loaded with the first request: most processes of the plugin, a preview's above all, never make one. */
  async #load(): Promise<{ readonly kept: Agent; readonly fresh: Agent }> {
    const { Agent } = await import("undici");
    const { maxConcurrency, connect } = this.#options;
    const agent = () =>
      new Agent({
        connections: maxConcurrency,
        pipelining: 1,
        allowH2: false,
        strictContentLength: true,
        // undici's own timers tick in seconds; the deadline below is exact and covers the whole request.
        headersTimeout: 0,
        bodyTimeout: 0,
        connect: { timeout: CONNECT_TIMEOUT_MS, ...connect },
      });
    return { kept: agent(), fresh: agent() };
  }

  /** Aborted once the client is closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** The answer's head, its body still to be read. `inactivity` restarts the deadline with every chunk. */
  async open(out: Outgoing, deadline: "whole" | "inactivity" = "whole"): Promise<Stream> {
    const progress = { sent: false };
    const ending = new Deadline(out.signal, this.#closing.signal, released =>
      progress.sent && out.graceMs ? this.#options.clock.wait(out.graceMs, released) : undefined,
    );
    ending.within(out.timeoutMs);
    const fail = (error: unknown) => {
      ending.release();
      return this.#failure(out, ending, progress.sent, error);
    };
    try {
      if (ending.signal.aborted) throw ending.signal.reason;
      const response = await ending.race(this.#dispatch(out, ending.signal, progress));
      response.body.on("error", () => {});
      const headers = flatten(response.headers);
      this.#options.serviceClock.note(headers["date"], this.#options.clock.now());
      const chunks = limited(response.body, {
        ending,
        fail,
        inactivityMs: deadline === "inactivity" ? out.timeoutMs : 0,
      });
      const end = () => {
        response.body.destroy();
        ending.release();
      };
      return { status: response.statusCode, headers, chunks, cut: ending.signal, end };
    } catch (error) {
      throw fail(error);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const agents = await this.#agents;
    await Promise.all([agents?.kept.destroy(), agents?.fresh.destroy()]);
  }

  async #dispatch(out: Outgoing, signal: AbortSignal, progress: { sent: boolean }): Promise<Dispatcher.ResponseData> {
    this.#agents ??= this.#load();
    const { kept, fresh } = await this.#agents;
    const { body } = out;
    const streamed = body !== undefined && !Buffer.isBuffer(body);
    return (out.fresh ? fresh : kept).compose(watchStart(out, progress, signal)).request({
      origin: out.url.origin,
      path: out.url.pathname + out.url.search,
      method: out.method,
      headers: {
        ...out.headers,
        "accept-encoding": "identity",
        ...(streamed && { "content-length": String(body.length) }),
      },
      // undici takes any async iterable for a body; its types want a Readable.
      body: (streamed ? inTime(out, body) : (body ?? null)) as Buffer | null,
      signal,
      ...(out.fresh && { reset: true }),
    });
  }

  #failure(out: Outgoing, ending: Deadline, sent: boolean, error: unknown): ServiceError {
    if (ending.by === "deadline") {
      const stage = sent ? "no complete answer" : "no connection";
      return new TimeoutError(`${asked(out)}: ${stage} within ${out.timeoutMs / 1000} s`, sent);
    }
    if (ending.by !== undefined) {
      return new CancelledError(`${asked(out)}: it was cancelled ${sent ? "after" : "before"} it was sent`, sent);
    }
    return error instanceof ServiceError ? error : transportError(asked(out), sent, error, this.#options.redactor);
  }
}

/** What was asked, without the query. */
export function asked(out: Pick<Outgoing, "method" | "url">): string {
  return `${out.method} ${out.url.origin}${out.url.pathname}`;
}

/** What was asked for and no more of it, as it comes. */
export async function* within(out: Outgoing, { headers, chunks }: Stream): AsyncGenerator<Uint8Array> {
  refuseEncoding(out, headers);
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.byteLength;
    if (size > out.limit)
      throw new TooLargeError(
        `${asked(out)}: the answer is larger than ${Math.ceil(out.limit / 1e6)} MB and was dropped`,
      );
    yield chunk;
  }
}

export async function wholeText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString("utf8");
}

export function refuseEncoding(out: Pick<Outgoing, "method" | "url">, headers: Readonly<Record<string, string>>): void {
  const encoding = headers["content-encoding"]?.trim().toLowerCase() ?? "";
  if (encoding !== "" && encoding !== "identity") {
    throw new UnreadableAnswerError(`${asked(out)}: the answer is compressed although it was asked not to be`);
  }
}

/**
 * undici calls onRequestStart when it has a connected socket and is about to write: what fails before has provably
 * not left. A second start would be a second sending, so it is refused.
 */
function watchStart(
  out: Outgoing,
  progress: { sent: boolean },
  signal: AbortSignal,
): Dispatcher.DispatcherComposeInterceptor {
  return dispatch => (options, handler) =>
    dispatch(options, {
      onRequestStart(controller, context) {
        if (progress.sent || signal.aborted) throw new Error("a request starts once, and not after its end");
        assertInTime(out, false);
        progress.sent = true;
        handler.onRequestStart?.(controller, context);
      },
      onRequestUpgrade: (...args) => handler.onRequestUpgrade?.(...args),
      onResponseStart: (...args) => handler.onResponseStart?.(...args),
      onResponseData: (...args) => handler.onResponseData?.(...args),
      onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
      onResponseError: (...args) => handler.onResponseError?.(...args),
    });
}

function assertInTime(out: Outgoing, sent: boolean): void {
  if (out.mayLeave?.() === false)
    throw new TooLateError(`${asked(out)}: too much time had passed ${sent ? "while" : "before"} it was sent`, sent);
}

/** A process may be frozen half-way through an upload: what is left of it is cut off. */
async function* inTime(out: Outgoing, body: StreamedBody): AsyncGenerator<Uint8Array> {
  for await (const piece of body.open()) {
    assertInTime(out, true);
    yield piece;
  }
}

interface Limits {
  readonly ending: Deadline;
  readonly fail: (error: unknown) => ServiceError;
  readonly inactivityMs: number;
}

async function* limited(
  body: Dispatcher.ResponseData["body"],
  { ending, fail, inactivityMs }: Limits,
): AsyncGenerator<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  try {
    for (;;) {
      if (inactivityMs > 0) ending.within(inactivityMs);
      const next = await ending.race(iterator.next());
      if (next.done) return;
      if (inactivityMs > 0) ending.pause();
      yield next.value;
    }
  } catch (error) {
    throw fail(error);
  } finally {
    body.destroy();
    ending.release();
  }
}

/** The first words of an error. */
export async function courtesy(stream: Stream): Promise<string> {
  const parts: Uint8Array[] = [];
  try {
    let size = 0;
    for await (const chunk of stream.chunks) {
      parts.push(chunk);
      size += chunk.byteLength;
      if (size > ERROR_BODY_BYTES) break;
    }
  } catch (error) {
    if (error instanceof CancelledError) throw error;
  }
  return Buffer.concat(parts).toString("utf8");
}

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const flat = bareRecord<string>();
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name.toLowerCase()] = Array.isArray(value) ? (value[0] ?? "") : value;
  }
  return flat;
}
