import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { dynamicFrontEnd } from "../dialects/dynamic-front-end.js";
import { entryOf, type Goal, pluginFrontEnd, Ref } from "../support/simulated-engine.js";
import { refusal, statuses } from "./matrix.js";
import { base64, fillAccount, healed, nda, newestFirst, pdf, scene, sceneWith } from "./scene.js";

const force = { replace: ["nda"] };
const nobody = { creates: 0, mails: 0 };
const partially = statuses["partially_signed"]?.says ?? /never/;

describe("a leftover of an earlier deployment", () => {
  test.each([
    ["no change", {}, {}],
    ["a forced replacement", {}, force],
    ["a forced replacement, delete first", { deleteBeforeReplace: true }, force],
  ])("is let go of whatever its status, with %s", async (_, option, options) => {
    // A replacement that creates first takes a document exactly alike for another one, by default.
    await using s = await scene({ ...newestFirst, config: { duplicatePolicy: "create" } });
    fillAccount(s);
    const old = s.service.people.upload("first", {
      name: "NDA",
      pdf: Buffer.from(base64("one"), "base64"),
      emails: ["ana@example.com"],
    });
    s.service.people.signAll(old);
    s.service.clock.advance(60_000);
    for (let count = 0; count < 2; count++) expect((await s.stack.up([nda(option)])).error).toBeUndefined();
    const { inputs, outputs } = s.stack.entry("nda");
    const leftover = entryOf(s.stack.urn("nda"), nda(option), old, inputs, { ...outputs, documentId: old });
    s.stack.entries.push({ ...leftover, delete: true });
    const up = await s.stack.up([nda(option)], options);
    expect(up.error).toBeUndefined();
    expect(up.calls).toContain(`delete nda ${old}`);
    expect(s.stack.entries).toHaveLength(1);
  });

  test("isn't mistaken for the resource itself after a refresh", async () => {
    await using s = await sceneWith([nda()]);
    const { inputs, outputs } = s.stack.entry("nda");
    const old = s.service.people.upload("first", {
      name: "NDA",
      pdf: Buffer.from(base64("one"), "base64"),
      emails: ["ana@example.com"],
    });
    s.stack.entries.push({
      ...entryOf(s.stack.urn("nda"), nda(), old, inputs, { ...outputs, documentId: old }),
      delete: true,
    });
    await s.stack.refresh();
    s.service.people.sign(s.id(), "ana@example.com");
    const refused = await s.stack.up([nda()], force);
    expect(refusal(refused, s.id(), partially, undefined)).toEqual([]);
  });
});

test.each([true, false])(
  "an imported document whose program gives the PDF's hash is taken back after a failed replacement, delete first: %s",
  async deleteBeforeReplace => {
    await using s = await scene();
    const id = s.service.people.upload("first", { name: "NDA", pdf: pdf("one"), emails: ["ana@example.com"] });
    const hash = `sha256:${createHash("sha256").update(pdf("one")).digest("hex")}`;
    const program = (base64File: string) => {
      const inputs = { name: "NDA", invitations: [{ email: "ana@example.com" }], base64File };
      return [{ name: "nda", inputs, deleteBeforeReplace }];
    };
    expect((await s.stack.import({ name: "nda" }, id)).error).toBeUndefined();
    s.sent();
    await healed(s, program(hash));
    for (const _ of [1, 2]) {
      s.service.faults.push({ kind: "status", when: "before", status: 400 }, "createDocument");
      expect((await s.stack.up(program(base64("two")))).error).toContain("400");
      s.sent();
      await healed(s, program(hash));
      expect(s.stack.entry("nda")).toMatchObject({ id, inputs: { base64File: hash } });
    }
    s.service.people.signAll(id);
    expect((await s.stack.refresh()).error).toBeUndefined();
    await healed(s, program(hash));
  },
);

test.each([true, false])(
  "an import that a failed replacement left stays one: what the service doesn't return is no difference, delete first: %s",
  async deleteBeforeReplace => {
    await using s = await scene({ dialect: { form: "basic" } });
    const id = s.service.people.upload("first", { name: "NDA", pdf: pdf("one"), emails: ["ana@example.com"] });
    const program = (text: string, person: object = {}) => {
      const invitations = [{ email: "ana@example.com", ...person }];
      return [{ name: "nda", inputs: { name: "NDA", invitations, base64File: base64(text) }, deleteBeforeReplace }];
    };
    expect((await s.stack.import({ name: "nda" }, id)).error).toBeUndefined();
    s.sent();
    await healed(s, program("one"));
    s.service.faults.push({ kind: "status", when: "before", status: 400 }, "createDocument");
    expect((await s.stack.up(program("two"))).error).toContain("400");
    s.sent();
    await healed(s, program("one"));
    await healed(s, program("one", { stage: 1, allowedSignatureTypes: "advanced" }));
    expect(s.stack.entry("nda")).toMatchObject({ id, outputs: { imported: true } });
  },
);

describe("a document made from another's output", () => {
  const pair = (name: string) => [
    nda({ inputs: { name } }),
    nda({ name: "annex", inputs: { name: "Annex", description: new Ref("nda", "documentId") } }),
  ];

  test("is replaced along while it is unsigned", async () => {
    await using s = await sceneWith(pair("NDA"));
    const up = await s.stack.up(pair("Other"));
    expect(up.error).toBeUndefined();
    expect(s.sent()).toEqual({ creates: 2, mails: 4 });
    expect(s.stack.entry("annex").outputs["supersedes"]).toEqual([s.id(1)]);
  });

  test("stops the replacement in the preview when it is signed", async () => {
    await using s = await sceneWith(pair("NDA"));
    s.service.people.sign(s.id(1), "ana@example.com");
    const refused = await s.stack.up(pair("Other"));
    expect(refused).toMatchObject({ failed: "preview" });
    expect(refused.error).toMatch(new RegExp(`document ${s.id(1)} "Annex" is partially signed`));
    expect(s.sent()).toEqual(nobody);
    await healed(s, pair("NDA"));
  });

  test("isn't replaced when it is signed after the preview, and nor is the other one", async () => {
    await using s = await sceneWith(pair("NDA"));
    const refused = await s.stack.up(pair("Other"), {
      meanwhile: () => s.service.people.sign(s.id(1), "ana@example.com"),
    });
    expect(refused.error).toMatch(new RegExp(`document ${s.id(1)} "Annex" is partially signed`));
    expect(s.sent()).toEqual(nobody);
    await healed(s, pair("NDA"));
    expect(s.stack.entry("nda").id).toBe(s.id(0));
    expect(s.stack.entry("annex").id).toBe(s.id(1));
  });
});

describe.each([
  ["the plugin", pluginFrontEnd],
  ["the dynamic provider", dynamicFrontEnd],
])("through %s, a document made from the output of another with its name", (_, frontEnd) => {
  const pair = (text: string, output: string, annex: object = {}) =>
    [
      nda({ inputs: { base64File: base64(text) } }),
      nda({ name: "annex", inputs: { base64File: base64("annex"), description: new Ref("nda", output), ...annex } }),
    ].map(goal => ({ ...goal, deleteBeforeReplace: true }));
  const skipPreview = { skipPreview: true };
  async function changed(output: string) {
    const s = await scene({ frontEnd });
    for (const text of ["one", "one"])
      expect((await s.stack.up(pair(text, output), skipPreview)).error).toBeUndefined();
    s.sent();
    const up = await s.stack.up(pair("two", output), skipPreview);
    expect(up.error).toBeUndefined();
    return Object.assign(s, { up });
  }

  test("stays as it is where that output turns out to be what it was", async () => {
    await using s = await changed("status");
    expect(s.up.lines.join("\n")).toContain(
      `document ${s.id(1)} is kept, no one is mailed: it is what the program says`,
    );
    expect(s.sent()).toEqual({ creates: 1, mails: 2 });
    expect(s.stack.entry("annex").id).toBe(s.id(1));
    await healed(s, pair("two", "status"), skipPreview);
  });

  // The engine calls a dynamic provider in no preview.
  test.runIf(frontEnd === pluginFrontEnd)("and isn't announced as mailed for certain", async () => {
    await using s = await changed("status");
    const said = (await s.stack.up(pair("three", "status"))).previewLines.join("\n");
    expect(said).toMatch(/may mail ana@example\.com, then .*: document "NDA", unless/);
    expect(said).toContain("[docsign/facts replaces=1&undecided=1]");
    expect(said.match(/will mail/g)).toHaveLength(1);
  });

  test.each([{}, { refresh: true }])(
    "and follows what was changed there in the same run: it stays (%o)",
    async options => {
      await using s = await changed("status");
      s.sent();
      s.service.people.renameBehindBack(s.id(1), "Annex");
      const followed = pair("three", "status", { name: "Annex" });
      expect((await s.stack.up(followed, { ...skipPreview, ...options })).error).toBeUndefined();
      expect(s.sent()).toEqual({ creates: 1, mails: 2 });
      expect(s.stack.entry("annex").id).toBe(s.id(1));
      await healed(s, followed, skipPreview);
    },
  );

  test("is sent again where what the service doesn't show of it changes as well", async () => {
    await using s = await changed("status");
    s.sent();
    const invitations = [{ email: "ana@example.com", name: "Ana", message: "Please sign" }];
    expect((await s.stack.up(pair("three", "status", { invitations }), skipPreview)).error).toBeUndefined();
    expect(s.stack.entry("annex").outputs["supersedes"]).toEqual([s.id(1)]);
  });

  // The engine calls a dynamic provider in no preview.
  test.runIf(frontEnd === pluginFrontEnd)("and was signed: the preview refuses as the update does", async () => {
    await using s = await changed("name");
    s.sent();
    s.service.people.sign(s.id(1), "ana@example.com");
    const refused = await s.stack.up(pair("three", "name"));
    expect(refused).toMatchObject({ failed: "preview" });
    expect(refused.error).toContain("description: not known before what it comes from is replaced");
    expect(s.sent()).toEqual(nobody);
    await healed(s, pair("two", "name"));
  });

  test("and was signed: the refusal names the input that isn't known, and its remedy works", async () => {
    await using s = await changed("status");
    s.sent();
    s.service.people.sign(s.id(1), "ana@example.com");
    const refused = await s.stack.up(pair("three", "status"), skipPreview);
    expect(refused.error).toContain("description: not known before what it comes from is replaced");
    expect(refused.error).not.toContain("untaint");
    // `pulumi destroy --target` of what it depends on comes to the same calls.
    expect(refused.error).toContain("destroy this one first, in a run of its own");
    expect(s.sent()).toEqual({ creates: 0, mails: 0 });
    for (const text of ["two", "three"]) {
      const said = pair(text, "status", { description: "unsigned" });
      expect((await s.stack.up(said, skipPreview)).error).toBeUndefined();
    }
    expect(s.sent()).toEqual({ creates: 1, mails: 2 });
    expect(s.stack.entry("annex").id).toBe(s.id(1));
  });

  test.each([false, true])(
    "leaves the program in the run that changes that one, and comes back (signed: %s)",
    async isSigned => {
      await using s = await changed("status");
      s.sent();
      expect((await s.stack.up(pair("three", "status").slice(0, 1), skipPreview)).error).toBeUndefined();
      expect(s.stack.entries).toHaveLength(1);
      if (isSigned) s.service.people.signAll(s.id(1));
      expect((await s.stack.up(pair("three", "status"), skipPreview)).error).toBeUndefined();
      expect(s.sent()).toEqual({ creates: 1, mails: 2 });
      expect(s.stack.entry("annex").id).toBe(s.id(1));
      await healed(s, pair("three", "status"), skipPreview);
    },
  );

  test("is no predecessor of it", async () => {
    await using s = await changed("documentId");
    expect(s.stack.entry("nda").outputs["supersedes"]).toEqual([s.id(0)]);
    expect(s.stack.entry("annex").outputs["supersedes"]).toEqual([s.id(1)]);
  });
});

test("a folder that is named by an output stays where that turns out to be what it was, with what is in it", async () => {
  await using s = await scene();
  const program = (text: string): Goal[] => [
    nda({ deleteBeforeReplace: true, inputs: { base64File: base64(text) } }),
    {
      name: "folder",
      type: "docsign:index:Folder",
      deleteBeforeReplace: true,
      inputs: { name: new Ref("nda", "status") },
    },
    nda({
      name: "annex",
      deleteBeforeReplace: true,
      inputs: { name: "Annex", folderId: new Ref("folder", "folderId") },
    }),
  ];
  for (const text of ["one", "one"]) expect((await s.stack.up(program(text))).error).toBeUndefined();
  s.sent();
  const ids = ["folder", "annex"].map(name => s.stack.entry(name).id);
  expect((await s.stack.up(program("two"), { skipPreview: true })).error).toBeUndefined();
  expect(s.sent()).toEqual({ creates: 1, mails: 2 });
  expect(["folder", "annex"].map(name => s.stack.entry(name).id)).toEqual(ids);
  await healed(s, program("two"));
});

describe.each([
  ["the plugin", pluginFrontEnd],
  ["the dynamic provider", dynamicFrontEnd],
])("through %s, a term for which replaceOnChanges asks for a replacement", (_, frontEnd) => {
  const until = (expiresAt: string, deleteBeforeReplace: boolean) =>
    nda({ inputs: { expiresAt }, deleteBeforeReplace, replaceOnChanges: ["expiresAt"] });

  test.each([
    ["unsigned", true],
    ["unsigned", false],
    ["signed", true],
    ["signed", false],
  ] as const)("changes in place: an %s document is kept, delete first: %s", async (status, isDeletedFirst) => {
    await using s = await scene({ frontEnd });
    for (let count = 0; count < 2; count++)
      expect((await s.stack.up([until("2028-01-01", isDeletedFirst)])).error).toBeUndefined();
    s.sent();
    if (status === "signed") s.service.people.signAll(s.id());
    for (const day of ["2029-01-01", "2028-01-01", "2029-01-01"]) {
      const { error, previewLines } = await s.stack.up([until(day, isDeletedFirst)]);
      expect(error).toBeUndefined();
      if (frontEnd === pluginFrontEnd) expect(previewLines.join("\n")).toContain(`document ${s.id()} is kept`);
      expect(s.stack.entry("nda")).toMatchObject({ id: s.id(), outputs: { expiresAt: day } });
    }
    expect(s.sent()).toEqual(nobody);
    await healed(s, [until("2029-01-01", isDeletedFirst)]);
  });
});

test("a signed row stays where replaceOnChanges and deleteBeforeReplace replace its set for another row's term", async () => {
  const program = (bobsEnd: string) => [
    {
      name: "ndas",
      type: "docsign:index:DocumentSet",
      deleteBeforeReplace: true,
      replaceOnChanges: ["documents"],
      inputs: {
        documents: Object.fromEntries(
          [
            ["ana", "2028-01-01"],
            ["bob", bobsEnd],
          ].map(([key, expiresAt]) => [
            key,
            {
              name: `NDA of ${key}`,
              expiresAt,
              base64File: base64("one"),
              invitations: [{ email: `${key}@example.com` }],
            },
          ]),
        ),
      },
    } as Goal,
  ];
  await using s = await sceneWith(program("2028-01-01"));
  s.service.people.signAll(s.id());
  const { error, previewLines } = await s.stack.up(program("2029-01-01"));
  expect(error).toBeUndefined();
  expect(previewLines.join("\n")).toContain("is kept, no one is mailed");
  expect(s.sent()).toEqual(nobody);
  await healed(s, program("2029-01-01"));
});

test("a row that is signed before it is given up is refused by what has changed", async () => {
  const program = (title: string) => [
    {
      name: "ndas",
      type: "docsign:index:DocumentSet",
      inputs: {
        documents: {
          ana: { name: title, base64File: base64("one"), invitations: [{ email: "ana@example.com" }] },
        },
      },
    } as Goal,
  ];
  await using s = await sceneWith(program("NDA"));
  const before = (next: string) => next.startsWith("update ndas") && s.service.people.signAll(s.id());
  const refused = await s.stack.up(program("NDA 2"), { skipPreview: true, before });
  expect(refused.error).toContain("; changed: name;");
  expect(refused.error).not.toContain("untaint");
  expect(s.sent()).toEqual(nobody);
  await healed(s, program("NDA"));
});
