import { describe, expect, test } from "vitest";
import { Asset, type Values } from "../../kit/values.js";
import { type Scene, scene, sceneWith } from "../lifecycle/scene.js";
import type { Goal } from "../support/simulated-engine.js";

const TYPE = "docsign:index:DocumentSet";
const TEMPLATE = "# NDA\n\n{{name}} from {{start}}.\n";

const team = (people: readonly string[], more: Values = {}): Goal => ({
  name: "ndas",
  type: TYPE,
  inputs: {
    table: new Asset({
      text: `email,name,start\n${people.map(name => `${name.toLowerCase().replace("*", "")}@example.com,${name},1 March`).join("\n")}\n`,
    }),
    key: "{{email}}",
    defaults: {
      name: "NDA of {{name}}",
      template: new Asset({ text: TEMPLATE }),
      variables: { name: "{{name}}", start: "{{start}}" },
      invitations: [{ email: "{{email}}", name: "{{name}}" }],
    },
    ...more,
  } as Goal["inputs"],
});

const outputs = (s: Scene) => s.stack.entry("ndas").outputs as Values;
const mails = (s: Scene) => s.service.ledger.mails().map(({ to }) => to);

describe("a set of a table", () => {
  test("warns of a new row's address without a dot in its domain, and takes white space around one for nothing", async () => {
    await using s = await scene();
    const table = (text: string) => team([], { table: new Asset({ text: `email,name,start\n${text}` }) });
    const said = async (program: Goal) => {
      const { error, previewLines = [] } = await s.stack.up([program]);
      expect(error).toBeUndefined();
      return previewLines.filter(line => line.startsWith("warning"));
    };
    const first = "ana@example,Ana,1 March\nbob@example,Bob,1 March\ncy@example.com ,Cy,1 March\n";
    const each = (email: string) =>
      `${email}: expected a domain with a dot in it, such as example.com, got none. It is sent as it is.`;
    expect(await said(table(first))).toEqual([
      `warning: line 2: ${each("ana@example")}`,
      `warning: line 3: ${each("bob@example")}`,
    ]);
    expect(mails(s).toSorted()).toEqual(["ana@example", "bob@example", "cy@example.com"]);
    expect(await said(table(first))).toEqual([]);
    expect(await said(table(first.replace("com ,", "com,")))).toHaveLength(2);
    expect(mails(s)).toHaveLength(3);
  });

  test("creates one document and one mail for each row, and state is compact", async () => {
    await using s = await sceneWith([team(["Ana", "Bob", "Cy"])]);
    expect(mails(s).toSorted()).toEqual(["ana@example.com", "bob@example.com", "cy@example.com"]);
    expect(outputs(s)["summary"]).toEqual({ total: 3, unsigned: 3, partiallySigned: 0, signed: 0, forgotten: 0 });
    expect(outputs(s)["waitingFor"]).toMatchObject([
      { key: "ana@example.com", email: "ana@example.com" },
      { key: "bob@example.com", email: "bob@example.com" },
      { key: "cy@example.com", email: "cy@example.com" },
    ]);
    const { inputs } = s.stack.entry("ndas");
    expect(JSON.stringify([inputs, outputs(s)])).not.toMatch(/from \{\{start|1 March/);
    expect(JSON.stringify(outputs(s)["documents"]).length / 3).toBeLessThan(600);
  });

  test("has no diff, in any order of its rows, and its preview asks the service nothing", async () => {
    await using s = await sceneWith([team(["Ana", "Bob"])]);
    const outcome = await s.stack.up([team(["Bob", "Ana"])]);
    expect(outcome.error).toBeUndefined();
    expect([...outcome.previewCalls, ...outcome.calls].filter(call => /^(create|update|delete)/.test(call))).toEqual(
      [],
    );
    expect(s.asked()).toEqual([]);
  });

  test("mails the one person in a new row, and the preview says whom", async () => {
    await using s = await sceneWith([team(["Ana"])]);
    const outcome = await s.stack.up([team(["Ana", "Bob"])]);
    expect(outcome.error).toBeUndefined();
    expect(outcome.previewLines.join("\n")).toContain("will mail bob@example.com");
    expect(outcome.previewLines.join("\n")).not.toContain("will mail ana@example.com");
    expect(s.sent()).toEqual({ creates: 1, mails: 1 });
  });

  test("forgets a removed row, and says that its document stays", async () => {
    await using s = await sceneWith([team(["Ana", "Bob"])]);
    const outcome = await s.stack.up([team(["Ana"])]);
    expect(outcome.error).toBeUndefined();
    expect(outcome.lines.join("\n")).toContain("is removed from state, not deleted");
    expect(s.sent()).toEqual({ creates: 0, mails: 0 });
    expect(outputs(s)["summary"]).toMatchObject({ total: 1, forgotten: 1 });
  });

  const changed = (more: Values = {}) =>
    team(["Ana", "Bob"], {
      defaults: { ...(team([]).inputs["defaults"] as Values), template: new Asset({ text: `${TEMPLATE}More.` }) },
      ...more,
    });

  test("replaces changed rows while they are unsigned", async () => {
    await using s = await sceneWith([team(["Ana", "Bob"])]);
    const outcome = await s.stack.up([changed()]);
    expect(outcome.error).toBeUndefined();
    expect(s.sent()).toEqual({ creates: 2, mails: 2 });
    expect((await s.stack.up([changed()])).error).toBeUndefined();
    expect(s.sent()).toEqual({ creates: 0, mails: 0 });
  });

  test("refuses the whole update where a changed row is signed, before anything is sent", async () => {
    await using s = await sceneWith([team(["Ana", "Bob"])]);
    const ana = s.service.ledger.documents().find(({ name }) => name === "NDA of Ana");
    s.service.people.sign(ana?.id ?? "", "ana@example.com");
    const outcome = await s.stack.up([changed()]);
    expect(outcome.error).toContain("1 of 2 changed rows can't be replaced, so nothing was sent");
    expect(outcome.error).toContain("ana@example.com: document");
    expect(s.sent()).toEqual({ creates: 0, mails: 0 });
    expect((await s.stack.up([team(["Ana", "Bob"])])).error).toBeUndefined();
    expect(s.sent()).toEqual({ creates: 0, mails: 0 });
  });

  test("a kept row whose PDF is another one at the service shows as drift", async () => {
    await using s = await sceneWith([team(["Ana", "Bob"])]);
    const id = s.service.ledger.documents().find(({ name }) => name === "NDA of Ana")?.id ?? "";
    s.service.people.addVersion(id, Buffer.from("%PDF-1.4\nanother\n%%EOF\n"), { force: true });
    s.service.people.signAll(id);
    expect((await s.stack.up([changed({ whenSigned: "keep" })])).error).toBeUndefined();
    await s.stack.refresh();
    expect(outputs(s)["drift"]).toEqual(["ana@example.com"]);
  });

  test('keeps a signed row with whenSigned: "keep", and replaces the others', async () => {
    await using s = await sceneWith([team(["Ana", "Bob"])]);
    const ana = s.service.ledger.documents().find(({ name }) => name === "NDA of Ana");
    s.service.people.sign(ana?.id ?? "", "ana@example.com");
    const outcome = await s.stack.up([changed({ whenSigned: "keep" })]);
    expect(outcome.error).toBeUndefined();
    expect(s.sent()).toEqual({ creates: 1, mails: 1 });
    expect(outputs(s)["kept"]).toEqual(["ana@example.com"]);
    expect((outputs(s)["documents"] as Record<string, Values>)["ana@example.com"]?.["documentId"]).toBe(ana?.id);
    expect((await s.stack.up([changed({ whenSigned: "keep" })])).error).toBeUndefined();
    expect(s.sent()).toEqual({ creates: 0, mails: 0 });
  });

  test("keeps the rows that are done when one fails, says how many, and goes on with that one alone", async () => {
    await using s = await scene();
    s.service.faults.push({ kind: "status", when: "before", status: 422 }, "createDocument");
    const outcome = await s.stack.up([team(["Ana", "Bob", "Cy"])]);
    expect(outcome.error).toContain("2 of 3 rows are done, 1 is not");
    expect(outcome.lines).toContain("1 refused: the error says why [docsign/facts refused=1]");
    expect((await s.stack.up([team(["Ana", "Bob", "Cy"])])).error).toBeUndefined();
    expect(mails(s).toSorted()).toEqual(["ana@example.com", "bob@example.com", "cy@example.com"]);
  });

  test("is destroyed without a request that changes anything", async () => {
    await using s = await sceneWith([team(["Ana", "Bob"])]);
    expect((await s.stack.up([])).error).toBeUndefined();
    expect(s.sent()).toEqual({ creates: 0, mails: 0 });
    expect(s.service.ledger.documents()).toHaveLength(2);
  });

  test("refuses a table with mistakes at preview, all at once, and sends nothing", async () => {
    await using s = await scene();
    const outcome = await s.stack.up([team(["Ana", "Ana", "*"])]);
    expect(outcome.failed).toBe("preview");
    expect(outcome.error).toContain('line 3: "ana@example.com" is the key of line 2 already');
    expect(outcome.error).toContain('line 4, column email: expected an e-mail address, got "@example.com"');
    expect(s.asked()).toEqual([]);
  });
});

test("a set of documents takes a PDF in each way, and keeps none in state", async () => {
  const goal: Goal = {
    name: "ndas",
    type: TYPE,
    inputs: {
      documents: {
        ana: {
          base64File: Buffer.from("%PDF-1.4 Canary").toString("base64"),
          invitations: [{ email: "ana@example.com" }],
        },
        bob: { template: new Asset({ text: "Canary" }), invitations: [{ email: "bob@example.org" }] },
      },
      defaults: { name: "NDA" },
    } as Goal["inputs"],
  };
  await using s = await sceneWith([goal]);
  expect(mails(s).toSorted()).toEqual(["ana@example.com", "bob@example.org"]);
  expect(JSON.stringify([s.stack.entry("ndas").inputs, outputs(s)])).not.toContain("Canary");
  expect((await s.stack.up([goal])).error).toBeUndefined();
  expect(s.sent()).toEqual({ creates: 0, mails: 0 });
});
