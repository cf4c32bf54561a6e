import { once } from "node:events";
import { type AddressInfo, connect as connectTo, createServer } from "node:net";
import { expect, it } from "vitest";
import { EngineLog, type Line } from "../../kit/log";
import type { Call } from "../../provider/resources/resource";
import { connect, secret, urnOf } from "../support/engine-client";
import { fakeEngine } from "./support/fake-engine";
import { DOCUMENT, fakeProvider } from "./support/fake-provider";

const urn = urnOf(DOCUMENT);
const line = (message: string): Line => ({ severity: "info", message, urn: "", ephemeral: false });

it("a call's lines are in the engine's log, in order, before its answer", async () => {
  const create = async ({ log }: Call) => {
    log.progress("uploading");
    log.warn("one invitation stays open");
    log.info("done");
    return { id: "1", outputs: {} };
  };
  await using engine = await connect(fakeProvider({ document: { create } }));
  await engine.create({ urn, inputs: {} });
  expect(engine.log).toEqual([
    { severity: "info", message: "uploading", urn, ephemeral: true },
    { severity: "warning", message: "one invitation stays open", urn, ephemeral: false },
    { severity: "info", message: "done", urn, ephemeral: false },
  ]);
});

it("a line shows no secret and no control character", async () => {
  const create = async ({ log }: Call) => {
    log.info("hunter22\u001b[31m");
    return { id: "1", outputs: {} };
  };
  await using engine = await connect(fakeProvider({ document: { create } }));
  await engine.create({ urn, inputs: { a: secret("hunter22") } });
  expect(engine.log.map(({ message }) => message)).toEqual(["[secret]\\u001b[31m"]);
});

it("a log nobody listens to fails no call", async () => {
  const create = async ({ log }: Call) => {
    log.warn("hello?");
    return { id: "1", outputs: {} };
  };
  await using engine = await connect(fakeProvider({ document: { create } }));
  await engine.attach("127.0.0.1:1");
  expect((await engine.create({ urn, inputs: {} })).id).toBe("1");
  expect(engine.log).toEqual([]);
});

it("keeps the order of a thousand lines", async () => {
  const engine = await fakeEngine();
  const log = new EngineLog({ stderr: () => {} });
  log.attach(engine.address);
  const messages = Array.from({ length: 1000 }, (_, i) => `line ${i}`);
  await Promise.all(messages.map(message => log.write(line(message))));
  expect(engine.lines.map(({ message }) => message)).toEqual(messages);
  log.close();
  await engine.close();
});

it("writes to stderr while there's no engine, and follows an attach to another", async () => {
  const written: string[] = [];
  const [first, second] = [await fakeEngine(), await fakeEngine()];
  const log = new EngineLog({ stderr: text => written.push(text) });
  await log.write({ ...line("early"), severity: "warning" });
  log.attach(first.address);
  await log.write(line("one"));
  log.attach(second.address);
  await log.write(line("two"));
  log.close();
  await log.write(line("late"));
  expect(written).toEqual(["warning: early", "late"]);
  expect([first.lines, second.lines].map(lines => lines.map(({ message }) => message))).toEqual([["one"], ["two"]]);
  await Promise.all([first.close(), second.close()]);
});

it("notices that an engine that was there has gone", async () => {
  const engine = await fakeEngine();
  const events = new EventTarget();
  const gone = once(events, "gone");
  const log = new EngineLog({ stderr: () => {}, onGone: () => events.dispatchEvent(new Event("gone")) });
  log.attach(engine.address);
  await log.write(line("hello"));
  await engine.close();
  await gone;
  log.close();
});

it("connects once to each engine that it is attached to, and not again once that is over", async () => {
  const engine = await fakeEngine();
  let connections = 0;
  const { port: real } = new URL(`http://${engine.address}`);
  const door = createServer(socket => {
    connections++;
    const inside = connectTo(Number(real), "127.0.0.1");
    for (const each of [socket, inside]) each.on("error", () => {});
    socket.pipe(inside).pipe(socket);
  });
  await once(door.listen(0, "127.0.0.1"), "listening");
  const address = `127.0.0.1:${(door.address() as AddressInfo).port}`;
  for (let round = 0; round < 10; round++) {
    const log = new EngineLog({ stderr: () => {} });
    for (const nth of [1, 2]) {
      log.attach(address);
      await log.write(line(`${nth}`));
    }
    log.close();
  }
  expect(engine.lines).toHaveLength(20);
  expect(connections).toBe(20);
  door.close();
  await engine.close();
});
