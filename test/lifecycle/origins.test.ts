import { expect, test } from "vitest";
import { startIndependentService } from "../support/independent-service/index.js";
import { healed, nda, type Scene, sceneWith } from "./scene.js";

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
