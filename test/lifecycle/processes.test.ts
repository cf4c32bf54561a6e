import { rmSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { UNKNOWN, type Values } from "../../kit/values.js";
import { documentsIn } from "../support/documents.js";
import type { FrontEnd } from "../support/simulated-engine.js";
import { open, pluginFrontEnd, Stack } from "../support/simulated-engine.js";
import { refusal, statuses } from "./matrix.js";
import { base64, healed, nda, people, sceneWith } from "./scene.js";

const nobody = { creates: 0, mails: 0 };
const partially = statuses["partially_signed"]?.says ?? /never/;

describe("two provider processes in one deployment", () => {
  /** A stack that also records which process was called. */
  async function watched() {
    const s = await sceneWith([]);
    const config = s.stack.providers["default"] ?? {};
    const calls: string[] = [];
    const frontEnd = pluginFrontEnd(s.machine);
    const stack = new Stack(
      async (settings, deployment) => {
        const opened = await frontEnd(settings, deployment);
        const who = settings["maxConcurrency"] === 2 ? "second" : "first";
        const recorded = <A, R>(what: string, work: (args: A) => R) => {
          return (args: A): R => {
            calls.push(`${who} ${what}`);
            return work(args);
          };
        };
        return {
          ...opened,
          check: recorded("check", opened.check),
          diff: recorded("diff", opened.diff),
          create: recorded("create", opened.create),
          delete: recorded("delete", opened.delete),
        } satisfies FrontEnd;
      },
      { default: config, second: { ...config, maxConcurrency: 2 } },
    );
    return Object.assign(s, { calls, watched: stack });
  }

  test("Delete goes to the process in state, which saw no Check, and examines the document all the same", async () => {
    await using s = await watched();
    await s.watched.up([nda()]);
    s.calls.length = 0;
    const changed = [nda({ provider: "second", inputs: { name: "Other" } })];
    const before = (call: string) => call.startsWith("delete nda") && s.service.people.sign(s.id(), "ana@example.com");
    const refused = await s.watched.up(changed, { skipPreview: true, before });
    expect(s.calls).toEqual(["second check", "second diff", "second check", "first delete"]);
    expect(refusal(refused, s.id(), partially, undefined)).toEqual([]);
    expect(s.service.ledger.documentCount()).toBe(1);
  });

  test("an unsigned document is replaced once, and the old process only forgets", async () => {
    await using s = await watched();
    await s.watched.up([nda({ deleteBeforeReplace: false })]);
    s.calls.length = 0;
    const changed = [nda({ deleteBeforeReplace: false, provider: "second", inputs: { name: "Other" } })];
    expect((await s.watched.up(changed, { skipPreview: true })).error).toBeUndefined();
    expect(s.calls).toEqual(["second check", "second diff", "second check", "second create", "first delete"]);
    expect(s.service.ledger.documentCount()).toBe(2);
  });
});

describe("a resource that is renamed by an alias", () => {
  test("keeps its memory: a forced replacement under the new name is refused", async () => {
    await using s = await sceneWith([nda()]);
    const entry = s.stack.entry("nda");
    const renamed = { ...nda(), name: "contract" };
    s.stack.entries = [{ ...entry, urn: s.stack.urn("contract"), goal: renamed }];
    await healed(s, [renamed]);
    s.service.people.sign(s.id(), "ana@example.com");
    const refused = await s.stack.up([renamed], { replace: ["contract"] });
    expect(refusal(refused, s.id(), partially, undefined)).toEqual([]);
    expect(s.sent()).toEqual(nobody);
  });

  test("frees its old name for another document", async () => {
    await using s = await sceneWith([nda()]);
    const entry = s.stack.entry("nda");
    const renamed = { ...nda(), name: "contract" };
    s.stack.entries = [{ ...entry, urn: s.stack.urn("contract"), goal: renamed }];
    s.service.people.signAll(s.id());
    const up = await s.stack.up([renamed, nda({ inputs: { base64File: base64("another") } })]);
    expect(up.error).toBeUndefined();
    expect(s.sent()).toEqual({ creates: 1, mails: 2 });
    expect(s.stack.entry("nda").outputs["supersedes"]).toEqual([]);
  });
});

test("a state folder that can't be written doesn't keep a stack from being read, previewed or destroyed", async () => {
  await using s = await sceneWith([nda()]);
  rmSync(s.machine.folder, { recursive: true });
  writeFileSync(s.machine.folder, "in the way");
  expect((await s.stack.up([nda()])).error).toBeUndefined();
  expect((await s.stack.refresh()).error).toBeUndefined();
  expect((await s.stack.destroy()).error).toBeUndefined();
  expect(s.sent()).toEqual(nobody);
});

test("a state folder that can't be written is a plain error before anything is sent", async () => {
  await using s = await sceneWith([]);
  rmSync(s.machine.folder, { recursive: true });
  writeFileSync(s.machine.folder, "in the way");
  const up = await s.stack.up([nda()], { skipPreview: true });
  expect(up.error).toMatch(/DOCSIGN_STATE_DIR/);
  expect(s.sent()).toEqual(nobody);
});

test("a chain of replacements remembers every document it left behind", async () => {
  await using s = await sceneWith([nda()]);
  for (const name of ["two", "three"]) expect((await s.stack.up([nda({ inputs: { name } })])).error).toBeUndefined();
  await s.stack.refresh();
  expect(s.stack.entry("nda").outputs["supersedes"]).toEqual([s.id(0), s.id(1)]);
});

test("a changed message alone changes nothing and mails no one, and state takes it", async () => {
  await using s = await sceneWith([nda()]);
  s.service.people.signAll(s.id());
  const invitations = people.map(person => ({ ...person, message: "Please sign" }));
  expect((await s.stack.up([nda({ inputs: { invitations } })])).calls).toHaveLength(2);
  expect(open(s.stack.entry("nda").inputs["invitations"] ?? null)).toEqual(invitations);
  expect(s.sent()).toEqual(nobody);
});

test("an interrupted create that a preview can't compare yet doesn't fail", async () => {
  await using s = await sceneWith([]);
  const run = s.machine.run({ baseUrl: s.service.url, apiKey: s.service.apiKey });
  const documents = documentsIn(run.runtime.context);
  const call = run.call("nda");
  const news = { ...nda().inputs } as Values;
  const { inputs } = await documents.check(call, { olds: undefined, news });
  await documents.create(call, { inputs });
  await run.kill();
  await using again = s.machine.run({ baseUrl: s.service.url, apiKey: s.service.apiKey });
  const reborn = documentsIn(again.runtime.context);
  const preview = again.call("nda", { preview: true });
  const unknown = await reborn.check(preview, { olds: undefined, news: { ...news, folderId: UNKNOWN } });
  await expect(reborn.create(preview, { inputs: unknown.inputs })).resolves.toMatchObject({ id: "" });
  expect(s.service.ledger.documentCount()).toBe(1);
});
