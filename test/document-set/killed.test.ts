import { describe, expect, test } from "vitest";
import { Stage } from "../faults/support/front-ends.js";
import type { Goal } from "../support/simulated-engine.js";
import { CHANGED, team } from "./team.js";

const RESEND_AFTER_MS = 125_000;
const names = (count: number) => Array.from({ length: count }, (_, nth) => `Person${nth}`);

test.each(["oldest", "newest", "shuffled"] as const)(
  "a set killed -9 in the middle goes on by itself after resendAfter, lists %s first",
  async order => {
    await using stage = await Stage.open("plugin", { dialect: { order } });
    const all = names(60);
    expect((await stage.up([team(all.slice(0, 51))])).error).toBeUndefined();
    await stage.killed([team(all)], { at: "received-body" });
    expect(stage.saw().documents.length).toBeLessThan(60);
    // What arrived is taken over, what was under way stays open.
    await stage.up([team(all)]);
    stage.pass(RESEND_AFTER_MS);
    expect((await stage.up([team(all)])).error).toBeUndefined();
    expect(stage.saw()).toMatchObject({ mails: 60 });
    expect(stage.saw().documents).toHaveLength(60);
  },
);

test("a list with as many documents as a page may have is said to be one, and the next document settles it", async () => {
  await using stage = await Stage.open("plugin", { config: { maxConcurrency: "1" } });
  const all = names(38);
  const program = [team(all.slice(0, 37))];
  await stage.killed(program, { at: "received-body", after: 18 });
  await stage.up(program);
  stage.pass(RESEND_AFTER_MS);
  const { error } = await stage.up(program);
  expect(error).toContain("1 of 37 rows can't be sent. [docsign/create-unconfirmed]");
  expect(error).toContain("the service's list shows 36 documents, and not this one. A page may have as many");
  expect(error).toContain("run `pulumi up` again once the account holds one more document: a longer list may tell");
  expect(stage.saw()).toMatchObject({ mails: 36, documents: { length: 36 } });

  await stage.up([team(all)]);
  expect((await stage.up([team(all)])).error).toBeUndefined();
  expect(stage.saw()).toMatchObject({ mails: 38, documents: { length: 38 } });
});

test("four of forty never arrived, and a list of 36 may be a page: the token of one settles all", async () => {
  await using stage = await Stage.open("plugin");
  const program = [team(names(40))];
  stage.service.faults.push({ kind: "reset", when: "before" }, "createDocument", { times: 4, skip: 18 });
  await stage.up(program);
  stage.pass(RESEND_AFTER_MS);
  const { error = "" } = await stage.up(program);
  expect(error).toContain("4 of 40 rows can't be sent. [docsign/create-unconfirmed]");
  const [, token = ""] =
    /^ {2}- it isn't there: send it again; the longer list may tell of others: DOCSIGN_FORGET=(\w{8}) pulumi up$/m.exec(
      error,
    ) ?? [];
  expect((await stage.up(program, { env: { DOCSIGN_FORGET: token } })).error).toBeUndefined();
  expect(stage.saw()).toMatchObject({ mails: 40, documents: { length: 40 } });
});

describe("killed -9 half-way, with three creates at a time: the next runs go on, and mail each row once", () => {
  const opened = () => Stage.open("plugin", { config: { maxConcurrency: "3" } });
  const goesOn = async (stage: Stage, program: readonly Goal[], count: number) => {
    for (let runs = 0; runs < 2; runs++) {
      await stage.up(program);
      stage.pass(RESEND_AFTER_MS);
    }
    expect((await stage.up(program)).error).toBeUndefined();
    expect(stage.saw()).toMatchObject({ mails: count, documents: { length: count } });
  };

  test.each([
    [24, "received-body"],
    [24, "answered-headers"],
    [40, "processed"],
  ] as const)("%i rows are sent, a create is %s", async (count, at) => {
    await using stage = await opened();
    const program = [team(names(count))];
    await stage.killed(program, { at, after: count / 2 });
    await goesOn(stage, program, count);
  });

  test.each([
    [24, "received-headers"],
    [24, "processed"],
    [40, "received-body"],
  ] as const)("%i rows are replaced, a create is %s", async (count, at) => {
    await using stage = await opened();
    const all = names(count);
    expect((await stage.up([team(all)])).error).toBeUndefined();
    const program = [team(all, { defaults: CHANGED })];
    await stage.killed(program, { at, after: count / 2 });
    await goesOn(stage, program, 2 * count);
  });
});

describe("a row whose replacement was killed leaves the table, and is put back as it first was", () => {
  const [both, other] = [team(["Ana", "Bob"]), team(["Bob"])];
  const BEGUN = /^warning: .*an earlier run began to create another document in place of document/;

  async function removed(at: "received-body" | "processed"): Promise<Stage> {
    const stage = await Stage.open("plugin");
    expect((await stage.up([both])).error).toBeUndefined();
    await stage.killed([team(["Ana", "Bob"], { defaults: CHANGED })], { at });
    expect((await stage.up([other])).error).toBeUndefined();
    return stage;
  }

  test.each(["received-body", "processed"] as const)("a create is %s: it is taken back, and mails nobody", async at => {
    await using stage = await removed(at);
    const before = stage.saw();
    const { error, lines } = await stage.up([both]);
    expect(error).toBeUndefined();
    expect(lines.filter(line => BEGUN.test(line))).toHaveLength(1);
    expect((await stage.up([both])).calls.filter(call => call.startsWith("update"))).toEqual([]);
    expect(stage.saw()).toEqual(before);
    const ana = { documentId: before.documents[0] };
    expect(stage.entries[0]?.outputs).toMatchObject({ documents: { "ana@example.com": ana } });
  });

  test("not where what was to replace it is signed: state may have that", async () => {
    await using stage = await removed("processed");
    const [, , replacement = ""] = stage.saw().documents;
    stage.service.people.signAll(replacement);
    expect((await stage.up([both])).error).toContain(`an earlier run created document ${replacement}`);
  });
});
