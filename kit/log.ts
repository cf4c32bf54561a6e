import { Connection } from "./grpc.js";
import type { Provider } from "./provider.js";
import type { Log } from "./resource.js";
import { printable } from "./text.js";
import { Writer } from "./wire.js";

export interface Line {
  readonly severity: "debug" | "info" | "warning";
  readonly message: string;
  readonly urn: string;
  /** A passing line in the resource's row. */
  readonly ephemeral: boolean;
}

/** A line the engine doesn't take within this time is given up. */
const LINE_DEADLINE_MS = 5_000;

/**
 * The engine this process works for: lines go to its log one after the other, in order, and it is known when
 * it goes away. Nothing here ever fails a call.
 */
export class EngineLog {
  #engine: Connection | undefined;
  #last: Promise<void> = Promise.resolve();

  /** Lines from before the engine is known go to `stderr`. `onGone`: an engine that was there is there no more. */
  constructor(private readonly options: { stderr: (line: string) => void; onGone?: () => void }) {}

  attach(address: string): void {
    this.close();
    this.#engine = new Connection(address, () => this.options.onGone?.());
  }

  /** Resolves when the engine has the line, or never will. */
  write(line: Line): Promise<void> {
    const message = printable(line.message);
    const engine = this.#engine;
    if (!engine) {
      if (line.severity !== "debug") this.options.stderr(line.severity === "warning" ? `warning: ${message}` : message);
      return Promise.resolve();
    }
    this.#last = this.#last.then(() =>
      engine.send("/pulumirpc.Engine/Log", written({ ...line, message }), LINE_DEADLINE_MS),
    );
    return this.#last;
  }

  close(): void {
    this.#engine?.close();
    this.#engine = undefined;
  }
}

interface CallLogOptions {
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
  /** Without one, facts are left out. */
  readonly write?: NonNullable<Provider["facts"]>["write"] | undefined;
}

/** A call's way to the log. What a preview says has arrived, or was given up, once it is flushed. */
export function callLog(
  log: EngineLog,
  urn: string,
  { redact, write: withFacts = words => words }: CallLogOptions,
): Required<Log> {
  let last: Promise<void> | undefined;
  const write =
    (severity: Line["severity"], ephemeral: boolean) =>
    (words: string, facts: object = {}) => {
      last = log.write({ severity, message: withFacts(redact(words), facts, redact), urn, ephemeral });
    };
  return {
    info: write("info", false),
    // Never the engine's ERROR: it is printed as a failure, and doesn't fail the deployment.
    warn: write("warning", false),
    progress: write("info", true),
    debug: write("debug", false),
    flush: async () => last,
  };
}

/** `LogSeverity` */
const SEVERITY = { debug: 0, info: 1, warning: 2 } as const;

/** `LogRequest` */
const written = ({ severity, message, urn, ephemeral }: Line): Buffer =>
  new Writer().integer(1, SEVERITY[severity]).text(2, message).text(3, urn).bool(5, ephemeral).finish();
