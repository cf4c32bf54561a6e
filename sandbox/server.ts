import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { Refusal } from "./refusal.js";

export interface Listening {
  url: string;
  close(): Promise<void>;
}

interface ListenOptions {
  host: string;
  port: number;
  tls: { key: string; cert: string } | undefined;
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** How long a request may take to come: unless given, what Node thinks right. */
  timeouts?: ServerOptions;
}

/** Listens, and on closing leaves no connection behind. */
export async function listen({ host, port, tls, answer, timeouts }: ListenOptions): Promise<Listening> {
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    request.on("error", () => {});
    response.on("error", () => {});
    answer(request, response).catch((error: unknown) => {
      response.destroy();
      console.error("docsign sandbox:", error);
    });
  };
  const options = { keepAliveTimeout: 60_000, ...timeouts };
  const server: Server = tls ? createTlsServer({ ...tls, ...options }, onRequest) : createServer(options, onRequest);
  server.on("connection", (socket: Socket) => socket.on("error", () => {}));
  await once(server.listen(port, host), "listening");
  const { port: listensOn } = server.address() as AddressInfo;
  return {
    url: `${tls ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${listensOn}`,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A PDF is a third larger in base64: 96 MB of it. */
const LARGEST_MB = 128;

/** Fails if the client goes away before all of it has come. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > LARGEST_MB * 1024 * 1024)
      throw new Refusal(413, "too_large", `The body has more than ${LARGEST_MB} MB`, [], { Connection: "close" });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** What a request asks for, exactly as it was sent: dots and escapes in the path are left alone. */
export interface Target {
  path: string;
  query: URLSearchParams;
}

export function targetOf(sent: string): Target {
  const mark = sent.indexOf("?");
  if (mark === -1) return { path: sent, query: new URLSearchParams() };
  return { path: sent.slice(0, mark), query: new URLSearchParams(sent.slice(mark)) };
}
