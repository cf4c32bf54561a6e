import type { handleServerStreamingCall, handleUnaryCall, ServerUnaryCall, ServiceError } from "@grpc/grpc-js";
import { decode } from "./codec.js";
import { type CallLog, callLog, type EngineLog } from "./log.js";
import type { Struct } from "./messages.js";
import type { Provider } from "./provider.js";
import type { Call } from "./resource.js";
import type { Bag } from "./secrets.js";
import { redact, secretTexts } from "./secrets.js";
import { toStatus } from "./status.js";

/** What one call may ask of the session. */
export interface CallContext {
  /** Decodes, and from then on keeps what is secret in there out of this call's log and errors. */
  open(struct: Struct | undefined): Bag;
  call(urn: string, options?: { preview?: boolean; timeoutSeconds?: number }): Call;
  redact(text: string): string;
}

/** Answers with a written message. */
type Handler<Request, Response = Buffer> = (request: Request, context: CallContext) => Response | Promise<Response>;

/** What is common to calls with one answer and with several. */
type Incoming<Request> = Pick<ServerUnaryCall<Request, unknown>, "request" | "on">;

/** What outlives a call: the engine's abilities, its log, the calls in flight and their cancellation. */
export class Session {
  /** Whether the engine understands wrapped secrets. Those that shake hands all do. */
  acceptsSecrets = false;
  readonly #inFlight = new Set<Promise<unknown>>();
  readonly #configured = new Set<string>();
  #cancellation = new AbortController();

  constructor(
    private readonly log: EngineLog,
    private readonly provider: Pick<Provider, "name" | "statusOf" | "keptWhole" | "facts" | "ready">,
  ) {}

  /** An engine says hello. In debug mode it may be the next one, after an earlier deployment's Cancel. */
  begin(engineAddress?: string): void {
    if (engineAddress) this.log.attach(engineAddress);
    if (this.#cancellation.signal.aborted) this.#cancellation = new AbortController();
  }

  /** Secrets of the configuration stay out of every call's log and errors. */
  keepSecret(bag: Bag): void {
    for (const text of secretTexts(bag)) this.#configured.add(text);
  }

  cancel(reason: string): void {
    this.#cancellation.abort(new DOMException(reason, "AbortError"));
  }

  /** Whether no call is in flight: an engine that has come to its end has none. */
  get idle(): boolean {
    return this.#inFlight.size === 0;
  }

  /** Resolves when every call has been answered. */
  async settled(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.allSettled(this.#inFlight);
  }

  /** A gRPC method from a function that returns or throws. After Cancel it's refused, unless it is `always` welcome. */
  unary<Request>(handler: Handler<Request>, { always = false } = {}): handleUnaryCall<Request, Buffer> {
    return (call, answer) => {
      const work = this.#run(call, handler, always).then(
        response => answer(null, response),
        (error: Partial<ServiceError>) => answer(error),
      );
      this.#inFlight.add(work);
      void work.finally(() => this.#inFlight.delete(work));
    };
  }

  /** A gRPC method that answers with several messages. */
  streaming<Request>(handler: Handler<Request, readonly Buffer[]>): handleServerStreamingCall<Request, Buffer> {
    return call => {
      const work = this.#run(call, handler, false).then(
        responses => {
          for (const response of responses) call.write(response);
          call.end();
        },
        (error: Partial<ServiceError>) => call.emit("error", error),
      );
      this.#inFlight.add(work);
      void work.finally(() => this.#inFlight.delete(work));
    };
  }

  /** Rejects with a status. */
  async #run<Request, Response>(
    call: Incoming<Request>,
    handler: Handler<Request, Response>,
    always: boolean,
  ): Promise<Response> {
    const gone = new AbortController();
    // grpc-js says so after an answer, too; by then nobody listens.
    let answered = false;
    call.on("cancelled", () => answered || gone.abort(new DOMException("the engine gave the call up", "AbortError")));
    const signal = AbortSignal.any([this.#cancellation.signal, gone.signal]);
    const hidden = new Set(this.#configured);
    const hide = (text: string) => redact(text, hidden);
    const secrets = new Set<string>();
    const logs: CallLog[] = [];
    try {
      if (!always) {
        await this.provider.ready?.();
        signal.throwIfAborted();
      }
      return await handler(call.request, {
        open: struct => {
          const bag = decode(struct);
          for (const text of secretTexts(bag)) hidden.add(text);
          for (const [name] of bag.secrets) secrets.add(String(name));
          return bag;
        },
        call: (urn, { preview = false, timeoutSeconds = 0 } = {}) => {
          const log = callLog(this.log, urn, { redact: hide, write: this.provider.facts?.write });
          logs.push(log);
          return {
            urn,
            preview,
            signal,
            log,
            secrets,
            ...(timeoutSeconds > 0 && { timeoutMs: timeoutSeconds * 1000 }),
          };
        },
        redact: hide,
      });
    } catch (error) {
      const note = this.provider.facts?.noteOf(error);
      if (note) logs.at(-1)?.info(note.words, note.facts);
      const { name, statusOf, keptWhole } = this.provider;
      throw toStatus(error, { provider: name, cancelled: signal.aborted, statusOf, keptWhole, redact: hide });
    } finally {
      answered = true;
      await Promise.all(logs.map(log => log.flush()));
    }
  }
}
