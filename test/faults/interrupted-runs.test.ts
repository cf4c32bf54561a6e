import { describe, expect, test } from "vitest";
import { nda } from "../lifecycle/scene.js";
import type { Fault } from "../support/independent-service/index.js";
import { up } from "./support/engine.js";
import { FRONT_ENDS, Stage } from "./support/front-ends.js";
import * as rigs from "./support/rig.js";

const LOST: Record<string, Fault> = {
  "a 504": { kind: "status", status: 504, when: "after" },
  "a timeout": { kind: "hang", when: "after" },
};
const configFor = (row: string): Record<string, string> => (row === "a timeout" ? { uploadTimeout: "0.15s" } : {});

describe.each(FRONT_ENDS)("%s", frontEnd => {
  describe.each(Object.entries(LOST))("a create answered with %s", (row, fault) => {
    test.each([13, 20])("the document made %i s later: one document, one mail a signer", async seconds => {
      await using stage = await Stage.open(frontEnd, { dialect: { lateMs: seconds * 1000 }, config: configFor(row) });
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
      await using stage = await Stage.open(frontEnd, { dialect: { date }, config: configFor(row) });
      stage.service.faults.push(fault, "createDocument");
      expect((await stage.up([nda()])).error).toBeUndefined();
      expect(stage.saw()).toEqual({ posts: 1, documents: stage.held(), mails: 2 });
    });
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
