import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createPlainServer } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { fetchRemoteFile } from "../../provider/client/transport.js";
import { contract, documentBody, failure, testService } from "./setup.js";
import { rawStub } from "./stub.js";

const envelope = (payload: unknown) => {
  const body = JSON.stringify({ ok: true, payload });
  return `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
};

type Lookup = (host: string, options: object, done: (error: Error) => void) => void;
const failing =
  (code: string): Lookup =>
  (_host, _options, done) =>
    done(Object.assign(new Error(`getaddrinfo ${code}`), { code }));

describe("what never left", () => {
  test.each(["ENOTFOUND", "EAI_AGAIN"])(
    "%s: writes and reads are tried again, and nothing is ambiguous",
    async code => {
      await using service = testService("https://service.invalid", { connect: { lookup: failing(code) } });
      const calls = [
        service.createDocument(contract),
        service.createFolder({ name: "a" }),
        service.remind("5"),
        service.getDocument("7"),
      ];
      for (const error of await Promise.all(calls.map(failure))) {
        expect(error).toMatchObject({ name: "TransportError", sent: false, code });
      }
      expect(service.clock.waits).toHaveLength(16);
    },
  );

  test("a refused connection: a write goes out once the service listens", async () => {
    const gone = await rawStub(() => {});
    const { url } = gone;
    await gone[Symbol.asyncDispose]();
    await using service = testService(url);
    expect(await failure(service.createFolder({ name: "a" }))).toMatchObject({
      name: "TransportError",
      sent: false,
      code: "ECONNREFUSED",
    });
    expect(service.clock.waits).toEqual([100, 200, 400, 800]);
  });

  test("a server that doesn't speak TLS", async () => {
    await using server = await rawStub(socket => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    await using service = testService(server.url.replace("http:", "https:"), { requestTimeoutMs: 300 });
    expect(await failure(service.createFolder({ name: "a" }))).toMatchObject({ sent: false });
    // A stray client of another test may call at a port that was its own a moment ago.
    expect(server.heads.filter(head => head.startsWith("POST"))).toEqual([]);
  });

  test("https at a port for http is named as the cause", async () => {
    const server = createPlainServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await using service = testService(`https://127.0.0.1:${port}`);
    expect(await failure(service.createFolder({ name: "a" }))).toMatchObject({
      sent: false,
      message: expect.stringContaining("what answers there doesn't speak TLS: https:// at a port for http"),
    });
    server.close();
  });

  test("a connection that hangs", async () => {
    await using service = testService("https://service.invalid", {
      requestTimeoutMs: 50,
      connect: { lookup: () => {} },
    });
    expect(await failure(service.createFolder({ name: "a" }))).toMatchObject({ name: "TimeoutError", sent: false });
  });

  test("certificates: nothing is sent to a server without a valid one, and it isn't tried again", async context => {
    const folder = mkdtempSync(join(tmpdir(), "docsign-tls-"));
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    try {
      const request = [
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "2",
      ];
      try {
        execFileSync("openssl", [...request, "-subj", "/CN=other.example", "-keyout", key, "-out", cert], {
          stdio: "ignore",
        });
      } catch {
        context.skip("openssl isn't on PATH: no certificate to refuse");
      }
      let requests = 0;
      const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, response) => {
        requests++;
        response.end();
      });
      await new Promise<void>(done => server.listen(0, "127.0.0.1", done));
      const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
      await using unverified = testService(url);
      await using namesake = testService(url, { connect: { ca: readFileSync(cert) } });
      for (const [service, code] of [
        [unverified, "DEPTH_ZERO_SELF_SIGNED_CERT"],
        [namesake, "ERR_TLS_CERT_ALTNAME_INVALID"],
      ] as const) {
        const error = await failure(service.createDocument(contract));
        expect(error).toMatchObject({
          name: "TransportError",
          sent: false,
          code,
          message: expect.stringContaining("certificate isn't trusted"),
        });
        expect(service.clock.waits).toEqual([]);
      }
      expect(requests).toBe(0);
      server.close();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe("what may have arrived", () => {
  test.each([
    ["reset before headers", ""],
    ["reset mid-headers", "HTTP/1.1 200 OK\r\ncontent-"],
    ["reset mid-body", 'HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{"ok":true'],
    ["reset mid-chunk", 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n20\r\n{"ok":true'],
    ["not HTTP at all", "SSH-2.0-OpenSSH_9.6\r\n"],
  ])("%s: a write is ambiguous after one request, a read is tried five times", async (_name, bytes) => {
    await using server = await rawStub(socket => {
      socket.write(bytes);
      setImmediate(() => socket.destroy());
    });
    await using service = testService(server.url);
    expect(await failure(service.createDocument(contract))).toMatchObject({
      name: "AmbiguousWriteError",
      cause: { name: "TransportError", sent: true },
    });
    expect(server.heads).toHaveLength(1);
    expect(await failure(service.getDocument("7"))).toMatchObject({ name: "TransportError", sent: true });
    expect(server.heads).toHaveLength(6);
  });

  test.each<[string, string, string]>([
    ["headers that never come", "", ""],
    ["a body that stalls", "HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{", ""],
    ["a body in drips", "HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n{", " "],
  ])("%s: the deadline ends the whole request", async (_name, head, drip) => {
    await using server = await rawStub(socket => {
      socket.write(head);
      const timer = setInterval(() => socket.write(drip), 10);
      socket.on("close", () => clearInterval(timer));
    });
    await using service = testService(server.url, { requestTimeoutMs: 60, uploadTimeoutMs: 60 });
    expect(await failure(service.createDocument(contract))).toMatchObject({
      name: "AmbiguousWriteError",
      cause: { name: "TimeoutError", sent: true },
    });
    expect(await failure(service.getDocument("7"))).toMatchObject({
      name: "TimeoutError",
      message: expect.stringContaining("within 0.06 s"),
    });
  });

  test("a kept connection that died: a read is repeated, a write never meets it", async () => {
    const ports = new Set<number | undefined>();
    await using server = await rawStub((socket, nth, head) => {
      if (head.startsWith("GET") && ports.has(socket.remotePort)) return socket.destroy();
      ports.add(socket.remotePort);
      socket.write(envelope(documentBody(nth === 2 ? 9 : 7)));
    });
    await using service = testService(server.url);
    await service.getDocument("7");
    expect(await service.createFolder({ name: "a" })).toMatchObject({ id: "9" });
    expect(await service.getDocument("7")).toMatchObject({ id: "7" });
    expect(server.heads.map(head => head.split(" ", 1)[0])).toEqual(["GET", "POST", "GET", "GET"]);
    expect(server.heads[1]).toContain("connection: close");
  });

  test("reads share their connections", async () => {
    const ports = new Set<number | undefined>();
    await using server = await rawStub(socket => {
      ports.add(socket.remotePort);
      socket.write(envelope(documentBody()));
    });
    await using service = testService(server.url, { maxConcurrency: 2 });
    await Promise.all(Array.from({ length: 20 }, () => service.getDocument("7")));
    expect(server.heads).toHaveLength(20);
    expect(ports.size).toBe(2);
  });
});

test("the retry budget is shared when the service is down", async () => {
  await using server = await rawStub(socket => socket.destroy());
  await using service = testService(server.url);
  for (let n = 0; n < 40; n++) await failure(service.getDocument("7"));
  // 500 tokens at 5 a retry: 100 retries on top of the 40 first attempts.
  expect(server.heads).toHaveLength(140);
});

test("a remote asset isn't followed from https to http", async context => {
  const folder = mkdtempSync(join(tmpdir(), "docsign-redirect-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const made = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=x".split(" ");
  const plain = createPlainServer((_, response) => response.end("%PDF-1.4"));
  let calls = 0;
  plain.on("request", () => calls++);
  await new Promise<void>(done => plain.listen(0, "127.0.0.1", done));
  const to = `http://127.0.0.1:${(plain.address() as AddressInfo).port}/a.pdf`;
  try {
    try {
      execFileSync("openssl", [...made, "-keyout", key, "-out", cert], { stdio: "ignore" });
    } catch {
      context.skip("openssl isn't on PATH: no certificate");
    }
    const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, response) =>
      response.writeHead(302, { location: to }).end(),
    );
    await new Promise<void>(done => server.listen(0, "127.0.0.1", done));
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await fetchRemoteFile(`https://${host}/a.pdf`, 100)).toEqual({
      wrong: `expected https, got a remote asset that ${host} redirects to http`,
    });
    expect(calls).toBe(0);
    expect(await fetchRemoteFile(to, 100)).toEqual({ bytes: Buffer.from("%PDF-1.4") });
    server.close();
  } finally {
    vi.unstubAllEnvs();
    plain.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
