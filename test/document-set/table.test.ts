import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Turns } from "../../provider/core/turns.js";
import {
  type ReadTable,
  readTable,
  readTableByTurns,
  type TableRow,
} from "../../provider/resources/document-set/table.js";

const read = (text: string) => readTable(Buffer.from(text, "utf8"));
const rowsOf = (text: string) => {
  const answer = read(text);
  if ("mistakes" in answer) throw new Error(answer.mistakes.join("\n"));
  const { columns, rows } = answer.table;
  const cellsOf = ({ cells }: TableRow) => Object.fromEntries(columns.map((column, index) => [column, cells[index]]));
  return rows.map(row => ({ line: row.line, cells: cellsOf(row) }));
};
const mistakesIn = (text: string) => {
  const answer = read(text);
  return "mistakes" in answer ? answer.mistakes : [];
};

describe("a table", () => {
  test.each([
    ["commas", "email,name\nana@example.com,Ana\n"],
    ["semicolons", "email;name\nana@example.com;Ana\n"],
    ["tabs", "email\tname\nana@example.com\tAna\n"],
    ["a byte order mark and CRLF", "\ufeffemail,name\r\nana@example.com,Ana\r\n"],
    ["quotes", '"email","name"\n"ana@example.com","Ana"'],
    ["spaces around cells", "email , name\n ana@example.com , Ana "],
    ["empty lines", "email,name\n\nana@example.com,Ana\n,\n\n"],
  ])("is read with %s", (_name, text) => {
    expect(rowsOf(text).map(({ cells }) => cells)).toEqual([{ email: "ana@example.com", name: "Ana" }]);
  });

  test("may have delimiters, quotes and line breaks inside quotes, and knows each row's first line", () => {
    const rows = rowsOf('email;address\na@example.com;"One; ""Two""\nThree"\nb@example.com;Four\n');
    expect(rows).toEqual([
      { line: 2, cells: { email: "a@example.com", address: 'One; "Two"\nThree' } },
      { line: 4, cells: { email: "b@example.com", address: "Four" } },
    ]);
  });

  test.each<[string, string, string[]]>([
    ["no header", "", ["expected a header with the names of the columns, got an empty table"]],
    ["an unnamed column", "email,,name\n", ["line 1, column 2: expected a name in the header, got an empty cell"]],
    ["a column twice", "email,name,email\n", ["line 1, column 3: email is the name of column 1 already"]],
    [
      "rows of another length, all of them",
      "email,name\na\nb,c\nd,e,f\n",
      ["line 2: expected 2 cells as in the header, got 1", "line 4: expected 2 cells as in the header, got 3"],
    ],
    ["an open quote", 'email,name\na,"b\n', ['line 2: expected a closing ", got the end of the table']],
    [
      "a quote inside a cell",
      'email,name\na,b"c"\n',
      ['line 2: expected the whole cell in quotes, got a " inside it; write "" for the character itself'],
    ],
  ])("with %s is refused by line", (_name, text, mistakes) => {
    expect(mistakesIn(text)).toEqual(mistakes);
  });

  test("in another encoding is refused", () => {
    expect(readTable(Buffer.from("email\nJos\xe9", "latin1"))).toEqual({
      mistakes: ["expected a CSV in UTF-8, got another encoding; save the table as “CSV UTF-8”"],
    });
  });

  const cell = fc.string({ unit: "grapheme", maxLength: 8 }).map(text => text.trim().normalize("NFC"));
  test("of any cells is read as it was written, with any delimiter and line ending", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cell, cell), { maxLength: 6 }),
        fc.constantFrom(",", ";", "\t"),
        fc.constantFrom("\n", "\r\n"),
        (rows, delimiter, ending) => {
          const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
          const lines = [["a", "b"], ...rows].map(cells => cells.map(quoted).join(delimiter));
          const written = rows.filter(cells => cells.some(text => text !== ""));
          expect(rowsOf(lines.join(ending)).map(({ cells }) => [cells["a"], cells["b"]])).toEqual(written);
        },
      ),
    );
  });

  describe("read by turns", () => {
    const shown = (read: ReadTable) =>
      "mistakes" in read ? read.mistakes : read.table.rows.map(({ line, cells }) => [line, ...cells]);
    const line = (index: number) => `"Ñandú ""${index}""\r\n${"ü".repeat(index % 9)}";x${index}\r\n`;
    const many = Array.from({ length: 15_000 }, (_, index) => line(index)).join("");

    // A piece then ends inside a character, a line ending, a quote.
    test.each([0, 1, 2, 3, 5, 7, 11])("is the same, after a name of %i characters", async more => {
      const bytes = Buffer.from(`\ufeffa${"a".repeat(more)};b\r\n${many}`);
      const read = shown(await readTableByTurns(bytes, new Turns()));
      expect(read).toHaveLength(15_000);
      expect(read).toEqual(shown(readTable(bytes)));
    });

    test.each([
      ["nothing in it", ""],
      ["an open quote", `a;b\n${many}"x`],
      ["a quote inside a cell", `a;b\n${many}x"y";\n${many}`],
      ["wrong rows", `a;b\n${many}x\n${many}y;z;\n`],
      ["too many columns", `${"a;".repeat(1_001)}\n${many}`],
      ["a row that is too long", `a;b\n${many}"${"x\n".repeat(600_000)}`],
    ])("is refused for the same with %s", async (_name, text) => {
      const bytes = Buffer.from(text);
      const read = await readTableByTurns(bytes, new Turns());
      expect(read).toHaveProperty("mistakes");
      expect(read).toEqual(readTable(bytes));
    });
  });
});
