import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cell } from "./support/cells.js";
import { CRASH_POINTS, crashed, largePdf } from "./support/crash-points.js";
import type { Wanted } from "./support/engine.js";
import { nda, type Rig, startRig, urnOf } from "./support/rig.js";

const program = (row: string, name = "nda"): Wanted =>
  nda(row === "mid-upload" ? { base64File: largePdf() } : {}, name);

/** The id is in the journal under the old name, and nothing tells that name's process from one still at work. */
const LIMIT = "before the reply";

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
  ])("the journal lost, with %s, and a list whose first page shows others: one document", async (_, config) => {
    await using rig = await startRig({ config, taste: { pageSize: 0 } });
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

  test("the journal lost, with duplicatePolicy refuse: nothing more is created", async context => {
    await using rig = await startRig({ config: { duplicatePolicy: "refuse" } });
    cell(context, { ...B, column: "journal lost, refuse" }, rig);
    await crashed(rig, point, program(row));
    loseJournal(rig);
    const { errors } = await rig.up([program(row)]);
    expect(Object.keys(errors)).toHaveLength(point.made);
    expect(rig.saw()).toMatchObject({ documents: 1, mails: 2 });
  });

  test("the journal lost, with neither: the limit, one document more for one that was made", async context => {
    await using rig = await startRig();
    cell(context, { ...B, column: "journal lost, default (limit)" }, rig);
    await crashed(rig, point, program(row));
    loseJournal(rig);
    await rig.up([program(row)]);
    expect(rig.saw()).toMatchObject({ documents: 1 + point.made });
  });

  test("the same project and stack in two backends: one document each", async context => {
    await using rig = await startRig();
    cell(context, { ...B, column: "two backends" }, rig);
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

  test("renamed by an alias, by default: the limit, one document more for one that was made", async context => {
    await using rig = await startRig();
    cell(context, { ...B, column: "renamed, default (limit)" }, rig);
    await crashed(rig, point, program(row));
    await rig.up([{ ...program(row, "contract"), alias: urnOf("nda") }]);
    expect(rig.saw()).toMatchObject({ documents: 1 + point.made });
  });

  test("renamed by an alias, with duplicatePolicy adopt: one document", async context => {
    await using rig = await startRig({ config: { duplicatePolicy: "adopt" } });
    cell(context, { ...B, column: "renamed, adopt" }, rig);
    await crashed(rig, point, program(row));
    const renamed = { ...program(row, "contract"), alias: urnOf("nda") };
    expect((await rig.up([renamed])).errors).toEqual({});
    if (row !== LIMIT) rig.expectOnce("contract");
    else expect(rig.saw()).toMatchObject({ documents: 2 });
  });

  test("the stack renamed, with duplicatePolicy adopt: one document", async context => {
    await using rig = await startRig({ config: { duplicatePolicy: "adopt" } });
    cell(context, { ...B, column: "stack renamed, adopt" }, rig);
    await crashed(rig, point, program(row));
    expect((await rig.up([program(row)], { stack: "prod" })).errors).toEqual({});
    if (row !== LIMIT) rig.expectOnce("nda", "prod");
    else expect(rig.saw()).toMatchObject({ documents: 2 });
  });
});

describe("a document that state had", () => {
  test("renamed by an alias, and the stack renamed: nobody is asked or mailed", async () => {
    await using rig = await startRig();
    await rig.up([nda()]);
    const before = rig.saw().requests;
    await rig.up([{ ...nda({}, "contract"), alias: urnOf("nda") }]);
    rig.state = new Map([[urnOf("contract", "Document", "prod"), [...rig.state.values()][0] ?? raise()]]);
    await rig.up([nda({}, "contract")], { stack: "prod" });
    expect(rig.saw()).toMatchObject({ requests: before, posts: 1 });
    rig.expectOnce("contract", "prod");
  });

  test("`state delete`, or a backup from before it: the preview says who will be mailed, and a signed one stays", async () => {
    await using rig = await startRig();
    await rig.up([nda()]);
    const id = rig.idOf("nda") ?? "";
    rig.service.people.sign(id, "ana@example.com");
    rig.state.clear();
    const { errors } = await rig.up([nda()]);
    expect(errors["nda"]).toMatch(/is partially_signed, so it is not replaced/);
    expect(errors["nda"]).toContain(`pulumi import docsign:index:Document nda ${id}`);
    expect(rig.saw()).toMatchObject({ posts: 1, documents: 1, mails: 2 });
  });

  test("the same with an unsigned one: the limit, state is right and it is sent again, naming what it supersedes", async () => {
    await using rig = await startRig();
    await rig.up([nda()]);
    const id = rig.idOf("nda");
    rig.state.clear();
    expect((await rig.up([nda()])).errors).toEqual({});
    expect(rig.saw()).toMatchObject({ posts: 2, documents: 2, mails: 4 });
    expect([...rig.state.values()][0]?.outputs["supersedes"]).toEqual([id]);
  });
});

const raise = (): never => {
  throw new Error("state is empty");
};
