import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { ServiceClock } from "./clock.js";
import type { Dialect } from "./dialect.js";
import type { Fault } from "./faults.js";
import type { Gates } from "./gates.js";
import type { Hand } from "./json.js";
import type { RequestRecord } from "./requests.js";
import { bodyOf, type HttpResponse, typeOf } from "./response.js";
import { instead, spoil } from "./spoil.js";

type Broken = Extract<RequestRecord["outcome"], "broken" | "hanging">;

/** The last stretch: an answer, or what is left of it, onto the socket. */
export class Delivery {
  readonly gone: Promise<void>;

  constructor(
    incoming: IncomingMessage,
    private readonly response: ServerResponse,
    private readonly request: RequestRecord,
    private readonly service: { dialect: Dialect; clock: ServiceClock; gates: Gates; hand: Hand },
    private readonly over: () => void,
  ) {
    response.sendDate = false;
    response.on("error", () => {});
    incoming.on("error", () => {});
    this.gone = new Promise(tell => {
      response.once("close", () => {
        if (request.outcome === "open") {
          if (response.writableFinished) request.outcome = "answered";
          else request.outcome = request.complete ? "client gone" : "upload aborted";
          over();
        }
        tell();
      });
    });
  }

  /** A fault that needs no answer of the service: it breaks the connection or says something else. */
  async mishap(fault: Fault): Promise<void> {
    if (fault.kind === "reset") return this.cut();
    if (fault.kind === "hang") return this.#end("hanging");
    if (fault.kind === "close") return this.#end("broken", () => this.response.socket?.end());
    if (fault.kind === "raw") return this.#end("broken", () => this.response.socket?.end(fault.bytes));
    const answer = instead(fault, this.service.dialect);
    if (answer) await this.send(answer);
  }

  /** The service's answer, through the fault if there is one. */
  async answer(answer: HttpResponse, fault: Fault | undefined, neighbour: string | undefined): Promise<void> {
    if (!fault) return this.send(answer);
    if ("when" in fault) return this.mishap(fault);
    const body = bodyOf(answer, this.service.hand);
    const half = this.#head(answer, body, [["content-length", String(body.length)]], body.length / 2);
    switch (fault.kind) {
      case "reset-mid-body":
        return this.#end("broken", socket => socket.write(half, () => socket.resetAndDestroy()));
      case "close-mid-body":
        return this.#end("broken", socket => socket.end(half));
      case "hang-mid-body":
        return this.#end("hanging", socket => socket.write(half));
      case "duplicate-content-length": {
        const lengths = [body.length, fault.differing ? body.length + 7 : body.length];
        const twice = lengths.map((length): [string, string] => ["content-length", String(length)]);
        return this.#end("broken", socket => socket.end(this.#head(answer, body, twice, body.length)));
      }
      case "drip":
        return this.send(answer, fault);
      case "die-after-answer": {
        const { socket } = this.response;
        await this.send(answer);
        this.response.once("close", () => socket?.destroy());
        return;
      }
      default:
        return this.send(spoil(answer, fault, this.service.hand, neighbour));
    }
  }

  async send(answer: HttpResponse, drip?: { bytes: number; everyMs: number }): Promise<void> {
    const { response } = this;
    if (response.destroyed) return;
    const body = bodyOf(answer, this.service.hand);
    this.request.status = answer.status;
    const bodyless = answer.status === 204 || answer.status === 304;
    const { framing } = this.service.dialect;
    const length = bodyless || framing !== "length" ? {} : { "content-length": String(body.length) };
    response.writeHead(answer.status, { ...this.#headers(answer), ...length });
    response.flushHeaders();
    if ((await this.service.gates.pass("answered-headers", this.request, this.gone)) === "cut") return this.cut();
    for (let at = 0; drip && at < body.length && !response.destroyed; at += drip.bytes) {
      response.write(body.subarray(at, at + drip.bytes));
      await Promise.race([pause(drip.everyMs, undefined, { ref: false }), this.gone]);
    }
    if (!response.destroyed) response.end(drip || bodyless ? undefined : body);
  }

  cut(): void {
    this.#end("broken", socket => socket.resetAndDestroy());
  }

  #end(outcome: Broken, act: (socket: NonNullable<ServerResponse["socket"]>) => void = () => {}): void {
    const { socket } = this.response;
    if (!socket || socket.destroyed) return;
    this.request.outcome = outcome;
    act(socket);
    this.over();
  }

  #headers(answer: HttpResponse): Record<string, string> {
    const { date } = this.service.dialect;
    const ahead = typeof date === "object" && "aheadMs" in date ? date.aheadMs : 0;
    const shown = typeof date === "object" && "always" in date ? date.always : this.service.clock.now() + ahead;
    const type = typeOf(answer);
    return {
      ...(date !== "none" && {
        date: date === "garbage" ? "yesterday-ish" : new Date(shown).toUTCString(),
      }),
      ...(type !== undefined && { "content-type": type }),
      "x-yak": "0.9",
      ...answer.headers,
    };
  }

  /** Head and so much of the body, as bytes; with no body to cut, half of the head. */
  #head(answer: HttpResponse, body: Buffer, lengths: [string, string][], upTo: number): Buffer {
    this.request.status = answer.status;
    const fields = [...Object.entries(this.#headers(answer)), ...lengths].map(([name, value]) => `${name}: ${value}`);
    const reason = STATUS_CODES[answer.status] ?? "Whatever";
    const head = Buffer.from(`HTTP/1.1 ${answer.status} ${reason}\r\n${fields.join("\r\n")}\r\n\r\n`);
    if (body.length === 0) return head.subarray(0, head.length / 2);
    return Buffer.concat([head, body.subarray(0, Math.floor(upTo))]);
  }
}
