import { describe, expect, test } from "vitest";
import { Asset, UNKNOWN, type Values } from "../../kit/values.js";
import { checkDocument } from "../../provider/resources/document/check.js";
import { specOf } from "../../provider/resources/document/content.js";
import { inputsIn } from "../../provider/resources/document/declaration.js";
import { NDA, rowsOf, TYPE, team } from "../document-set/team.js";
import { base64, healed, nda, pdf, people, type Scene, scene, sceneWith } from "../lifecycle/scene.js";
import { documentsIn } from "../support/documents.js";

const TERMS = { effectiveFrom: "2027-03-01", expiresAt: "2028-02-29", renewBefore: "30d" };
const outputs = (s: Scene): Values => s.stack.entry("nda").outputs as Values;
const termsOf = ({ effectiveFrom, expiresAt, renewBefore }: Values) => ({ effectiveFrom, expiresAt, renewBefore });
const NONE = termsOf({});

describe("a document's terms", () => {
  test("are in state, and nothing of them is sent", async () => {
    await using s = await sceneWith([nda({ inputs: TERMS })]);
    expect(termsOf(outputs(s))).toEqual(TERMS);
    const [create] = s.service.ledger.requests("createDocument");
    expect(JSON.stringify(create?.body)).not.toMatch(/effective|expires|renew|2027|2028|30d/i);
  });

  test("are no part of what a create is known by again, known or not", async () => {
    await using s = await scene();
    await using run = s.machine.run({ baseUrl: s.service.url, apiKey: s.service.apiKey });
    const { pdfs } = run.runtime.context;
    const news = { name: "NDA", invitations: people, base64File: base64("one") };
    const { inputs } = await checkDocument({ olds: undefined, news }, pdfs);
    const fingerprint = async (more: Values) =>
      (await specOf(inputsIn({ ...inputs, ...more }), pdfs))?.content.fingerprint;
    const plain = await fingerprint({});
    expect(plain).toMatch(/./);
    expect(await fingerprint(TERMS)).toBe(plain);
    expect(await fingerprint({ expiresAt: UNKNOWN })).toBe(plain);
  });

  test.each([
    ["unsigned", () => {}],
    ["signed", (s: Scene) => s.service.people.signAll(s.id())],
  ])("of an %s document change in place, without a request", async (_, happens) => {
    await using s = await sceneWith([nda()]);
    happens(s);
    s.asked();
    for (const inputs of [TERMS, { ...TERMS, expiresAt: "2029-02-28" }, { expiresAt: "2029-02-28" }, {}]) {
      const outcome = await s.stack.up([nda({ inputs })]);
      expect(outcome.error).toBeUndefined();
      expect(outcome.calls.filter(call => /^(create|update|delete)/.test(call))).toEqual(
        outcome.calls.filter(call => call.startsWith("update")),
      );
      expect(termsOf(outputs(s))).toEqual({ ...NONE, ...inputs });
      const { calls } = await s.stack.up([nda({ inputs })], { skipPreview: true });
      expect(calls.filter(call => /^(create|update|delete)/.test(call))).toEqual([]);
    }
    expect(s.asked()).toEqual([]);
    expect(s.sent()).toEqual({ creates: 0, mails: 0 });
  });

  test("change together with a rename that the program follows: outputs are the service's", async () => {
    await using s = await sceneWith([nda()]);
    s.service.people.renameBehindBack(s.id(), "NDA 2");
    await healed(s, [nda({ inputs: { name: "NDA 2", ...TERMS } })]);
    expect(outputs(s)).toMatchObject({ name: "NDA 2", drift: [], ...TERMS });
  });

  test("are named in the diff of a rename that the program follows", async () => {
    await using s = await sceneWith([nda()]);
    const { id, inputs: oldInputs, outputs: olds } = s.stack.entry("nda");
    s.service.people.renameBehindBack(id, "NDA 2");
    await using run = s.machine.run({ baseUrl: s.service.url, apiKey: s.service.apiKey });
    const documents = documentsIn(run.runtime.context);
    const call = run.call("nda", { type: "docsign:index:Document" });
    const news = { ...(oldInputs as Values), name: "NDA 2", expiresAt: "2028-02-29" };
    const args = { id, olds: olds as Values, oldInputs: oldInputs as Values, news };
    await documents.check(call, { olds: args.oldInputs, news });
    expect(await documents.diff(call, args)).toMatchObject({ changes: "some", detailed: { expiresAt: "add" } });
  });

  test("stay what they are in a refresh", async () => {
    await using s = await sceneWith([nda({ inputs: TERMS })]);
    await s.stack.refresh();
    expect(termsOf(outputs(s))).toEqual(TERMS);
  });

  test("are written by the update that follows an import, without a request", async () => {
    await using s = await scene();
    const id = s.service.people.upload("first", { name: "NDA", pdf: pdf("one"), emails: ["ana@example.com"] });
    await using run = s.machine.run({ baseUrl: s.service.url, apiKey: s.service.apiKey });
    const documents = documentsIn(run.runtime.context);
    const call = run.call("nda", { type: "docsign:index:Document" });
    const read = await documents.read(call, { id, inputs: undefined, outputs: undefined });
    const { inputs, failures } = await documents.check(call, { olds: read.inputs, news: { ...read.inputs, ...TERMS } });
    expect(failures).toEqual([]);
    s.asked();
    const args = { id, olds: read.outputs, oldInputs: read.inputs, news: inputs };
    const added = { effectiveFrom: "add", expiresAt: "add", renewBefore: "add" };
    expect(await documents.diff(call, args)).toEqual({ changes: "some", detailed: added, deleteBeforeReplace: false });
    expect(termsOf(await documents.update(call, args))).toEqual(TERMS);
    expect(s.asked()).toEqual([]);
  });

  test("change with what is replaced, and are then in the new document's state", async () => {
    await using s = await sceneWith([nda()]);
    const outcome = await s.stack.up([nda({ inputs: { ...TERMS, name: "Other" } })]);
    expect(outcome.error).toBeUndefined();
    expect([outputs(s)["name"], termsOf(outputs(s))]).toEqual(["Other", TERMS]);
    expect(s.sent()).toEqual({ creates: 1, mails: 2 });
  });

  test.each([
    [{ expiresAt: "2027-02-30" }, 'expiresAt: expected a day such as "2027-03-01", got "2027-02-30"'],
    [{ effectiveFrom: "soon" }, 'effectiveFrom: expected a day such as "2027-03-01", got "soon"'],
    [{ expiresAt: "2027-03-01", renewBefore: "30" }, 'renewBefore: expected a time such as "30d", got "30"'],
    [{ renewBefore: "30d" }, "renewBefore: expected `expiresAt` beside it, got none"],
    [
      { effectiveFrom: "2027-03-01", expiresAt: "2027-03-01" },
      "expiresAt: expected a day after effectiveFrom, 2027-03-01, got 2027-03-01",
    ],
  ])("%j are refused before anything is sent", async (inputs, reason) => {
    await using s = await scene();
    const outcome = await s.stack.up([nda({ inputs })]);
    expect(outcome.error).toContain(reason);
    expect(s.sent()).toEqual({ creates: 0, mails: 0 });
  });
});

describe("a row's terms", () => {
  const rows = (documents: Values) => ({ name: "ndas", type: TYPE, inputs: { documents, defaults: single } as never });
  const single = { name: "NDA", base64File: base64("one") };
  const row = (email: string, more: Values = {}) => ({ invitations: [{ email }], ...more });

  test("change in place, without a request, whoever has signed", async () => {
    const plain = { ana: row("ana@example.com"), bob: row("bob@example.com", TERMS) };
    await using s = await sceneWith([rows(plain)]);
    expect(termsOf(rowsOf(s)["bob"] ?? {})).toEqual(TERMS);
    s.service.people.signAll(s.id());
    s.asked();
    const later = { ...TERMS, expiresAt: "2029-02-28" };
    const changed = { ana: row("ana@example.com", later), bob: row("bob@example.com") };
    const outcome = await s.stack.up([rows(changed)]);
    expect(outcome.error).toBeUndefined();
    expect([rowsOf(s)["ana"], rowsOf(s)["bob"]].map(each => termsOf(each ?? {}))).toEqual([later, NONE]);
    const { calls } = await s.stack.up([rows(changed)], { skipPreview: true });
    expect(calls.filter(call => /^(create|update|delete)/.test(call))).toEqual([]);
    expect(s.asked()).toEqual([]);
    await s.stack.refresh();
    expect(termsOf(rowsOf(s)["ana"] ?? {})).toEqual(later);
  });

  test("come from a table's columns, and an empty cell gives none", async () => {
    const defaults = { ...NDA, expiresAt: "{{end}}" };
    const program = team(["Ana", "Bob"], { defaults });
    const table = new Asset({
      text: "email,name,start,end\nana@example.com,Ana,1 March,2028-02-29\nbob@example.com,Bob,1 March,\n",
    });
    await using s = await sceneWith([{ ...program, inputs: { ...program.inputs, table } as never }]);
    expect(Object.values(rowsOf(s)).map(({ expiresAt }) => expiresAt)).toEqual(["2028-02-29", undefined]);
  });
});
