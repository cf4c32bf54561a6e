import { describe, expect, test } from "vitest";
import { Asset, type Values } from "../../kit/values.js";
import { factsIn, sumOf } from "../../provider/schema/facts.js";
import { base64, forgetMachine, type Scene, scene } from "../lifecycle/scene.js";
import { type Goal, Ref, type UpOptions } from "../support/simulated-engine.js";
import { NDA, TEMPLATE, TYPE } from "./team.js";

/** What somebody does, and what has to come of it. */
type Step = (s: Scene) => Promise<void> | void;
type Case = readonly [what: string, ...steps: readonly Step[]];

const HEADER = "email,name,start";
const ANA = "ana@example.com,Ana,1 March";
const BOB = "bob@example.com,Bob,1 March";
const CY = "cy@example.com,Cy,1 March";
const DEE = "dee@example.com,Dee,1 March";
const csv = (...lines: readonly string[]): string => [HEADER, ...lines, ""].join("\n");
const ALL = csv(ANA, BOB, CY);

/** The set of a table; `defaults` and options beside it. */
const set = (table = ALL, defaults: Values = {}, more: Partial<Goal> & { inputs?: Values } = {}): Goal => ({
  name: "ndas",
  type: TYPE,
  ...more,
  inputs: {
    table: new Asset({ text: table }),
    key: "{{email}}",
    defaults: { ...NDA, ...defaults },
    ...more.inputs,
  } as Goal["inputs"],
});
const templated = (text: string, table = ALL): Goal => set(table, { template: new Asset({ text }) });
const people = (...emails: readonly string[]): Values => ({
  invitations: [{ email: "{{email}}", name: "{{name}}" }, ...emails.map(email => ({ email }))],
});
const row = (name: string, start = "1 March"): Values => ({
  name: `NDA of ${name}`,
  template: new Asset({ text: TEMPLATE }),
  variables: { name, start },
  invitations: [{ email: `${name.toLowerCase()}@example.com`, name }],
});
const single = (name: string, start?: string, more: Partial<Goal> = {}): Goal => ({
  name: name.toLowerCase(),
  ...more,
  inputs: row(name, start) as Goal["inputs"],
});
const documents = (rows: Readonly<Record<string, Values>>, more: Partial<Goal> = {}): Goal => ({
  name: "ndas",
  type: TYPE,
  ...more,
  inputs: { documents: rows } as Goal["inputs"],
});
const byAddress = (...names: readonly string[]): Record<string, Values> =>
  Object.fromEntries(names.map(name => [`${name.toLowerCase()}@example.com`, row(name)]));
const folder = (name: string): Goal => ({ name, type: "docsign:index:Folder", inputs: { name } });
const inFolder = (name: string): Values => ({ folderId: new Ref(name, "folderId") }) as unknown as Values;

const mailed = (s: Scene): string[] => s.service.ledger.mails().map(({ to }) => to.replace("@example.com", ""));
const idsIn = (s: Scene): string[] =>
  s.stack.entries.flatMap(({ id, outputs }) => (outputs["documentIds"] as string[] | undefined) ?? [id]).toSorted();

/** `up` of this: these people are mailed, once each, the preview says how many, and then nothing is left to do. */
const sends =
  (goals: Goal | readonly Goal[], to: readonly string[], options: UpOptions = {}): Step =>
  async s => {
    const before = mailed(s).length;
    const program = [goals].flat() as Goal[];
    const { error, previewLines } = await s.stack.up(program, options);
    expect(error).toBeUndefined();
    expect(mailed(s).slice(before).toSorted()).toEqual([...to].toSorted());
    const { mails = 0, undecided = 0 } = sumOf(previewLines.flatMap(line => factsIn(line) ?? []));
    if (undecided === 0) expect(mails).toBe(to.length);
    const { target } = options;
    const after = await s.stack.up(program, target ? { target } : {});
    expect(after.error).toBeUndefined();
    expect(after.calls.filter(call => /^(create|update|delete)/.test(call))).toEqual([]);
    expect(mailed(s)).toHaveLength(before + to.length);
  };
/** `up` of this mails nobody. */
const mailsNobody = (goals: Goal | readonly Goal[], options?: UpOptions): Step => sends(goals, [], options);
/** `up` of this mails nobody and holds what was held. */
const keeps =
  (goals: Goal | readonly Goal[], options?: UpOptions): Step =>
  async s => {
    const held = idsIn(s);
    await mailsNobody(goals, options)(s);
    expect(idsIn(s)).toEqual(held);
  };
/** Nothing happens, and this is why. */
const refuses =
  (goals: Goal | readonly Goal[], why: string, options: UpOptions = {}): Step =>
  async s => {
    const [before, held] = [mailed(s).length, idsIn(s)];
    const { error } = await s.stack.up([goals].flat() as Goal[], options);
    expect(error).toContain(why);
    expect(mailed(s)).toHaveLength(before);
    expect(idsIn(s)).toEqual(held);
  };
const idOf = (s: Scene, name: string): string =>
  s.service.ledger.documents().findLast(each => each.name === `NDA of ${name}`)?.id ?? "";
const signs =
  (name: string): Step =>
  s =>
    s.service.people.signAll(idOf(s, name));
const signsInPart =
  (name: string): Step =>
  s =>
    s.service.people.sign(idOf(s, name), `${name.toLowerCase()}@example.com`);
const refresh: Step = async s => expect((await s.stack.refresh()).error).toBeUndefined();
const destroy: Step = async s => expect((await s.stack.destroy()).error).toBeUndefined();

const KEPT = { inputs: { whenSigned: "keep" } };

const cells: Case[] = [
  ["a cell", sends(set(ALL.replace("Bob,1 March", "Bob,2 March")), ["bob"])],
  [
    "a cell, twice",
    sends(set(ALL.replace("Bob,1 March", "Bob,2 March")), ["bob"]),
    sends(set(ALL.replace("Bob,1 March", "Bob,3 March")), ["bob"]),
  ],
  ["a cell and back", sends(set(ALL.replace("Bob,1 March", "Bob,2 March")), ["bob"]), mailsNobody(set())],
  [
    "a cell, back and forth again",
    sends(set(ALL.replace("Bob,1 March", "Bob,2 March")), ["bob"]),
    mailsNobody(set()),
    mailsNobody(set(ALL.replace("Bob,1 March", "Bob,2 March"))),
  ],
  ["two cells of a row at once", sends(set(ALL.replace("Bob,1 March", "Robert,2 March")), ["bob"])],
  ["a cell in each of two rows", sends(set(csv(ANA, BOB.replace("1", "2"), CY.replace("1", "2"))), ["bob", "cy"])],
  ["the whole column", sends(set(ALL.replaceAll("1 March", "2 March")), ["ana", "bob", "cy"])],
  ["a person's name", sends(set(ALL.replace("Bob", "Robert")), ["bob"])],
  ["an address that is the key", sends(set(ALL.replace("bob@", "robert@")), ["robert"])],
  ["an address that is the key, and back", sends(set(ALL.replace("bob@", "robert@")), ["robert"]), mailsNobody(set())],
  ["an address's case", keeps(set(ALL.replace("bob@", "Bob@")))],
  ["spaces around an address", keeps(set(ALL.replace("bob@example.com", " bob@example.com ")))],
  ["spaces at the end of cells", keeps(set(ALL.replaceAll("March", "March  ")))],
  [
    "a letter written in two ways",
    sends(set(csv("jo@example.com,José,1 March")), ["jo"]),
    keeps(set(csv("jo@example.com,Jose\u0301,1 March"))),
  ],
  [
    "an address that is none",
    refuses(set(ALL.replace("bob@example.com", "bob")), "line 3, column email: expected an e-mail address"),
  ],
  [
    "an address to nothing",
    refuses(set(ALL.replace("bob@example.com", "")), "line 3, column email: expected a key, got an empty cell"),
  ],
  ["a name to nothing", sends(set(ALL.replace("Bob", "")), ["bob"])],
  [
    "a signed row's cell",
    signs("Bob"),
    refuses(set(ALL.replace("Bob,1", "Bob,2")), "1 of 1 changed rows can't be replaced"),
  ],
  [
    "a cell of a row that one of two has signed",
    sends(set(ALL, people("legal@example.com")), ["ana", "legal", "bob", "legal", "cy", "legal"]),
    signsInPart("Bob"),
    refuses(set(ALL.replace("Bob,1", "Bob,2"), people("legal@example.com")), "is partially signed"),
  ],
  [
    "a signed row's cell, and back",
    signs("Bob"),
    refuses(set(ALL.replace("Bob,1", "Bob,2")), "[docsign/replace-signed]"),
    keeps(set()),
  ],
  ["a cell beside a signed row's", signs("Bob"), sends(set(ALL.replace("Cy,1", "Cy,2")), ["cy"])],
  [
    "a signed row's cell, and keeps it",
    signs("Bob"),
    sends(set(ALL.replaceAll("1 March", "2 March"), {}, KEPT), ["ana", "cy"]),
  ],
  [
    "a kept row's cell back",
    signs("Bob"),
    sends(set(ALL.replaceAll("1 March", "2 March"), {}, KEPT), ["ana", "cy"]),
    mailsNobody(set(ALL, {}, KEPT)),
    mailsNobody(set()),
  ],
  [
    "cells of two rows with each other",
    sends(set(csv(ANA, "bob@example.com,Bob,2 March")), ["bob"]),
    sends(set(csv("ana@example.com,Ana,2 March", BOB)), ["ana"]),
  ],
];

const rows: Case[] = [
  ["adds a row at the end", sends(set(csv(ANA, BOB, CY, DEE)), ["dee"])],
  ["adds a row in the middle", sends(set(csv(ANA, DEE, BOB, CY)), ["dee"])],
  ["adds two rows", sends(set(csv(ANA, BOB, CY, DEE, "eve@example.com,Eve,1 March")), ["dee", "eve"])],
  [
    "adds a row twice in one table",
    refuses(set(csv(ANA, BOB, CY, DEE, DEE)), 'line 6: "dee@example.com" is the key of line 5 already'),
  ],
  [
    "adds a row's address in capitals",
    refuses(set(csv(ANA, BOB, CY, BOB.replace("bob@", "BOB@"))), "is the key of line 3 already"),
  ],
  ["takes a row out", mailsNobody(set(csv(ANA, CY)))],
  ["takes a row out and puts it back", mailsNobody(set(csv(ANA, CY))), mailsNobody(set())],
  [
    "takes a row out, and puts it back twice",
    mailsNobody(set(csv(ANA, CY))),
    mailsNobody(set()),
    mailsNobody(set(csv(ANA, CY))),
    mailsNobody(set()),
  ],
  ["takes a signed row out", signs("Bob"), mailsNobody(set(csv(ANA, CY)))],
  ["takes a signed row out and puts it back", signs("Bob"), mailsNobody(set(csv(ANA, CY))), mailsNobody(set())],
  [
    "takes a row out and puts it back with another cell",
    mailsNobody(set(csv(ANA, CY))),
    sends(set(ALL.replace("Bob,1", "Bob,2")), ["bob"]),
  ],
  [
    "takes a row out, changes the template and puts it back",
    mailsNobody(set(csv(ANA, CY))),
    sends(templated(`${TEMPLATE}More.`, csv(ANA, CY)), ["ana", "cy"]),
    sends(templated(`${TEMPLATE}More.`), ["bob"]),
  ],
  ["puts another person in a row's place", sends(set(csv(ANA, DEE, CY)), ["dee"])],
  ["sorts the table", keeps(set(csv(CY, BOB, ANA)))],
  ["sorts the table and adds a row", sends(set(csv(DEE, CY, BOB, ANA)), ["dee"])],
  ["leaves the header only", refuses(set(csv()), "has no rows, and the set holds 3 documents")],
  ["leaves the header only, and puts the rows back", refuses(set(csv()), "[docsign/emptied-set]"), keeps(set())],
  [
    "leaves the header only of a set with a signed row",
    signs("Bob"),
    refresh,
    refuses(set(csv()), "1 of them signed, in part at least, when last read."),
  ],
  ["leaves the header only on purpose", mailsNobody(set(csv(), {}, { inputs: { allowEmpty: true } }))],
  [
    "leaves the header only on purpose, and puts the rows back",
    mailsNobody(set(csv(), {}, { inputs: { allowEmpty: true } })),
    mailsNobody(set()),
  ],
  ["leaves nothing at all", refuses(set(""), "table: expected an asset with content, got an empty one")],
  [
    "has two rows of one person",
    sends(set(csv(ANA, ANA.replace("1", "2"), BOB, CY), {}, { inputs: { key: "{{email}} {{start}}" } }), ["ana"]),
  ],
];

const columns: Case[] = [
  [
    "adds a column that nothing uses",
    keeps(
      set(
        "email,name,start,note\nana@example.com,Ana,1 March,x\nbob@example.com,Bob,1 March,\ncy@example.com,Cy,1 March,z\n",
      ),
    ),
  ],
  [
    "changes a cell that nothing uses",
    keeps(
      set(
        "email,name,start,note\nana@example.com,Ana,1 March,x\nbob@example.com,Bob,1 March,\ncy@example.com,Cy,1 March,z\n",
      ),
    ),
    keeps(
      set(
        "email,name,start,note\nana@example.com,Ana,1 March,y\nbob@example.com,Bob,1 March,y\ncy@example.com,Cy,1 March,y\n",
      ),
    ),
  ],
  [
    "puts columns in another order",
    keeps(
      set("start,name,email\n1 March,Ana,ana@example.com\n1 March,Bob,bob@example.com\n1 March,Cy,cy@example.com\n"),
    ),
  ],
  ["renames a column alone", refuses(set(ALL.replace("start", "from")), "the table has no column")],
  [
    "renames a column and what uses it",
    keeps(set(ALL.replace("start", "from"), { variables: { name: "{{name}}", start: "{{from}}" } })),
  ],
  ["renames the key's column alone", refuses(set(ALL.replace("email", "address")), "the table has no column")],
  [
    "renames the key's column and what uses it",
    keeps(
      set(
        ALL.replace("email", "address"),
        { invitations: [{ email: "{{address}}", name: "{{name}}" }] },
        { inputs: { key: "{{address}}" } },
      ),
    ),
  ],
  ["writes the header in capitals", refuses(set(ALL.replace(HEADER, HEADER.toUpperCase())), "the table has no column")],
  ["names a column twice", refuses(set(ALL.replace("start", "name")), "name is the name of column 2 already")],
  ["leaves a column without a name", refuses(set(ALL.replace("start", "")), "expected a name in the header")],
  ["takes a column out that is used", refuses(set("email,name\nana@example.com,Ana\n"), "the table has no column")],
];

const files: Case[] = [
  ["with a byte order mark", keeps(set(`\ufeff${ALL}`))],
  ["with CRLF", keeps(set(ALL.replaceAll("\n", "\r\n")))],
  [
    "with a byte order mark, CRLF and semicolons",
    keeps(set(`\ufeff${ALL.replaceAll("\n", "\r\n").replaceAll(",", ";")}`)),
  ],
  ["with tabs", keeps(set(ALL.replaceAll(",", "\t")))],
  [
    "with quotes around each cell",
    keeps(
      set(
        ALL.trim()
          .split("\n")
          .map(line =>
            line
              .split(",")
              .map(cell => `"${cell}"`)
              .join(","),
          )
          .join("\n"),
      ),
    ),
  ],
  ["without a line break at the end", keeps(set(ALL.trim()))],
  ["with empty lines at the end", keeps(set(`${ALL}\n\n\n`))],
  ["with empty lines between rows", keeps(set(ALL.replace(BOB, `\n${BOB}\n`)))],
  ["with rows of delimiters alone", keeps(set(`${ALL},,\n,,\n`))],
  [
    "in another encoding",
    refuses(
      set(ALL.replace("Bob", "B\ufffdb"), {}, { inputs: { table: new Asset({ text: "email,name,start\n\ud800" }) } }),
      "",
    ),
  ],
  [
    "with a row too short",
    refuses(set(`${ALL}dee@example.com,Dee\n`), "line 5: expected 3 cells as in the header, got 2"),
  ],
  [
    "with a comma too much",
    refuses(set(`${ALL}dee@example.com,Dee,1 March,x\n`), "line 5: expected 3 cells as in the header, got 4"),
  ],
  ["with a quote that isn't closed", refuses(set(`${ALL}"dee@example.com,Dee,1 March\n`), 'expected a closing "')],
];

const defaults: Case[] = [
  ["the template", sends(templated(`${TEMPLATE}More.`), ["ana", "bob", "cy"])],
  [
    "the template, twice",
    sends(templated(`${TEMPLATE}More.`), ["ana", "bob", "cy"]),
    sends(templated(`${TEMPLATE}Less.`), ["ana", "bob", "cy"]),
  ],
  [
    "the template and back",
    sends(templated(`${TEMPLATE}More.`), ["ana", "bob", "cy"]),
    mailsNobody(templated(TEMPLATE)),
  ],
  ["the template's line breaks at its end", keeps(templated(`${TEMPLATE}\n\n`)), keeps(templated(TEMPLATE.trimEnd()))],
  ["the template's spaces at its end", keeps(templated(`${TEMPLATE}  \n  `))],
  ["the template's line breaks to CRLF", keeps(templated(TEMPLATE.replaceAll("\n", "\r\n")))],
  [
    "the template of signed rows",
    signs("Bob"),
    refuses(templated(`${TEMPLATE}More.`), "1 of 3 changed rows can't be replaced, so nothing was sent"),
  ],
  [
    "the template, signed rows kept",
    signs("Bob"),
    sends(set(ALL, { template: new Asset({ text: `${TEMPLATE}More.` }) }, KEPT), ["ana", "cy"]),
  ],
  [
    "the template and a row at once",
    sends(templated(`${TEMPLATE}More.`, csv(ANA, BOB, CY, DEE)), ["ana", "bob", "cy", "dee"]),
  ],
  ["the title", sends(set(ALL, { name: "Agreement with {{name}}" }), ["ana", "bob", "cy"])],
  ["the message", keeps(set(ALL, { invitations: [{ email: "{{email}}", name: "{{name}}", message: "Please" }] }))],
  ["adds a description", sends(set(ALL, { description: "of {{start}}" }), ["ana", "bob", "cy"])],
  [
    "adds a person to each contract",
    sends(set(ALL, people("legal@example.com")), ["ana", "bob", "cy", "legal", "legal", "legal"]),
  ],
  [
    "adds a person and takes them out",
    sends(set(ALL, people("legal@example.com")), ["ana", "bob", "cy", "legal", "legal", "legal"]),
    mailsNobody(set()),
  ],
  [
    "the order of people",
    sends(set(ALL, people("legal@example.com")), ["ana", "bob", "cy", "legal", "legal", "legal"]),
    keeps(set(ALL, { invitations: [{ email: "legal@example.com" }, { email: "{{email}}", name: "{{name}}" }] })),
  ],
  ["variables in another order", keeps(set(ALL, { variables: { start: "{{start}}", name: "{{name}}" } }))],
  ["a variable that is missing", refuses(set(ALL, { variables: { name: "{{name}}" } }), "start")],
  ["the key to the name", mailsNobody(set(ALL, {}, { inputs: { key: "{{name}}" } }))],
  ["the key to the name, and back", mailsNobody(set(ALL, {}, { inputs: { key: "{{name}}" } })), mailsNobody(set())],
  ["the key of signed rows", signs("Bob"), mailsNobody(set(ALL, {}, { inputs: { key: "{{name}}" } }))],
  [
    "the key to one that rows share",
    refuses(set(ALL, {}, { inputs: { key: "{{start}}" } }), "is the key of line 2 already"),
  ],
  [
    "the key to a text without a column",
    refuses(set(ALL, {}, { inputs: { key: "row" } }), "expected a text with a {{column}} in it"),
  ],
  ["puts the contracts into a folder", sends([folder("drafts"), set(ALL, inFolder("drafts"))], ["ana", "bob", "cy"])],
];

const shapes: Case[] = [
  ["writes the table as documents", keeps(documents(byAddress("Ana", "Bob", "Cy")))],
  ["writes the table as documents, and back", keeps(documents(byAddress("Ana", "Bob", "Cy"))), keeps(set())],
  ["splits the set", mailsNobody([set(csv(ANA)), set(csv(BOB, CY), {}, { name: "others" })])],
  [
    "splits the set and joins it, one step after the other",
    mailsNobody([set(csv(ANA)), set(csv(BOB, CY), {}, { name: "others" })]),
    refuses(set(), "Or take the row out first, by a `pulumi up` of its own"),
    mailsNobody(set(csv(ANA))),
    mailsNobody(set()),
  ],
  [
    "splits the set with signed rows",
    signs("Bob"),
    mailsNobody([set(csv(ANA)), set(csv(BOB, CY), {}, { name: "others" })]),
  ],
  ["moves a row to a document", mailsNobody([set(csv(ANA, CY)), single("Bob")])],
  ["moves a signed row to a document", signs("Bob"), mailsNobody([set(csv(ANA, CY)), single("Bob")])],
  [
    "moves a row to a document, and back",
    mailsNobody([set(csv(ANA, CY)), single("Bob")]),
    mailsNobody([]),
    mailsNobody(set()),
  ],
  [
    "lets two documents swap what they say, one step after the other",
    sends([set(), single("Dee", "x"), single("Eve", "y")], ["dee", "eve"]),
    refuses(
      [set(), { ...single("Eve", "y"), name: "dee" }, { ...single("Dee", "x"), name: "eve" }],
      "if it leaves `eve` for this resource: take it out there first, by a `pulumi up` of its own",
    ),
    mailsNobody(set()),
    mailsNobody([set(), { ...single("Eve", "y"), name: "dee" }, { ...single("Dee", "x"), name: "eve" }]),
  ],
  [
    "moves all rows to documents, and back",
    destroy,
    mailsNobody([single("Ana"), single("Bob"), single("Cy")]),
    destroy,
    mailsNobody(set()),
  ],
  ["has the same rows in two sets", sends([set(), set(ALL, {}, { name: "others" })], ["ana", "bob", "cy"])],
  ["renames the set by an alias", keeps(set(ALL, {}, { name: "agreements", alias: "ndas" }))],
  [
    "renames the set by an alias, and adds a row",
    sends(set(csv(ANA, BOB, CY, DEE), {}, { name: "agreements", alias: "ndas" }), ["dee"]),
  ],
  ["renames the set without an alias", refuses(set(ALL, {}, { name: "agreements" }), "aliases: [")],
  [
    "renames the set without an alias and a preview, and then with an alias",
    refuses(set(ALL, {}, { name: "agreements" }), "aliases: [", { skipPreview: true }),
    keeps(set(ALL, {}, { name: "agreements", alias: "ndas" })),
  ],
  ["ignores changes of the table", keeps(set(ALL.replaceAll("1 March", "2 March"), {}, { ignoreChanges: ["table"] }))],
  [
    "ignores changes of the table, and changes another option",
    keeps(set(csv(ANA), {}, { ignoreChanges: ["table"], ...KEPT })),
  ],
  [
    "ignores changes of the table, and changes the template",
    refuses(
      set(ALL, { template: new Asset({ text: `${TEMPLATE}More.` }) }, { ignoreChanges: ["table"] }),
      "as `defaults` changed, got one that is ignored",
    ),
  ],
  [
    "ignores changes of the table, and then doesn't",
    keeps(set(ALL.replace("Bob,1", "Bob,2"), {}, { ignoreChanges: ["table"] })),
    sends(set(ALL.replace("Bob,1", "Bob,2")), ["bob"]),
  ],
  [
    "ignores changes of the defaults",
    keeps(set(ALL, { name: "Agreement with {{name}}" }, { ignoreChanges: ["defaults"] })),
  ],
  ["protects the set, and changes a cell", sends(set(ALL.replace("Bob,1", "Bob,2"), {}, { protect: true }), ["bob"])],
  ["protects the set, and takes it out", keeps(set(ALL, {}, { protect: true })), refuses([], "cannot be deleted")],
  ["refreshes", refresh, keeps(set())],
  ["refreshes once somebody has signed", signs("Bob"), refresh, keeps(set())],
  ["destroys, and comes back", destroy, mailsNobody(set())],
  ["destroys, and comes back after somebody signed", destroy, signs("Bob"), mailsNobody(set())],
  ["destroys, and comes back with another cell", destroy, sends(set(ALL.replace("Bob,1", "Bob,2")), ["bob"])],
  [
    "forces a replacement",
    sends(set(ALL, {}, { deleteBeforeReplace: true }), [], {}),
    sends(set(ALL, {}, { deleteBeforeReplace: true }), ["ana", "bob", "cy"], { replace: ["ndas"] }),
  ],
  [
    "forces a replacement of a signed row",
    signs("Bob"),
    refuses(set(ALL, {}, { deleteBeforeReplace: true }), "[docsign/replace-signed]", { replace: ["ndas"] }),
  ],
  ["does the same on a machine that knows nothing", s => forgetMachine(s), keeps(set())],
  ["comes back on a machine that knows nothing", destroy, s => forgetMachine(s), refuses(set(), "[docsign/duplicate]")],
  [
    "gives a row by its PDF",
    sends(
      documents({
        ...byAddress("Ana", "Cy"),
        "bob@example.com": {
          name: "NDA of Bob",
          base64File: base64("one"),
          invitations: [{ email: "bob@example.com", name: "Bob" }],
        },
      }),
      ["bob"],
    ),
  ],
];

const OTHERS = { name: "others" };
const others = (start = "1 March"): Goal => set(csv(DEE.replace("1 March", start)), {}, OTHERS);
const ONE = { target: ["ndas"] };

const targets: Case[] = [
  [
    "one of two sets that changed, and then the other",
    sends([set(), others()], ["dee"]),
    sends([set(csv(ANA, BOB)), others("2 March")], [], ONE),
    sends([set(csv(ANA, BOB)), others("2 March")], ["dee"]),
  ],
  [
    "one set, and leaves a new one for later",
    sends([set(ALL.replace("Bob,1", "Bob,2")), others()], ["bob"], ONE),
    sends([set(ALL.replace("Bob,1", "Bob,2")), others()], ["dee"]),
  ],
  [
    "one set, and leaves one that is no longer in the program",
    sends([set(), others()], ["dee"]),
    keeps([set()], ONE),
    mailsNobody([set()]),
  ],
  [
    "the set that a row went to, and not the one it came from",
    sends([set(), others()], ["dee"]),
    refuses(
      [set(csv(ANA, BOB, CY, DEE)), set(csv(), {}, { ...OTHERS, inputs: { allowEmpty: true } })],
      "`others` holds it",
      ONE,
    ),
    mailsNobody([set(csv(ANA, BOB, CY, DEE)), set(csv(), {}, { ...OTHERS, inputs: { allowEmpty: true } })], {
      target: ["others"],
    }),
  ],
  [
    "a set beside a signed one that changed",
    sends([set(), others()], ["dee"]),
    signs("Dee"),
    sends([set(ALL.replace("Bob,1", "Bob,2")), others("2 March")], ["bob"], ONE),
    refuses([set(ALL.replace("Bob,1", "Bob,2")), others("2 March")], "[docsign/replace-signed]"),
  ],
];

describe.each([
  ["who targets", targets],
  ["who changes", cells],
  ["who", rows],
  ["who, of columns,", columns],
  ["who saves the table", files],
  ["who changes, of defaults,", defaults],
  ["who", shapes],
] as const)("a person %s", (_, cases) => {
  test.each(cases as unknown as [string, ...Step[]][])("%s", async (_what, ...steps) => {
    await using s = await scene();
    await sends(set(), ["ana", "bob", "cy"])(s);
    for (const step of steps) await step(s);
  });
});
