import { expect, test } from "vitest";
import { base64, type Scene, scene } from "../lifecycle/scene.js";
import type { Goal } from "../support/simulated-engine.js";
import { rowsOf, TYPE } from "./team.js";

const set = (people: Record<string, string>): Goal => {
  const documents = Object.fromEntries(
    Object.entries(people).map(([key, who]) => [
      key,
      { name: `NDA of ${who}`, invitations: [{ email: `${who}@example.com` }] },
    ]),
  );
  return { name: "ndas", type: TYPE, inputs: { documents, defaults: { base64File: base64("one") } } };
};
const idsOf = (s: Scene) => Object.entries(rowsOf(s)).map(([key, row]) => `${key} ${String(row["documentId"])}`);

test.each([true, false])(
  "a row whose key is renamed while its document can't be read stays in state, hidden since its create: %s",
  async sinceCreate => {
    await using s = await scene();
    const hide = () =>
      s.service.faults.push({ kind: "status", when: "before", status: 404 }, "getDocument", { times: 9999 });
    if (sinceCreate) hide();
    expect((await s.stack.up([set({ ana: "ana", bob: "bob" })])).error).toBeUndefined();
    if (!sinceCreate) hide();
    const before = idsOf(s);
    s.sent();
    for (const skipPreview of [false, true]) {
      const { error, lines, previewLines } = await s.stack.up([set({ anna: "ana", bob: "bob" })], { skipPreview });
      expect(error).toContain("[docsign/duplicate-unconfirmed]");
      const said = [...lines, ...previewLines].join("\n");
      expect(said).toContain(`ana: document ${s.id()} stays under this key`);
      expect(said).not.toContain("is removed from state");
      expect(idsOf(s)).toEqual(before);
    }
    expect((await s.stack.up([set({ ana: "ana", bob: "bob" })])).error).toBeUndefined();
    s.service.faults.clear();
    expect((await s.stack.up([set({ anna: "ana", bob: "bob" })])).error).toBeUndefined();
    expect(idsOf(s)).toEqual([`anna ${s.id()}`, `bob ${s.id(1)}`]);
    expect(s.sent()).toEqual({ creates: 0, mails: 0 });
  },
);
