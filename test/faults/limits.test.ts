import { describe, expect, test } from "vitest";
import { cell } from "./support/cells.js";
import { up } from "./support/engine.js";
import { nda, startRig } from "./support/rig.js";

/**
 * What looking can't see. Each `limit` is a second document that people get all the same, and what keeps it from them:
 * the day one of these no longer holds, its test fails and the docs get shorter.
 */
describe("the limits of looking", () => {
  /** A gateway gives up, and the service makes the document once the gate opens. */
  async function gatewayTimeout() {
    const rig = await startRig({ config: { uploadTimeout: "0.1s" }, proving: true });
    const gate = rig.service.gate("received-body", "createDocument");
    expect((await rig.up([nda()])).errors["nda"]).toContain("[docsign/create-unconfirmed]");
    expect(rig.saw()).toMatchObject({ posts: 1, documents: 0 });
    const arrive = async () => {
      const late = rig.service.ledger.whenSeen("createDocument", { stage: "over" });
      gate.open();
      await Promise.race([late, new Promise(resolve => setTimeout(resolve, 50))]);
    };
    return { rig, arrive };
  }

  test("made after the look: not sent again, and the next run takes it over", async context => {
    const { rig: started, arrive } = await gatewayTimeout();
    await using rig = started;
    cell(context, { matrix: "A", row: "made after the look", column: "POST document" }, rig);
    await arrive();
    expect((await rig.up([nda()])).errors).toEqual({});
    rig.expectOnce();
    expect(rig.saw()).toMatchObject({ posts: 1 });
  });

  test("known limit: a document made after resendAfter, once a later run has sent it again, is a second one", async context => {
    const { rig: started, arrive } = await gatewayTimeout();
    await using rig = started;
    cell(context, { matrix: "A", row: "limit: made after resendAfter", column: "POST document" }, rig);
    rig.later();
    expect((await rig.up([nda()])).errors).toEqual({});
    expect(rig.saw()).toMatchObject({ posts: 2, documents: 1 });
    await arrive();
    expect(rig.saw()).toMatchObject({ posts: 2, documents: 2, mails: 4 });
  });

  test("made late, with a reconcileTimeout that outlasts it: one document in one run", async context => {
    await using rig = await startRig({ config: { uploadTimeout: "0.1s", reconcileTimeout: "10m" } });
    cell(context, { matrix: "A", row: "made late, patient look", column: "POST document" }, rig);
    const gate = rig.service.gate("received-body", "createDocument");
    const { run, frontEnd } = rig.process();
    // The first list is asked before the create.
    const looked = rig.service.ledger.whenSeen("listDocuments", { count: 2, stage: "over" });
    const went = up(frontEnd, rig.state, [nda()]);
    await looked;
    gate.open();
    expect((await went).errors).toEqual({});
    rig.expectOnce();
    await run.end();
  });

  test.each([400, 404, 422])(
    "made, and the answer is a %i: named by the next run, nothing is created",
    async status => {
      await using rig = await startRig();
      rig.service.faults.push({ kind: "status", when: "after", status }, "createDocument");
      expect((await rig.up([nda()])).errors["nda"]).toContain(String(status));
      const [made] = rig.service.ledger.documents();
      expect((await rig.up([nda()])).errors["nda"]).toMatch(new RegExp(`^document ${made?.id} .*docsign/duplicate`));
      expect(rig.saw()).toMatchObject({ posts: 1, documents: 1, mails: 2 });
    },
  );

  test.each([400, 404, 422])(
    "known limit: the same %i with duplicatePolicy create makes a second one",
    async status => {
      await using rig = await startRig({ config: { duplicatePolicy: "create" } });
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
