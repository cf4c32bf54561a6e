import { describe, expect, test } from "vitest";
import type { Values } from "../../kit/values.js";
import { dynamicFrontEnd } from "../dialects/dynamic-front-end.js";
import { type Goal, pluginFrontEnd, Stack } from "../support/simulated-engine.js";
import { base64, forgetMachine, nda, pdf, type Scene, scene } from "./scene.js";

/* What a document was followed to, and is no longer: people change it back on the platform, change it again, or it is taken anew. */

const nobody = { creates: 0, mails: 0 };
const once = { creates: 1, mails: 1 };
const ANA = { email: "ana@example.com", name: "Ana" };
const BOB = { email: "bob@example.com", name: "Bob" };
const one = (inputs: Values = {}, more: Partial<Goal> = {}): Goal =>
  nda({ ...more, inputs: { base64File: base64("A"), invitations: [ANA], ...inputs } });
const rows = (documents: Values): Goal[] => [
  { name: "ndas", type: "docsign:index:DocumentSet", inputs: { documents, allowEmpty: true } as Goal["inputs"] },
];
async function ups(s: Scene, ...program: Goal[]): Promise<void> {
  expect((await s.stack.up(program, { skipPreview: true })).error).toBeUndefined();
}

type Step = readonly [string, (s: Scene, back: boolean) => void, Values];
const changes: readonly Step[] = [
  ["name", (s, b) => s.service.people.renameBehindBack(s.id(), b ? "NDA" : "Renamed"), { name: "Renamed" }],
  [
    "description",
    (s, b) => s.service.people.describeBehindBack(s.id(), b ? "Mutual" : "Rewritten"),
    { description: "Rewritten" },
  ],
  [
    "people",
    (s, b) => s.service.people.invitedBehindBack(s.id(), p => [{ ...p, ...(b ? ANA : BOB) }]),
    { invitations: [BOB] },
  ],
  ["version", (s, b) => s.service.people.addVersion(s.id(), pdf(b ? "A" : "B")), { base64File: base64("B") }],
  ["folder", (s, b) => s.service.people.moveToFolder(s.id(), b ? null : "77"), { folderId: "77" }],
];
const shown = (s: Scene) => {
  const { outputs } = s.stack.entry("nda");
  return { id: s.stack.entry("nda").id, drift: outputs["drift"] };
};

describe.each([
  ["the plugin", pluginFrontEnd],
  ["the dynamic provider", dynamicFrontEnd],
])("through %s, a document", (_, frontEnd) => {
  describe.each(changes)("whose %s was changed there, and followed,", (what, change, inputs) => {
    async function thereAndBack(): Promise<Scene> {
      const s = await scene({ frontEnd });
      await ups(s, one());
      change(s, false);
      await ups(s, one(inputs));
      expect(s.stack.entry("nda").outputs["drift"]).toEqual([]);
      change(s, true);
      await ups(s, one());
      expect(s.stack.entry("nda").outputs["drift"]).toEqual([]);
      s.sent();
      return s;
    }
    test("there and back isn't taken for what it was in between", async () => {
      await using s = await thereAndBack();
      await s.stack.destroy();
      const { error } = await s.stack.up([one(inputs)], { skipPreview: true });
      const sent = s.sent();
      if (error === undefined && sent.creates === 0)
        expect([what, shown(s)]).toEqual([what, { id: s.id(), drift: [] }]);
      else
        expect([error?.includes("[docsign/duplicate]") ?? false, sent.creates]).toEqual(error ? [true, 0] : [false, 1]);
    });
    test("there and back is taken back as what it is", async () => {
      await using s = await thereAndBack();
      await s.stack.destroy();
      await ups(s, one());
      expect(s.sent()).toEqual(nobody);
    });
    test("that state has lost isn't sent", async () => {
      await using s = await scene({ frontEnd });
      await ups(s, one());
      change(s, false);
      await ups(s, one(inputs));
      s.sent();
      s.stack.entries = [];
      await ups(s, one(inputs));
      expect(s.sent()).toEqual(nobody);
      s.stack.entries = [];
      await forgetMachine(s);
      const { error } = await s.stack.up([one(inputs)], { skipPreview: true });
      expect([error?.includes("[docsign/duplicate]"), s.sent()]).toEqual([true, nobody]);
    });
    test("with a creation marker isn't sent by another stack, and is taken back after a destroy", async () => {
      await using s = await scene({ frontEnd, config: { creationMarker: true } });
      await ups(s, one());
      change(s, false);
      const { error } = await s.stack.up([one(inputs)], { skipPreview: true });
      expect(error).toBeUndefined();
      s.sent();
      const other = new Stack(frontEnd(s.machine), s.stack.providers, "other");
      expect([(await other.up([one(inputs)], { skipPreview: true })).error?.includes("duplicate"), s.sent()]).toEqual([
        true,
        nobody,
      ]);
      await s.stack.destroy();
      await ups(s, one(inputs));
      expect([s.sent(), s.stack.entry("nda").id]).toEqual([nobody, s.id()]);
    });
  });

  test.each([
    [false, false],
    [false, true],
    [true, false],
  ])("of three versions none is sent; by another stack: %s, forgets: %s", async (isOther, forgets) => {
    await using s = await scene({ frontEnd });
    await ups(s, one());
    for (const each of ["B", "C"]) {
      s.service.people.addVersion(s.id(), pdf(each));
      await ups(s, one({ base64File: base64(each) }));
    }
    if (!isOther) await s.stack.destroy();
    if (forgets) await forgetMachine(s);
    s.sent();
    const stack = isOther ? new Stack(frontEnd(s.machine), s.stack.providers, "other") : s.stack;
    for (const each of ["A", "B"]) {
      const { error } = await stack.up([one({ base64File: base64(each) })], { skipPreview: true });
      expect([each, s.sent(), error?.slice(0, 60)]).toEqual([each, nobody, expect.any(String)]);
    }
  });

  test.each([false, true])(
    "an import with two versions, destroyed and put back, isn't sent; signed: %s",
    async isSigned => {
      if (frontEnd !== pluginFrontEnd) return;
      await using s = await scene({ frontEnd });
      const id = s.service.people.upload("first", {
        name: "NDA",
        description: "Mutual",
        pdf: pdf("A"),
        emails: [ANA.email],
      });
      s.service.people.addVersion(id, pdf("B"));
      if (isSigned) s.service.people.signAll(id);
      const program = one({ base64File: base64("B"), invitations: [{ email: ANA.email }] });
      expect((await s.stack.import({ name: "nda" }, id)).error).toBeUndefined();
      s.sent();
      await ups(s, program);
      await s.stack.destroy();
      await ups(s, program);
      expect([s.sent(), s.stack.entry("nda").id]).toEqual([nobody, id]);
    },
  );

  test("adopted as something else isn't what it was followed to", async () => {
    await using s = await scene({ frontEnd, config: { duplicatePolicy: "adopt" } });
    await ups(s, one());
    s.service.people.invitedBehindBack(s.id(), p => [{ ...p, ...BOB }]);
    await ups(s, one({ invitations: [BOB] }));
    await s.stack.destroy();
    s.service.people.invitedBehindBack(s.id(), p => [{ ...p, email: "cem@example.com", name: "Cem" }]);
    const cem = { email: "cem@example.com", name: "Cem" };
    await ups(s, one({ invitations: [cem] }));
    expect(s.stack.entry("nda").id).toBe(s.id());
    await s.stack.destroy();
    s.sent();
    const { error } = await s.stack.up([one({ invitations: [BOB] })], { skipPreview: true });
    expect([error, s.sent()]).toEqual([undefined, once]);
  });
});

test.each(changes)(
  "a row whose %s went there and back isn't taken for what it was in between",
  async (what, change, inputs) => {
    await using s = await scene();
    const row = one().inputs as Values;
    await ups(s, ...rows({ ana: row }));
    change(s, false);
    await ups(s, ...rows({ ana: { ...row, ...inputs } }));
    change(s, true);
    await ups(s, ...rows({ ana: row }));
    s.sent();
    await ups(s, ...rows({}));
    const { error } = await s.stack.up(rows({ ana: { ...row, ...inputs } }), { skipPreview: true });
    const sent = s.sent();
    const isTaken = error === undefined && sent.creates === 0;
    expect([what, isTaken && what !== "description" && what !== "folder"]).toEqual([what, false]);
  },
);
