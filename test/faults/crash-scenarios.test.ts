import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cell } from "./support/cells.js";
import { CRASH_POINTS, crashed, largePdf } from "./support/crash-points.js";
import type { ProgramResource } from "./support/engine.js";
import { madeIn, nda, type Rig, startRig, urnOf } from "./support/rig.js";

const program = (row: string, name = "nda"): ProgramResource =>
  nda(row === "mid-upload" ? { base64File: largePdf() } : {}, name);

/** The journal has the id under the old name, so it is another resource's: it isn't taken over. */
const CLAIMED = "before the reply";

function loseJournal({ machine }: Rig): void {
  for (const name of readdirSync(machine.folder)) rmSync(join(machine.folder, name), { recursive: true });
}

describe.each(Object.entries(CRASH_POINTS))("killed %s", (row, point) => {
  const B = { matrix: "B", row };

  test("the journal lost, with creationMarker: one document", async context => {
    await using rig = await startRig({ config: { creationMarker: true } });
    cell(context, { ...B, column: "journal lost, creationMarker" }, rig);
    await crashed(rig, point, program(row));
    loseJournal(rig);
    expect((await rig.up([program(row)])).errors).toEqual({});
    rig.expectOnce();
  });

  test.each([
    ["creationMarker", { creationMarker: true }],
    ["duplicatePolicy adopt", { duplicatePolicy: "adopt" }],
  ])("the journal lost, with %s, and a list whose first page shows older ones: one document", async (_, config) => {
    await using rig = await startRig({ config, dialect: { pageSize: 5, decoys: 5 } });
    // Older than the days that the lists by date are asked for.
    for (const document of rig.service.ledger.decoys()) document.createdAt -= 60 * 86_400_000;
    await crashed(rig, point, program(row));
    loseJournal(rig);
    expect((await rig.up([program(row)])).errors).toEqual({});
    rig.expectOnce();
  });

  test("the journal lost, with duplicatePolicy adopt: one document", async context => {
    await using rig = await startRig({ config: { duplicatePolicy: "adopt" } });
    cell(context, { ...B, column: "journal lost, adopt" }, rig);
    await crashed(rig, point, program(row));
    loseJournal(rig);
    expect((await rig.up([program(row)])).errors).toEqual({});
    rig.expectOnce();
  });

  test("the journal lost: nothing more is created", async context => {
    await using rig = await startRig();
    cell(context, { ...B, column: "journal lost" }, rig);
    await crashed(rig, point, program(row));
    loseJournal(rig);
    const { errors } = await rig.up([program(row)]);
    expect(Object.keys(errors)).toHaveLength(point.made);
    expect(rig.saw()).toMatchObject({ documents: 1, mails: 2 });
  });

  test("the journal lost, with duplicatePolicy create: known limit, one more document for one that was made", async context => {
    await using rig = await startRig({ config: { duplicatePolicy: "create" } });
    cell(context, { ...B, column: "journal lost, create (limit)" }, rig);
    await crashed(rig, point, program(row));
    loseJournal(rig);
    await rig.up([program(row)]);
    expect(rig.saw()).toMatchObject({ documents: 1 + point.made });
  });

  test("the same project and stack in two backends: one document, and the other stack is refused", async context => {
    await using rig = await startRig({ proving: true });
    cell(context, { ...B, column: "two backends" }, rig);
    await crashed(rig, point, program(row), { backend: "file:///a" });
    const first = rig.state;
    rig.state = new Map();
    const second = await rig.up([program(row)], { backend: "file:///b" });
    expect(Object.keys(second.errors)).toHaveLength(point.made);
    rig.state = first;
    const again = await rig.up([program(row)], { backend: "file:///a" });
    expect(Object.keys(again.errors)).toHaveLength(1 - point.made);
    expect(rig.saw()).toMatchObject({ documents: 1, mails: 2 });
  });

  test("the same in two backends with duplicatePolicy create: one document each", async context => {
    await using rig = await startRig({ config: { duplicatePolicy: "create" }, proving: true });
    cell(context, { ...B, column: "two backends, create" }, rig);
    await crashed(rig, point, program(row), { backend: "file:///a" });
    const first = rig.state;
    rig.state = new Map();
    expect((await rig.up([program(row)], { backend: "file:///b" })).errors).toEqual({});
    const second = rig.idOf("nda");
    rig.state = first;
    expect((await rig.up([program(row)], { backend: "file:///a" })).errors).toEqual({});
    expect(rig.saw()).toMatchObject({ documents: 2, mails: 4 });
    expect(rig.idOf("nda")).not.toBe(second);
  });

  test.each([
    ["the resource renamed by an alias", "contract", "test"],
    ["the stack renamed", "nda", "prod"],
  ])("%s: one document; one that was made is named, and nothing is created", async (_, name, stack) => {
    await using rig = await startRig({ proving: true });
    await crashed(rig, point, program(row));
    const { errors } = await rig.up([{ ...program(row, name), alias: urnOf("nda") }], { stack });
    const [document] = madeIn(rig.service.ledger);
    if (point.made === 0) {
      expect(errors).toEqual({});
      rig.expectOnce(name, stack);
    } else {
      expect(errors[name]).toMatch(/Nothing was created\. \[docsign\/duplicate\]$/m);
      expect(errors[name]).toContain(`document ${document?.id} has the same name, PDF and people already`);
      // Renamed in one stack, and known to be held under the old name: an alias is the way on.
      expect(errors[name]).toContain(
        stack === "test" && row === CLAIMED
          ? `aliases: ["${urnOf("nda")}"]`
          : `pulumi import --generate-code=false docsign:index:Document ${name} ${document?.id}`,
      );
      expect(rig.state.size).toBe(0);
    }
    expect(rig.saw()).toMatchObject({ documents: 1, mails: 2 });
  });

  test("renamed by an alias, with duplicatePolicy adopt: one document", async context => {
    await using rig = await startRig({ config: { duplicatePolicy: "adopt" }, proving: true });
    cell(context, { ...B, column: "renamed, adopt" }, rig);
    await crashed(rig, point, program(row));
    const renamed = { ...program(row, "contract"), alias: urnOf("nda") };
    const { errors } = await rig.up([renamed]);
    if (row === CLAIMED) expect(errors["contract"]).toContain("[docsign/duplicate]");
    else rig.expectOnce("contract");
    expect(rig.saw()).toMatchObject({ documents: 1, mails: 2 });
  });

  test("the stack renamed, with duplicatePolicy adopt: one document", async context => {
    await using rig = await startRig({ config: { duplicatePolicy: "adopt" }, proving: true });
    cell(context, { ...B, column: "stack renamed, adopt" }, rig);
    await crashed(rig, point, program(row));
    const { errors } = await rig.up([program(row)], { stack: "prod" });
    if (row === CLAIMED) expect(errors["nda"]).toContain("[docsign/duplicate]");
    else rig.expectOnce("nda", "prod");
    expect(rig.saw()).toMatchObject({ documents: 1, mails: 2 });
  });
});

describe("a document that state had", () => {
  test("renamed by an alias, and the stack renamed: no request is sent, nobody is mailed", async () => {
    await using rig = await startRig();
    await rig.up([nda()]);
    const before = rig.saw().requests;
    await rig.up([{ ...nda({}, "contract"), alias: urnOf("nda") }]);
    rig.state = new Map([[urnOf("contract", "Document", "prod"), [...rig.state.values()][0] ?? raise()]]);
    await rig.up([nda({}, "contract")], { stack: "prod" });
    expect(rig.saw()).toMatchObject({ requests: before, posts: 1 });
    rig.expectOnce("contract", "prod");
  });
});

const raise = (): never => {
  throw new Error("state is empty");
};
