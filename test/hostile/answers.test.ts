import { describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { listedDocument, payloadOf, wholeDocument } from "../../provider/client/bodies.js";
import { CancelledError, type RequestInfo } from "../../provider/client/errors.js";
import { Redactor } from "../../provider/client/json.js";
import { RowReader, rowsOf } from "../../provider/client/lists.js";
import { documentBody, failure, testService } from "../client/setup.js";
import { stub } from "../client/stub.js";
import { NASTY_TEXTS } from "./values.js";

const asking: RequestInfo = {
  endpoint: "GET https://api.example.com/v1/documents",
  origin: "https://api.example.com",
  source: "docsign:apiKey",
  redactor: new Redactor(),
  now: 0,
};
const answered = (text: string) => ({ ...asking, status: 200, headers: {}, text });
/** In pieces that end anywhere, within a character's bytes too. */
async function* pieces(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
const read = <T extends z.ZodType>(text: string, schema: T, signal?: AbortSignal, size = 65_536) =>
  rowsOf(
    new RowReader(schema),
    { ...asking, status: 200, headers: {}, chunks: pieces(Buffer.from(text), size) },
    signal,
  );
const good = (id: number) =>
  JSON.stringify({ id, name: `NDA ${id}`, status: "unsigned", organization: { id: 1, name: "O" } });
const list = (rows: readonly string[]) => `{"ok":true,"payload":[${rows.join(",")}]}`;
const many = (row: string, count: number) => list(Array.from({ length: count }, () => row));

describe("a list's answer", () => {
  test("ends with the first row that can't be read: the others aren't looked at", async () => {
    const parse = vi.spyOn(listedDocument, "safeParse");
    await expect(read(list([good(1), "{}", ...Array(500_000).fill("{}")]), listedDocument)).rejects.toThrow(
      "answered 200 with a body that can't be read: payload.1.id: Invalid input",
    );
    expect(parse).toHaveBeenCalledTimes(2);
  });

  test("is read once where it shows the same again, and what can't be read is refused each time", async () => {
    const parse = vi.spyOn(listedDocument, "safeParse");
    const reader = new RowReader(listedDocument);
    const again = (rows: readonly string[]) =>
      rowsOf(reader, { ...asking, status: 200, headers: {}, chunks: pieces(Buffer.from(list(rows)), 100) });
    const first = await again([good(1), good(2)]);
    expect(await again([good(3), good(1), good(2)])).toEqual([...(await again([good(3)])), ...first]);
    expect(parse).toHaveBeenCalledTimes(3);
    for (let time = 0; time < 2; time++) await expect(again([good(1), "{}"])).rejects.toThrow("payload.1.id");
    expect(parse).toHaveBeenCalledTimes(5);
  });

  test("of more rows than are read is a clear error", async () => {
    const anything = z.unknown();
    expect(await read(many("1", 200_000), anything)).toHaveLength(200_000);
    await expect(read(many("1", 200_001), anything)).rejects.toThrow(
      "answered 200 with more than 200000 rows, which is more than is read",
    );
  });

  test("isn't read on once Cancel was heard", async () => {
    const parse = vi.spyOn(listedDocument, "safeParse");
    const cancel = new AbortController();
    const reading = read(many(good(1), 100_000), listedDocument, cancel.signal);
    cancel.abort();
    await expect(reading).rejects.toBeInstanceOf(CancelledError);
    expect(parse.mock.calls.length).toBeLessThan(5_000);
  });

  test("is cancelled through the service, too", async () => {
    await using server = await stub(response => void response.end(many(good(1), 100_000)));
    await using service = testService(server.url);
    const cancel = new AbortController();
    const parse = vi.spyOn(listedDocument, "safeParse").mockImplementationOnce(value => {
      cancel.abort();
      return listedDocument.safeParse(value) as never;
    });
    expect(await failure(service.listDocuments({}, { signal: cancel.signal }))).toBeInstanceOf(CancelledError);
    expect(parse.mock.calls.length).toBeLessThan(5_000);
  });

  const wrong: [string, string, string | RegExp][] = [
    ["a payload that isn't one", '{"ok":true,"payload":"x"}', "payload: Invalid input"],
    ["no payload", '{"ok":true,"rows":[]}', "without the {ok, payload} envelope"],
    ["no object", "[1]", "without the {ok, payload} envelope"],
    ["a refusal", '{"ok":false,"payload":[]}', "not ok"],
    ["an end within a row", `{"ok":true,"payload":[${good(1)},{"id":`, "isn't JSON"],
    ["an end after a row", `{"ok":true,"payload":[${good(1)}`, "isn't JSON"],
    ["something behind the end", `${list([good(1)])}x`, "isn't JSON"],
    ["no comma", `{"ok":true,"payload":[${good(1)} ${good(2)}]}`, "isn't JSON"],
    ["a comma too many", `{"ok":true,"payload":[${good(1)},]}`, "isn't JSON"],
    ["a comma too many outside", `{"ok":true,"payload":[],}`, "isn't JSON"],
    ["an empty row", `{"ok":true,"payload":[,${good(1)}]}`, "isn't JSON"],
    ["brackets that don't match", '{"ok":true,"payload":[{"id":1]}]}', "isn't JSON"],
    ["a row nested deep", `{"ok":true,"payload":[${"[".repeat(10_000)}]}`, "nested too deep"],
    ["another member nested deep", `{"x":${"[".repeat(10_000)},"payload":[]}`, "nested too deep"],
    [
      "a row of 1 MB",
      list([JSON.stringify({ id: 1, name: "x".repeat(1_000_000) })]),
      'more than 262144 characters in "payload.0"',
    ],
    ["a member of 1 MB", `{"x":"${"x".repeat(1_000_000)}","payload":[]}`, 'more than 262144 characters in "x"'],
    ["a name of 1 MB", `{"${"x".repeat(1_000_000)}":1,"payload":[]}`, "isn't JSON"],
    ["nothing", "", "answered 200 with nothing"],
    ["a page", "<html>", "web page"],
    ["a log-in page", '<html><input type="password">', "answered 200 with a log-in page"],
  ];
  test.for(wrong)("with %s is an error in one line", async ([, text, message]) => {
    const error = await failure(read(text, listedDocument));
    expect(error.message).toMatch(message);
    expect(error.message.length).toBeLessThan(500);
  });

  test("has rows as they were sent, wherever they stand and whatever is in them", async () => {
    const rows = NASTY_TEXTS.map((name, index) => ({ id: index + 1, name, x: { '"]}': [name] } }));
    const texts = [
      JSON.stringify({ ok: true, payload: rows }),
      JSON.stringify({ payload: rows, other: { payload: [1] }, ok: true }, undefined, 2),
      `\ufeff ${JSON.stringify({ ok: true, payload: rows }).replace('"payload"', '"pay\\u006coad" ')} `,
    ];
    for (const [index, text] of texts.entries()) {
      const found = await read(text, listedDocument, undefined, [65_536, 1, 7][index]);
      expect(found.map(({ id, name }) => ({ id, name }))).toEqual(
        rows.map(({ id, name }) => ({ id: String(id), name })),
      );
    }
  });
});

describe("a document's answer", () => {
  const withSigners = (count: number, signer: object) => ({
    ok: true,
    payload: { ...documentBody(), files: [{ id: 1, version: "1", signers: Array(count).fill(signer) }] },
  });

  test("with thousands of wrong parts names the first", () => {
    const text = JSON.stringify(withSigners(100_000, [1]));
    const error = (() => {
      try {
        return payloadOf(answered(text), wholeDocument);
      } catch (error) {
        return error as Error;
      }
    })();
    expect(String(error)).toContain("payload.files.0.signers.0: Invalid input");
    expect(String(error)).not.toContain("more");
  });

  test("of millions of values is refused before it is made into them", async () => {
    await using server = await stub(
      response => void response.end(`{"ok":true,"payload":[${"{},".repeat(1_100_000)}{}]}`),
    );
    await using service = testService(server.url);
    expect((await failure(service.getDocument("7"))).message).toContain(
      "with JSON of too many values to be a document",
    );
  });
});
