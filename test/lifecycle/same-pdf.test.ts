import { describe, expect, test } from "vitest";
import { Asset, type Values } from "../../kit/values.js";
import { renderTemplate } from "../../sdk/templates/index.js";
import type { Goal } from "../support/simulated-engine.js";
import { forgetMachine, nda, type Scene, scene } from "./scene.js";

const nobody = { creates: 0, mails: 0 };
const once = { creates: 1, mails: 1 };
const noHash = { sha256: "null", downloads: "missing" } as const;
const markdown = (text: string) => `# NDA\n\n${text}\n`;
const pdfOf = async (text: string) => String((await renderTemplate({ template: { markdown: markdown(text) } })).base64);
const bytesOf = async (text: string) => Buffer.from(await pdfOf(text), "base64");
/** `template A`, or `file A`: the same PDF. */
const given = async (step: string): Promise<Values> => {
  const [way, text = ""] = step.split(" ");
  return way === "template" ? { template: new Asset({ text: markdown(text) }) } : { base64File: await pdfOf(text) };
};
const ana = { invitations: [{ email: "ana@example.com" }] };
const goals = {
  document: (inputs: Values): Goal =>
    nda({ deleteBeforeReplace: true, inputs: { ...ana, base64File: null, ...inputs } }),
  set: (inputs: Values): Goal => ({
    ...{ name: "nda", type: "docsign:index:DocumentSet", deleteBeforeReplace: true },
    inputs: { documents: { ana: { name: "NDA", ...ana } }, defaults: inputs },
  }),
};
const up = async (s: Scene, step: string, kind: keyof typeof goals = "document") => {
  const { error } = await s.stack.up([goals[kind](await given(step))]);
  expect(error).toBeUndefined();
  return s.sent();
};

test.each([true, false])(
  "an import that a template describes is taken back, no hash shown; forgets %s",
  async forgets => {
    await using s = await scene({ dialect: noHash });
    const id = s.service.people.upload("first", {
      ...{ name: "NDA", description: "Mutual", pdf: await bytesOf("A"), emails: ["ana@example.com"] },
    });
    expect((await s.stack.import({ name: "nda" }, id)).error).toBeUndefined();
    s.sent();
    expect(await up(s, "template A")).toEqual(nobody);
    expect(await up(s, "template B")).toEqual(once);
    if (forgets) await forgetMachine(s);
    expect(await up(s, "template A")).toEqual(nobody);
    expect(s.stack.entry("nda").id).toBe(id);
  },
);

test.each([noHash, { sha256: "stamped" } as const])(
  "a document of a template, imported after state was lost: %j",
  async dialect => {
    await using s = await scene({ dialect });
    await up(s, "template A");
    s.stack.entries = [];
    expect((await s.stack.import({ name: "nda" }, s.id())).error).toBeUndefined();
    expect(await up(s, "template A")).toEqual(nobody);
    await forgetMachine(s);
    expect(await up(s, "template B")).toEqual(once);
    await forgetMachine(s);
    expect(await up(s, "template A")).toEqual(nobody);
  },
);

describe.each(["document", "set"] as const)("a %s", kind => {
  const ways = ["file A", "template A"];
  const stories = ways.flatMap(first =>
    ways.flatMap(back => [true, false].map(forgets => [first, back, forgets] as const)),
  );
  test.each(stories)(
    "of %s whose PDF the program has followed isn't unchanged when it goes back to %s; forgets %s",
    async (first, back, forgets) => {
      await using s = await scene();
      await up(s, first, kind);
      s.service.people.addVersion(s.id(), await bytesOf("V"));
      await s.stack.refresh();
      expect(await up(s, "file V", kind)).toEqual(nobody);
      if (forgets) await forgetMachine(s);
      // The document holds V, and the program says A.
      expect(await up(s, back, kind)).toEqual(once);
    },
  );

  test("that got its new title on the platform, and whose template becomes a file, is the same", async () => {
    await using s = await scene();
    await up(s, "template A", kind);
    s.service.people.renameBehindBack(s.id(), "Lease");
    const { inputs, ...goal } = goals[kind](await given("file A"));
    const renamed = JSON.parse(JSON.stringify(inputs).replaceAll('"NDA"', '"Lease"')) as Goal["inputs"];
    for (const calls of [1, 0]) {
      const up = await s.stack.up([{ ...goal, inputs: renamed }]);
      expect([up.error, s.sent()]).toEqual([undefined, nobody]);
      expect(up.calls.filter(call => call.startsWith("update"))).toHaveLength(calls);
    }
  });

  test.each<[string, Values, (people: Scene["service"]["people"], id: string) => void]>([
    ["put into a folder", { folderId: "901" }, (people, id) => people.moveToFolder(id, "901")],
    ["described", { description: "Other" }, (people, id) => people.describeBehindBack(id, "Other")],
    [
      "addressed to Bob",
      { invitations: [{ email: "bob@example.com" }] },
      (people, id) => people.invitedBehindBack(id, person => [{ ...person, email: "bob@example.com" }]),
    ],
  ])("that was %s there, which the program followed, is another one without it", async (_, followed, change) => {
    await using s = await scene();
    await up(s, "file A", kind);
    change(s.service.people, s.id());
    const program = async (more: Values) => {
      const { documents = {}, ...inputs } = goals[kind]({ ...(await given("file A")), ...more }).inputs as Values;
      const row = Object.fromEntries(
        Object.entries(documents as object).map(([key, row]) => [key, { ...row, ...more }]),
      );
      return [
        { ...goals[kind]({}), inputs: { ...inputs, ...(kind === "set" && { documents: row }) } as Goal["inputs"] },
      ];
    };
    expect((await s.stack.up(await program(followed))).error).toBeUndefined();
    expect(s.sent()).toEqual(nobody);
    expect((await s.stack.up(await program({}))).error).toBeUndefined();
    expect(s.sent()).toEqual(once);
  });

  test("that people have signed as V isn't said to be A", async () => {
    await using s = await scene();
    await up(s, "template A", kind);
    s.service.people.addVersion(s.id(), await bytesOf("V"));
    s.service.people.signAll(s.id());
    await s.stack.refresh();
    expect(await up(s, "file V", kind)).toEqual(nobody);
    const { error } = await s.stack.up([goals[kind](await given("file A"))]);
    expect(error).toContain("[docsign/replace-signed]");
  });

  test("whose PDF the program has followed is taken back on a machine that has seen nothing", async () => {
    await using s = await scene();
    await up(s, "template A", kind);
    s.service.people.addVersion(s.id(), await bytesOf("V"));
    await s.stack.refresh();
    expect(await up(s, "file V", kind)).toEqual(nobody);
    await forgetMachine(s);
    expect(await up(s, "file C", kind)).toEqual(once);
    await forgetMachine(s);
    expect(await up(s, "file V", kind)).toEqual(nobody);
  });

  test.each(["template A", "file A"])("whose hash the service shows no more is taken back as %s", async back => {
    await using s = await scene();
    await up(s, "file A", kind);
    expect(await up(s, "template A", kind)).toEqual(nobody);
    Object.assign(s.service.dialect, noHash);
    await forgetMachine(s);
    expect(await up(s, "template B", kind)).toEqual(once);
    await forgetMachine(s);
    expect(await up(s, back, kind)).toEqual(nobody);
  });

  test.each([true, false])(
    "that got another version isn't taken back as its first, no hash shown; forgets %s",
    async forgets => {
      await using s = await scene({ dialect: noHash });
      await up(s, "file A", kind);
      s.service.people.addVersion(s.id(), await bytesOf("V"));
      await up(s, "file B", kind);
      if (forgets) await forgetMachine(s);
      await s.stack.up([goals[kind](await given("file A"))]);
      const [held] = s.stack.entries.flatMap(({ id, outputs }) => outputs["documentIds"] ?? id);
      expect(held).not.toBe(s.id(0));
    },
  );
});

describe.each(["document", "set"] as const)("at a service that shows no hash, a %s that was imported", kind => {
  test.each([false, true])("and given as a template is the same as its own PDF; signed: %s", async isSigned => {
    await using s = await scene({ dialect: noHash });
    const id = s.service.people.upload("first", {
      ...{ name: "NDA", description: kind === "set" ? "" : "Mutual" },
      ...{ pdf: await bytesOf("A"), emails: ["ana@example.com"] },
    });
    const imported = kind === "set" ? `documents/${id}` : id;
    const what = { name: "nda", ...(kind === "set" && { type: "docsign:index:DocumentSet" }) };
    expect((await s.stack.import(what, imported)).error).toBeUndefined();
    if (isSigned) s.service.people.signAll(id);
    s.sent();
    for (const step of ["template A", "file A", "template A"]) {
      const { inputs, ...goal } = goals[kind](await given(step));
      // An imported row's key is its document's id.
      const { documents } = inputs as { documents?: { ana: Values } };
      const program = [{ ...goal, inputs: { ...inputs, ...(documents && { documents: { [id]: documents.ana } }) } }];
      expect([step, (await s.stack.up(program)).error, s.sent()]).toEqual([step, undefined, nobody]);
      expect([step, (await s.stack.up(program)).calls.filter(call => call.startsWith("update"))]).toEqual([step, []]);
      await forgetMachine(s);
    }
  });
});

const doc = (inputs: Values, more: Partial<Goal> = {}): Goal => ({ ...goals.document(inputs), ...more });
const set = (inputs: Values, documents: Values = { ana: { name: "NDA", ...ana } }): Goal => ({
  ...goals.set(inputs),
  inputs: { documents, defaults: inputs },
});
const SET = "docsign:index:DocumentSet";
const upload = async (s: Scene, description = "Mutual") => {
  const about = { name: "NDA", description, pdf: await bytesOf("A"), emails: ["ana@example.com"] };
  const id = s.service.people.upload("first", about);
  s.sent();
  return id;
};

test.each([{}, noHash])("the import option takes a template: %j", async dialect => {
  await using s = await scene({ dialect });
  const id = await upload(s);
  const program = [doc(await given("template A"), { import: id })];
  expect((await s.stack.up(program)).error).toBeUndefined();
  expect((await s.stack.up(program)).error).toBeUndefined();
  expect((await s.stack.up([doc(await given("file A"))])).error).toBeUndefined();
  expect(s.sent()).toEqual(nobody);
});

test("an imported row without PDF gets its PDF, and mails nobody", async () => {
  await using s = await scene({ dialect: noHash });
  const id = await upload(s, "");
  await s.stack.import({ name: "nda", type: SET }, `documents/${id}`);
  const rows = { [id]: { name: "NDA", ...ana } };
  expect((await s.stack.up([set({}, rows)])).error).toBeUndefined();
  for (const step of ["file A", "template A"]) {
    expect((await s.stack.up([set(await given(step), rows)])).error).toBeUndefined();
    expect(s.sent()).toEqual(nobody);
  }
  // From here on it is compared.
  expect((await s.stack.up([set(await given("file B"), rows)])).error).toBeUndefined();
  expect(s.sent()).toEqual({ creates: 1, mails: 1 });
});

test("terms given beside the template don't lose the hash", async () => {
  await using s = await scene();
  const terms = { effectiveFrom: "2026-01-01" };
  await s.stack.up([doc(await given("file A"))]);
  await s.stack.up([doc({ ...(await given("template A")), ...terms })]);
  Object.assign(s.service.dialect, noHash);
  for (const [step, creates] of [
    ["template B", 1],
    ["file A", 0],
  ] as const) {
    await forgetMachine(s);
    s.sent();
    expect((await s.stack.up([doc({ ...(await given(step)), ...terms })])).error).toBeUndefined();
    expect(s.sent()).toEqual({ creates, mails: creates });
  }
});

test("nor is there anything to do on the second day", async () => {
  await using s = await scene({ dialect: noHash });
  await s.stack.import({ name: "nda" }, await upload(s));
  const program = [doc({ ...(await given("template A")), effectiveFrom: "2026-01-01" })];
  await s.stack.up(program);
  expect((await s.stack.up(program)).calls.filter(call => call.startsWith("update"))).toEqual([]);
});

test("what can't be sent for want of a PDF is said in the preview", async () => {
  await using s = await scene({ dialect: noHash });
  const id = await upload(s, "");
  await s.stack.import({ name: "nda", type: SET }, `documents/${id}`);
  await s.stack.up([set({}, { [id]: { name: "NDA", ...ana } })]);
  expect(await s.stack.up([set({}, { [id]: { name: "NDA 2", ...ana } })])).toMatchObject({ failed: "preview" });
});

test("a file that becomes its template needs no read", async () => {
  await using s = await scene();
  await s.stack.up([doc(await given("file A"))]);
  s.service.faults.push({ kind: "status", when: "before", status: 404 }, "getDocument", { times: 99 });
  expect((await s.stack.up([doc(await given("template A"))])).error).toBeUndefined();
});

test("null is no PDF", async () => {
  await using s = await scene({ dialect: noHash });
  const id = await upload(s, "");
  await s.stack.import({ name: "nda", type: SET }, `documents/${id}`);
  expect((await s.stack.up([set({ base64File: null }, { [id]: { name: "NDA", ...ana } })])).error).toBeUndefined();
});

test("the same PDF given as a file, after another version there, mails nobody", async () => {
  await using s = await scene();
  await s.stack.up([doc(await given("template A"))]);
  s.service.people.addVersion(s.id(), await bytesOf("V"));
  await s.stack.refresh();
  s.sent();
  await s.stack.up([doc(await given("file A"))]);
  expect(s.sent()).toEqual(nobody);
});

test.each([true, false])("a preview of a set says what `up` does; state lost: %s", async lost => {
  await using s = await scene();
  for (const text of ["A", "B", "B"]) await s.stack.up([set(await given(`file ${text}`))]);
  if (lost) s.stack.entries = [];
  s.sent();
  const program = [set(await given("file A"))];
  const options = lost ? {} : { replace: ["nda"] };
  const said = (await s.stack.preview(program, options)).previewLines.join();
  expect((await s.stack.up(program, { ...options, skipPreview: true })).error).toBeUndefined();
  expect(s.sent()).toEqual(nobody);
  expect(said).toContain("nobody will be mailed, 1 document taken back");
});

test("a preview of a forced replacement asks for lists as often, whatever the rows", async () => {
  await using s = await scene();
  const row = (n: number): [string, Values] => [
    `p${n}`,
    { name: `NDA ${n}`, invitations: [{ email: `p${n}@example.com` }] },
  ];
  const program = [set(await given("file A"), Object.fromEntries(Array.from({ length: 20 }, (_, n) => row(n))))];
  await s.stack.up(program);
  await s.stack.up(program);
  s.asked();
  await s.stack.preview(program, { replace: ["nda"] });
  expect(s.asked().filter(asked => !/documents\/\d/.test(asked)).length).toBeLessThan(10);
});
