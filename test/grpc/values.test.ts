import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decode, encode, SECRET, SIGNATURE } from "../../kit/codec.js";
import type { Path } from "../../kit/secrets.js";
import { Archive, Asset, UNKNOWN, type Value, type Values } from "../../kit/values.js";
import { Writer } from "../../kit/wire.js";
import { Struct } from "../support/proto.js";

/** Read and written again by google-protobuf. */
const travelled = (struct: Buffer) => Buffer.from(Struct.deserializeBinary(struct).serializeBinary());
const fromStruct = (json: Record<string, unknown>) =>
  decode(Buffer.from(Struct.fromJavaScript(json as never).serializeBinary()));

/** Any valid string that isn't one of the marks. */
const text = fc.string({ unit: "binary", maxLength: 20 });
const key = fc
  .oneof(text, fc.constantFrom("constructor", "toString", "hasOwnProperty", "value", ""))
  .filter(name => name !== "__proto__");
const number = fc.double({ noNaN: true, noDefaultInfinity: true });
const hash = fc.string({ unit: "grapheme-ascii", minLength: 1 });
const asset = fc
  .record({ hash, path: fc.option(hash, { nil: undefined }) })
  .map(({ hash, path }) => new Asset({ hash, path }));
const leaf: fc.Arbitrary<Value> = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  number,
  fc.integer(),
  text,
  fc.constant<Value>(UNKNOWN),
  asset,
  hash.map(each => new Archive(each)),
);
const { value } = fc.letrec<{ value: Value }>(tie => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(key, tie("value"), { maxKeys: 4 }),
  ),
}));
const values = fc.dictionary(key, value, { maxKeys: 5 }) as fc.Arbitrary<Values>;

/** Every path in a value, the root's excepted. */
function paths(value: Value | undefined, at: Path = []): Path[] {
  if (typeof value !== "object" || value === null || value instanceof Asset || value instanceof Archive) return [];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.flatMap(([key, each]) => [[...at, key], ...paths(each, [...at, key])]);
}

/** Values, and a few of their paths of which none contains another. */
const withSecrets = values.chain(values =>
  fc.subarray(paths(values)).map(chosen => ({
    values,
    secrets: chosen.filter(path => !chosen.some(other => other !== path && isPrefix(other, path))),
  })),
);
const isPrefix = (prefix: Path, path: Path) => prefix.every((key, i) => path[i] === key);
const sorted = (paths: readonly Path[]) => paths.map(path => JSON.stringify(path)).sort();

describe("laws", () => {
  it("decode undoes encode, for values, unknowns, assets and secrets", () => {
    fc.assert(
      fc.property(withSecrets, ({ values, secrets }) => {
        const back = decode(travelled(encode(values, { secrets })));
        expect(back.values).toEqual(values);
        expect(sorted(back.secrets)).toEqual(sorted(secrets));
      }),
      { numRuns: 500 },
    );
  });

  it("a secret path that leads nowhere makes an ancestor secret, never nothing, while its property exists", () => {
    fc.assert(
      fc.property(values, fc.array(fc.oneof(key, fc.nat(3)), { minLength: 1, maxLength: 4 }), (values, path) => {
        const { secrets } = decode(travelled(encode(values, { secrets: [path.map(String)] })));
        const exists = Object.hasOwn(values, String(path[0]));
        expect(secrets).toHaveLength(exists ? 1 : 0);
        expect(secrets.every(secret => secret.map(String).every((key, i) => key === String(path[i])))).toBe(true);
      }),
    );
  });

  it("leaves no unknown where the engine would refuse one", () => {
    fc.assert(
      fc.property(values, values => {
        const { values: back } = decode(encode(values, { unknowns: "omit" }));
        const leaves = (value: Value): Value[] =>
          Array.isArray(value)
            ? value.flatMap(leaves)
            : paths(value).length > 0
              ? Object.values(value as Values).flatMap(leaves)
              : [value];
        expect(leaves(back)).not.toContain(UNKNOWN);
      }),
    );
  });
});

describe("what the engine sends", () => {
  it("unwraps secrets and remembers where, but not those within another", () => {
    const wrapped = (value: unknown) => ({ [SIGNATURE]: SECRET, value });
    expect(fromStruct({ a: wrapped({ b: wrapped("x") }), list: ["y", wrapped("z")] })).toEqual({
      values: { a: { b: "x" }, list: ["y", "z"] },
      secrets: [["a"], ["list", 1]],
    });
  });

  it("takes the fields of a struct in one order, whatever order they come in", () => {
    const entry = (name: string, value: unknown) =>
      Buffer.from(Struct.fromJavaScript({ [name]: value } as never).serializeBinary());
    const inner = (names: readonly string[]) => names.map(name => entry(name, "x"));
    const written = (names: readonly string[]) => {
      const writer = new Writer();
      const field = writer.begin(1);
      const value = writer.text(1, "outer").begin(2);
      const struct = writer
        .bytes(5, Buffer.concat(inner(names)))
        .end(value)
        .end(field);
      return Buffer.concat([...inner(names), struct.finish()]);
    };
    const names = ["b", "a", "ä", "10", "B", "c"];
    const one = JSON.stringify(decode(written(names)));
    expect(JSON.stringify(decode(written(names.toReversed())))).toBe(one);
    expect(Object.keys(decode(written(["b", "a"])).values)).toEqual(["a", "b", "outer"]);
  });

  it("knows all seven unknowns", () => {
    const marks = [
      "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
      "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
      "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
      "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
      "030794c1-ac77-496b-92df-f27374a8bd58",
      "e48ece36-62e2-4504-bad9-02848725956a",
      "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
    ];
    expect(fromStruct({ marks }).values).toEqual({ marks: marks.map(() => UNKNOWN) });
  });

  it("reads output values: known, unknown, secret, with dependencies", () => {
    const output = { [SIGNATURE]: "d0e6a833031e9bbcd3f4e8bde6ca49a4" };
    expect(
      fromStruct({
        both: { ...output, secret: true },
        known: { ...output, value: "x", dependencies: ["urn:a"] },
        secret: { ...output, value: { a: 1 }, secret: true },
        unknown: { ...output },
      }),
    ).toEqual({
      values: { known: "x", unknown: UNKNOWN, secret: { a: 1 }, both: UNKNOWN },
      secrets: [["both"], ["secret"]],
    });
  });

  it("takes a resource for its id, or for its URN where it has none", () => {
    const resource = { [SIGNATURE]: "5cf8f73096256a8f31e491e813e4eb8e", urn: "urn:a" };
    expect(
      fromStruct({ custom: { ...resource, id: "7" }, planned: { ...resource, id: "" }, component: resource }).values,
    ).toEqual({ custom: "7", planned: UNKNOWN, component: "urn:a" });
  });

  it("reads assets with their source, and after Check with their hash alone", () => {
    const signed = { [SIGNATURE]: "c44067f5952c0a294b673a41bacd8c17" };
    expect(
      fromStruct({
        file: { ...signed, hash: "h", path: "a.pdf" },
        text: { ...signed, hash: "h", text: "x" },
        remote: { ...signed, hash: "h", uri: "https://x" },
        elided: { ...signed, hash: "h" },
        archive: { [SIGNATURE]: "0def7320c3a5731c473e5ecbe6d01bc7", hash: "h", assets: {} },
      }).values,
    ).toEqual({
      file: new Asset({ hash: "h", path: "a.pdf" }),
      text: new Asset({ hash: "h", text: "x" }),
      remote: new Asset({ hash: "h", uri: "https://x" }),
      elided: new Asset({ hash: "h" }),
      archive: new Archive("h"),
    });
  });

  it("decodes nothing as no values", () => {
    expect(decode(undefined)).toEqual({ values: {}, secrets: [] });
  });
});

describe("what can't be sent as it is", () => {
  const sent = (value: unknown) => decode(travelled(encode({ value } as Values))).values;

  it.each([
    ["undefined", undefined, {}],
    ["a function", () => 1, {}],
    ["undefined in a list, which keeps its places", [1, undefined], { value: [1, null] }],
    ["NaN, which would break the engine's state", Number.NaN, { value: null }],
    ["an infinity", Number.NEGATIVE_INFINITY, { value: null }],
    ["a date", new Date("2026-01-02T03:04:05Z"), { value: "2026-01-02T03:04:05.000Z" }],
    ["an invalid date", new Date(Number.NaN), { value: "" }],
    ["a bigint, in full", 2n ** 60n, { value: "1152921504606846976" }],
    ["a lone surrogate", "a\ud800b", { value: "a\uFFFDb" }],
  ])("%s", (_what, value, expected) => {
    expect(sent(value)).toEqual(expected);
  });

  it("a lone surrogate in a key, which Go would refuse the whole message for", () => {
    expect(decode(travelled(encode({ "a\udc00": 1 }))).values).toEqual({ "a\uFFFD": 1 });
  });

  it("a key named __proto__, which pollutes nothing", () => {
    const hostile = JSON.parse('{"__proto__": {"polluted": 1}, "a": {"__proto__": 1, "b": 2}}');
    const back = decode(travelled(encode(hostile, { secrets: [["__proto__", "polluted"]] })));
    expect(back).toEqual({ values: { a: { b: 2 } }, secrets: [] });
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("keeps integers up to 2^53 and surrogate pairs exactly", () => {
    expect(sent([2 ** 53, -(2 ** 53), "😀", "\0\uFEFF"])).toEqual({ value: [2 ** 53, -(2 ** 53), "😀", "\0\uFEFF"] });
  });
});
