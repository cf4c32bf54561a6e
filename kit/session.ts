import { decode } from "./codec.js";
import type { Method } from "./grpc.js";
import { callLog, type EngineLog } from "./log.js";
import type { Struct } from "./messages.js";
import type { Provider } from "./provider.js";
import { type Call, UserError } from "./resource.js";
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

/** Answers with a written message, or with several. */
type Handler<Request> = (
  request: Request,
  context: CallContext,
) => Buffer | readonly Buffer[] | Promise<Buffer | readonly Buffer[]>;

/** What outlives a call: the engine's abilities, its log, the calls in flight and their cancellation. */
export class Session {
  /** Whether the engine understands wrapped secrets. Those that shake hands all do. */
  acceptsSecrets = false;
  readonly #inFlight = new Map<AbortController, Promise<unknown>>();
  readonly #configured = new Set<string>();
  #cancelled: DOMException | undefined;
  /** The engine that said hello last, and the one that has configured the provider for its deployment. */
  #engine: string | undefined;
  #deployment: string | undefined;

  constructor(
    private readonly log: EngineLog,
    private readonly provider: Pick<Provider, "name" | "statusOf" | "keptWhole" | "facts" | "ready" | "begin">,
  ) {}

  /** An engine says hello. In debug mode it may be the next one, once the deployment before has ended. */
  begin(engineAddress?: string): void {
    if (engineAddress) {
      if (!this.#cancelled && this.#deployment !== undefined && this.#deployment !== engineAddress)
        throw new UserError(
          `this process serves a deployment of the engine at ${this.#deployment}: start another one for the engine at ${engineAddress}, or wait until that deployment has ended`,
        );
      this.log.attach(engineAddress);
    }
    this.#engine = engineAddress;
    if (!this.#cancelled) return;
    this.#cancelled = undefined;
    this.#deployment = undefined;
    this.provider.begin?.();
  }

  /** The engine that said hello begins its deployment: others only ask for the schema. */
  configured(): void {
    this.#deployment = this.#engine;
  }

  /** Secrets of the configuration stay out of every call's log and errors. */
  keepSecret(bag: Bag): void {
    for (const text of secretTexts(bag)) this.#configured.add(text);
  }

  cancel(reason: string): void {
    this.#cancelled ??= new DOMException(reason, "AbortError");
    for (const call of this.#inFlight.keys()) call.abort(this.#cancelled);
  }

  /** Resolves when every call has been answered. */
  async allAnswered(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.allSettled(this.#inFlight.values());
  }

  /** A gRPC method from a function that answers or throws. After Cancel it's refused, unless it is `always` welcome. */
  method<Request>(
    { read }: { read(bytes: Buffer): Request },
    handler: Handler<Request>,
    { always = false } = {},
  ): Method {
    return (bytes, gone) => {
      if (this.#cancelled) gone.abort(this.#cancelled);
      const work = this.#run(() => read(bytes), gone.signal, handler, always);
      this.#inFlight.set(gone, work);
      const end = () => void this.#inFlight.delete(gone);
      work.then(end, end);
      return work;
    };
  }

  async #run<Request>(
    read: () => Request,
    signal: AbortSignal,
    handler: Handler<Request>,
    always: boolean,
  ): Promise<readonly Buffer[]> {
    const hidden = new Set(this.#configured);
    const hide = (text: string) => redact(text, hidden);
    const secrets = new Set<string>();
    const logs: ReturnType<typeof callLog>[] = [];
    try {
      if (!always) {
        await this.provider.ready?.();
        signal.throwIfAborted();
      }
      const answer = await handler(read(), {
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
      return Buffer.isBuffer(answer) ? [answer] : answer;
    } catch (error) {
      const note = this.provider.facts?.noteOf(error);
      if (note) logs.at(-1)?.info(note.words, note.facts);
      const { name, statusOf, keptWhole } = this.provider;
      throw toStatus(error, { provider: name, cancelled: signal.aborted, statusOf, keptWhole, redact: hide });
    } finally {
      await Promise.all(logs.map(log => log.flush()));
    }
  }
}
