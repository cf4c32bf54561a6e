import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { SandboxContext } from "./context.js";
import { ownIdsIn } from "./dialect/ids.js";
import type { TriggeredFaults } from "./faults/book.js";
import { deliver } from "./faults/delivery.js";
import { type Fault, type HoldPoint, losesTheAnswer, resetPoint } from "./faults/fault.js";
import { reshape } from "./faults/reshape.js";
import { recordedAnswer, recordedBody, type SeenRequest, seenRequest } from "./history.js";
import { answerOf, findRoute } from "./processing.js";
import { Refusal } from "./refusal.js";
import { nothing, type RouteResponse, refused, send } from "./routes/route.js";
import type { Sandbox } from "./sandbox.js";
import { readBody, type Target } from "./server.js";
import { bodyFrom, type RequestBody } from "./upload.js";

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  target: Target;
  seen: SeenRequest;
  body: RequestBody;
}

const unprocessed = new Set<Fault["kind"]>(["status", "never", "redirect"]);

/** One request and its answer: read, process, answer, with fault and pauses in between where a test asked for it. */
export class Exchanges {
  readonly #usedSockets = new WeakSet<Socket>();
  readonly #staleSockets = new WeakSet<Socket>();

  /** `keepsAnswers`: the history says what was answered. */
  constructor(
    private readonly sandbox: Sandbox,
    private readonly context: SandboxContext,
    private readonly keepsAnswers: boolean,
  ) {}

  async answer(request: IncomingMessage, response: ServerResponse, target: Target): Promise<void> {
    const { context } = this;
    const { faults } = this.sandbox;
    const { socket } = request;
    const seen = this.#record(request, target);
    if (this.#staleSockets.has(socket)) {
      seen.fault = "stale-socket";
      return void socket.resetAndDestroy();
    }
    const early = faults.trigger(seen, "headers");
    seen.fault = early.fault?.kind ?? null;
    await stopAt("headers", early, seen);
    if (early.fault) return void socket.resetAndDestroy();
    const text = await readBody(request).catch((error: unknown) => {
      if (error instanceof Refusal) {
        seen.status = error.status;
        send(response, refused(error));
      }
    });
    if (text === undefined || context.clock.stopped) return;
    const body = bodyFrom(ownIdsIn(text, context.settings.ids));
    seen.body = recordedBody(body);
    await this.#respond({ request, response, target, seen, body });
  }

  async #respond(exchange: Exchange): Promise<void> {
    const { request, response, seen } = exchange;
    const { socket } = request;
    const { context } = this;
    const triggered = this.sandbox.faults.trigger(seen, "body");
    const { fault, holds } = triggered;
    seen.fault = fault?.kind ?? null;
    await context.clock.sleep(context.settings.latency);
    if (fault?.kind === "delay") await context.clock.sleep(fault.ms ?? 0);
    await stopAt("before", triggered, seen);
    if (context.clock.stopped) return;
    if (resetPoint(fault) === "before") return void socket.resetAndDestroy();
    const answer = await this.#process(exchange, fault);
    await stopAt("after", triggered, seen);
    if (context.clock.stopped || fault?.kind === "never") return;
    if (resetPoint(fault) === "after") return void socket.resetAndDestroy();
    if (fault?.kind === "stale-socket") this.#staleSockets.add(socket);
    if (fault?.kind !== "raw") seen.status = answer.status;
    if (this.keepsAnswers) seen.answer = recordedAnswer(answer);
    const stopsHalfway = holds.some(hold => hold.at === "mid-body");
    const halfway = stopsHalfway ? () => stopAt("mid-body", triggered, seen) : undefined;
    await deliver({ response, socket, answer, fault, context, halfway });
  }

  async #process({ request, target, seen, body }: Exchange, fault: Fault | undefined): Promise<RouteResponse> {
    const { context, sandbox } = this;
    const refusal = sandbox.faults.refusal(seen, context.clock.now());
    if (refusal) {
      seen.fault = "rate-limit";
      return refusal;
    }
    let answer = nothing(200);
    if (fault?.processed ?? !(fault && unprocessed.has(fault.kind))) {
      const work = (): RouteResponse => {
        seen.processed = true;
        return answerOf(context, request, target, body, fault);
      };
      const late = seen.route === "createDocument" && losesTheAnswer(fault) ? context.settings.createLate : 0;
      if (late > 0) void this.#later(late, work);
      else answer = work();
      await sandbox.save();
    }
    if (!fault) return answer;
    return reshape(fault, answer, { origin: context.origin, path: target.path, now: context.clock.now() });
  }

  async #later(milliseconds: number, work: () => RouteResponse): Promise<void> {
    const { clock } = this.context;
    await clock.sleep(milliseconds);
    if (clock.stopped) return;
    work();
    await this.sandbox.save();
  }

  #record(request: IncomingMessage, target: Target): SeenRequest {
    const { history, clock } = this.sandbox;
    const found = findRoute(request.method ?? "GET", target.path);
    const seen = seenRequest(request, target, {
      number: history.length + 1,
      at: new Date(clock.now()).toISOString(),
      route: "route" in found ? found.route.name : null,
      reusedSocket: this.#usedSockets.has(request.socket),
    });
    history.push(seen);
    this.#usedSockets.add(request.socket);
    return seen;
  }
}

async function stopAt(point: HoldPoint, triggered: TriggeredFaults, seen: SeenRequest): Promise<void> {
  for (const hold of triggered.holds) if (hold.at === point) await hold.stop(seen);
}
