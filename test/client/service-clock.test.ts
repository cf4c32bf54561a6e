import { expect, test } from "vitest";
import { AmbiguousWriteError } from "../../provider/client/errors.js";
import { contract, documentBody, failure, testService } from "./setup.js";
import { json, ok, stub } from "./stub.js";

const DAY = 86_400_000;

test.each([-DAY, -3600_000, 0, DAY])("a service whose clock is %i ms from ours is understood", async skew => {
  let time = 0;
  await using server = await stub((response, { method }) => {
    const headers = { date: new Date(time + skew).toUTCString() };
    method === "POST"
      ? json(response, {}, 500, headers)
      : json(response, { ok: true, payload: documentBody() }, 200, headers);
  });
  await using service = testService(server.url);
  time = service.clock.time;
  expect(service.now()).toBeUndefined();
  await service.getDocument("7");
  expect(Math.abs((service.now()?.getTime() ?? 0) - (time + skew))).toBeLessThanOrEqual(1000);
  const error = await failure(service.createDocument(contract));
  expect(error).toBeInstanceOf(AmbiguousWriteError);
});

test("a write that is the first request of all learns its time from the look that follows", async () => {
  const skew = -DAY;
  let time = 0;
  await using server = await stub((response, { method }) => {
    response.setHeader("date", new Date(time + skew).toUTCString());
    method === "POST" ? response.destroy() : ok(response, []);
  });
  await using service = testService(server.url);
  time = service.clock.time;
  expect(await failure(service.createDocument(contract))).toBeInstanceOf(AmbiguousWriteError);
  expect(service.now()).toBeUndefined();
  await service.listDocuments({});
  expect(Math.abs((service.now()?.getTime() ?? 0) - (time + skew))).toBeLessThanOrEqual(1000);
});

test("a Date header that is no date changes nothing", async () => {
  await using server = await stub(response =>
    json(response, { ok: true, payload: documentBody() }, 200, { date: "yesterday" }),
  );
  await using service = testService(server.url);
  await service.getDocument("7");
  expect(service.now()).toBeUndefined();
});

test("a clock that shows the same second again and again is seen to stand still", async () => {
  let date = "Sat, 31 Jan 2026 12:00:00 GMT";
  await using server = await stub(response => json(response, { ok: true, payload: documentBody() }, 200, { date }));
  await using service = testService(server.url);
  const ticksAfter = async (ms: number) => {
    service.clock.time += ms;
    await service.getDocument("7");
    return service.ticks();
  };
  expect(await ticksAfter(0)).toBe(Date.parse(date));
  // One jump of this machine's clock is none of the service's.
  expect(await ticksAfter(DAY)).toBe(Date.parse(date));
  expect(await ticksAfter(1_000)).toBe(Date.parse(date));
  expect(await ticksAfter(1_000)).toBeUndefined();
  expect(service.now()?.getTime()).toBe(Date.parse(date));
  date = "Sat, 31 Jan 2026 12:00:01 GMT";
  expect(await ticksAfter(0)).toBe(Date.parse(date));
});
