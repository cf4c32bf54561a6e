import { describe, expect, test } from "vitest";
import { dynamicFrontEnd } from "../dialects/dynamic-front-end.js";
import { TYPE } from "../document-set/team.js";
import type { Givens } from "../support/engine-client.js";
import { startIndependentService } from "../support/independent-service/index.js";
import { type Goal, pluginFrontEnd, Ref } from "../support/simulated-engine.js";
import { base64, healed, nda, pdf, type Scene, scene, sceneWith } from "./scene.js";

const nobody = { creates: 0, mails: 0 };

/** The stack's provider is configured for another service from now on. */
async function moveTo(s: Scene) {
  const other = await startIndependentService();
  const before = s.stack.providers["default"];
  s.stack.providers["default"] = { ...before, baseUrl: other.url, apiKey: other.apiKey };
  return Object.assign(other, {
    goBack: () => {
      if (before) s.stack.providers["default"] = before;
    },
  });
}

test("a changed baseUrl changes nothing by itself, and asks neither service", async () => {
  await using s = await sceneWith([nda()]);
  await using other = await moveTo(s);
  const up = await s.stack.up([nda()]);
  expect(up).toMatchObject({ error: undefined, calls: ["check nda (olds)", `diff nda ${s.id()}`] });
  expect(s.asked()).toEqual([]);
  expect(other.ledger.requests()).toEqual([]);
});

test("DiffConfig never replaces, whatever changes", async () => {
  const { connect } = await import("../support/engine-client.js");
  const { createProvider } = await import("../../provider/provider.js");
  const { startMachine } = await import("../support/machine.js");
  using machine = startMachine();
  await using run = machine.run({});
  const provider = createProvider({ runtime: run.runtime, env: {}, version: "0", schema: () => "{}" });
  await using client = await connect(provider);
  const olds = { baseUrl: "https://a.example", apiKey: "one" };
  const diff = await client.diffConfig(olds, { baseUrl: "https://b.example", email: "a@b.example", password: "two" });
  expect(diff).toMatchObject({ changes: "some", replaces: [], deleteBeforeReplace: false });
  expect(Object.values(diff.detailed).map(({ kind }) => kind)).toEqual(
    expect.not.arrayContaining([expect.stringContaining("replace")]),
  );
});

test.each([
  ["a changed name", {}, { inputs: { name: "Other" } }, {}],
  ["a forced replacement, delete first", { deleteBeforeReplace: true }, {}, { replace: ["nda"] }],
])(
  "%s of a document that lives at another service is refused, and mails no one anywhere",
  async (_, option, change, options) => {
    await using s = await sceneWith([nda(option)]);
    await using other = await moveTo(s);
    const refused = await s.stack.up([nda({ ...option, ...change })], { ...options, skipPreview: true });
    expect(refused.error).toContain(`document ${s.id()} lives at ${s.service.url}`);
    expect(refused.error).toContain(other.url);
    expect(other.ledger.mails()).toEqual([]);
    expect(s.sent()).toEqual(nobody);
    other.goBack();
    await healed(s, [nda(option)]);
  },
);

const refuseCreate = { kind: "status", when: "before", status: 422 } as const;
const elsewhere = { name: "Theirs", pdf: pdf("theirs"), emails: ["yan@example.net", "zoe@example.net"] };

test.each([
  ["the plugin", "nothing", pluginFrontEnd],
  ["the plugin", "another document", pluginFrontEnd],
  ["the dynamic provider", "another document", dynamicFrontEnd],
] as const)(
  "through %s: a replacement that failed after its Delete isn't gone on with at a service that has %s under its number",
  async (_, there, frontEnd) => {
    await using s = await scene({ frontEnd });
    const skipPreview = { skipPreview: frontEnd === dynamicFrontEnd };
    for (let run = 0; run < 2; run++) expect((await s.stack.up([nda()], skipPreview)).error).toBeUndefined();
    s.service.faults.push(refuseCreate, "createDocument");
    expect((await s.stack.up([nda({ inputs: { name: "Other" } })], skipPreview)).failed).toBe("up");
    s.sent();
    await using other = await moveTo(s);
    if (there === "another document") expect(other.people.upload("first", elsewhere)).toBe(s.id());
    const refused = await s.stack.up([nda()], skipPreview);
    expect(refused.error).toContain(`document ${s.id()} lives at ${s.service.url}`);
    expect(refused.error).toContain("[docsign/other-service]");
    expect(other.ledger.requests()).toEqual([]);
    other.goBack();
    await healed(s, [nda()], skipPreview);
    expect(s.stack.entry("nda")).toMatchObject({ id: s.id(), outputs: { service: s.service.url } });
  },
);

test("a folder's replacement that failed after its Delete isn't gone on with at another service", async () => {
  const folder = (name: string): Goal[] => [{ name: "folder", type: "docsign:index:Folder", inputs: { name } }];
  await using s = await sceneWith(folder("F"));
  const { id } = s.stack.entry("folder");
  s.service.faults.push(refuseCreate, "createFolder");
  expect((await s.stack.up(folder("Other"))).failed).toBe("up");
  s.sent();
  await using other = await moveTo(s);
  for (const program of [folder("F"), folder("Other")]) {
    const refused = await s.stack.up(program);
    expect(refused).toMatchObject({ failed: "preview" });
    expect(refused.error).toContain(`folder ${id} lives at ${s.service.url}`);
  }
  expect(other.ledger.requests()).toEqual([]);
  other.goBack();
  await healed(s, folder("F"));
  expect(s.stack.entry("folder").id).toBe(id);
});

test("a signed document with retainOnDelete isn't replaced at a service that has an unsigned one of its number", async () => {
  const pair = (name: string, annex: Partial<Goal> = {}): Goal[] => [
    nda({ inputs: { name } }),
    nda({
      name: "annex",
      retainOnDelete: true,
      provider: "second",
      inputs: { name: "Annex", base64File: base64("annex"), description: new Ref("nda", "documentId") },
      ...annex,
    }),
  ];
  await using s = await sceneWith(pair("NDA"), { providers: { second: {} } });
  await using other = await startIndependentService();
  s.service.people.signAll(s.id(1));
  other.people.upload("first", elsewhere);
  expect(other.people.upload("first", elsewhere)).toBe(s.id(1));
  const before = s.stack.providers["second"];
  s.stack.providers["second"] = { ...before, baseUrl: other.url, apiKey: other.apiKey };
  const previewed = await s.stack.preview(pair("Other"));
  expect(previewed.error).toContain(`document ${s.id(1)} lives at ${s.service.url}`);
  const refused = await s.stack.up(pair("Other"), { skipPreview: true });
  expect(refused.error).toContain(`document ${s.id(1)} lives at ${s.service.url}`);
  expect(other.ledger.requests()).toEqual([]);
});

test("a replacement that deletes first, and moves to a provider of another service, is refused by where the document lives", async () => {
  await using other = await startIndependentService();
  await using s = await sceneWith([nda({ deleteBeforeReplace: true })], {
    providers: { second: { baseUrl: other.url, apiKey: other.apiKey } },
  });
  const moved = nda({ deleteBeforeReplace: true, provider: "second" });
  const refused = await s.stack.up([moved], { replace: ["nda"], skipPreview: true });
  expect(refused.error).toContain(`document ${s.id()} lives at ${s.service.url}`);
  expect(other.ledger.requests()).toEqual([]);
  await healed(s, [nda({ deleteBeforeReplace: true })]);
});

test("a replacementTrigger at another service is refused, though nothing shows which document it means", async () => {
  await using s = await sceneWith([nda({ replacementTrigger: "1" })]);
  await using other = await moveTo(s);
  const refused = await s.stack.up([nda({ replacementTrigger: "2" })], { skipPreview: true });
  expect(refused.error).toMatch(/this create replaces a document, and nothing shows which one state holds now/);
  expect(other.ledger.mails()).toEqual([]);
  other.goBack();
  await healed(s, [nda({ replacementTrigger: "1" })]);
});

test("a forced replacement that creates first, at another service, is refused by what this machine remembers", async () => {
  await using s = await sceneWith([nda()]);
  await using other = await moveTo(s);
  const refused = await s.stack.up([nda()], { replace: ["nda"] });
  expect(refused.error).toContain(`this resource holds document ${s.id()} at ${s.service.url}`);
  expect(refused.error).toContain(other.url);
  expect(other.ledger.mails()).toEqual([]);
  other.goBack();
  await healed(s, [nda()]);
});

test("a document that lives at another service isn't read: refresh says where it lives, and state keeps it", async () => {
  await using s = await sceneWith([nda()]);
  await using other = await moveTo(s);
  const refreshed = await s.stack.refresh();
  expect(refreshed.error).toContain(`document ${s.id()} lives at ${s.service.url}`);
  expect(other.ledger.requests()).toEqual([]);
  expect(s.stack.entry("nda").id).toBe(s.id());
});

test("a document that lives at another service is forgotten, with a warning that names the origin", async () => {
  await using s = await sceneWith([nda()]);
  await using other = await moveTo(s);
  const gone = await s.stack.destroy();
  expect(gone.error).toBeUndefined();
  expect(gone.lines).toEqual([expect.stringMatching(/^warning: /)]);
  expect(gone.lines[0]).toContain(s.service.url);
  expect([...s.asked(), ...other.ledger.requests()]).toEqual([]);
});

test("a folder that lives at another service is forgotten, with a warning that names the origin", async () => {
  await using s = await sceneWith([{ name: "folder", type: "docsign:index:Folder", inputs: { name: "F" } }]);
  await using other = await moveTo(s);
  const gone = await s.stack.destroy();
  expect(gone.error).toBeUndefined();
  expect(gone.lines.join()).toContain(s.service.url);
  expect(other.ledger.requests()).toEqual([]);
});

test.each([
  ["no configuration at all", {}],
  ["a base URL that can't be used", { baseUrl: "http://sign.example.com", apiKey: "key" }],
  ["a base URL that is none", { baseUrl: "nonsense", apiKey: "key" }],
  ["settings that contradict each other", { baseUrl: "https://a.example", apiKey: "k", email: "a@b.example" }],
])("destroy works with %s", async (_, config) => {
  const folder = { name: "folder", type: "docsign:index:Folder", inputs: { name: "F" } };
  await using s = await sceneWith([folder, nda()]);
  s.stack.providers["default"] = config;
  expect(await s.stack.destroy()).toMatchObject({ error: undefined });
  expect(s.stack.entries).toEqual([]);
  expect(s.asked()).toEqual([]);
});

describe.each([
  ["the plugin", pluginFrontEnd, "documents"],
  ["the dynamic provider", dynamicFrontEnd, "documentRows"],
])("through %s, a set that lives at another service", (_, frontEnd, property) => {
  const options = { skipPreview: frontEnd === dynamicFrontEnd };
  async function movedSet(goal: Goal) {
    const s = await scene({ frontEnd });
    for (let run = 0; run < 2; run++) expect((await s.stack.up([goal], options)).error).toBeUndefined();
    s.sent();
    s.asked();
    return s;
  }
  const rows = (names: readonly string[], more: Givens = {}): Goal => ({
    name: "ndas",
    type: TYPE,
    inputs: {
      [property]: Object.fromEntries(
        names.map(name => [name, { ...nda().inputs, name, base64File: base64(name), ...more }]),
      ),
    },
  });
  const both = rows(["Ana", "Bob"]);

  test.each([
    ["another row", rows(["Ana", "Bob", "Cy"])],
    ["a changed row", rows(["Ana", "Bob"], { description: "Other" })],
    ["a renamed row", rows(["Ana", "Bobby"])],
    ["a changed term", rows(["Ana", "Bob"], { expiresAt: "2030-01-01" })],
  ])("refuses %s, and asks neither service", async (_, changed) => {
    await using s = await movedSet(both);
    await using other = await moveTo(s);
    const refused = await s.stack.up([changed], options);
    expect(refused.error).toContain(
      `this set lives at ${s.service.url}, and the provider is configured for ${other.url}`,
    );
    expect(refused.error).toContain("[docsign/other-service]");
    expect(refused.failed).toBe(options.skipPreview ? "up" : "preview");
    expect([s.asked(), other.ledger.requests()]).toEqual([[], []]);
    other.goBack();
    await healed(s, [both], options);
  });

  test("isn't gone on with once its replacement has failed after the Delete", async () => {
    const goal = { ...both, deleteBeforeReplace: true };
    await using s = await movedSet(goal);
    s.service.faults.push(refuseCreate, "createDocument", { times: 2 });
    expect((await s.stack.up([goal], { ...options, replace: ["ndas"] })).failed).toBe("up");
    s.sent();
    await using other = await moveTo(s);
    const refused = await s.stack.up([goal], options);
    expect(refused.error).toContain("[docsign/other-service]");
    expect(refused.failed).toBe(options.skipPreview ? "up" : "preview");
    expect(other.ledger.requests()).toEqual([]);
    other.goBack();
    await healed(s, [goal], options);
  });

  test("stays as it is, and may let go of rows", async () => {
    await using s = await movedSet(both);
    await using other = await moveTo(s);
    expect((await s.stack.up([both], options)).error).toBeUndefined();
    expect((await s.stack.up([rows(["Ana"])], options)).error).toBeUndefined();
    expect(s.stack.entry("ndas").outputs).toMatchObject({ documentIds: [s.id()], service: s.service.url });
    expect([s.asked(), other.ledger.requests()]).toEqual([[], []]);
    other.goBack();
    await healed(s, [rows(["Ana"])], options);
  });
});
