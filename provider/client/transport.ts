import { createHash } from "node:crypto";
import type { Agent, Dispatcher } from "undici";
import { bareRecord } from "../../kit/records.js";
import type { Clock } from "../core/clock.js";
import { quote } from "../core/text.js";
import {
  CancelledError,
  InvalidArgumentError,
  ServiceError,
  type StreamedResponse,
  TimeoutError,
  TooLargeError,
  TooLateError,
  transportError,
} from "./errors.js";
import type { Redactor } from "./json.js";

// ---- Addresses ----

export interface BaseUrl {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Without a trailing slash. */
  readonly href: string;
}

/** Reads `docsign:baseUrl`. The key travels with every request, so plain http stays on this machine. */
export function parseBaseUrl(text: string): BaseUrl {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  // A password may stand in one.
  const shown = text.includes("@") ? "it" : quote(text);
  if (!url) throw refused(`${shown} is not a URL; it looks like https://service.example`);
  if (url.username !== "" || url.password !== "") {
    throw refused(
      "it may not carry a user name or password; use docsign:apiKey, or docsign:email and docsign:password",
    );
  }
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw refused(`it must start with https://, got ${quote(url.protocol)}`);
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw refused(
      `http:// would send the key in the clear to ${quote(url.hostname)}; use https:// (http is for loopback addresses only)`,
    );
  }
  if (/[?#]/.test(text)) throw refused("it may not have a query (?) or a fragment (#)");
  return { origin: url.origin, href: url.origin + url.pathname.replace(/(?<!\/)\/+$/, "") };
}

export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

function refused(why: string): InvalidArgumentError {
  return new InvalidArgumentError(`docsign:baseUrl can't be used: ${why}`);
}

/** An address the service gave for a file, allowed only where the service itself lives, or at the origins given. */
export function resolveOwn(base: BaseUrl, address: string, allowOrigins: readonly string[] = []): URL {
  if (!URL.canParse(address, `${base.href}/`)) throw new InvalidArgumentError(`${quote(address)} is not an address`);
  const url = new URL(address, `${base.href}/`);
  if (url.origin !== base.origin && !allowOrigins.includes(url.origin)) {
    throw new InvalidArgumentError(
      `the file lives at ${quote(url.origin)}, not at the service's own origin ${base.origin}: it isn't fetched, the key and the request stay at home`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new InvalidArgumentError("the file's address carries a user name or password: it isn't fetched");
  }
  url.hash = "";
  return url;
}

// ---- Deadlines ----

/** Everything that may cut a request short, behind one signal: the caller, the client's close, and the deadline. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #undo: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  by: "deadline" | "cancel" | undefined;

  /** `grace`: asked when the caller aborts. The end comes once it settles; at once where it is undefined. */
  constructor(
    caller: AbortSignal | undefined,
    close: AbortSignal,
    private readonly grace: (released: AbortSignal) => Promise<void> | undefined = () => undefined,
  ) {
    this.#follow(caller, () => this.#endAfterGrace());
    this.#follow(close);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts the deadline, anew if it was running. */
  start(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end("deadline"), ms);
  }

  /**
   * Settles with the promise or rejects at the end, whichever is first, even when the promise never settles. Nothing is
   * left behind: `Promise.race` with one promise for all would hold every answer until the end.
   */
  race<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      const end = () => reject(signal.reason);
      promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", end));
      if (signal.aborted) queueMicrotask(end);
      else signal.addEventListener("abort", end, { once: true });
    });
  }

  pause(): void {
    clearTimeout(this.#timer);
  }

  release(): void {
    this.pause();
    for (const undo of this.#undo) undo();
  }

  #endAfterGrace(): void {
    const released = new AbortController();
    const grace = this.grace(released.signal);
    if (!grace) {
      this.#end("cancel");
      return;
    }
    this.#undo.push(() => released.abort());
    grace.then(
      () => this.#end("cancel"),
      () => {},
    );
  }

  #follow(signal: AbortSignal | undefined, end = () => this.#end("cancel")): void {
    if (!signal) return;
    if (signal.aborted) end();
    signal.addEventListener("abort", end, { once: true });
    this.#undo.push(() => signal.removeEventListener("abort", end));
  }

  #end(by: "deadline" | "cancel"): void {
    this.by ??= by;
    this.#controller.abort();
  }
}

// ---- Transport ----

export interface StreamedBody {
  readonly length: number;
  open(): AsyncIterable<Uint8Array>;
}

export interface RequestOptions {
  /** Aborting ends the call at once with a CancelledError; its `sent` says if a write may have arrived all the same. */
  readonly signal?: AbortSignal | undefined;
  /** How long the answer to a write may still come after the abort, once it was sent. */
  readonly graceMs?: number | undefined;
}

/** Of a request that mails people. */
export interface SendOptions extends RequestOptions {
  /**
   * Asked right before the request starts, and before each piece of its body: once it answers false, nothing more leaves,
   * and the call fails with a TooLateError.
   */
  readonly mayLeave?: (() => boolean) | undefined;
}

export interface HttpRequest extends SendOptions {
  /** What an error calls it: method and address, without the query. */
  readonly endpoint: string;
  readonly method: "GET" | "POST";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | StreamedBody | undefined;
  /** On a connection of its own: a kept one may have died, and then nobody could tell if a write arrived. */
  readonly fresh?: boolean | undefined;
  readonly timeoutMs: number;
  /** Bytes of the answer. */
  readonly limit: number;
}

export interface Stream extends Pick<StreamedResponse, "status" | "headers" | "chunks"> {
  /** Aborted when it's cut short, be it read or not. */
  readonly cut: AbortSignal;
  end(): void;
}

interface TransportOptions {
  readonly maxConcurrency: number;
  readonly connect?: object | undefined;
  readonly clock: Clock;
  /** Told of the Date header of each answer. */
  readonly serviceClock: { note(dateHeader: string | undefined, receivedAt: number): void };
  readonly redactor: Redactor;
}

const CONNECT_TIMEOUT_MS = 10_000;
/** An error's body is a courtesy: this much of it is enough to quote. */
const ERROR_BODY_BYTES = 64 * 1024;

/** One request, one answer. Knows sockets, deadlines and sizes; neither keys nor retries. */
export class Transport {
  #agents: Promise<{ readonly kept: Agent; readonly fresh: Agent }> | undefined;
  readonly #closing = new AbortController();

  constructor(private readonly options: TransportOptions) {}

  /** Loaded with the first request: most processes of the plugin, a preview's above all, never make one. */
  async #load(): Promise<{ readonly kept: Agent; readonly fresh: Agent }> {
    const { Agent } = await import("undici");
    const { maxConcurrency, connect } = this.options;
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
  async open(request: HttpRequest, timeout: "whole" | "inactivity" = "whole"): Promise<Stream> {
    const progress = { sent: false };
    const deadline = new Deadline(request.signal, this.#closing.signal, released =>
      progress.sent && request.graceMs ? this.options.clock.wait(request.graceMs, released) : undefined,
    );
    deadline.start(request.timeoutMs);
    const fail = (error: unknown) => {
      deadline.release();
      return this.#failure(request, deadline, progress.sent, error);
    };
    try {
      if (deadline.signal.aborted) throw deadline.signal.reason;
      const response = await deadline.race(this.#dispatch(request, deadline.signal, progress));
      response.body.on("error", () => {});
      const headers = flatten(response.headers);
      this.options.serviceClock.note(headers["date"], this.options.clock.now());
      const chunks = limited(response.body, request, deadline, fail, timeout === "inactivity" ? request.timeoutMs : 0);
      const end = () => {
        response.body.destroy();
        deadline.release();
      };
      return { status: response.statusCode, headers, chunks, cut: deadline.signal, end };
    } catch (error) {
      throw fail(error);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const agents = await this.#agents;
    await Promise.all([agents?.kept.destroy(), agents?.fresh.destroy()]);
  }

  async #dispatch(
    request: HttpRequest,
    signal: AbortSignal,
    progress: { sent: boolean },
  ): Promise<Dispatcher.ResponseData> {
    this.#agents ??= this.#load();
    const { kept, fresh } = await this.#agents;
    const { body } = request;
    const streamed = body !== undefined && !Buffer.isBuffer(body);
    return (request.fresh ? fresh : kept).compose(watchStart(request, progress, signal)).request({
      origin: request.url.origin,
      path: request.url.pathname + request.url.search,
      method: request.method,
      headers: {
        ...request.headers,
        "accept-encoding": "identity",
        ...(streamed && { "content-length": String(body.length) }),
      },
      // undici takes any async iterable for a body; its types want a Readable.
      body: (streamed ? inTime(request, body) : (body ?? null)) as Buffer | null,
      signal,
      ...(request.fresh && { reset: true }),
    });
  }

  #failure(request: HttpRequest, deadline: Deadline, sent: boolean, error: unknown): ServiceError {
    if (deadline.by === "deadline") {
      const stage = sent ? "no complete answer" : "no connection";
      return new TimeoutError(`${request.endpoint}: ${stage} within ${request.timeoutMs / 1000} s`, sent);
    }
    if (deadline.by !== undefined) {
      return new CancelledError(
        `${request.endpoint}: the request was cancelled before ${sent ? "its answer came" : "it was sent"}`,
        sent,
      );
    }
    return error instanceof ServiceError ? error : transportError(request.endpoint, sent, error, this.options.redactor);
  }
}

export async function readText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString("utf8");
}

/**
 * undici calls onRequestStart when it has a connected socket and is about to write: what fails before has provably
 * not left. A second start would be a second sending, so it is refused.
 */
function watchStart(
  request: HttpRequest,
  progress: { sent: boolean },
  signal: AbortSignal,
): Dispatcher.DispatcherComposeInterceptor {
  return dispatch => (options, handler) =>
    dispatch(options, {
      onRequestStart(controller, context) {
        if (progress.sent || signal.aborted) throw new Error("a request starts once, and not after its end");
        assertInTime(request, false);
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

function assertInTime(request: HttpRequest, sent: boolean): void {
  if (request.mayLeave?.() === false)
    throw new TooLateError(
      `${request.endpoint}: too much time had passed ${sent ? "while" : "before"} it was sent`,
      sent,
    );
}

/** A process may be frozen half-way through an upload: what is left of it is cut off. */
async function* inTime(request: HttpRequest, body: StreamedBody): AsyncGenerator<Uint8Array> {
  for await (const piece of body.open()) {
    assertInTime(request, true);
    yield piece;
  }
}

/** What was asked for and no more of it, as it comes. */
async function* limited(
  body: Dispatcher.ResponseData["body"],
  { endpoint, limit }: HttpRequest,
  deadline: Deadline,
  fail: (error: unknown) => ServiceError,
  inactivityMs: number,
): AsyncGenerator<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  let size = 0;
  try {
    for (;;) {
      if (inactivityMs > 0) deadline.start(inactivityMs);
      const next = await deadline.race(iterator.next());
      if (next.done) return;
      if (inactivityMs > 0) deadline.pause();
      size += next.value.byteLength;
      if (size > limit)
        throw new TooLargeError(`${endpoint}: the answer is larger than ${Math.ceil(limit / 1e6)} MB and was dropped`);
      yield next.value;
    }
  } catch (error) {
    throw fail(error);
  } finally {
    body.destroy();
    deadline.release();
  }
}

/** The first words of an error. */
export async function readErrorText(stream: Stream): Promise<string> {
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

// ---- Remote files ----

type RemoteFile = { readonly bytes: Uint8Array } | { readonly wrong: string };

const MOST_REDIRECTS = 5;
const TIMEOUT_MS = 60_000;

/**
 * Fetches a public file, as the engine does to hash a remote asset. It carries no credentials of ours, so unlike the
 * service's own answers it may follow redirects.
 */
export async function fetchRemoteFile(address: string, largest: number): Promise<RemoteFile> {
  const { Agent } = await import("undici");
  const agent = new Agent({ connect: { timeout: TIMEOUT_MS } });
  try {
    let url = new URL(address);
    for (let hops = 0; hops <= MOST_REDIRECTS; hops++) {
      if (url.protocol !== "https:" && url.protocol !== "http:") {
        return { wrong: `expected https, got a remote asset with a ${url.protocol} address` };
      }
      const answer = await agent.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: "GET",
        headers: { "accept-encoding": "identity" },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const location = answer.headers["location"];
      if (answer.statusCode >= 300 && answer.statusCode < 400 && typeof location === "string") {
        await answer.body.dump();
        const next = new URL(location, url);
        // Whoever is in between could put another PDF in its place.
        if (url.protocol === "https:" && next.protocol === "http:")
          return { wrong: `expected https, got a remote asset that ${url.host} redirects to http` };
        url = next;
        continue;
      }
      if (answer.statusCode !== 200) {
        await answer.body.dump();
        return {
          wrong: `expected a PDF there, got a remote asset that ${url.host} answers with status ${answer.statusCode}`,
        };
      }
      return await bounded(answer.body, largest);
    }
    return { wrong: `expected the PDF's own address, got a remote asset behind more than ${MOST_REDIRECTS} redirects` };
  } catch (error) {
    return {
      wrong: `expected a PDF there, got a remote asset that can't be fetched (${String((error as { code?: unknown }).code ?? "no answer")})`,
    };
  } finally {
    await agent.destroy();
  }
}

async function bounded(body: Dispatcher.ResponseData["body"], largest: number): Promise<RemoteFile> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > largest) {
      body.destroy();
      return {
        wrong: `expected a PDF of at most ${Math.floor(largest / 1_000_000)} MB, got a larger one from a remote asset; a local file asset has no such limit`,
      };
    }
    chunks.push(chunk);
  }
  return { bytes: Buffer.concat(chunks) };
}

// ---- Hashes ----

/** SHA-256 in hex, as the service writes it. */
export async function hashOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of bytes) hash.update(chunk);
  return hash.digest("hex");
}
