import { expect, test } from "vitest";
import { contract, documentBody, failure, pdfOf, testService } from "./setup.js";
import { json, ok, stub } from "./stub.js";

test("a write whose time is over doesn't start, and its upload is cut off", async () => {
  await using server = await stub(response => json(response, { ok: true, payload: { id: 7 } }));
  await using service = testService(server.url);
  const tooLate = await failure(service.createDocument(contract, { mayLeave: () => false }));
  expect(tooLate).toMatchObject({ name: "TooLateError", sent: false });
  expect(await failure(service.remind("5", { mayLeave: () => false }))).toMatchObject({ name: "TooLateError" });
  expect(server.seen).toEqual([]);
  const long = { ...contract, pdf: pdfOf(Buffer.concat([Buffer.from("%PDF-1.7 lease"), Buffer.alloc(1_000_000)])) };
  let asked = 0;
  expect(await service.createDocument(long, { mayLeave: () => ++asked > 0 })).toMatchObject({ hints: ["7"] });
  const pieces = asked;
  expect(pieces).toBeGreaterThan(2);
  asked = 0;
  const cutOff = await failure(service.createDocument(long, { mayLeave: () => ++asked < pieces }));
  expect(cutOff).toMatchObject({ name: "AmbiguousWriteError", cause: { name: "TooLateError", sent: true } });
});

test("a turn keeps one slot, and a read in it takes no other", async () => {
  await using server = await stub(response => ok(response, documentBody()));
  await using service = testService(server.url, { maxConcurrency: 1 });
  const order: string[] = [];
  const first = service.turn(async turn => {
    order.push((await turn.getDocument("7")).id);
    await turn.createDocument(contract);
    order.push("first");
  });
  const second = service.turn(async () => void order.push("second"));
  await Promise.all([first, second]);
  expect(order).toEqual(["7", "first", "second"]);
});

test("a turn begins once the pause is over that the service asked for", async () => {
  let n = 0;
  await using server = await stub(response =>
    ++n === 1 ? json(response, {}, 429, { "retry-after": "30" }) : ok(response, documentBody()),
  );
  await using service = testService(server.url);
  const start = service.clock.time;
  await failure(service.createDocument(contract));
  expect(await service.turn(async () => service.clock.time - start)).toBeGreaterThanOrEqual(30_000);
});
