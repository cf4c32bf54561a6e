import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect as dial } from "node:net";
import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { SERVICE } from "../../kit/messages.js";
import { startServer } from "../../kit/server.js";
import { fakeProvider } from "./support/fake-provider.js";

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** A frame as RFC 9113 writes it; `length` is what it says of itself. */
function frame(
  type: number,
  flags: number,
  stream: number,
  payload = Buffer.alloc(0),
  length = payload.length,
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}
const [DATA, HEADERS, RST_STREAM, SETTINGS, PING, WINDOW_UPDATE, CONTINUATION] = [0, 1, 3, 4, 6, 8, 9];
const [END_STREAM, END_HEADERS] = [1, 4];
const SETTINGS_FRAME = frame(SETTINGS, 0, 0);

/** A name or a value of a header, not compressed. */
const text = (value: string) => Buffer.concat([Buffer.from([0x7f, ...varint(value.length - 127)]), Buffer.from(value)]);
function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) | 128, ...varint(Math.floor(value / 128))];
}
const short = (value: string) => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);
const header = (name: string, value: string) =>
  Buffer.concat([Buffer.from([0]), short(name), value.length < 127 ? short(value) : text(value)]);
const call = Buffer.concat([
  header(":method", "POST"),
  header(":scheme", "http"),
  header(":path", SERVICE.getPluginInfo.path),
  header("content-type", "application/grpc"),
]);
const times = (count: number, make: (index: number) => Buffer) =>
  Buffer.concat(Array.from({ length: count }, (_, index) => make(index)));
const opened = (index: number) => frame(HEADERS, END_HEADERS, 2 * index + 1, call);
const message = (index: number, bytes: number[]) => frame(DATA, END_STREAM, 2 * index + 1, Buffer.from(bytes));

it.each<[string, Buffer]>([
  ["no preface", Buffer.from("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")],
  ["a preface alone", PREFACE],
  ["a frame that says it has 16 MB", Buffer.concat([PREFACE, frame(SETTINGS, 0, 0, Buffer.alloc(6), 0xffffff)])],
  [
    "a header of 1 MB",
    Buffer.concat([
      PREFACE,
      SETTINGS_FRAME,
      frame(HEADERS, 0, 1, header("x", "a".repeat(16_000))),
      times(64, () => frame(CONTINUATION, 0, 1, header("x", "a".repeat(16_000)))),
      frame(CONTINUATION, END_HEADERS, 1),
    ]),
  ],
  [
    "a header without an end",
    Buffer.concat([
      PREFACE,
      SETTINGS_FRAME,
      frame(HEADERS, 0, 1, call),
      times(20_000, () => frame(CONTINUATION, 0, 1)),
    ]),
  ],
  [
    "10,000 headers in one call",
    Buffer.concat([
      PREFACE,
      SETTINGS_FRAME,
      frame(HEADERS, 0, 1, call),
      times(10, () =>
        frame(
          CONTINUATION,
          0,
          1,
          times(1_000, () => header("a", "b")),
        ),
      ),
      frame(CONTINUATION, END_HEADERS, 1),
    ]),
  ],
  [
    "20,000 calls that are given up at once",
    Buffer.concat([
      PREFACE,
      SETTINGS_FRAME,
      times(20_000, index =>
        Buffer.concat([opened(index), frame(RST_STREAM, 0, 2 * index + 1, Buffer.from([0, 0, 0, 8]))]),
      ),
    ]),
  ],
  ["5,000 calls that never end", Buffer.concat([PREFACE, SETTINGS_FRAME, times(5_000, opened)])],
  [
    "1,000 calls with a message cut off",
    Buffer.concat([
      PREFACE,
      SETTINGS_FRAME,
      times(1_000, index => Buffer.concat([opened(index), message(index, [0, 0, 0, 0, 9])])),
    ]),
  ],
  ["100,000 pings", Buffer.concat([PREFACE, SETTINGS_FRAME, times(100_000, () => frame(PING, 0, 0, Buffer.alloc(8)))])],
  ["50,000 settings", Buffer.concat([PREFACE, times(50_000, () => SETTINGS_FRAME)])],
  ["a message on a call that isn't there", Buffer.concat([PREFACE, SETTINGS_FRAME, message(7, [0, 0, 0, 0, 0])])],
  [
    "no more room for an answer, ever",
    Buffer.concat([
      PREFACE,
      frame(SETTINGS, 0, 0, Buffer.from([0, 4, 0, 0, 0, 0])),
      times(100, index => Buffer.concat([opened(index), message(index, [0, 0, 0, 0, 0])])),
    ]),
  ],
  [
    "room beyond what a number holds",
    Buffer.concat([
      PREFACE,
      SETTINGS_FRAME,
      opened(0),
      times(3, () => frame(WINDOW_UPDATE, 0, 1, Buffer.from([0x7f, 255, 255, 255]))),
    ]),
  ],
])("serves others beside a caller who sends %s", async (_what, bytes) => {
  const server = await startServer(fakeProvider());
  const hostile = dial(server.port, "127.0.0.1").on("error", () => {});
  // What is answered isn't read until the end.
  hostile.pause();
  try {
    await once(hostile, "connect");
    hostile.write(bytes);
    for (let turn = 0; turn < 50; turn++) await setImmediate();
    expect(await versionFrom(server.port)).toBe("1.2.3");
    hostile.resume();
    expect(await versionFrom(server.port)).toBe("1.2.3");
  } finally {
    hostile.destroy();
    await server.stop("the test is over");
  }
});

it("serves others beside 300 callers who say nothing", async () => {
  const server = await startServer(fakeProvider());
  const silent = Array.from({ length: 300 }, () => dial(server.port, "127.0.0.1").on("error", () => {}));
  try {
    await Promise.all(silent.map(each => once(each, "connect")));
    expect(await versionFrom(server.port)).toBe("1.2.3");
  } finally {
    for (const each of silent) each.destroy();
    await server.stop("the test is over");
  }
});

async function versionFrom(port: number): Promise<string> {
  const client = connectHttp2(`http://127.0.0.1:${port}`);
  try {
    const stream = client.request({
      ":method": "POST",
      ":path": SERVICE.getPluginInfo.path,
      "content-type": "application/grpc",
    });
    stream.end(Buffer.alloc(5));
    let answer = "";
    for await (const chunk of stream.setEncoding("latin1")) answer += chunk;
    return answer.slice(7);
  } finally {
    client.destroy();
  }
}
