import { expect, test, vi } from "vitest";
import { systemClock } from "../../provider/core/clock.js";
import { within } from "../support/calibration.js";
import { SILENT } from "../support/silence.js";
import { contract, failure, testService } from "./setup.js";
import { json, rawStub, stub } from "./stub.js";

const hanging = () => stub(() => {});

async function cancelled(call: (signal: AbortSignal) => Promise<unknown>, after: () => Promise<unknown> | unknown) {
  const controller = new AbortController();
  const outcome = failure(call(controller.signal));
  await after();
  return within(200, () => {
    controller.abort();
    return outcome;
  });
}

const until = (holds: () => boolean) => vi.waitUntil(holds, { timeout: SILENT, interval: 5 });
const soon = () => new Promise(done => setTimeout(done, 50));

test("before the call: nothing is sent", async () => {
  await using server = await hanging();
  await using service = testService(server.url);
  const error = await failure(service.createDocument(contract, { signal: AbortSignal.abort() }));
  expect(error).toMatchObject({ name: "CancelledError", sent: false });
  expect(server.seen).toEqual([]);
});

test("while the answer is awaited: a write says that it was sent", async () => {
  await using server = await hanging();
  await using service = testService(server.url);
  for (const call of [
    (signal: AbortSignal) => service.createDocument(contract, { signal }),
    (signal: AbortSignal) => service.createFolder({ name: "a" }, { signal }),
    (signal: AbortSignal) => service.remind("5", { signal }),
    (signal: AbortSignal) => service.getDocument("7", { signal }),
    (signal: AbortSignal) => service.download("/1.pdf", { signal }),
  ]) {
    const before = server.seen.length;
    const arrived = () => until(() => server.seen.length > before);
    expect(await cancelled(call, arrived)).toMatchObject({ name: "CancelledError", sent: true });
  }
  expect(server.seen).toHaveLength(5);
});

test("with a grace, the answer to a write that was sent is still taken", async () => {
  let answer = () => {};
  await using server = await stub(response => {
    answer = () => json(response, { ok: true, payload: { id: 7 } });
  });
  await using service = testService(server.url);
  const controller = new AbortController();
  const created = service.createDocument(contract, { signal: controller.signal, graceMs: SILENT });
  await until(() => server.seen.length === 1);
  controller.abort();
  answer();
  expect(await created).toMatchObject({ hints: ["7"] });
});

test("with a grace, what wasn't sent is cancelled at once", async () => {
  await using server = await hanging();
  await using service = testService(server.url);
  const signal = AbortSignal.abort();
  expect(await failure(service.createDocument(contract, { signal, graceMs: SILENT }))).toMatchObject({ sent: false });
  expect(server.seen).toEqual([]);
});

test("while the body of the answer arrives", async () => {
  await using server = await rawStub(socket => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"));
  await using service = testService(server.url);
  const arrived = () => until(() => server.heads.length === 1);
  expect(await cancelled(signal => service.createDocument(contract, { signal }), arrived)).toMatchObject({
    sent: true,
  });
});

test("while the upload's source hangs", async () => {
  await using server = await hanging();
  await using service = testService(server.url);
  let hangs = false;
  const pdf = {
    size: 10,
    async *open() {
      yield Buffer.alloc(3);
      hangs = true;
      await new Promise(() => {});
    },
  };
  expect(
    await cancelled(
      signal => service.createDocument({ ...contract, pdf }, { signal }),
      () => until(() => hangs),
    ),
  ).toMatchObject({
    name: "CancelledError",
  });
  expect(server.seen).toEqual([]);
});

test("while it connects: it is never sent", async () => {
  let connect: (() => void) | undefined;
  await using server = await hanging();
  const port = Number(new URL(server.url).port);
  const lookup = (
    _host: string,
    _options: object,
    done: (error: null, found: { address: string; family: number }[]) => void,
  ) => {
    connect = () => done(null, [{ address: "127.0.0.1", family: 4 }]);
  };
  await using service = testService(`http://localhost:${port}`, { connect: { lookup } });
  const error = await cancelled(
    signal => service.createFolder({ name: "a" }, { signal }),
    () => until(() => connect !== undefined),
  );
  expect(error).toMatchObject({ name: "CancelledError", sent: false });
  connect?.();
  await until(() => server.connections() === 1);
  await soon();
  expect(server.connections()).toBe(1);
  expect(server.seen).toEqual([]);
});

test("while it waits for its turn, for a pause to end, or between attempts", async () => {
  await using server = await stub((response, { url }) => {
    if (url.endsWith("/1")) json(response, {}, 429, { "retry-after": "60" });
    if (url.endsWith("/2")) json(response, {}, 503);
  });
  let waits = 0;
  const wait: typeof systemClock.wait = (...args) => {
    waits++;
    return systemClock.wait(...args);
  };
  const real = { clock: { ...systemClock, wait, waits: [], time: 0 } };
  const waiting = (nth: number) => () => until(() => waits === nth);
  await using paused = testService(server.url, real);
  expect(await cancelled(signal => paused.getDocument("1", { signal }), waiting(1))).toMatchObject({
    name: "CancelledError",
    sent: false,
  });
  await using backing = testService(server.url, { ...real, random: () => 0.99 });
  expect(await cancelled(signal => backing.getDocument("2", { signal }), waiting(2))).toMatchObject({
    name: "CancelledError",
  });
  await using queued = testService(server.url, { maxConcurrency: 1 });
  void failure(queued.getDocument("3"));
  const taken = () => until(() => server.seen.at(-1)?.url.endsWith("/3") === true);
  expect(await cancelled(signal => queued.getDocument("4", { signal }), taken)).toMatchObject({
    sent: false,
  });
});

test("close ends everything at once, and nothing starts afterwards", async () => {
  await using server = await hanging();
  await using service = testService(server.url, { maxConcurrency: 1 });
  const calls = [service.createDocument(contract), service.createDocument(contract)].map(failure);
  await until(() => server.seen.length === 1);
  await service.close();
  expect(await Promise.all(calls)).toMatchObject([
    { name: "CancelledError", sent: true },
    { name: "CancelledError", sent: false },
  ]);
  expect(await failure(service.getDocument("7"))).toMatchObject({ name: "CancelledError", sent: false });
  expect(server.seen).toHaveLength(1);
});

test("a thousand calls on one signal raise no warning", async () => {
  const warnings: unknown[] = [];
  const listen = (warning: unknown) => warnings.push(warning);
  process.on("warning", listen);
  await using server = await stub(response => json(response, {}, 404));
  await using service = testService(server.url);
  const { signal } = new AbortController();
  await Promise.all(Array.from({ length: 1000 }, () => failure(service.getDocument("7", { signal }))));
  process.off("warning", listen);
  expect(warnings).toEqual([]);
});
