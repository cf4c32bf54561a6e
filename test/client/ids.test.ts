import fc from "fast-check";
import { expect, test } from "vitest";
import { parseId } from "../../provider/client/bodies.js";
import { failure, testService } from "./setup.js";
import { stub } from "./stub.js";

test("what parseId lets through is itself, and nothing but digits", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 18_446_744_073_709_551_615n }), id => {
      expect(parseId(String(id))).toBe(String(id));
    }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), id => {
      expect(parseId(id)).toBe(String(id));
    }),
  );
  fc.assert(
    fc.property(fc.anything(), value => {
      let id: string;
      try {
        id = parseId(value);
      } catch (error) {
        expect((error as Error).message.length).toBeLessThan(400);
        return;
      }
      expect(id).toMatch(/^[1-9][0-9]{0,19}$/);
      expect(id).toBe(String(value));
    }),
  );
});

const HOSTILE = [
  "",
  "0",
  "-1",
  "1.5",
  "1e3",
  "0x10",
  " 7",
  "7\n",
  "7\r\nx-api-key: y",
  "../users/api_key",
  "7/../8",
  "7?x=1",
  "7#",
  "٧",
  "７",
  "7\u202e8",
  "123456789012345678901",
];

test.each(HOSTILE)("the id %j is refused before anything is asked", async id => {
  await using server = await stub(response => void response.end());
  await using service = testService(server.url);
  for (const call of [
    () => service.getDocument(id),
    () => service.remind(id),
    () => service.listDocuments({ folderId: id }),
    () => service.listDocuments({ organizationId: id }),
  ]) {
    expect(await failure(call())).toMatchObject({
      name: "InvalidArgumentError",
      message: expect.stringMatching(/digits.*, got/),
    });
  }
  expect(server.seen).toEqual([]);
});

test("the error escapes what it quotes, and keeps it short", () => {
  expect(() => parseId("7\r\n\u202e")).toThrow('got "7\\u000d\\u000a\\u202e"');
  expect(() => parseId("9".repeat(1_000_000))).toThrow(/"9{40}…"$/);
  expect(() => parseId({ toString: () => "7" })).toThrow(/got object/);
  expect(() => parseId(2 ** 53, "documentId")).toThrow(
    /documentId .* write numbers above 9007199254740991 as a string/,
  );
});

test.each(["2026-1-1", "2026-01-01&status=signed", "today", "２０２６-01-01", ""])(
  "the date %j is refused",
  async fromDate => {
    await using service = testService("http://127.0.0.1:9");
    const call = service.listDocumentsByDateRange({ fromDate, toDate: "2026-01-31", status: "signed" });
    expect(await failure(call)).toMatchObject({ name: "InvalidArgumentError" });
  },
);
