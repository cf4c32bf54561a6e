import { once } from "node:events";
import { describe, expect, test } from "vitest";
import {
  type Fault,
  type IndependentService,
  randomFaults,
  startIndependentService,
} from "../support/independent-service/index.js";
import { ask, contract, create, rawPost, rawRequest } from "./connect.js";

async function met(service: IndependentService, fault: Fault) {
  service.faults.push(fault, "createDocument");
  const { socket, heard } = await rawRequest(service, rawPost(service, "/v1/documents", contract()));
  await service.ledger.whenSeen("createDocument", { stage: "over" });
  if (fault.kind === "hang-mid-body") await once(socket, "data");
  if (/hang/.test(fault.kind)) socket.destroy();
  else if (service.ledger.requests()[0]?.outcome === "answered") socket.end();
  return { ...(await heard), made: service.ledger.documentCount(), request: service.ledger.requests()[0] };
}

describe("on the connection", () => {
  test.each(["headers", "before", "after"] as const)("reset %s", async when => {
    await using service = await startIndependentService();
    const { text, error, made } = await met(service, { kind: "reset", when });
    expect([text, error, made]).toEqual(["", "ECONNRESET", when === "after" ? 1 : 0]);
  });

  test.each(["headers", "before", "after"] as const)("hang %s", async when => {
    await using service = await startIndependentService();
    const { text, made, request } = await met(service, { kind: "hang", when });
    expect([text, made, request?.outcome]).toEqual(["", when === "after" ? 1 : 0, "hanging"]);
  });

  test("reset, closed and hanging in the middle of the body", async () => {
    for (const [kind, code] of [["reset-mid-body", "ECONNRESET"], ["close-mid-body"], ["hang-mid-body"]] as const) {
      await using service = await startIndependentService();
      const { text, error, made } = await met(service, { kind });
      expect(text).toMatch(/^HTTP\/1\.1 201 Created\r\n/);
      expect(text).not.toMatch(/\}$/);
      expect([error, made]).toEqual([code, 1]);
    }
  });

  test("two lengths that differ", async () => {
    await using service = await startIndependentService();
    const { text } = await met(service, { kind: "duplicate-content-length", differing: true });
    expect(new Set(text.match(/content-length: \d+/g)).size).toBe(2);
  });

  test("dead after a good answer", async () => {
    await using service = await startIndependentService();
    service.faults.push({ kind: "die-after-answer" });
    const { heard } = await rawRequest(service, rawPost(service, "/v1/folders", { name: "x" }));
    expect((await heard).text).toContain('"ok":true');
  });

  test("down and up again at the same address", async () => {
    await using service = await startIndependentService();
    await service.goDown();
    await expect(ask(service, "GET", "/v1/documents")).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
    await service.comeUp();
    expect((await ask(service, "GET", "/v1/documents")).status).toBe(200);
  });
});

describe("in the answer", () => {
  test.each([
    [{ kind: "status", when: "before", status: 429, retryAfter: "soon" }, 429, 0],
    [{ kind: "status", when: "after", status: 502, body: "html" }, 502, 1],
    [{ kind: "status", when: "after", status: 408, body: "empty" }, 408, 1],
    [{ kind: "html", when: "after" }, 200, 1],
    [{ kind: "not-ok", when: "before" }, 200, 0],
    [{ kind: "not-ok", when: "after" }, 200, 1],
    [{ kind: "redirect", when: "before", status: 307, location: "http://127.0.0.2/" }, 307, 0],
  ] satisfies [Fault, number, number][])("%o", async (fault, status, made) => {
    await using service = await startIndependentService();
    service.faults.push(fault);
    const heard = await ask(service, "POST", "/v1/documents", contract());
    expect([heard.status, service.ledger.documentCount()]).toEqual([status, made]);
    if ("retryAfter" in fault) expect(heard.headers.get("retry-after")).toBe("soon");
    expect((await ask(service, "GET", "/v1/documents")).json.ok).toBe(true);
  });

  test("wrong ids, cut JSON, a BOM, slow bytes, a bomb", async () => {
    await using service = await startIndependentService();
    const post = () => fetch(`${service.url}/v1/documents`, init);
    const headers = { "x-api-key": service.apiKey, "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(contract()) };
    await create(service);
    service.faults.push({ kind: "wrong-ids", as: "neighbour" });
    const [firstId] = service.ledger.documents().map(document => document.id);
    expect(await (await post()).json()).toEqual({ ok: true, payload: { id: Number(firstId) } });
    service.faults.push({ kind: "truncated-json" });
    await expect((await post()).json()).rejects.toThrow(SyntaxError);
    service.faults.push({ kind: "bom" });
    expect(Buffer.from(await (await post()).arrayBuffer()).readUIntBE(0, 3)).toBe(0xefbbbf);
    service.faults.push({ kind: "drip", bytes: 5, everyMs: 1 });
    expect(await (await post()).json()).toMatchObject({ ok: true });
    service.faults.push({ kind: "gzip-bomb", megabytes: 3 });
    const bomb = await post();
    expect(Number(bomb.headers.get("content-length"))).toBeLessThan(10_000);
    expect((await bomb.text()).length).toBe(3 * 2 ** 20);
    expect(service.ledger.documentCount()).toBe(6);
    expect(service.faults.pending()).toEqual([]);
  });

  test("lag: so many reads miss the new document, and a test can reveal it", async () => {
    await using service = await startIndependentService({ lag: { get: 2, list: 1 } });
    const id = await create(service);
    const get = async () => (await ask(service, "GET", `/v1/documents/${id}`)).status;
    const list = async () => (await ask(service, "GET", "/v1/documents")).json.payload.length;
    expect([await get(), await list(), await get(), await get(), await list()]).toEqual([404, 0, 404, 200, 1]);
    service.faults.push({ kind: "lag", list: Number.POSITIVE_INFINITY });
    const late = await create(service);
    expect([await list(), await list()]).toEqual([1, 1]);
    service.people.reveal(late);
    expect(await list()).toBe(2);
  });
});

describe("the plan", () => {
  test("skips, repeats, and ends", async () => {
    await using service = await startIndependentService();
    service.faults.push({ kind: "status", when: "before", status: 503 }, "listDocuments", { skip: 1, times: 2 });
    const statuses = [];
    for (let n = 0; n < 4; n++) statuses.push((await ask(service, "GET", "/v1/documents")).status);
    expect(statuses).toEqual([200, 503, 503, 200]);
  });

  test("random faults repeat with their seed and stop at their number", async () => {
    const run = async (seed: number) => {
      const among: Fault[] = [500, 502, 429].map(status => ({ kind: "status", when: "before", status }));
      await using service = await startIndependentService({
        faultFor: randomFaults({ seed, share: 0.5, among, atMost: 6 }),
      });
      const statuses = [];
      for (let n = 0; n < 20; n++) statuses.push((await ask(service, "GET", "/v1/documents")).status);
      return statuses;
    };
    const [once, again, other] = [await run(5), await run(5), await run(6)];
    expect(again).toEqual(once);
    expect(other).not.toEqual(once);
    expect(once.filter(status => status !== 200)).toHaveLength(6);
  });
});
