import type { ServerHttp2Session } from "node:http2";
import { setTimeout as pause } from "node:timers/promises";
import { pluginCalls, resourceCalls } from "./calls.js";
import { type Method, serveOn } from "./grpc.js";
import { listen } from "./listener.js";
import { EngineLog } from "./log.js";
import { EMPTY, SERVICE } from "./messages.js";
import type { PeerOf } from "./peers.js";
import type { Provider } from "./provider.js";
import { Session } from "./session.js";

export interface ServerOptions {
  /** Where the engine listens. Without one, Attach or Handshake say it. */
  readonly engineAddress?: string | undefined;
  /** Lines for the engine's log, while there is no engine. */
  readonly stderr?: (line: string) => void;
  /** After Cancel, and when the engine vanishes. Calls in flight are already aborted. */
  readonly onEnd?: (why: string) => void;
  /** For tests: who is at the other end of a connection. */
  readonly peerOf?: PeerOf | undefined;
}

export interface RunningServer {
  readonly port: number;
  /** Aborts every call, waits a moment for their answers, and closes. Once. */
  stop(why: string): Promise<void>;
}

/** How long cancelled calls may take to answer: most end at once, and a create that was sent may still be answered. */
const GRACE_MS = 4_500;
const CLOSE_MS = 200;

/** Serves the provider on loopback. Knows nothing about the process it runs in. */
export async function startServer(provider: Provider, options: ServerOptions = {}): Promise<RunningServer> {
  const { stderr = () => {}, onEnd = () => {} } = options;
  const end = (why: string) => {
    session.cancel(why);
    onEnd(why);
  };
  const log = new EngineLog({ stderr, onGone: () => end("the engine is gone") });
  const session = new Session(log, provider);

  // A plugin in debug mode is attached again after each deployment's Cancel.
  const attach = session.method(
    SERVICE.attach,
    ({ address }) => {
      session.begin(address);
      return EMPTY;
    },
    { always: true },
  );
  // Outside the session: the engine waits for this answer, and then ends the process: what is in flight answers first.
  const cancel: Method = async () => {
    const why = "the deployment was cancelled";
    session.cancel(why);
    await within(GRACE_MS, session.allAnswered());
    setImmediate(end, why);
    return [EMPTY];
  };
  const methods: Readonly<Record<keyof typeof SERVICE, Method>> = {
    ...pluginCalls(provider, session),
    ...resourceCalls(provider, session),
    attach,
    cancel,
  };
  const byPath = new Map(
    Object.entries(SERVICE).map(([name, { path }]) => [path, methods[name as keyof typeof SERVICE]]),
  );

  const open = new Set<ServerHttp2Session>();
  const listener = await listen({
    serve: socket => {
      const connection = serveOn(socket, byPath);
      open.add(connection);
      connection.once("close", () => open.delete(connection));
    },
    oneEngine: options.engineAddress !== undefined,
    say: stderr,
    peerOf: options.peerOf,
  });
  if (options.engineAddress) log.attach(options.engineAddress);

  let stopped: Promise<void> | undefined;
  async function stop(why: string): Promise<void> {
    session.cancel(why);
    await within(GRACE_MS, session.allAnswered());
    await within(CLOSE_MS, Promise.allSettled([provider.close()]));
    const ended = listener.close();
    for (const connection of open) connection.close();
    await within(CLOSE_MS, ended);
    for (const connection of open) connection.destroy();
    log.close();
  }
  return { port: listener.port, stop: why => (stopped ??= stop(why)) };
}

const within = (ms: number, work: Promise<unknown>): Promise<unknown> =>
  Promise.race([work, pause(ms, undefined, { ref: false })]);
