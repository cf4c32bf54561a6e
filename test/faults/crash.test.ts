import { describe, expect, test } from "vitest";
import { daily } from "../support/sample.js";
import { cell } from "./support/cells.js";
import { CRASH_POINTS, crashed, largePdf } from "./support/crash-points.js";
import type { ProgramResource } from "./support/engine.js";
import { madeIn, nda, startRig } from "./support/rig.js";

const program = (row: string): ProgramResource => (row === "mid-upload" ? nda({ base64File: largePdf() }) : nda());

describe.each(daily(Object.entries(CRASH_POINTS), 3, ([row]) => row))("killed %s", (row, point) => {
  const B = { matrix: "B", row };
  const wanted = program(row);

  test("then up: one document", async context => {
    await using rig = await startRig({ proving: true });
    cell(context, { ...B, column: "up" }, rig);
    await crashed(rig, point, wanted);
    expect((await rig.up([wanted])).errors).toEqual({});
    rig.expectOnce();
  });

  test("then up at once: nothing is sent before it is sure what became of the first", async context => {
    await using rig = await startRig({ proving: true });
    cell(context, { ...B, column: "up at once" }, rig);
    await crashed(rig, point, wanted, { soon: true });
    const before = rig.saw().posts;
    const { errors } = await rig.up([wanted]);
    const began = row !== "before the journal entry";
    if (point.made === 0 && began) {
      expect(errors["nda"]).toMatch(/\[docsign\/create-unconfirmed\]/);
      expect(rig.saw()).toMatchObject({ posts: before, documents: 0, mails: 0 });
    } else {
      expect(errors).toEqual({});
      rig.expectOnce();
    }
  });

  test("then refresh and up: one document", async context => {
    await using rig = await startRig({ proving: true });
    cell(context, { ...B, column: "refresh, up" }, rig);
    await crashed(rig, point, wanted);
    expect((await rig.refresh()).errors).toEqual({});
    expect((await rig.up([wanted])).errors).toEqual({});
    rig.expectOnce();
  });

  test("then up of the reverted program, and up of the program again: one document", async context => {
    await using rig = await startRig({ proving: true });
    cell(context, { ...B, column: "up reverted" }, rig);
    await crashed(rig, point, wanted);
    expect((await rig.up([])).errors).toEqual({});
    expect(rig.saw()).toMatchObject({ documents: point.made });
    expect((await rig.up([wanted])).errors).toEqual({});
    rig.expectOnce();
  });

  test("then up of a changed program: one document, or a refusal that names it", async context => {
    await using rig = await startRig({ proving: true });
    cell(context, { ...B, column: "up changed" }, rig);
    await crashed(rig, point, wanted);
    const { errors } = await rig.up([nda({ description: "other words" })]);
    if (point.made === 0) expect(errors).toEqual({});
    else {
      const [document] = madeIn(rig.service.ledger);
      expect(errors["nda"]).toMatch(/with other content/);
      expect(errors["nda"]).toContain(`pulumi import --generate-code=false docsign:index:Document nda ${document?.id}`);
      expect(errors["nda"]).toMatch(
        /mails people again: pulumi config set docsign:duplicatePolicy create .*, and then: DOCSIGN_FORGET=\w{8} pulumi up/,
      );
      expect((await rig.up([wanted])).errors).toEqual({});
    }
    rig.expectOnce();
  });

  test("then destroy, and up: one document", async context => {
    await using rig = await startRig({ proving: true });
    cell(context, { ...B, column: "destroy, up" }, rig);
    await crashed(rig, point, wanted);
    expect((await rig.destroy()).errors).toEqual({});
    expect((await rig.up([wanted])).errors).toEqual({});
    rig.expectOnce();
  });

  test("then killed again at the same point, and up: one document", async context => {
    await using rig = await startRig({ proving: true });
    cell(context, { ...B, column: "killed twice, up" }, rig);
    await crashed(rig, point, wanted);
    if (point.made === 0) await crashed(rig, point, wanted);
    expect((await rig.up([wanted])).errors).toEqual({});
    rig.expectOnce();
  });

  // Where nothing was made there is nothing to take over or to import.
  if (point.made === 0) return;

  test("then killed while the next up takes it over, and up: one document", async context => {
    await using rig = await startRig({ proving: true });
    cell(context, { ...B, column: "killed at the take-over, up" }, rig);
    await crashed(rig, point, wanted);
    for (const again of ["after the body", "before the reply"]) {
      await crashed(rig, CRASH_POINTS[again] ?? point, wanted);
    }
    expect((await rig.up([wanted])).errors).toEqual({});
    rig.expectOnce();
  });

  test("then the import the message names: one document", async context => {
    await using rig = await startRig({ proving: true });
    cell(context, { ...B, column: "import, up" }, rig);
    await crashed(rig, point, wanted);
    await rig.import(wanted, madeIn(rig.service.ledger)[0]?.id ?? "");
    expect((await rig.up([wanted])).errors).toEqual({});
    rig.expectOnce();
    expect((await rig.destroy()).errors).toEqual({});
  });
});
