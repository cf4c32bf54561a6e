import { describe, expect, test } from "vitest";
import type { Values } from "../../kit/values.js";
import { dynamicFrontEnd } from "../dialects/dynamic-front-end.js";
import { type Goal, pluginFrontEnd } from "../support/simulated-engine.js";
import { base64, forgetMachine, nda, type Scene, scene } from "./scene.js";

/* A document whose name or description was edited on the platform, and a machine that hasn't sent it. */

const nobody = { creates: 0, mails: 0 };
const CONTENT: Values = {
  ...{ name: "NDA", description: "Mutual", base64File: base64("A") },
  invitations: [{ email: "ana@example.com", name: "Ana" }],
};
const one = (name = "nda"): Goal => nda({ name, inputs: CONTENT as Goal["inputs"] });
const set = (key = "ana"): Goal => ({
  ...{ name: "ndas", type: "docsign:index:DocumentSet" },
  inputs: { documents: { [key]: CONTENT, other: { ...CONTENT, name: "Other" } } } as unknown as Goal["inputs"],
});
const without = (): Goal => ({
  ...set(),
  inputs: { documents: { other: { ...CONTENT, name: "Other" } } } as unknown as Goal["inputs"],
});

const edits: readonly [string, (s: Scene, id: string) => void][] = [
  ["name", (s, id) => s.service.people.renameBehindBack(id, "NDA (filed)")],
  ["description", (s, id) => s.service.people.describeBehindBack(id, "Filed")],
];
const ofRows = [
  ["of a row that is taken out and put back", set(), [[without()], [set()]]],
  ["of a row that gets another key", set(), [[set("ana2")]]],
  ["of a row that gets another key after a run", set(), [[set()], [set("ana2")]]],
] as const;
const idIn = (s: Scene): string => s.service.ledger.documents().find(({ name }) => name === "NDA")?.id ?? "";

describe.each([
  ["the plugin", pluginFrontEnd],
  ["the dynamic provider", dynamicFrontEnd],
])("through %s, a document whose", (_, frontEnd) => {
  describe.each(edits)("%s was edited on the platform", (_what, edit) => {
    async function edited(program: Goal, isSigned: boolean, forgets: boolean): Promise<Scene> {
      const s = await scene({ frontEnd });
      for (let run = 0; run < 2; run++) expect((await s.stack.up([program])).error).toBeUndefined();
      const id = idIn(s);
      if (isSigned) s.service.people.signAll(id);
      edit(s, id);
      await s.stack.refresh();
      expect((await s.stack.up([program])).error).toBeUndefined();
      if (forgets) await forgetMachine(s);
      s.sent();
      return s;
    }

    for (const isSigned of [false, true])
      for (const forgets of [false, true]) {
        const how = `${isSigned ? "signed" : "unsigned"}, ${forgets ? "on another machine" : "on the same machine"}`;
        test.each([
          ["destroyed and created again", one(), [[], [one()]]],
          ["taken out and put back after a run", one(), [[one()], [], [one()]]],
          ...(frontEnd === pluginFrontEnd ? ofRows : []),
        ] as const)(`is taken back: %s, ${how}`, async (_case, program, runs) => {
          await using s = await edited(program, isSigned, forgets);
          for (const run of runs) {
            const { error, previewLines } = await s.stack.up([...run]);
            expect(error).toBeUndefined();
            expect(previewLines.join("\n")).not.toContain("will mail ana");
            expect(s.sent()).toEqual(nobody);
          }
        });

        test(`isn't sent under another name without an alias, ${how}, after a run`, async () => {
          await using s = await edited(one(), isSigned, forgets);
          expect((await s.stack.up([one()])).error).toBeUndefined();
          const { error } = await s.stack.up([one("renamed")], { skipPreview: true });
          expect(error).toContain("[docsign/duplicate]");
          expect(s.sent()).toEqual(nobody);
        });
      }
  });
});
