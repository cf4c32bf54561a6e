import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import type { Clock } from "../clock.js";
import type { RouteResponse } from "../routes/route.js";
import { type Fault, resetPoint } from "./fault.js";
import { text } from "./reshape.js";

export interface Delivery {
  response: ServerResponse;
  socket: Socket;
  answer: RouteResponse;
  fault: Fault | undefined;
  clock: Clock;
  /** Milliseconds the header Date is ahead of the clock. */
  dateAhead: number;
  /** Called when half of the body is out. */
  halfway: (() => Promise<void>) | undefined;
}

/** Sends an answer, as far and as fast as the fault allows. */
export async function deliver(delivery: Delivery): Promise<void> {
  const { response, answer, fault } = delivery;
  if (fault?.kind === "raw") return writeRaw(delivery.socket, fault.body ?? "");
  response.statusCode = answer.status;
  for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
  if (!response.hasHeader("Date"))
    response.setHeader("Date", new Date(delivery.clock.now() + delivery.dateAhead).toUTCString());
  if (!Buffer.isBuffer(answer.body)) return stream(response, answer.body);
  const partly = delivery.halfway || fault?.kind === "stall" || resetPoint(fault) === "mid-body";
  if (!partly && fault?.kind !== "drip") {
    response.end(answer.body);
    return;
  }
  const body = text(answer);
  if (body.length > 0) response.setHeader("Content-Length", body.length);
  if (fault?.kind === "drip") return drip(delivery, body);
  await deliverHalf(delivery, body);
}

async function deliverHalf({ response, socket, fault, halfway }: Delivery, body: Buffer): Promise<void> {
  const half = fault?.bytes ?? Math.floor(body.length / 2);
  response.flushHeaders();
  if (half > 0) await new Promise<void>(resolve => response.write(body.subarray(0, half), () => resolve()));
  await halfway?.();
  if (fault?.kind === "stall") return;
  if (resetPoint(fault) === "mid-body") socket.resetAndDestroy();
  else response.end(body.subarray(half));
}

async function drip({ response, fault, clock }: Delivery, body: Buffer): Promise<void> {
  for (const byte of body) {
    if (response.destroyed) return;
    response.write(Buffer.from([byte]));
    await (fault?.ms ? clock.sleep(fault.ms) : setImmediate());
  }
  response.end();
}

async function stream(response: ServerResponse, pieces: Iterable<Buffer>): Promise<void> {
  const closed = once(response, "close");
  for (const piece of pieces) {
    if (response.destroyed) return;
    if (!response.write(piece)) await Promise.race([once(response, "drain"), closed]);
  }
  response.end();
}

function writeRaw(socket: Socket, bytes: string): void {
  socket.end(Buffer.from(bytes, "latin1"));
}
