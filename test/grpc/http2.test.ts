import { once } from "node:events";
import { connect as connectHttp2, constants, type IncomingHttpHeaders } from "node:http2";
import { type AddressInfo, connect as connectTo, createServer, type Socket } from "node:net";
import { expect, it } from "vitest";
import { EngineLog } from "../../kit/log.js";
import { SERVICE } from "../../kit/messages.js";
import { startServer } from "../../kit/server.js";
import { fakeEngine } from "./support/fake-engine.js";
import { fakeProvider } from "./support/fake-provider.js";

const GRPC = { "content-type": "application/grpc" };

/** Posts bytes as they are, and gives the answer's headers and trailers in one. */
async function post(body: Buffer, headers: IncomingHttpHeaders = GRPC, path = SERVICE.getPluginInfo.path) {
  const server = await startServer(fakeProvider());
  const client = connectHttp2(`http://127.0.0.1:${server.port}`);
  try {
    const stream = client.request({ ":method": "POST", ":path": path, ...headers });
    const answer: IncomingHttpHeaders = {};
    stream.on("response", received => Object.assign(answer, received));
    stream.on("trailers", received => Object.assign(answer, received));
    let text = "";
    stream.setEncoding("latin1").on("data", chunk => {
      text += chunk;
    });
    stream.end(body);
    await once(stream, "end");
    return { status: answer[":status"], grpc: answer["grpc-status"], message: answer["grpc-message"], text };
  } finally {
    client.close();
    await server.stop("the test is over");
  }
}

const EMPTY_MESSAGE = Buffer.alloc(5);

it("answers a message with a message, and a status behind it", async () => {
  const answered = { status: 200, grpc: "0", text: "\0\0\0\0\x07\x0a\x051.2.3" };
  expect(await post(EMPTY_MESSAGE)).toMatchObject(answered);
  expect(await post(EMPTY_MESSAGE, { "content-type": "application/grpc+proto" })).toMatchObject(answered);
});

it.each([
  ["none", Buffer.alloc(0)],
  ["two", Buffer.alloc(10)],
  ["one that is compressed", Buffer.from([1, 0, 0, 0, 0])],
  ["one that is cut off", Buffer.from([0, 0, 0, 0, 9, 1])],
])("refuses a call with another message than one that is whole: %s", async (_, body) => {
  const message = "expected one message, not compressed, got something else";
  expect(await post(body)).toMatchObject({ status: 200, grpc: "13", message, text: "" });
});

it.each([
  [
    "is too large",
    [0, 255, 255, 255, 255],
    "8",
    "expected a message of at most 419430400 bytes, got one of 4294967295",
  ],
  ["has more behind it", [0, 0, 0, 0, 0, 1], "13", "expected one message, not compressed, got something else"],
])("refuses a message that %s before all of it is there", async (_, begun, grpc, message) => {
  const server = await startServer(fakeProvider());
  const client = connectHttp2(`http://127.0.0.1:${server.port}`);
  try {
    const stream = client.request({ ":method": "POST", ":path": SERVICE.getPluginInfo.path, ...GRPC });
    stream.on("error", () => {});
    stream.write(Buffer.from(begun));
    const [answer] = await once(stream, "response");
    expect([answer["grpc-status"], answer["grpc-message"]]).toEqual([grpc, message]);
  } finally {
    client.destroy();
    await server.stop("the test is over");
  }
});

it("says that it has no such method, in ASCII", async () => {
  const { grpc, message } = await post(EMPTY_MESSAGE, GRPC, "/a/100%ñ");
  expect([grpc, message]).toEqual(["12", "the plugin has no method /a/100%25%C3%B1"]);
});

it("refuses an Attach that can't be read", async () => {
  const body = Buffer.from([0, 0, 0, 0, 2, 0x0a, 0x7f]);
  expect(await post(body, GRPC, SERVICE.attach.path)).toMatchObject({ status: 200, grpc: "13" });
});

it("goes on after calls that were given up at any moment", async () => {
  const server = await startServer(fakeProvider());
  const client = connectHttp2(`http://127.0.0.1:${server.port}`);
  const request = () => {
    const stream = client.request({ ":method": "POST", ":path": SERVICE.getPluginInfo.path, ...GRPC });
    stream.on("error", () => {});
    stream.end(EMPTY_MESSAGE);
    return stream;
  };
  try {
    for (const turns of [0, 1, 2, 3, 5, 8]) {
      const closed = Array.from({ length: 50 }, async () => {
        const stream = request();
        const isClosed = once(stream, "close");
        for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
        stream.close(constants.NGHTTP2_CANCEL);
        await isClosed;
      });
      await Promise.all(closed);
    }
    const stream = request();
    const answer = once(stream, "response");
    stream.resume();
    expect((await answer)[0]).toMatchObject({ ":status": 200 });
  } finally {
    client.close();
    await server.stop("the test is over");
  }
});

it("is no web server", async () => {
  expect(await post(EMPTY_MESSAGE, { "content-type": "application/json" })).toMatchObject({ status: 415, text: "" });
});

it("takes an engine whose connection breaks and can be made again for one that is there", async () => {
  const engine = await fakeEngine();
  const { port } = new URL(`http://${engine.address}`);
  const held = new Set<Socket>();
  const door = createServer(socket => {
    const inside = connectTo(Number(port), "127.0.0.1");
    for (const each of [held.add(socket) && socket, inside]) each.on("error", () => {});
    socket.pipe(inside).pipe(socket);
  });
  await once(door.listen(0, "127.0.0.1"), "listening");
  const gone: string[] = [];
  const events = new EventTarget();
  const log = new EngineLog({
    stderr: () => {},
    onGone: () => {
      gone.push("gone");
      events.dispatchEvent(new Event("gone"));
    },
  });
  const line = (message: string) => ({ severity: "info" as const, message, urn: "", ephemeral: false });
  log.attach(`127.0.0.1:${(door.address() as AddressInfo).port}`);
  await log.write(line("before"));
  const again = once(door, "connection");
  for (const socket of held) socket.destroy();
  await again;
  await log.write(line("after"));
  expect(engine.lines.map(({ message }) => message)).toEqual(["before", "after"]);
  expect(gone).toEqual([]);
  const end = once(events, "gone");
  door.close();
  for (const socket of held) socket.destroy();
  await end;
  log.close();
  await engine.close();
});
