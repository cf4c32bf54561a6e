import { Agent, get } from "node:http";
import { describe, expect, test } from "vitest";
import { type Fault, type Sandbox, startSandbox } from "../../sandbox/index.js";
import { ask, create, wanted } from "./service.js";

const list = "GET /v1/documents";
const creating = { body: wanted() };

async function met(fault: Fault) {
  const sandbox = await startSandbox({ now: "2031-03-14T15:26:53Z", frozen: true });
  sandbox.faults.next(fault);
  return sandbox;
}

/** The status of a list call over a connection that the agent keeps open. */
const statusOver = (agent: Agent, sandbox: Sandbox) =>
  new Promise<number | undefined>((resolve, reject) => {
    const headers = { "x-api-key": sandbox.apiKey };
    get(`${sandbox.url}/v1/documents`, { agent, headers }, response => {
      response.resume().on("end", () => setImmediate(resolve, response.statusCode));
    }).on("error", reject);
  });

describe("statuses", () => {
  test.each([
    ["no hint", {}, null],
    ["seconds", { retryAfter: 7 }, "7"],
    ["zero", { retryAfter: 0 }, "0"],
    ["an HTTP date", { retryAfter: new Date("2031-03-14T15:27:00Z") }, "Fri, 14 Mar 2031 15:27:00 GMT"],
    ["garbage", { retryAfter: "soon" }, "soon"],
  ])("429 with %s in Retry-After", async (_, hint, header) => {
    await using sandbox = await met({ kind: "status", status: 429, ...hint });
    const { status, headers, body } = await ask(sandbox, list);
    expect([status, headers.get("retry-after"), body.ok]).toEqual([429, header, false]);
    expect(sandbox.history[0]).toMatchObject({ status: 429, processed: false, fault: "status" });
    expect((await ask(sandbox, list)).status).toBe(200);
  });

  test("500 before processing makes nothing", async () => {
    await using sandbox = await met({ kind: "status" });
    expect((await ask(sandbox, "POST /v1/documents", creating)).status).toBe(500);
    expect([sandbox.documents().length, sandbox.mails.length, sandbox.history[0]?.processed]).toEqual([0, 0, false]);
  });

  test("502 after processing makes the document and mails it", async () => {
    await using sandbox = await met({ kind: "status", status: 502, processed: true });
    expect((await ask(sandbox, "POST /v1/documents", creating)).status).toBe(502);
    expect([sandbox.documents().length, sandbox.mails.length, sandbox.history[0]?.processed]).toEqual([1, 1, true]);
  });

  test("any answer, in any words", async () => {
    await using sandbox = await met({
      kind: "answer",
      status: 404,
      contentType: "text/html",
      headers: { "X-Proxy": "yes" },
      body: "<h1>?</h1>",
    });
    const { status, headers, text } = await ask(sandbox, list);
    expect([status, headers.get("content-type"), headers.get("x-proxy"), text]).toEqual([
      404,
      "text/html",
      "yes",
      "<h1>?</h1>",
    ]);
  });
});

describe("connections", () => {
  test.each([
    ["headers", 0],
    ["before", 0],
    ["after", 1],
    ["mid-body", 1],
  ] as const)("reset at %s: %i documents", async (at, documents) => {
    await using sandbox = await met({ kind: "reset", at });
    await expect(ask(sandbox, "POST /v1/documents", creating)).rejects.toThrow();
    expect(sandbox.documents()).toHaveLength(documents);
    expect(sandbox.mails).toHaveLength(documents);
    expect(sandbox.history[0]).toMatchObject({ fault: "reset", processed: documents === 1 });
    expect(sandbox.history[0]?.status).toBe(at === "mid-body" ? 201 : null);
  });

  test.each([
    [false, 0],
    [true, 1],
  ])("an answer that never comes, processed: %s", async (processed, documents) => {
    await using sandbox = await met({ kind: "never", processed });
    const hold = sandbox.faults.hold({}, "after");
    const asking = ask(sandbox, "POST /v1/documents", creating);
    await hold.arrived;
    expect(sandbox.documents()).toHaveLength(documents);
    hold.release();
    await sandbox.close();
    await expect(asking).rejects.toThrow();
    expect(sandbox.history[0]?.status).toBeNull();
  });

  test("a kept-alive socket that died is reset by the next request on it", async () => {
    await using sandbox = await met({ kind: "stale-socket" });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect(await statusOver(agent, sandbox)).toBe(200);
    await expect(statusOver(agent, sandbox)).rejects.toThrow("ECONNRESET");
    agent.destroy();
    expect(sandbox.history[1]).toMatchObject({ reusedSocket: true, processed: false, fault: "stale-socket" });
    expect((await ask(sandbox, list)).status).toBe(200);
  });

  test("raw bytes, then the end", async () => {
    await using sandbox = await met({ kind: "raw", body: "HTTP/1.1 299 Odd\r\nContent-Length: 2\r\n\r\nhi" });
    const { status, text } = await ask(sandbox, list);
    expect([status, text]).toEqual([299, "hi"]);
  });
});

describe("bodies", () => {
  test.each([
    ["html", { kind: "html" }, 200, /^<!DOCTYPE html>/],
    ["truncated", { kind: "truncated" }, 200, /^\{"ok":true,"$/],
    ["truncated at a byte", { kind: "truncated", bytes: 5 }, 200, /^\{"ok"$/],
    ["empty", { kind: "empty" }, 200, /^$/],
    ["not-ok", { kind: "not-ok" }, 200, /^\{"ok":false\}$/],
    ["rewritten", { kind: "rewrite", rewrite: body => body.replace("true", "1") }, 200, /^\{"ok":1,/],
    ["drip", { kind: "drip" }, 200, /^\{"ok":true,"payload":\[\]\}$/],
  ] satisfies [string, Fault, number, RegExp][])("%s", async (_, fault, expected, pattern) => {
    await using sandbox = await met(fault);
    const { status, text } = await ask(sandbox, list);
    expect(status).toBe(expected);
    expect(text).toMatch(pattern);
    expect(sandbox.history[0]).toMatchObject({ processed: true, fault: fault.kind, status: 200 });
  });

  test("good JSON under a wrong content type", async () => {
    await using sandbox = await met({ kind: "content-type" });
    const { headers, body } = await ask(sandbox, list);
    expect([headers.get("content-type"), body]).toEqual(["text/plain", { ok: true, payload: [] }]);
  });

  test("a byte order mark before the JSON", async () => {
    await using sandbox = await met({ kind: "bom" });
    const response = await fetch(`${sandbox.url}/v1/documents`, { headers: { "x-api-key": sandbox.apiKey } });
    expect(Buffer.from(await response.arrayBuffer()).subarray(0, 4)).toEqual(Buffer.from([0xef, 0xbb, 0xbf, 0x7b]));
  });

  test("a body as large as wanted", async () => {
    await using sandbox = await met({ kind: "too-large", bytes: 3_000_000 });
    const { text, body } = await ask(sandbox, list);
    expect(text).toHaveLength(3_000_000);
    expect(body.ok).toBe(true);
  });

  test("a compressed bomb", async () => {
    await using sandbox = await met({ kind: "bomb", bytes: 5_000_000 });
    const { text, headers } = await ask(sandbox, list);
    expect([text.length, headers.get("content-encoding")]).toEqual([5_000_000, "gzip"]);
  });

  test("JSON of many levels", async () => {
    await using sandbox = await met({ kind: "deep", levels: 500 });
    const { text } = await ask(sandbox, list);
    expect(text.match(/\[/g)).toHaveLength(500);
  });

  test("a body that stalls stays unfinished", async () => {
    await using sandbox = await met({ kind: "stall", bytes: 4 });
    const response = await fetch(`${sandbox.url}/v1/documents`, { headers: { "x-api-key": sandbox.apiKey } });
    const reader = response.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('{"ok');
    const rest = reader?.read();
    await sandbox.close();
    await expect(rest).rejects.toThrow();
  });

  test.each(["id", "ok", "empty", "truncated"] as const)("creating answered as %s, this once", async variant => {
    await using sandbox = await met({ kind: "create-answer", variant, status: 200 });
    const { status, text } = await ask(sandbox, "POST /v1/documents", creating);
    const [document] = sandbox.documents();
    expect(status).toBe(200);
    const texts = { id: `{"ok":true,"payload":{"id":${document?.id}}}`, ok: '{"ok":true}', empty: "" };
    if (variant !== "truncated") expect(text).toBe(texts[variant]);
    else expect(() => JSON.parse(text)).toThrow();
    expect((await ask(sandbox, "POST /v1/documents", creating)).body.payload.files).toHaveLength(1);
  });
});

describe("redirects", () => {
  test.each([
    ["same origin", {}, (url: string) => `${url}/moved/v1/documents`],
    ["cross origin", { crossOrigin: true }, (url: string) => `${url.replace("127.0.0.1", "localhost")}/v1/documents`],
    ["anywhere", { to: "https://example.org/" }, () => "https://example.org/"],
  ])("%s", async (_, where, location) => {
    await using sandbox = await met({ kind: "redirect", status: 307, ...where });
    const { status, headers } = await ask(sandbox, "POST /v1/documents", creating);
    expect([status, headers.get("location")]).toEqual([307, location(sandbox.url)]);
    expect(sandbox.documents()).toHaveLength(0);
  });
});

describe("time", () => {
  test("a delay lasts as long as the service's clock says", async () => {
    await using sandbox = await met({ kind: "delay", ms: 86_400_000 });
    const hold = sandbox.faults.hold({ nth: 2 }, "before");
    const slow = ask(sandbox, list);
    const other = ask(sandbox, list);
    await hold.arrived;
    expect(sandbox.history.filter(seen => seen.status !== null)).toEqual([]);
    hold.release();
    sandbox.clock.advance(86_400_000);
    expect([(await slow).status, (await other).status]).toEqual([200, 200]);
  });

  test("the Date header is the service's time, or off by as much as wanted", async () => {
    await using sandbox = await met({ kind: "date", ms: -86_400_000 });
    expect((await ask(sandbox, list)).headers.get("date")).toBe("Thu, 13 Mar 2031 15:26:53 GMT");
    expect((await ask(sandbox, list)).headers.get("date")).toBe("Fri, 14 Mar 2031 15:26:53 GMT");
  });
});

describe("which request meets a fault", () => {
  test("matches by route, method, path, count and anything else", async () => {
    await using sandbox = await startSandbox();
    const id = await create(sandbox);
    const statuses = async (requests: string[]) => {
      const replies: number[] = [];
      for (const request of requests) replies.push((await ask(sandbox, request)).status);
      return replies;
    };
    const requests = [list, `GET /v1/documents/${id}`, list, `GET /v1/documents/${id}`];
    sandbox.faults.next({ kind: "status", status: 500, match: { route: "getDocument", nth: 2 } });
    expect(await statuses(requests)).toEqual([200, 200, 200, 500]);
    sandbox.faults.next({ kind: "status", status: 502, match: { method: "get", path: "*/documents" }, times: 2 });
    expect(await statuses(requests)).toEqual([502, 200, 502, 200]);
    sandbox.faults.next({ kind: "status", status: 503, match: { path: /\/\d+$/ }, times: "always" });
    expect(await statuses([...requests, ...requests])).toEqual([200, 503, 200, 503, 200, 503, 200, 503]);
    sandbox.faults.clear();
    sandbox.faults.next({ kind: "status", status: 504, match: { where: seen => seen.query["folder_id"] === "7" } });
    expect(await statuses([list, `${list}?folder_id=7`, list])).toEqual([200, 504, 200]);
    expect(sandbox.faults.pending).toEqual([]);
  });

  test("each request meets one fault, in the order they were armed", async () => {
    await using sandbox = await startSandbox();
    for (const status of [500, 502]) sandbox.faults.next({ kind: "status", status });
    expect((await ask(sandbox, list)).status).toBe(500);
    expect((await ask(sandbox, list)).status).toBe(502);
    expect((await ask(sandbox, list)).status).toBe(200);
  });
});

describe("a rate limit", () => {
  test("answers 429 above so many requests in a window, and says when to come back", async () => {
    await using sandbox = await startSandbox({ frozen: true });
    const limit = sandbox.faults.rateLimit({ limit: 2, windowMs: 10_000 });
    const statuses = await Promise.all([list, list, list].map(async request => (await ask(sandbox, request)).status));
    expect(statuses.sort()).toEqual([200, 200, 429]);
    const refused = await ask(sandbox, list);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "10"]);
    expect(sandbox.history.at(-1)).toMatchObject({ processed: false, fault: "rate-limit" });
    sandbox.clock.advance(10_000);
    expect((await ask(sandbox, list)).status).toBe(200);
    limit.stop();
    for (let count = 0; count < 5; count++) expect((await ask(sandbox, list)).status).toBe(200);
  });
});
