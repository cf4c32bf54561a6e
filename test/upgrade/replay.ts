import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { API_KEY, type Recording, SERVICE } from "./recorder/recording.js";

/** The service as a recording knows it: it answers what it was asked then, and refuses all else. */
export interface Replay extends AsyncDisposable {
  readonly url: string;
  /** What was asked since the last look, as `GET /v1/documents/1`, each once. */
  asked(): string[];
}

export async function startReplay(answers: Recording["answers"]): Promise<Replay> {
  let requests: string[] = [];
  const server = createServer((incoming, response) => {
    const request = `${incoming.method} ${incoming.url}`;
    const answer = answers[request];
    const known = answer !== undefined && incoming.headers["x-api-key"] === API_KEY;
    requests.push(known ? request : `${request} (not in the recording)`);
    response.writeHead(known ? 200 : 403, { "content-type": "application/json" });
    response.end(known ? String(answer).replaceAll(SERVICE, url) : '{"message":"not in the recording"}');
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    asked() {
      const since = [...new Set(requests)].sort();
      requests = [];
      return since;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(closed => server.close(closed));
    },
  };
}
