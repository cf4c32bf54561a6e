import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { hashOf } from "../../provider/client/transport.js";
import { documentBody, failure, KEY, testService } from "./setup.js";
import { ok, rawStub, stub } from "./stub.js";

const PDF = Buffer.from("%PDF-1.7 signed");

test.each([
  ["a whole address", (url: string) => `${url}/files/1.pdf?sig=a`, "/files/1.pdf?sig=a"],
  ["a path", () => "/files/1.pdf", "/files/1.pdf"],
  ["a path under base_url", () => "files/1.pdf", "/sign/files/1.pdf"],
  ["a fragment", (url: string) => `${url}/files/1.pdf#page=2`, "/files/1.pdf"],
])("%s is read, without the key unless it's asked for", async (_name, address, path) => {
  await using server = await stub(response => void response.end(PDF));
  await using service = testService(`${server.url}/sign`);
  const hash = await hashOf(await service.download(address(server.url)));
  expect(hash).toBe(createHash("sha256").update(PDF).digest("hex"));
  await hashOf(await service.download(address(server.url), { withKey: true }));
  expect(server.seen.map(seen => [seen.method, seen.url, seen.headers["x-api-key"]])).toEqual([
    ["GET", path, undefined],
    ["GET", path, KEY],
  ]);
});

test.each([
  "https://elsewhere.example/1.pdf",
  "//elsewhere.example/1.pdf",
  "http://127.0.0.1:1/1.pdf",
  "\\\\elsewhere.example\\1.pdf",
  "file:///etc/passwd",
  "data:application/pdf;base64,AA==",
  "javascript:alert(1)",
  "http://[",
])("%s isn't the service's own: nothing is asked", async address => {
  await using server = await stub(response => void response.end(PDF));
  await using service = testService(server.url);
  expect(await failure(service.download(address, { withKey: true }))).toMatchObject({ name: "InvalidArgumentError" });
  expect(server.seen).toEqual([]);
});

test("another origin is named beside the service's own", async () => {
  await using service = testService("https://api.example.com");
  const { message } = await failure(service.download("https://cdn.example.net/1.pdf?token=canary"));
  expect(message).toContain("https://cdn.example.net");
  expect(message).toContain("https://api.example.com");
  expect(message).not.toContain("canary");
});

test("a redirect isn't followed", async () => {
  await using server = await stub(
    response => void response.writeHead(302, { location: "https://cdn.example.net/x" }).end(),
  );
  await using service = testService(server.url);
  expect(await failure(service.download("/1.pdf", { withKey: true }))).toMatchObject({ name: "RedirectError" });
  expect(server.seen).toHaveLength(1);
});

test("too large a file ends the request and frees its slot", async () => {
  await using server = await stub(response => {
    const timer = setInterval(() => response.write(Buffer.alloc(100_000)), 1);
    response.on("close", () => clearInterval(timer));
  });
  await using service = testService(server.url, { maxConcurrency: 1, limits: { downloadBytes: 1_000_000 } });
  for (let n = 0; n < 2; n++) {
    expect(await failure(service.download("/1.pdf").then(hashOf))).toMatchObject({ name: "TooLargeError" });
  }
});

test("a silent download ends, a slow but steady one doesn't", async () => {
  await using server = await stub(async (response, { url }) => {
    for (let n = 0; n < 32; n++) {
      response.write("x");
      await new Promise(done => setTimeout(done, 50));
    }
    if (url === "/steady") response.end();
  });
  await using service = testService(server.url, { limits: { idleMs: 1_500 } });
  expect(await hashOf(await service.download("/steady"))).toHaveLength(64);
  expect(await failure(service.download("/silent").then(hashOf))).toMatchObject({ name: "TimeoutError" });
});

test("stopping early, or never starting, frees the slot", async () => {
  await using server = await stub((response, { url }) =>
    url.startsWith("/v1") ? ok(response, documentBody()) : void response.write("x"),
  );
  await using service = testService(server.url, { maxConcurrency: 1, limits: { idleMs: 1_500 } });
  for await (const _ of await service.download("/1.pdf")) break;
  await service.getDocument("7");
  await service.download("/1.pdf");
  expect(await service.getDocument("7")).toMatchObject({ id: "7" });
});

test("a connection that breaks halfway is an error, not a shorter file", async () => {
  await using server = await rawStub(socket => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n%PDF"));
  await using service = testService(server.url);
  expect(await failure(service.download("/1.pdf").then(hashOf))).toMatchObject({ name: "TransportError" });
});
