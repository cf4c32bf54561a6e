import { describe, expect, test } from "vitest";
import { cell } from "./support/cells.js";
import { up } from "./support/engine.js";
import { nda, startRig } from "./support/rig.js";

/**
 * What looking can't see. Each row is a second document that people get all the same, and what keeps it from them: the
 * day one of these no longer holds, its test fails and the docs get shorter.
 */
describe("the limits of looking", () => {
  test("a gateway gives up and the service makes the document after we have looked: a second one", async context => {
    await using rig = await startRig({ config: { uploadTimeout: "0.1s" } });
    cell(context, { matrix: "A", row: "limit: made after the look", column: "POST document" }, rig);
    const gate = rig.service.gate("received-body", "createDocument");
    expect((await rig.up([nda()])).errors).toEqual({});
    expect(rig.saw()).toMatchObject({ posts: 2, documents: 1 });
    const late = rig.service.ledger.whenSeen("createDocument", { stage: "over" });
    gate.open();
    await Promise.race([late, new Promise(resolve => setTimeout(resolve, 50))]);
    expect(rig.saw()).toMatchObject({ posts: 2, documents: 2, mails: 4 });
  });

  test("the same with a reconcileTimeout that outlasts it: one document", async context => {
    await using rig = await startRig({ config: { uploadTimeout: "0.1s", reconcileTimeout: "10m" } });
    cell(context, { matrix: "A", row: "made late, patient look", column: "POST document" }, rig);
    const gate = rig.service.gate("received-body", "createDocument");
    const { run, door } = rig.process();
    const went = up(door, rig.state, [nda()]);
    await rig.service.ledger.whenSeen("listDocuments", { stage: "over" });
    gate.open();
    expect((await went).errors).toEqual({});
    rig.expectOnce();
    await run.end();
  });

  test.each([400, 404, 422])(
    "the document is made and the answer is a %i: taken for a no, a second one",
    async status => {
      await using rig = await startRig();
      rig.service.faults.push({ kind: "status", when: "after", status }, "createDocument");
      expect((await rig.up([nda()])).errors["nda"]).toContain(String(status));
      await rig.up([nda()]);
      expect(rig.saw()).toMatchObject({ posts: 2, documents: 2, mails: 4 });
    },
  );

  test.each([400, 404, 422])("the same %i with duplicatePolicy adopt: one document", async status => {
    await using rig = await startRig({ config: { duplicatePolicy: "adopt" } });
    rig.service.faults.push({ kind: "status", when: "after", status }, "createDocument");
    await rig.up([nda()]);
    expect((await rig.up([nda()])).errors).toEqual({});
    rig.expectOnce();
  });
});
