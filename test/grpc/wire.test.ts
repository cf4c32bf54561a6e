import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SERVICE } from "../../kit/messages.js";
import { Reader, Writer } from "../../kit/wire.js";
import { rpc, rpcGrpc } from "../support/proto.js";

const malformed = "expected a protobuf message, got bytes that aren't one";

describe("reading", () => {
  it("skips fields that nobody asks for, whatever they hold", () => {
    const message = new Writer().integer(1, 300).double(2, 0.5).text(3, "x").text(4, "kept").finish();
    const fixed32 = Buffer.from([(5 << 3) | 5, 1, 2, 3, 4]);
    const reader = new Reader(Buffer.concat([fixed32, message]));
    const seen = [];
    for (let number = reader.next(); number !== 0; number = reader.next())
      seen.push(number === 4 ? reader.text() : number);
    expect(seen).toEqual([5, 1, 2, 3, "kept"]);
  });

  it.each([
    ["a text that ends early", [0x0a, 5, 0x61]],
    ["a number that ends early", [0x08, 0x80]],
    ["a number that never ends", [0x08, ...Array(12).fill(0x80), 1]],
    ["a tag that never ends", [...Array(12).fill(0x80), 1]],
    ["half a double", [0x11, 1, 2, 3]],
    ["a group", [0x0b, 0x0c]],
    ["a text where a number is expected", [0x0a, 1, 0x61]],
  ])("refuses %s", (_, bytes) => {
    const read = () => {
      const reader = new Reader(Buffer.from(bytes));
      for (let number = reader.next(); number !== 0; number = reader.next())
        if (bytes[0] === 0x0a && bytes[1] === 1) reader.integer();
    };
    expect(read).toThrow(malformed);
  });

  it("ends with any bytes, or refuses them", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), bytes => {
        const reader = new Reader(Buffer.from(bytes));
        try {
          for (let fields = 0; reader.next() !== 0; fields++) expect(fields).toBeLessThan(60);
        } catch (error) {
          expect(error).toEqual(new Error(malformed));
        }
      }),
    );
  });
});

describe("writing", () => {
  it("reads back numbers and texts of every length", () => {
    const length = fc.constantFrom(0, 1, 127, 128, 16_383, 16_384, 2_097_152);
    fc.assert(
      fc.property(
        fc.nat(2 ** 31),
        fc.double({ noNaN: true }),
        length,
        fc.boolean(),
        (integer, double, length, bool) => {
          const writer = new Writer().integer(1, integer).double(2, double);
          const inner = writer.begin(20);
          const message = writer.text(1, "é".repeat(length)).end(inner).bool(3, bool).finish();
          const reader = new Reader(message);
          expect([reader.next(), reader.integer(), reader.next(), reader.double()]).toEqual([1, integer, 2, double]);
          expect(reader.next()).toBe(20);
          const text = new Reader(reader.bytes());
          expect([text.next(), text.text().length, text.next()]).toEqual([1, length, 0]);
          expect([reader.next(), reader.bool(), reader.next()]).toEqual([3, bool, 0]);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe("the engine's messages", () => {
  it("have the paths of Pulumi's own definition", () => {
    const theirs = new Map(Object.entries(rpcGrpc.ResourceProviderService).map(([name, { path }]) => [name, path]));
    for (const [name, { path }] of Object.entries(SERVICE)) expect([name, path]).toEqual([name, theirs.get(name)]);
  });

  it("are read as Pulumi's own code writes them", () => {
    const update = new rpc.UpdateRequest().setId("7").setUrn("urn:a").setTimeout(1.5).setPreview(true);
    update.setIgnorechangesList(["x"]).setName("it").setType("docsign:index:Document");
    expect(SERVICE.update.read(Buffer.from(update.serializeBinary()))).toEqual({
      id: "7",
      urn: "urn:a",
      timeout: 1.5,
      preview: true,
      olds: undefined,
      news: undefined,
      oldInputs: undefined,
    });
    const list = new rpc.ListRequest()
      .setToken("t")
      .setLimit(-1)
      .setPageSize(2 ** 40)
      .setContinuationToken("next");
    expect(SERVICE.list.read(Buffer.from(list.serializeBinary()))).toEqual({
      token: "t",
      limit: -1,
      pageSize: 2 ** 40,
      continuationToken: "next",
      query: undefined,
    });
    const diff = new rpc.DiffRequest().setId("7").setIgnorechangesList(["a", "b"]);
    expect(SERVICE.diff.read(Buffer.from(diff.serializeBinary()))).toMatchObject({
      id: "7",
      ignoreChanges: ["a", "b"],
    });
  });
});
