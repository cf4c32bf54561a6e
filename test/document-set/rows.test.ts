import { describe, expect, test } from "vitest";
import type { Values } from "../../kit/values.js";
import { atOnce } from "../../provider/core/turns.js";
import { rowsOfDocuments, rowsOfTable } from "../../provider/resources/document-set/rows.js";
import { readTable } from "../../provider/resources/document-set/table.js";

const DEFAULTS: Values = {
  name: "NDA of {{name}}",
  template: "nda",
  variables: { name: "{{name}}", start: "{{start}}" },
  invitations: [
    { email: "{{email}}", name: "{{name}}" },
    { email: "legal@example.com", stage: 2 },
  ],
};

function rows(csv: string, key = "{{email}}", defaults: Values = DEFAULTS) {
  const answer = readTable(Buffer.from(csv));
  if ("mistakes" in answer) throw new Error(answer.mistakes.join("\n"));
  const made = atOnce(rowsOfTable(answer.table, key, defaults));
  return { ...made, rows: made.rows.map(({ key, location, inputs }) => ({ key, location, inputs })) };
}

describe("rows of a table", () => {
  test("are the defaults with each row's cells in them", () => {
    expect(rows("email,name,start\nana@example.com,Ana,1 March 2027\n")).toEqual({
      mistakes: [],
      rows: [
        {
          key: "ana@example.com",
          location: "line 2",
          inputs: {
            name: "NDA of Ana",
            template: "nda",
            variables: { name: "Ana", start: "1 March 2027" },
            invitations: [
              { email: "ana@example.com", name: "Ana" },
              { email: "legal@example.com", stage: 2 },
            ],
          },
        },
      ],
    });
  });

  test("leave out optional texts whose cell is empty", () => {
    const defaults = { ...DEFAULTS, description: "{{start}}", folderId: "{{start}}" };
    const [row] = rows("email,name,start\nana@example.com,Ana,\n", "{{email}}", defaults).rows;
    expect(row?.inputs).not.toHaveProperty("description");
    expect(row?.inputs).not.toHaveProperty("folderId");
    expect(row?.inputs["variables"]).toEqual({ name: "Ana", start: "" });
  });

  test("fill lists, without the items whose columns are all empty", () => {
    const children = ["{{one}}", "{{two}} (twin)", "{{three}}", "nobody's"];
    const items = [{ what: "{{one}}", price: "{{two}}" }, { what: "{{three}}", price: "{{three}}" }, { what: "all" }];
    const defaults = { ...DEFAULTS, variables: { children, items, kept: true } };
    const [row] = rows("email,name,one,two,three\na@example.com,A,Bo,,\n", "{{email}}", defaults).rows;
    expect(row?.inputs["variables"]).toEqual({
      children: ["Bo", " (twin)", "nobody's"],
      items: [{ what: "Bo", price: "" }, { what: "all" }],
      kept: true,
    });
    const { mistakes } = rows("email,name\na@example.com,A\n", "{{email}}", defaults);
    expect(mistakes[0]).toBe('defaults.variables.children[0]: the table has no column "one"; it has email, name');
  });

  test("never read a cell again", () => {
    const [row] = rows("email,name,start\nana@example.com,{{email}},\\{{x}}\n").rows;
    expect(row?.inputs["variables"]).toEqual({ name: "{{email}}", start: "\\{{x}}" });
  });

  test("keep braces after a backslash", () => {
    const [row] = rows("email,name,start\na@example.com,A,s\n", "{{email}}", {
      ...DEFAULTS,
      name: "\\{{name}} {{name}}",
    }).rows;
    expect(row?.inputs["name"]).toBe("{{name}} A");
  });

  test("report every mistake at once, by line and column", () => {
    const csv =
      "email,name,start\nana@example.com,Ana,1\nno address,Bob,2\n,Cy,3\nANA@example.com,Dan,4\ned@example.com,,5\n";
    expect(rows(csv, "{{email}}", { ...DEFAULTS, name: "{{name}}" }).mistakes).toEqual([
      'line 3, column email: expected an e-mail address, got "no address"',
      "line 4, column email: expected a key, got an empty cell",
      "line 4, column email: expected an e-mail address, got an empty cell",
      "line 6, column name: expected a title, got an empty cell",
      'line 5: "ANA@example.com" is the key of line 2 already',
    ]);
  });

  test("name every column that the table lacks", () => {
    expect(rows("mail,name\na,b\n").mistakes).toEqual([
      'key: the table has no column "email"; it has mail, name',
      'defaults.invitations[0].email: the table has no column "email"; it has mail, name',
      'defaults.variables.start: the table has no column "start"; it has mail, name',
    ]);
  });

  test("need a key of their own", () => {
    expect(rows("email,name,start\na@example.com,A,s\n", "nda").mistakes).toEqual([
      "key: expected a text with a {{column}} in it, such as {{email}}",
    ]);
  });
});

describe("rows of documents", () => {
  test("are each over the defaults, and join the variables", () => {
    const defaults = { name: "NDA", template: "nda", variables: { company: "Acme", name: "?" } };
    expect(rowsOfDocuments({ ana: { variables: { name: "Ana" } } }, defaults).rows).toEqual([
      {
        key: "ana",
        location: 'documents["ana"]',
        inputs: { name: "NDA", template: "nda", variables: { company: "Acme", name: "Ana" } },
        own: { variables: { name: "Ana" } },
      },
    ]);
  });

  test("take a PDF of their own instead of the defaults' template and its options", () => {
    const defaults = { name: "NDA", template: "nda", variables: { company: "Acme" }, title: "T", pageSize: "Letter" };
    expect(rowsOfDocuments({ ana: { base64File: "JVBERi0=" } }, defaults).rows[0]?.inputs).toEqual({
      name: "NDA",
      base64File: "JVBERi0=",
    });
  });

  test("refuse keys that differ in case alone, empty ones and what isn't an object", () => {
    expect(rowsOfDocuments({ Ana: {}, ana: {}, "": {}, bob: 3 }, {}).mistakes).toEqual([
      'documents["bob"]: expected what a Document takes, got something else',
      'documents[""]: expected a key, got an empty one',
      'documents["Ana"]: "Ana" is the key of documents["ana"] already',
    ]);
  });
});

test("rows of a map are in the order of their numbers", () => {
  const keys = ["p1", "p10", "p2"].map(key => [key, { name: key }]);
  expect(rowsOfDocuments(Object.fromEntries(keys), {}).rows.map(({ key }) => key)).toEqual(["p1", "p2", "p10"]);
});
