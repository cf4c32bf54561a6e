import { describe, expect, test } from "vitest";
import type { Values } from "../../kit/values.js";
import { dynamicFrontEnd } from "../dialects/dynamic-front-end.js";
import { type Goal, pluginFrontEnd, Stack } from "../support/simulated-engine.js";
import { base64, forgetMachine, nda, pdf, type Scene, scene } from "./scene.js";

/*
 * A document that somebody changed on the platform, and the program has followed: from then on it is made of what the
 * program says, wherever it is declared.
 */

const nobody = { creates: 0, mails: 0 };
const BOB = { email: "bob@example.com", name: "Bob" };
const one = (inputs: Values = {}, more: Partial<Goal> = {}): Goal =>
  nda({
    ...more,
    inputs: { base64File: base64("A"), invitations: [{ email: "ana@example.com", name: "Ana" }], ...inputs },
  });

const changes: readonly [string, (s: Scene) => void, Values][] = [
  ["a version", s => s.service.people.addVersion(s.id(), pdf("B")), { base64File: base64("B") }],
  ["a name", s => s.service.people.renameBehindBack(s.id(), "Renamed"), { name: "Renamed" }],
  ["a description", s => s.service.people.describeBehindBack(s.id(), "Rewritten"), { description: "Rewritten" }],
  [
    "who signs",
    s => s.service.people.invitedBehindBack(s.id(), person => [{ ...person, ...BOB }]),
    { invitations: [BOB] },
  ],
  ["a folder", s => s.service.people.moveToFolder(s.id(), "77"), { folderId: "77" }],
];

async function ups(s: Scene, ...program: Goal[]): Promise<void> {
  expect((await s.stack.up(program, { skipPreview: true })).error).toBeUndefined();
}

describe.each([
  ["the plugin", pluginFrontEnd],
  ["the dynamic provider", dynamicFrontEnd],
])("through %s, a document changed there in", (_, frontEnd) => {
  const cases = changes.flatMap(each => [false, true].map(isRead => [...each, isRead] as const));
  describe.each(cases)("%s, which the program has followed,", (_what, change, inputs, isRead) => {
    const followed = one(inputs);

    /** Followed, then signed, and read again. */
    async function open(isSigned: boolean): Promise<Scene> {
      const s = await scene({ frontEnd });
      await ups(s, one());
      change(s);
      if (isRead) await s.stack.refresh();
      await ups(s, followed);
      if (isSigned) s.service.people.signAll(s.id());
      await s.stack.refresh();
      s.sent();
      return s;
    }

    test.each([false, true])("is taken back once it was taken out, signed: %s", async isSigned => {
      await using s = await open(isSigned);
      for (let time = 0; time < 2; time++) {
        await ups(s);
        await ups(s, followed);
        expect(s.sent()).toEqual(nobody);
        expect(s.stack.entry("nda")).toMatchObject({ id: s.id(), outputs: { drift: [] } });
      }
    });

    test.each([false, true])("is taken back after a destroy, signed: %s", async isSigned => {
      await using s = await open(isSigned);
      await s.stack.destroy();
      await ups(s, followed);
      expect(s.sent()).toEqual(nobody);
      expect(s.stack.entry("nda").id).toBe(s.id());
    });

    test.each([false, true])("isn't sent under another name, signed: %s", async isSigned => {
      await using s = await open(isSigned);
      const { error } = await s.stack.up([{ ...followed, name: "renamed" }], { skipPreview: true });
      expect(error).toContain("[docsign/duplicate]");
      expect(s.sent()).toEqual(nobody);
    });

    test.each([false, true])("isn't sent by another stack, signed: %s", async isSigned => {
      await using s = await open(isSigned);
      const other = new Stack(frontEnd(s.machine), s.stack.providers, "other");
      const { error } = await other.up([followed], { skipPreview: true });
      expect(error).toContain("[docsign/duplicate]");
      expect(s.sent()).toEqual(nobody);
    });

    test.each([false, true])("isn't sent on a machine that has seen nothing, signed: %s", async isSigned => {
      await using s = await open(isSigned);
      await s.stack.destroy();
      await forgetMachine(s);
      const { error } = await s.stack.up([followed], { skipPreview: true });
      expect(error).toContain("[docsign/duplicate]");
      expect(s.sent()).toEqual(nobody);
    });
  });
});

describe.each(changes)(
  "a row whose document was changed there in %s, which the program has followed,",
  (_what, change, inputs) => {
    const rows = (documents: Values): Goal[] => [
      { name: "ndas", type: "docsign:index:DocumentSet", inputs: { documents, allowEmpty: true } as Goal["inputs"] },
    ];
    const row = one().inputs as Values;
    const followed = { ...row, ...inputs };

    test.each([
      ["was taken out", async (s: Scene) => ups(s, ...rows({}))],
      ["was destroyed", async (s: Scene) => expect((await s.stack.destroy()).error).toBeUndefined()],
      ["has another key", async (s: Scene) => ups(s, ...rows({ other: followed }))],
    ] as const)("is taken back once it %s", async (_, leave) => {
      await using s = await scene();
      await ups(s, ...rows({ ana: row }));
      change(s);
      await ups(s, ...rows({ ana: followed }));
      s.service.people.signAll(s.id());
      s.sent();
      await leave(s);
      await ups(s, ...rows({ ana: followed }));
      expect(s.sent()).toEqual(nobody);
      expect(s.stack.entry("ndas").outputs["documentIds"]).toEqual([s.id()]);
    });
  },
);

test("a row's description is taken out and put back where the service shows none, and nobody is mailed", async () => {
  await using s = await scene({ dialect: { description: "absent" } });
  const set = (description: string): Goal => ({
    name: "ndas",
    type: "docsign:index:DocumentSet",
    inputs: { documents: { ana: { ...one().inputs, description } } } as Goal["inputs"],
  });
  await ups(s, set("Mutual"));
  s.service.people.signAll(s.id());
  s.sent();
  for (const description of ["", "Mutual", "", "Mutual"]) {
    await ups(s, set(description));
    expect(s.sent()).toEqual(nobody);
    expect(s.stack.entry("ndas").outputs["documentIds"]).toEqual([s.id()]);
  }
});

describe.each([
  ["the plugin", pluginFrontEnd],
  ["the dynamic provider", dynamicFrontEnd],
])("through %s, where the service", (_, frontEnd) => {
  describe.each([
    ["ignores folders", "folderId", { folderId: "ignore" }, { folderId: "77" }, {}],
    ["shows no description", "description", { description: "absent" }, {}, { description: "" }],
    ["shows each description as null", "description", { description: "null" }, {}, { description: "" }],
  ] as const)("%s,", (_service, property, dialect, inputs, none) => {
    const given = one(inputs);

    test.each([false, true])("it is taken out and put back, and nobody is mailed; signed: %s", async isSigned => {
      await using s = await scene({ frontEnd, dialect });
      await ups(s, given);
      if (isSigned) s.service.people.signAll(s.id());
      s.sent();
      for (const program of [one(none), given, one({ [property]: null }), given]) {
        await ups(s, program);
        expect(s.sent()).toEqual(nobody);
        expect(s.stack.entry("nda").id).toBe(s.id());
      }
      expect(s.stack.entry("nda").outputs["drift"]).toEqual([property]);
    });

    test("it is put in, and the document replaced; then it is taken out and put back, and nobody is mailed", async () => {
      await using s = await scene({ frontEnd, dialect });
      await ups(s, one(none));
      s.sent();
      for (const [sent, program] of [
        [1, given],
        [0, one(none)],
        [0, given],
      ] as const) {
        await ups(s, program);
        expect(s.sent()).toEqual({ creates: sent, mails: sent });
        expect(s.stack.entry("nda").id).toBe(s.id(1));
      }
    });

    test.each([false, true])("a document is taken back after each destroy, signed: %s", async isSigned => {
      await using s = await scene({ frontEnd, dialect });
      await ups(s, given);
      if (isSigned) s.service.people.signAll(s.id());
      s.sent();
      for (let time = 0; time < 3; time++) {
        await s.stack.destroy();
        await ups(s, given);
        expect(s.sent()).toEqual(nobody);
        expect(s.stack.entry("nda").id).toBe(s.id());
      }
    });
  });
});
