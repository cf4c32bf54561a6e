import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { setImmediate } from "node:timers/promises";
import type { SandboxContext } from "../context.js";
import type { RouteResponse } from "../routes/route.js";
import { type Fault, resetPoint } from "./fault.js";
import { text } from "./reshape.js";

interface Delivery {
  response: ServerResponse;
  socket: Socket;
  answer: RouteResponse;
  fault: Fault | undefined;
  context: SandboxContext;
  /** Called when half of the body is out. */
  halfway: (() => Promise<void>) | undefined;
}

/** Sends an answer, as far and as fast as the fault allows. */
export async function deliver(delivery: Delivery): Promise<void> {
  const { response, socket, answer, fault, context } = delivery;
  if (fault?.kind === "raw") return void socket.end(Buffer.from(fault.body ?? "", "latin1"));
  response.statusCode = answer.status;
  response.setHeader("Date", new Date(context.clock.now() + context.settings.dateAhead).toUTCString());
  for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
  // Whoever asked may go away first.
  if (!Buffer.isBuffer(answer.body)) return pipeline(answer.body, response).catch(() => {});
  const partly = delivery.halfway || fault?.kind === "stall" || resetPoint(fault) === "mid-body";
  if (!partly && fault?.kind !== "drip") return void response.end(answer.body);
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

async function drip({ response, fault, context }: Delivery, body: Buffer): Promise<void> {
  for (const byte of body) {
    if (response.destroyed) return;
    response.write(Buffer.from([byte]));
    await (fault?.ms ? context.clock.sleep(fault.ms) : setImmediate());
  }
  response.end();
}
