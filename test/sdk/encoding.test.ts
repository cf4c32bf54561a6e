import fc from "fast-check";
import { Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import { describe, expect, test } from "vitest";
import { Archive, Asset, UNKNOWN, type Value } from "../../kit/values.js";
import { decode, encode } from "../../sdk/dynamic/encoding.js";

const text = fc.string({ unit: "grapheme" });
const key = text.filter(name => name !== "__proto__" && name !== "4dabf18193072939515e22adb298388d");
const optional = fc.option(text.filter(Boolean), { nil: undefined });
const values = fc.letrec<{ value: Value; record: Record<string, Value> }>(tie => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(n => (Object.is(n, -0) ? 0 : n)),
    fc.boolean(),
    fc.constant(null),
    fc.constant(UNKNOWN),
    fc.record({ hash: optional, path: optional, text: optional, uri: optional }).map(fields => new Asset(fields)),
    optional.map(hash => new Archive(hash)),
    fc.array(tie("value"), { maxLength: 3 }),
    tie("record"),
  ),
  record: fc.dictionary(key, tie("value"), { maxKeys: 3, noNullPrototype: true }),
}));

describe("the codec of the dynamic provider", () => {
  test("every value survives the engine's protobuf", () => {
    fc.assert(
      fc.property(values.record, record => {
        const struct = Struct.fromJavaScript(encode(record, "keep") as never);
        expect(decode(Struct.deserializeBinary(struct.serializeBinary()).toJavaScript())).toEqual(record);
      }),
    );
  });

  test("never hands the host what it throws at", () => {
    const odd = { a: undefined, b: Number.NaN, c: "\ud800", d: [undefined], "\udc00": 1, e: () => {} };
    expect(() => Struct.fromJavaScript(encode(odd, "omit") as never).serializeBinary()).not.toThrow();
  });

  test("opens what the engine still wraps, and leaves out what isn't known in an update", () => {
    const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", value: "x" };
    expect(decode({ name: secret })).toEqual({ name: "x" });
    expect(encode({ status: UNKNOWN, name: "x" }, "omit")).toEqual({ name: "x" });
  });
});
