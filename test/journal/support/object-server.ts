import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** As much of S3 as a journal needs: objects that are read and replaced on conditions. */
export interface ObjectServer extends AsyncDisposable {
  readonly endpoint: string;
  readonly objects: Map<string, string>;
  /** Off: conditions are ignored, as some services do. */
  keepsConditions: boolean;
  /** The answers to so many requests that have been carried out are lost. */
  lostAnswers: number;
  readonly requests: string[];
}

export async function startObjectServer(): Promise<ObjectServer> {
  const objects = new Map<string, string>();
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const key = new URL(request.url ?? "", "http://s3").pathname;
    const body = await textOf(request);
    requests.push(`${request.method} ${key}`);
    const there = objects.get(key);
    const status =
      request.method === "PUT" ? put(request, key, body) : there === undefined ? 404 : read(request, there);
    if (state.lostAnswers > 0 && request.method === "PUT") {
      state.lostAnswers--;
      request.socket.destroy();
      return;
    }
    const now = objects.get(key);
    if (now !== undefined) response.setHeader("ETag", tagOf(now));
    response.statusCode = status;
    if (status === 200 && request.method === "GET") response.end(now);
    else if (status >= 400)
      response.end(`<Error><Code>${status === 404 ? "NoSuchKey" : "PreconditionFailed"}</Code></Error>`);
    else response.end();
  });

  function put(request: IncomingMessage, key: string, body: string): number {
    const there = objects.get(key);
    const { "if-match": match, "if-none-match": noneMatch } = request.headers;
    if (state.keepsConditions && noneMatch === "*" && there !== undefined) return 412;
    if (state.keepsConditions && match !== undefined && there === undefined) return 404;
    if (state.keepsConditions && match !== undefined && match !== tagOf(there ?? "")) return 412;
    objects.set(key, body);
    return 200;
  }

  const read = (request: IncomingMessage, there: string) =>
    request.headers["if-none-match"] === tagOf(there) ? 304 : 200;

  const state: ObjectServer = {
    endpoint: "",
    objects,
    requests,
    keepsConditions: true,
    lostAnswers: 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(state, { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

const tagOf = (text: string): string => `"${createHash("md5").update(text).digest("hex")}"`;

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
