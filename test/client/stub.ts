import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

type Reply = (response: ServerResponse, seen: Seen, request: IncomingMessage) => void | Promise<void>;

export interface Stub extends AsyncDisposable {
  readonly url: string;
  /** Requests in the order they were complete. */
  readonly seen: Seen[];
  /** Connections opened so far. */
  readonly connections: () => number;
}

/** A service that answers whatever the test says, and remembers what it was asked. */
export async function stub(reply: Reply): Promise<Stub> {
  const seen: Seen[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("error", () => {});
    request.on("data", part => parts.push(part));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const one = { method, url, headers, body: Buffer.concat(parts).toString() };
      seen.push(one);
      void reply(response, one, request);
    });
  });
  server.on("connection", () => connections++);
  const url = await listen(server);
  return {
    url,
    seen,
    connections: () => connections,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise(done => server.close(done));
    },
  };
}

export interface RawStub extends AsyncDisposable {
  readonly url: string;
  /** Request heads that arrived, over all connections. */
  readonly heads: string[];
}

/** A service at socket level: it gets each request's head and writes bytes, or resets, or stays silent. */
export async function rawStub(reply: (socket: Socket, nth: number, head: string) => void): Promise<RawStub> {
  const heads: string[] = [];
  const sockets = new Set<Socket>();
  const server = createTcpServer(socket => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    let text = "";
    socket.on("data", data => {
      text += data.toString("latin1");
      const end = text.indexOf("\r\n\r\n");
      if (end === -1) return;
      const head = text.slice(0, end);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (text.length < end + 4 + length) return;
      text = text.slice(end + 4 + length);
      heads.push(head);
      reply(socket, heads.length, head);
    });
  });
  const url = await listen(server as unknown as Server);
  return {
    url,
    heads,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise(done => server.close(done));
    },
  };
}

/** A service that drops the body it's sent, counting, and says that document 7 was created. */
export async function drain(count: (bytes: number) => void): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createTcpServer(socket => {
    socket.on("data", data => {
      count(data.length);
      if (data.subarray(-2).toString() === '"}') socket.end('HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\n{"id":7}');
    });
  });
  const url = await listen(server as unknown as Server);
  return { url, [Symbol.asyncDispose]: async () => void (await new Promise(done => server.close(done))) };
}

async function listen(server: Pick<Server, "listen" | "address">): Promise<string> {
  await new Promise<void>(done => server.listen(0, "127.0.0.1", done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export function json(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

export const ok = (response: ServerResponse, payload: unknown): void => json(response, { ok: true, payload });
