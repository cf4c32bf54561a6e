import fc from "fast-check";
import { expect, test } from "vitest";
import { parseJson } from "../../provider/client/json.js";

test("JSON is what JSON.parse says it is, but for big whole numbers and __proto__", () => {
  const value = fc
    .jsonValue()
    .filter(v => !JSON.stringify(v).includes("__proto__") && !/[0-9]{16}/.test(JSON.stringify(v)));
  fc.assert(
    fc.property(value, v => {
      expect(parseJson(JSON.stringify(v))).toEqual(JSON.parse(JSON.stringify(v)));
    }),
  );
});

test("whole numbers keep every digit, wherever they are; strings that look like them are left alone", () => {
  const big = fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n });
  fc.assert(
    fc.property(big, fc.string(), fc.boolean(), (number, text, negative) => {
      const source = `${negative ? "-" : ""}${number}`;
      const tricky = `${text}\\": ${number}`;
      const parsed = parseJson(
        `{"a":[${source}], ${JSON.stringify(tricky)}: ${JSON.stringify(tricky)}, "id" : ${source} }`,
      );
      expect(parsed).toEqual({ a: [source], [tricky]: tricky, id: source });
    }),
  );
});

test("__proto__ is dropped and reaches no prototype", () => {
  const parsed = parseJson('{"__proto__":{"polluted":1},"a":{"__proto__":null,"b":1}}') as Record<string, unknown>;
  expect(Object.keys(parsed)).toEqual(["a"]);
  expect(parsed["a"]).toEqual({ b: 1 });
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

test.each([
  ["", "empty"],
  [" \n", "empty"],
  ["\ufeff", "empty"],
  ["<html>", "page"],
  ["\ufeff  <?xml ?>", "page"],
  ["{", "syntax"],
  ["{} {}", "syntax"],
  ["[".repeat(10_000), "deep"],
  [`${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`, "deep"],
])("%.20j is %s", (text, kind) => {
  expect(() => parseJson(text)).toThrow(expect.objectContaining({ kind }));
});

test("brackets inside strings don't count as depth", () => {
  expect(parseJson(JSON.stringify({ a: `${"[".repeat(500)}"\\${"{".repeat(500)}` }))).toHaveProperty("a");
});
