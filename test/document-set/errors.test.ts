import { describe, expect, test } from "vitest";
import type { Values } from "../../kit/values.js";
import { DocumentSetResource } from "../../provider/resources/document-set/document-set.js";
import { PartialFailure } from "../../provider/resources/resource.js";
import { snapshot } from "../faults/support/disk.js";
import { base64, newestFirst, type Scene, scene, sceneWith } from "../lifecycle/scene.js";
import type { Goal } from "../support/simulated-engine.js";
import { addressOf, CHANGED, mailsOf, outputsOf, rowsOf, TYPE, team } from "./team.js";

const NAMES = ["Ana", "Bob", "Cy", "Dan", "Eve", "Fay", "Gus", "Hal", "Ida", "Jo", "Kim", "Lou"];
const everybody = NAMES.map(addressOf);
const nobody = { creates: 0, mails: 0 };
/** Lists that can prove that a document isn't there, so that what never arrived is sent again. */
const provable = { ...newestFirst, config: { resendAfter: "0s" } };

/** Documents of long ago, so that a list that shows them reaches back beyond what was sent just now. */
const earlier: Goal = {
  name: "earlier",
  type: TYPE,
  inputs: {
    documents: Object.fromEntries(NAMES.map(name => [name, { invitations: [{ email: `${name}@example.org` }] }])),
    defaults: { name: "Earlier", base64File: base64("earlier") },
  } as Goal["inputs"],
};

async function withEarlier(): Promise<Scene> {
  const s = await scene(provable);
  s.service.clock.advance(-86_400_000);
  const { error } = await s.stack.up([earlier]);
  if (error !== undefined) throw new Error(error);
  s.service.clock.advance(86_400_000);
  s.stack.entries = [];
  s.sent();
  return s;
}

const invited = (s: Scene): string[] =>
  mailsOf(s)
    .filter(email => email.endsWith(".com"))
    .toSorted();

const idOf = (s: Scene, name: string): string =>
  s.service.ledger.documents().findLast(document => document.name === `NDA of ${name}`)?.id ?? "";

/** The program again: nothing to do and nothing sent. */
async function settled(s: Scene, goal: Goal): Promise<void> {
  s.sent();
  const again = await s.stack.up([goal]);
  expect(again.error).toBeUndefined();
  expect(again.calls.filter(call => /^(create|update|delete)/.test(call))).toEqual([]);
  expect(s.sent()).toEqual(nobody);
}

/** The plugin is gone when its nth create stands at this point: what the disk holds then is what the next run finds. */
async function killed(s: Scene, point: Parameters<Scene["service"]["gate"]>[0], nth: number): Promise<void> {
  const run = s.machine.run({ ...provable.config, baseUrl: s.service.url, apiKey: s.service.apiKey });
  const set = new DocumentSetResource(run.runtime.context);
  const call = run.call("ndas", { urn: s.stack.urn("ndas", TYPE) });
  const { inputs } = await set.check(call, { olds: undefined, news: team(NAMES).inputs as Values });
  for (let skipped = 1; skipped < nth; skipped++) {
    const passed = s.service.gate(point, "createDocument");
    void passed.reached.then(() => passed.open());
  }
  const gate = s.service.gate(point, "createDocument");
  const over = set.create(call, { inputs }).catch((error: unknown) => error);
  await gate.reached;
  const disk = snapshot(s.machine.folder);
  await run.kill();
  gate.cut();
  await over;
  disk.restore();
}

describe("killed", () => {
  test.each([
    ["received-headers", 1],
    ["receiving-body", 5],
    ["received-body", 9],
    ["processed", 1],
    ["processed", 6],
    ["answered-headers", 12],
  ] as const)("%s, at create %i: up again sends what is missing and nothing twice", async (point, nth) => {
    await using s = await withEarlier();
    await killed(s, point, nth);
    const outcome = await s.stack.up([team(NAMES)]);
    expect(outcome.error).toBeUndefined();
    expect(invited(s)).toEqual(everybody);
    expect(Object.keys(rowsOf(s))).toEqual(everybody);
    await settled(s, team(NAMES));
  });

  test("where the lists prove nothing: rows that may have arrived are never sent again", async () => {
    await using s = await scene({ config: { reconcileTimeout: "1s" } });
    await killed(s, "received-body", 4);
    for (let again = 0; again < 2; again++) await s.stack.up([team(NAMES)], { skipPreview: true });
    const mails = mailsOf(s);
    expect(new Set(mails).size).toBe(mails.length);
  });
});

describe("lost answers", () => {
  test("of every create: each document is found, and nobody is mailed twice", async () => {
    await using s = await scene(provable);
    s.service.faults.push({ kind: "reset", when: "after" }, "createDocument", { times: NAMES.length });
    expect((await s.stack.up([team(NAMES)])).error).toBeUndefined();
    expect(invited(s)).toEqual(everybody);
    await settled(s, team(NAMES));
  });

  test("of replacements: each row is replaced once", async () => {
    await using s = await sceneWith([team(NAMES)], provable);
    s.service.faults.push({ kind: "reset", when: "after" }, "createDocument", { times: 5 });
    expect((await s.stack.up([team(NAMES, { defaults: CHANGED })])).error).toBeUndefined();
    expect(s.sent()).toEqual({ creates: NAMES.length, mails: NAMES.length });
    await settled(s, team(NAMES, { defaults: CHANGED }));
  });
});

test("Ctrl-C keeps every row that was answered, begins no other, and up goes on with the rest", async () => {
  await using s = await withEarlier();
  const run = s.machine.run({ baseUrl: s.service.url, apiKey: s.service.apiKey });
  const set = new DocumentSetResource(run.runtime.context);
  const stop = new AbortController();
  const call = run.call("ndas", { urn: s.stack.urn("ndas", TYPE), signal: stop.signal });
  const { inputs } = await set.check(call, { olds: undefined, news: team(NAMES).inputs as Values });
  const gate = s.service.gate("processed", "createDocument");
  const over = set.create(call, { inputs }).catch((error: unknown) => error);
  await gate.reached;
  stop.abort();
  gate.open();
  const failure = await over;
  await run.end();
  if (!(failure instanceof PartialFailure)) throw failure;
  expect(invited(s).length).toBeLessThan(NAMES.length);
  expect(failure.message).toMatch(/^\d+ of 12 rows are done, \d+ (?:is|are) not\./);
  expect((await s.stack.up([team(NAMES)])).error).toBeUndefined();
  expect(invited(s)).toEqual(everybody);
});

describe("signed rows among changed ones", () => {
  const changed = (more: Values = {}) => team(NAMES, { defaults: CHANGED, ...more });

  test("refuse the whole update and name each, its signer and what can be done", async () => {
    await using s = await sceneWith([team(NAMES)]);
    for (const name of ["Bob", "Hal"]) s.service.people.sign(idOf(s, name), addressOf(name));
    const outcome = await s.stack.up([changed()]);
    expect(outcome.failed).toBe("preview");
    expect(outcome.error).toContain("2 of 12 changed rows can't be replaced, so nothing was sent");
    for (const name of ["Bob", "Hal"])
      expect(outcome.error).toMatch(new RegExp(`${addressOf(name)}: document ${idOf(s, name)} .*is signed`));
    expect(outcome.error).toContain(`signed: ${addressOf("Bob")}`);
    expect(outcome.error?.match(/What you can do:/g)).toHaveLength(1);
    expect(outcome.error).not.toContain("ndas#");
    expect((await s.stack.up([changed()], { skipPreview: true })).error).toContain("2 of 12 changed rows");
    expect(s.sent()).toEqual(nobody);
  });

  test("signed between the preview and the update: that row is refused, the others are replaced", async () => {
    await using s = await sceneWith([team(NAMES)]);
    const before = (call: string) =>
      call.startsWith("update") && s.service.people.sign(idOf(s, "Bob"), addressOf("Bob"));
    const outcome = await s.stack.up([changed()], { skipPreview: true, before });
    expect(outcome.error).toContain("11 of 12 rows are done, 1 is not");
    expect(s.sent()).toEqual({ creates: 11, mails: 11 });
    expect(rowsOf(s)[addressOf("Bob")]?.["documentId"]).toBe(idOf(s, "Bob"));
  });

  test('with whenSigned: "keep" the preview says which stay, and going back is no change', async () => {
    await using s = await sceneWith([team(NAMES)], { config: { duplicatePolicy: "adopt" } });
    s.service.people.sign(idOf(s, "Bob"), addressOf("Bob"));
    const preview = await s.stack.preview([changed({ whenSigned: "keep" })]);
    expect(preview.error).toBeUndefined();
    expect(preview.previewLines.join("\n")).toContain(
      `bob@example.com: document ${idOf(s, "Bob")} is signed and stays as it is`,
    );
    expect((await s.stack.up([changed({ whenSigned: "keep" })])).error).toBeUndefined();
    expect(outputsOf(s)["kept"]).toEqual(["bob@example.com"]);
    s.sent();
    expect((await s.stack.up([team(NAMES)])).error).toBeUndefined();
    expect(s.sent()).toEqual(nobody);
    expect(outputsOf(s)["kept"]).toEqual([]);
  });

  test('without whenSigned: "keep" any more, what was kept stays, and that it differs is said once', async () => {
    await using s = await sceneWith([team(NAMES)]);
    for (const name of ["Bob", "Hal"]) s.service.people.sign(idOf(s, name), addressOf(name));
    const keeping = changed({ whenSigned: "keep" });
    expect((await s.stack.up([keeping])).error).toBeUndefined();
    s.sent();
    const warnings = async (goal: Goal) => {
      const { error, lines } = await s.stack.up([goal]);
      expect(error).toBeUndefined();
      return lines.filter(line => line.startsWith("warning"));
    };
    expect(await warnings(keeping)).toEqual([]);
    expect(await warnings(changed())).toEqual([
      `warning: bob@example.com: document ${idOf(s, "Bob")} was signed when its row changed. It stays as it is without \`whenSigned: "keep"\`, too, and isn't what the row says\nand the same for 1 more row: hal@example.com`,
    ]);
    expect(await warnings(changed())).toEqual([]);
    expect(outputsOf(s)["kept"]).toEqual(["bob@example.com", "hal@example.com"]);
    expect(s.sent()).toEqual(nobody);
  });
});

describe("refresh", () => {
  test("keeps a row that answers 404 and one that fails, says so once, and reads the others", async () => {
    await using s = await sceneWith([team(NAMES)]);
    s.service.people.sign(idOf(s, "Cy"), addressOf("Cy"));
    const path = (name: string) => ({ path: `/v1/documents/${idOf(s, name)}` });
    s.service.faults.push({ kind: "status", when: "before", status: 404 }, path("Ana"), { times: 2 });
    s.service.faults.push({ kind: "status", when: "before", status: 422 }, path("Bob"));
    const outcome = await s.stack.refresh();
    expect(outcome.error).toBeUndefined();
    const text = outcome.lines.join("\n");
    expect(text).toContain(`ana@example.com: the service doesn't show document ${idOf(s, "Ana")}`);
    expect(text).toContain(`bob@example.com: document ${idOf(s, "Bob")} couldn't be read`);
    expect(Object.keys(rowsOf(s))).toEqual(everybody);
    expect(outputsOf(s)["summary"]).toMatchObject({ total: 12, signed: 1, unsigned: 11 });
    await settled(s, team(NAMES));
  });
});
