import { describe, expect, test } from "vitest";
import { Asset, type Values } from "../../kit/values.js";
import { dynamicFrontEnd } from "../dialects/dynamic-front-end.js";
import { Stage } from "../faults/support/front-ends.js";
import { base64, forgetMachine, type Scene, type SceneOptions, sceneWith } from "../lifecycle/scene.js";
import type { Goal } from "../support/simulated-engine.js";
import { addressOf, mailsOf, NDA, outputsOf, rowsOf, TYPE } from "./team.js";

/** Who has the contract that is the row's, by its key. */
type People = Readonly<Record<string, string>>;
type Made = (people: People, more?: Values) => Goal;

const KEEP = { whenSigned: "keep" };

const table: Made = (people, more = {}) => {
  const lines = Object.entries(people).map(([key, name]) => `${addressOf(name)},${name},1 March,${key}\n`);
  const asset = new Asset({ text: `email,name,start,k\n${lines.join("")}` });
  return { name: "ndas", type: TYPE, inputs: { table: asset, key: "{{k}}", defaults: NDA, ...more } as Goal["inputs"] };
};

const rowsIn =
  (property: "documents" | "documentRows"): Made =>
  (people, more = {}) => {
    const row = (name: string) => ({
      name: `NDA of ${name}`,
      base64File: base64(name),
      invitations: [{ email: addressOf(name), name }],
    });
    const rows = Object.entries(people).map(([key, name]) => [key, row(name)]);
    return { name: "ndas", type: TYPE, inputs: { [property]: Object.fromEntries(rows), ...more } as Goal["inputs"] };
  };

const made = (s: Scene, name: string) => s.service.ledger.documents().filter(each => each.name === `NDA of ${name}`);
const idOf = (s: Scene, name: string): string => made(s, name)[0]?.id ?? "";
const sign = (s: Scene, ...names: string[]) => {
  for (const name of names) s.service.people.signAll(idOf(s, name));
};

/** Whose contract each row holds, by the service's books. */
const held = (s: Scene): People =>
  Object.fromEntries(
    Object.entries(rowsOf(s)).map(([key, { documentId }]) => {
      const document = s.service.ledger.documents().find(({ id }) => id === documentId);
      return [key, (document?.name ?? "").replace("NDA of ", "")];
    }),
  );

const opened = async (goal: Goal, options?: SceneOptions) => {
  const s = await sceneWith([goal], options);
  const before = mailsOf(s).length;
  return { s, mailed: () => mailsOf(s).slice(before) };
};

const MOVES: [string, People, People, string[]][] = [
  ["two rows swap", { 1: "Ana", 2: "Bob" }, { 1: "Bob", 2: "Ana" }, []],
  ["three rows move on by one", { 1: "Ana", 2: "Bob", 3: "Cy" }, { 1: "Cy", 2: "Ana", 3: "Bob" }, []],
  ["a row comes first", { 1: "Ana", 2: "Bob" }, { 1: "Zed", 2: "Ana", 3: "Bob" }, ["Zed"]],
  ["the last row is replaced by the one before", { 1: "Ana", 2: "Bob" }, { 1: "Zed", 2: "Ana" }, ["Zed"]],
  ["a new row takes it", { 1: "Ana" }, { 1: "Zed", 2: "Ana" }, ["Zed"]],
];
const MACHINES = {
  "on one machine": () => {},
  "each time on a machine that remembers nothing": forgetMachine,
};

const cells = MOVES.flatMap(([move, before, after, sent]) =>
  Object.entries(MACHINES).flatMap(([machine, forget]) =>
    [{}, KEEP].map(more => ({ move, before, after, sent, machine, forget, more })),
  ),
);

describe.each([
  ["a table's", table, {}],
  ["the documents'", rowsIn("documents"), {}],
  ["through the dynamic provider,", rowsIn("documentRows"), { frontEnd: dynamicFrontEnd }],
] as const)("%s rows", (_, set, options) => {
  const goes = async (s: Scene, { after, sent, forget, more }: (typeof cells)[number], ...signers: string[]) => {
    sign(s, ...signers);
    const mails = mailsOf(s).length;
    for (let runs = 0; runs < 3; runs++) {
      await forget(s);
      const { error, calls } = await s.stack.up([set(after, more)]);
      expect(error).toBeUndefined();
      if (runs > 0) expect(calls.filter(call => /^(create|update|delete)/.test(call))).toEqual([]);
    }
    expect(held(s)).toEqual(after);
    expect(mailsOf(s).slice(mails)).toEqual(sent.map(addressOf));
    const named = Object.values(rowsOf(s)).flatMap(({ supersedes }) => (supersedes ?? []) as string[]);
    for (const name of signers) expect(named).not.toContain(idOf(s, name));
  };

  test.each(cells)(
    "$move, $machine, $more: the signed contract goes with them, and only new people are mailed",
    async cell => {
      const { s } = await opened(set(cell.before, cell.more), options);
      await using _s = s;
      await goes(s, cell, "Ana");
    },
  );

  test.each(cells.filter(({ sent }) => sent.length === 0))(
    "$move, $machine, $more, each of them signed: nobody is mailed",
    async cell => {
      const { s } = await opened(set(cell.before, cell.more), options);
      await using _s = s;
      await goes(s, cell, ...Object.values(cell.before));
    },
  );
});

describe("of a set that keeps what is signed", () => {
  test("the preview says from which row a signed document comes", async () => {
    const { s } = await opened(table({ 1: "Ana", 2: "Bob" }));
    await using _s = s;
    sign(s, "Ana");
    const { previewLines } = await s.stack.up([table({ 1: "Zed", 2: "Ana" })]);
    const id = idOf(s, "Ana");
    expect(previewLines.join("\n")).toContain(
      `2: document ${id} is kept, no one is mailed: it moves here from 1, which says something else now`,
    );
    expect(previewLines.join("\n")).toContain("1: will mail zed@example.com");
  });

  test("another one signs after the move, and the table is put back: nobody is mailed", async () => {
    const before = { 1: "Ana", 2: "Bob" };
    const { s, mailed } = await opened(table(before, KEEP));
    await using _s = s;
    sign(s, "Ana");
    expect((await s.stack.up([table({ 1: "Bob", 2: "Ana" }, KEEP)])).error).toBeUndefined();
    sign(s, "Bob");
    for (let runs = 0; runs < 2; runs++) expect((await s.stack.up([table(before, KEEP)])).error).toBeUndefined();
    expect(held(s)).toEqual(before);
    expect(mailed()).toEqual([]);
  });

  test.each(Object.entries(MACHINES))("what it kept goes to the row that says it later, %s", async (_, forget) => {
    const { s, mailed } = await opened(table({ 1: "Ana", 2: "Bob" }, KEEP));
    await using _s = s;
    sign(s, "Ana");
    expect((await s.stack.up([table({ 1: "Zed", 2: "Bob" }, KEEP)])).error).toBeUndefined();
    expect(outputsOf(s)["kept"]).toEqual(["1"]);
    const after = { 1: "Zed", 2: "Bob", 3: "Ana" };
    for (let runs = 0; runs < 2; runs++) {
      await forget(s);
      expect((await s.stack.up([table(after, KEEP)])).error).toBeUndefined();
    }
    expect(held(s)).toEqual(after);
    expect(outputsOf(s)["kept"]).toEqual([]);
    expect(mailed()).toEqual([addressOf("Zed")]);
  });

  test("a row whose own document is signed takes no other, and neither is sent anything", async () => {
    const before = { 1: "Ana", 2: "Bob" };
    const after = { 1: "Zed", 2: "Ana" };
    const { s, mailed } = await opened(table(before));
    await using _s = s;
    sign(s, "Ana", "Bob");
    for (let runs = 0; runs < 2; runs++)
      expect((await s.stack.up([table(after)])).error).toContain("2 of 2 changed rows can't be replaced");
    for (let runs = 0; runs < 2; runs++) expect((await s.stack.up([table(after, KEEP)])).error).toBeUndefined();
    expect(held(s)).toEqual(before);
    expect(mailed()).toEqual([]);
  });

  test.each(Object.entries(MACHINES))(
    "two rows that say what one signed document is are refused in each run in the same words, %s",
    async (_, forget) => {
      const { s, mailed } = await opened(table({ 1: "Ana", 2: "Bob" }, KEEP));
      await using _s = s;
      sign(s, "Ana");
      const goal = table({ 1: "Bob", 2: "Ana", 3: "Ana" }, KEEP);
      const said = new Set<string | undefined>();
      for (let runs = 0; runs < 3; runs++) {
        await forget(s);
        const { error } = await s.stack.up([goal]);
        const about = new RegExp(`document ${idOf(s, "Ana")} has the same name.*`).exec(error ?? "");
        said.add(about?.[0]);
      }
      expect([...said]).toEqual([expect.stringContaining("`ndas` holds it. Nothing was created")]);
      expect(made(s, "Ana")).toHaveLength(1);
      expect(mailed()).toEqual([]);
    },
  );

  test("what a row keeps beside one that says other content of it is no copy, once for all runs", async () => {
    const { s, mailed } = await opened(table({ 1: "Ana", 2: "Bob" }, KEEP));
    await using _s = s;
    sign(s, "Ana");
    // Row 1 says what row 2 holds.
    for (const after of [
      { 1: "Bob", 2: "Bob" },
      { 1: "Bob", 2: "Bob" },
    ])
      expect((await s.stack.up([table(after, KEEP)])).error).toBeUndefined();
    expect(held(s)).toEqual({ 1: "Ana", 2: "Bob" });
    expect(mailed()).toEqual([]);
  });

  test.each([{}, { deleteBeforeReplace: true }])(
    "a replacement of the whole set leaves what is kept as it is, and counts it, %j",
    async option => {
      const { s, mailed } = await opened(table({ 1: "Ana", 2: "Bob" }, KEEP));
      await using _s = s;
      sign(s, "Ana");
      expect((await s.stack.up([table({ 1: "Zed", 2: "Bob" }, KEEP)])).error).toBeUndefined();
      const replacing = { ...option, replaceOnChanges: ["table"] };
      const goal = { ...table({ 1: "Zed", 2: "Cy" }, KEEP), ...replacing };
      expect((await s.stack.up([goal])).error).toBeUndefined();
      expect(held(s)).toEqual({ 1: "Ana", 2: "Cy" });
      expect(outputsOf(s)["kept"]).toEqual(["1"]);
      const { error } = await s.stack.up([{ ...table({ 1: "Zed", 2: "Cy", 3: "Ana" }, KEEP), ...replacing }]);
      expect(error).toContain(`document ${idOf(s, "Ana")} "NDA of Ana" is signed`);
      expect(outputsOf(s)["kept"]).toEqual(["1"]);
      expect((await s.stack.up([table({ 1: "Ana", 2: "Cy" }, KEEP)])).error).toBeUndefined();
      expect(mailed()).toEqual([addressOf("Cy")]);
    },
  );

  test("a new row whose key had the kept document before is sent in the same run", async () => {
    const { s, mailed } = await opened(table({ 1: "Ana", 2: "Bob" }, KEEP));
    await using _s = s;
    for (const people of [{ 1: "Bob", 2: "Ana" }, { 2: "Ana" }] as People[])
      expect((await s.stack.up([table(people, KEEP)])).error).toBeUndefined();
    sign(s, "Ana");
    for (let runs = 0; runs < 2; runs++)
      expect((await s.stack.up([table({ 1: "Cy", 2: "Zed" }, KEEP)])).error).toBeUndefined();
    expect(held(s)).toEqual({ 1: "Cy", 2: "Ana" });
    expect(mailed()).toEqual([addressOf("Cy")]);
  });
});

test.each([{}, KEEP])(
  "a row that can't take it any more, %j: it stays where it is, and nothing is sent",
  async more => {
    const before = { 1: "Ana", 2: "Bob" };
    const { s, mailed } = await opened(table(before, more));
    await using _s = s;
    sign(s, "Ana");
    let isSigned = false;
    const signedMeanwhile = (call: string) => {
      if (isSigned || !call.startsWith("update")) return;
      isSigned = true;
      sign(s, "Bob");
    };
    const goal = table({ 1: "Zed", 2: "Ana" }, more);
    const outcome = await s.stack.up([goal], { skipPreview: true, before: signedMeanwhile });
    expect(isSigned).toBe(true);
    if (more === KEEP) expect(outputsOf(s)["kept"]).toEqual(["1", "2"]);
    else expect(outcome.error).toContain(`document ${idOf(s, "Bob")} "NDA of Bob" is signed`);
    await s.stack.up([goal]);
    expect(held(s)).toEqual(before);
    expect(mailed()).toEqual([]);
  },
);

test.each([[[]], [["Ana"]], [["Ana", "Bob"]]])(
  "a machine that remembers nothing, lists that are cut before them, and %j signed: nobody is mailed",
  async signers => {
    const cut = { dialect: { order: "oldest", pageSize: 2, decoys: 6 } } as const;
    const { s, mailed } = await opened(table({ 1: "Ana", 2: "Bob" }), cut);
    await using _s = s;
    sign(s, ...signers);
    for (let runs = 0; runs < 2; runs++) {
      await forgetMachine(s);
      expect((await s.stack.up([table({ 1: "Bob", 2: "Ana" })])).error).toBeUndefined();
    }
    expect(held(s)).toEqual({ 1: "Bob", 2: "Ana" });
    expect(mailed()).toEqual([]);
  },
);

test("a run that is killed after the move: the next one goes on, and mails the new one once", async () => {
  await using stage = await Stage.open("plugin");
  expect((await stage.up([table({ 1: "Ana", 2: "Bob" })])).error).toBeUndefined();
  const [signed = ""] = stage.saw().documents;
  stage.service.people.signAll(signed);
  const goal = table({ 1: "Zed", 2: "Ana", 3: "Bob" });
  await stage.killed([goal]);
  expect((await stage.up([goal])).error).toBeUndefined();
  expect(stage.saw()).toMatchObject({ mails: 3, documents: { length: 3 } });
  expect(stage.entries[0]?.outputs).toMatchObject({ documents: { 2: { documentId: signed } } });
});
