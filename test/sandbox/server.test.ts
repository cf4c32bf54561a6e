import { connect } from "node:net";
import { expect, test } from "vitest";
import { listen } from "../../sandbox/server.js";

test.each([
  ["its headers", "POST /v1/documents HTTP/1.1\r\nHost: x\r\nX-Slow: "],
  ["its body", "POST /v1/documents HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"],
])("a request that never ends %s is given up", async (_part, text) => {
  const server = await listen({
    ...{ host: "127.0.0.1", port: 0, tls: undefined },
    timeouts: { requestTimeout: 20, headersTimeout: 10, connectionsCheckingInterval: 5 },
    async answer(request) {
      for await (const _ of request);
    },
  });
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  socket.write(text);
  let answer = "";
  // A connection that is ended with something unread may be reset, and the answer lost with it.
  const end = await (async () => {
    for await (const chunk of socket) answer += chunk;
  })().catch((error: NodeJS.ErrnoException) => error.code);
  if (end !== "ECONNRESET") expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  await server.close();
});
