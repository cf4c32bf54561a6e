import { request } from "node:http";
import { describe, expect, test } from "vitest";
import { startSandbox } from "../../sandbox/index.js";
import { ask, create, wanted } from "./service.js";

describe("a hold stops a request", () => {
  test.each([
    ["before", 0],
    ["after", 1],
    ["mid-body", 1],
  ] as const)("%s processing, until it is released", async (at, documents) => {
    await using sandbox = await startSandbox();
    const hold = sandbox.faults.hold({ route: "createDocument" }, at);
    const asking = ask(sandbox, "POST /v1/documents", { body: wanted() });
    const seen = await hold.arrived;
    expect(seen.route).toBe("createDocument");
    expect(sandbox.documents()).toHaveLength(documents);
    hold.release();
    expect((await asking).body.payload.id).toBe(sandbox.documents()[0]?.id);
  });

  test("with nothing read but the head; a client that dies then has created nothing", async () => {
    await using sandbox = await startSandbox();
    const hold = sandbox.faults.hold({}, "headers");
    const upload = request(`${sandbox.url}/v1/documents`, {
      method: "POST",
      headers: { "x-api-key": sandbox.apiKey, "Content-Type": "application/json" },
    });
    const died = new Promise(resolve => upload.on("error", resolve));
    upload.write('{"name":');
    await hold.arrived;
    upload.destroy();
    await died;
    hold.release();
    await create(sandbox);
    expect(sandbox.documents()).toHaveLength(1);
    expect(sandbox.history.map(seen => seen.processed)).toEqual([false, true]);
  });

  test("and what a client sent before it died is processed all the same", async () => {
    await using sandbox = await startSandbox();
    const before = sandbox.faults.hold({}, "before");
    const after = sandbox.faults.hold({}, "after");
    const dying = new AbortController();
    const asking = fetch(`${sandbox.url}/v1/documents`, {
      method: "POST",
      headers: { "x-api-key": sandbox.apiKey, "Content-Type": "application/json" },
      body: JSON.stringify(wanted()),
      signal: dying.signal,
    });
    await before.arrived;
    dying.abort();
    await expect(asking).rejects.toThrow();
    before.release();
    await after.arrived;
    expect(sandbox.documents()).toHaveLength(1);
    expect(sandbox.mails).toHaveLength(1);
  });

  test("once only", async () => {
    await using sandbox = await startSandbox();
    using hold = sandbox.faults.hold({}, "before");
    const first = ask(sandbox, "GET /v1/documents");
    await hold.arrived;
    expect((await ask(sandbox, "GET /v1/documents")).status).toBe(200);
    hold.release();
    expect((await first).status).toBe(200);
  });
});

describe("closing", () => {
  test("lets go of everything: held, delayed, stalled and unanswered requests", async () => {
    const sandbox = await startSandbox();
    sandbox.faults.next({ kind: "delay", ms: 3_600_000, match: { nth: 1 } });
    sandbox.faults.next({ kind: "never" });
    sandbox.faults.next({ kind: "drip", ms: 3_600_000 });
    const last = sandbox.faults.hold({ nth: 4 }, "before");
    const neverReached = sandbox.faults.hold({ nth: 9 });
    const asking: Promise<unknown>[] = [];
    for (let count = 0; count < 4; count++) asking.push(ask(sandbox, "POST /v1/documents", { body: wanted() }));
    await last.arrived;
    await sandbox.close();
    expect((await Promise.allSettled(asking)).map(one => one.status)).toEqual(Array(4).fill("rejected"));
    await expect(neverReached.arrived).rejects.toThrow("closed or was reset");
    expect(sandbox.clock.sleeping).toBe(0);
    await expect(ask(sandbox, "GET /v1/documents")).rejects.toThrow();
    await sandbox.close();
  });
});
