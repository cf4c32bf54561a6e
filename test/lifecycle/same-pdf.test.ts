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
    await using s = await scene({ taste: noHash });
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
  async taste => {
    await using s = await scene({ taste });
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
  test.each([true, false])(
    "whose PDF the program has followed isn't unchanged when the program goes back; forgets %s",
    async forgets => {
      await using s = await scene();
      await up(s, "template A", kind);
      s.service.people.addVersion(s.id(), await bytesOf("V"));
      await s.stack.refresh();
      expect(await up(s, "file V", kind)).toEqual(nobody);
      if (forgets) await forgetMachine(s);
      // The document holds V, and the program says A.
      expect(await up(s, "file A", kind)).toEqual(once);
    },
  );

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
    Object.assign(s.service.taste, noHash);
    await forgetMachine(s);
    expect(await up(s, "template B", kind)).toEqual(once);
    await forgetMachine(s);
    expect(await up(s, back, kind)).toEqual(nobody);
  });

  test.each([true, false])(
    "that got another version isn't taken back as its first, no hash shown; forgets %s",
    async forgets => {
      await using s = await scene({ taste: noHash });
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
    await using s = await scene({ taste: noHash });
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
