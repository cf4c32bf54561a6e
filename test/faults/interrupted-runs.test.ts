import { describe, expect, test } from "vitest";
import { base64, nda } from "../lifecycle/scene.js";
import type { Fault } from "../support/independent-service/index.js";
import { up } from "./support/engine.js";
import { FRONT_ENDS, Stage } from "./support/front-ends.js";
import * as rigs from "./support/rig.js";

const LOST: Record<string, Fault> = {
  "a 504": { kind: "status", status: 504, when: "after" },
  "a timeout": { kind: "hang", when: "after" },
};
const configFor = (row: string): Record<string, string> => (row === "a timeout" ? { uploadTimeout: "0.15s" } : {});
const LATER_MS = 180_000;

describe.each(FRONT_ENDS)("%s", frontEnd => {
  describe.each(Object.entries(LOST))("a create answered with %s", (row, fault) => {
    test.each([13, 20])("the document made %i s later: one document, one mail a signer", async seconds => {
      await using stage = await Stage.open(frontEnd, { taste: { lateMs: seconds * 1000 }, config: configFor(row) });
      stage.service.faults.push(fault, "createDocument");
      const errors: string[] = [];
      for (let runs = 0; runs < 4 && errors.at(-1) !== "none"; runs++) {
        errors.push((await stage.up([nda()])).error ?? "none");
        stage.pass(5_000);
      }
      expect(errors.at(-1)).toBe("none");
      for (const error of errors.slice(0, -1)) expect(error).toContain("[docsign/create-unconfirmed]");
      expect(stage.saw()).toEqual({ posts: 1, documents: stage.held(), mails: 2 });
      expect(stage.held()).toHaveLength(1);
    });

    test.each([-120, 120])("the service's Date %i s off its created_at: found, one document", async seconds => {
      const date = { aheadMs: seconds * 1000 };
      await using stage = await Stage.open(frontEnd, { taste: { date }, config: configFor(row) });
      stage.service.faults.push(fault, "createDocument");
      expect((await stage.up([nda()])).error).toBeUndefined();
      expect(stage.saw()).toEqual({ posts: 1, documents: stage.held(), mails: 2 });
    });
  });

  test("killed after the request arrived, then up: taken over, nobody is mailed again", async () => {
    await using stage = await Stage.open(frontEnd);
    await stage.killed([nda()]);
    expect(stage.held()).toEqual([]);
    expect((await stage.up([nda()])).error).toBeUndefined();
    expect(stage.held()).toHaveLength(1);
    expect(stage.saw()).toEqual({ posts: 1, documents: stage.held(), mails: 2 });
  });

  test.each([
    ["the stack", "prod", nda()],
    ["the resource", "dev", nda({ name: "contract" })],
  ])("killed after the request arrived, then %s renamed: named, and nothing is created", async (_, stack, goal) => {
    await using stage = await Stage.open(frontEnd);
    await stage.killed([nda()]);
    const [id] = stage.saw().documents;
    expect((await stage.up([goal], stack)).error).toContain("[docsign/create-elsewhere]");
    stage.pass(LATER_MS);
    const { error } = await stage.up([goal], stack);
    expect(error).toContain("[docsign/duplicate]");
    expect(error).toContain(`document ${id}`);
    expect(stage.held()).toEqual([]);
    expect(stage.saw()).toEqual({ posts: 1, documents: [id], mails: 2 });
  });

  test.each([
    ["right after its create", 1],
    ["after later runs showed it", 2],
  ])("lost from state %s, signed or not: nobody is mailed", async (_, runs) => {
    for (const isSigned of [false, true]) {
      await using stage = await Stage.open(frontEnd);
      for (let nth = 0; nth < runs; nth++) expect((await stage.up([nda()])).error).toBeUndefined();
      const [id = ""] = stage.held();
      if (isSigned) stage.service.people.sign(id, "ana@example.com");
      stage.entries = [];
      const { error } = await stage.up([nda()]);
      if (runs === 1) expect(stage.held()).toEqual([id]);
      else
        expect(error).toMatch(
          new RegExp(`document ${id} .*\\[docsign/${isSigned ? "replace-signed" : "duplicate"}\\]`),
        );
      expect(stage.saw()).toEqual({ posts: 1, documents: [id], mails: 2 });
    }
  });

  test.each([
    ["not shown since", 0],
    ["shown since", 1],
  ])("a backup of state from before a replacement, the new document %s: nobody is mailed", async (_, runs) => {
    await using stage = await Stage.open(frontEnd);
    const changed = nda({ inputs: { base64File: base64("two") } });
    await stage.up([nda()]);
    const backup = stage.entries;
    expect((await stage.up([changed])).error).toBeUndefined();
    for (let nth = 0; nth < runs; nth++) await stage.up([changed]);
    const [id] = stage.held();
    const before = stage.saw();
    stage.entries = backup;
    const { error } = await stage.up([changed]);
    if (runs === 0) expect(stage.held()).toEqual([id]);
    else expect(error).toMatch(new RegExp(`document ${id} .*\\[docsign/duplicate\\]`));
    expect(stage.saw()).toEqual(before);
  });
});

test("killed, the document made 20 s later, next up at once: not sent again, and taken over once it is there", async () => {
  await using rig = await rigs.startRig();
  const gate = rig.service.gate("received-body", "createDocument");
  await rig.crash(frontEnd => up(frontEnd, rig.state, [rigs.nda()]), rig.process(), gate.reached);
  expect((await rig.up([rigs.nda()])).errors["nda"]).toContain("[docsign/create-unconfirmed]");
  expect(rig.saw()).toMatchObject({ posts: 1, documents: 0, mails: 0 });
  const over = rig.service.ledger.whenSeen("createDocument", { stage: "over" });
  gate.open();
  await Promise.race([over, new Promise(resolve => setTimeout(resolve, 50))]);
  expect((await rig.up([rigs.nda()])).errors).toEqual({});
  rig.expectOnce();
  expect(rig.saw()).toMatchObject({ posts: 1 });
});

test("a document that is kept and not shown: each error leads on, and only a person's word creates another", async () => {
  await using rig = await rigs.startRig();
  const program = [rigs.nda()];
  await rig.up(program);
  rig.service.people.removeDocument(rig.idOf("nda") ?? "");
  rig.state.clear();
  expect((await rig.up(program)).errors["nda"]).toContain("is kept, but it couldn't be read");
  const { errors } = await rig.up(program);
  expect(errors["nda"]).toContain("[docsign/not-shown]");
  expect(errors["nda"]).toContain(`to let go of it: pulumi state delete ${rigs.urnOf("nda")}`);
  rig.state.clear();
  const refused = (await rig.up(program)).errors["nda"] ?? "";
  const [, token = ""] = /DOCSIGN_FORGET=(\w+)/.exec(refused) ?? [];
  expect(rig.saw()).toMatchObject({ posts: 1, mails: 2 });
  expect((await rig.up(program, { env: { DOCSIGN_FORGET: token } })).errors).toEqual({});
  expect(rig.saw()).toMatchObject({ posts: 2, mails: 4 });
});
