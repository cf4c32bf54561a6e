import { expect, test } from "vitest";
import { Limiter } from "../../provider/client/requests.js";
import { contract, documentBody, failure, fakeClock, testService } from "./setup.js";
import { json, ok, stub } from "./stub.js";

test("slots are given in order, and never more than there are", async () => {
  const limiter = new Limiter(2);
  const order: number[] = [];
  let inside = 0;
  await Promise.all(
    Array.from({ length: 9 }, async (_, n) => {
      const leave = await limiter.enter();
      order.push(n);
      expect(++inside).toBeLessThanOrEqual(2);
      await new Promise(setImmediate);
      inside--;
      leave();
      leave();
    }),
  );
  expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
});

/** How many are let in beside those that are. */
async function lettingIn(limiter: Limiter): Promise<number> {
  const quit = new AbortController();
  const entered: (() => void)[] = [];
  const waiting = Array.from({ length: 100 }, () => limiter.enter(quit.signal).then(leave => entered.push(leave)));
  await new Promise(setImmediate);
  quit.abort(new Error("enough"));
  await Promise.allSettled(waiting);
  for (const leave of entered) leave();
  return entered.length;
}

test("one more slot for each quick answer up to the most, one fewer for each slow one down to the first", async () => {
  const limiter = new Limiter(6, 4);
  const sizes = [await lettingIn(limiter)];
  for (const afterMs of [50, 50, 50, 9000, 9000, 9000]) {
    limiter.answered(afterMs);
    sizes.push(await lettingIn(limiter));
  }
  expect(sizes).toEqual([4, 5, 6, 6, 5, 4, 4]);
});

test("half as many slots after a refusal, one at least, and one more for each round of quick answers", async () => {
  const limiter = new Limiter(5);
  const sizes = [];
  for (const [now, wasRefused] of [true, true, true, false, false, false, false, false].entries()) {
    if (wasRefused) limiter.refused(now, now);
    else limiter.answered(50);
    sizes.push(await lettingIn(limiter));
  }
  expect(sizes).toEqual([2, 1, 1, 2, 2, 2, 3, 3]);
});

test("half as many slots after requests without an answer in time, those together once, and never below the first", async () => {
  const limiter = new Limiter(32, 8);
  for (let answer = 0; answer < 24; answer++) limiter.answered(50);
  const sizes = [await lettingIn(limiter)];
  for (const [startedAt, now] of [
    [0, 30],
    [1, 31],
    [30, 60],
    [31, 61],
    [62, 92],
  ] as const) {
    limiter.unanswered(startedAt, now);
    sizes.push(await lettingIn(limiter));
  }
  expect(sizes).toEqual([32, 16, 16, 16, 8, 8]);
});

test("a cancelled waiter frees its slot", async () => {
  const limiter = new Limiter(1);
  const leave = await limiter.enter();
  const quitter = new AbortController();
  const quit = limiter.enter(quitter.signal);
  const next = limiter.enter();
  quitter.abort(new Error("gone"));
  await expect(quit).rejects.toThrow("gone");
  leave();
  (await next)();
  (await limiter.enter())();
});

test("no more creates at once than maxConcurrency, and no more reads", async () => {
  const inside = { GET: 0, POST: 0 };
  const most = { GET: 0, POST: 0 };
  const full = { GET: Promise.withResolvers<void>(), POST: Promise.withResolvers<void>() };
  await using server = await stub(async (response, { method }) => {
    const kind = method === "POST" ? method : "GET";
    most[kind] = Math.max(most[kind], ++inside[kind]);
    if (inside[kind] === 3) full[kind].resolve();
    await full[kind].promise;
    await new Promise(done => setTimeout(done, 5));
    inside[kind]--;
    ok(response, documentBody());
  });
  await using service = testService(server.url, { maxConcurrency: 3 });
  const writes = Array.from({ length: 10 }, () => service.createDocument(contract));
  const reads = Array.from({ length: 10 }, () => service.getDocument("7"));
  await Promise.all([...writes, ...reads]);
  expect(most).toEqual({ GET: 3, POST: 3 });
});

test.each<[string, Record<string, string>, number]>([
  ["no hint", {}, 1000],
  ["seconds", { "retry-after": "7" }, 7000],
  ["0", { "retry-after": "0" }, 200],
  ["garbage", { "retry-after": "soon" }, 1000],
  [
    "a date by the service's own clock",
    { date: "Fri, 30 Jan 2026 00:00:00 GMT", "retry-after": "Fri, 30 Jan 2026 00:00:09 GMT" },
    9000,
  ],
  ["a past date", { "retry-after": "Thu, 01 Jan 1970 00:00:00 GMT" }, 200],
])("429 with %s: a read waits and asks again", async (_name, headers, pause) => {
  let n = 0;
  await using server = await stub(response =>
    ++n === 1 ? json(response, {}, 429, headers) : ok(response, documentBody()),
  );
  await using service = testService(server.url);
  expect(await service.getDocument("7")).toMatchObject({ id: "7" });
  expect(service.clock.waits).toEqual([pause + 125]);
});

test.each([400, 408, 423, 429, 503])("the error of a %i says when the service asks to try again", async status => {
  await using server = await stub(response => json(response, {}, status, { "retry-after": "86400" }));
  await using service = testService(server.url);
  const tomorrow = new Date(service.clock.time + 86_400_000);
  expect(await failure(service.createDocument(contract))).toMatchObject(
    status === 408 || status === 423 ? { cause: { status, retryAt: tomorrow } } : { status, retryAt: tomorrow },
  );
});

test.each([429, 503])("%i with 86400 seconds: the call fails at once, and nothing more is sent", async status => {
  await using server = await stub(response => json(response, {}, status, { "retry-after": "86400" }));
  await using service = testService(server.url);
  const tomorrow = new Date(service.clock.time + 86_400_000);
  const error = await failure(service.getDocument("7"));
  expect(error).toMatchObject({ retryAt: tomorrow });
  for (const call of [service.createDocument(contract), service.getDocument("8")].map(failure)) {
    expect(await call).toMatchObject({
      name: "RateLimitedError",
      retryAt: tomorrow,
      message: expect.stringContaining(tomorrow.toISOString()),
    });
  }
  expect(server.seen).toHaveLength(1);
  service.clock.time += 86_400_000;
  await failure(service.getDocument("8"));
  expect(server.seen).toHaveLength(2);
});

test("one 429 delays every request, writes included", async () => {
  let n = 0;
  await using server = await stub(response =>
    ++n === 1 ? json(response, {}, 429, { "retry-after": "30" }) : ok(response, documentBody()),
  );
  await using service = testService(server.url, { maxConcurrency: 1 });
  const start = service.clock.time;
  expect(await failure(service.createDocument(contract))).toMatchObject({ name: "RateLimitedError", status: 429 });
  await service.createDocument(contract);
  expect(service.clock.time - start).toBeGreaterThanOrEqual(30_000);
  expect(server.seen).toHaveLength(2);
});

test.each([8, 32])("a service that takes ten a second: two hundred reads, %i at once, all get through", async most => {
  const clock = fakeClock();
  let window = 0;
  let taken = 0;
  await using server = await stub(response => {
    const second = Math.floor(clock.time / 1000);
    if (second !== window) [window, taken] = [second, 0];
    if (++taken > 10) json(response, { ok: false }, 429, { "retry-after": "1" });
    else ok(response, documentBody());
  });
  await using service = testService(server.url, { clock, maxConcurrency: most, firstConcurrency: 8 });
  const answers = await Promise.all(Array.from({ length: 200 }, () => service.getDocument("7")));
  expect(answers).toHaveLength(200);
  expect(server.seen.length).toBeLessThan(300);
});
