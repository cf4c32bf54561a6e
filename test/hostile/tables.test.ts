import { describe, expect, test } from "vitest";
import { Asset, type Values } from "../../kit/values.js";
import { checkSet } from "../../provider/resources/document-set/rows.js";
import { readTable } from "../../provider/resources/document-set/table.js";
import { failure } from "../client/setup.js";
import { startMachine } from "../support/machine.js";
import { NASTY_TEXTS } from "./values.js";

const read = (text: string) => readTable(Buffer.from(text));
const mistakesIn = (text: string) => {
  const answer = read(text);
  return "mistakes" in answer ? answer.mistakes : [];
};
const rows = (count: number, row: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => row(i)).join("\n");
const columns = (count: number) => Array.from({ length: count }, (_, i) => `c${i}`).join(",");

describe("a table", () => {
  test("of too many columns or rows, or a row that is too long, is refused by its place", () => {
    expect(mistakesIn(`${columns(1_001)}\n`)).toEqual(["line 1: expected at most 1000 columns, got 1001"]);
    expect(mistakesIn(`${columns(1_000)}\n`)).toEqual([]);
    expect(mistakesIn(`a\n${rows(200_000, i => `${i}`)}\n`)).toEqual([]);
    expect(mistakesIn(`a\n${rows(200_001, i => `${i}`)}\n`)).toEqual([
      "line 200002: expected at most 200000 rows in one set, got more; split the table over several sets",
    ]);
    expect(mistakesIn(`a,b\nx,"${"y\n".repeat(600_000)}`)).toEqual([
      expect.stringMatching(/^line \d+: expected a row of at most 1000000 characters, got a longer one/),
    ]);
  });

  test("of nasty texts is read as it was written", () => {
    const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
    const answer = read(`a,b\n${NASTY_TEXTS.map(text => `x,${quoted(text)}`).join("\n")}`);
    if ("mistakes" in answer) throw new Error(answer.mistakes.join());
    expect(answer.table.rows.map(({ cells }) => cells[1])).toEqual(
      NASTY_TEXTS.map(text => text.toWellFormed().trim().normalize("NFC")),
    );
  });
});

describe("the Check of a set", () => {
  const defaults: Values = {
    name: "NDA of {{name}}",
    template: new Asset({ text: "# NDA\n\nWith {{name}}.\n" }),
    variables: { name: "{{name}}" },
    invitations: [{ email: "{{email}}" }],
  };
  const check = async (text: string, more: Values = {}, signal?: AbortSignal) => {
    using machine = startMachine();
    await using run = machine.run({});
    const given = { table: new Asset({ text }), key: "{{email}}", defaults, ...more };
    return checkSet({ olds: undefined, given, secrets: new Set(), signal }, run.runtime.context.pdfs);
  };

  test("names some columns where a text wants another", async () => {
    const { failures } = await check(`email,name,${columns(900)}\n`, { key: "{{emial}}" });
    expect(failures.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(
        /^table: key: the table has no column "emial"; it has email, name, c0, .*c17 and 882 more$/,
      ),
    ]);
  });

  test("of many rows hears a Cancel while it works", async () => {
    const cancel = new AbortController();
    const text = `email,name\n${rows(50_000, i => `p${i}@example.com,P${i}`)}`;
    // Nothing it does waits for anything: without turns of others this would come after its end.
    setImmediate(() => cancel.abort());
    const { name } = await failure(check(text, {}, cancel.signal));
    expect(name).toBe("AbortError");
  });

  test("of too many documents is refused before they are looked at", async () => {
    const documents = Object.fromEntries(Array.from({ length: 200_001 }, (_, i) => [`k${i}`, null]));
    const { failures } = await check("", { documents, table: null, key: null });
    expect(failures).toEqual([
      { property: "", reason: "documents: expected at most 200000 rows in one set, got 200001" },
    ]);
  });

  const verdicts = NASTY_TEXTS.map((text, index) => [index, JSON.stringify(text), text] as const);
  test.for(verdicts)("takes or refuses nasty key %i, %s, in a line that repeats none of it raw", async ([, , text]) => {
    const quoted = `"${text.replaceAll('"', '""')}"`;
    const { failures, rows: read } = await check(`key,email,name\n${quoted},ana@example.com,${quoted}\n`, {
      key: "{{key}}",
    });
    for (const { reason } of failures) {
      expect(reason).not.toMatch(/[\p{Cc}\p{Cs}\u202e]/u);
      expect(reason.length).toBeLessThan(500);
    }
    if (failures.length === 0)
      expect([...(read as ReadonlyMap<string, unknown>).keys()]).toEqual([text.toWellFormed().trim()]);
  });
});
