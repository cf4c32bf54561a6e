import { describe, expect, test } from "vitest";
import type { Scene } from "../lifecycle/scene.js";
import { forgetMachine, healed, sceneWith } from "../lifecycle/scene.js";
import type { Goal, UpOptions } from "../support/simulated-engine.js";
import { addressOf, CHANGED, rowsOf, team } from "./team.js";

/** What makes the engine replace a set, which a changed input never does. */
const causes: Readonly<
  Record<string, { before?: Partial<Goal>; after?: Partial<Goal>; options?: UpOptions; prepare?: (s: Scene) => void }>
> = {
  "a forced replacement": { options: { replace: ["ndas"] } },
  "a taint": { prepare: s => s.stack.taint("ndas") },
  "a replacementTrigger": { before: { replacementTrigger: "1" }, after: { replacementTrigger: "2" } },
};
const orders = { "as the engine likes": {}, "with deleteBeforeReplace": { deleteBeforeReplace: true } };
const looks = { "preview first": {}, "without a preview": { skipPreview: true } };
const contents = { "the same rows": {}, "changed rows": { defaults: CHANGED } };
const people = ["Ana", "Bob", "Cy"];

const rows = Object.entries(causes).flatMap(([why, cause]) =>
  Object.entries(orders).flatMap(([order, option]) =>
    Object.entries(contents).flatMap(([content, more]) =>
      Object.entries(looks).map(([look, preview]) => ({ why, cause, order, option, look, preview, content, more })),
    ),
  ),
);

const idOf = (s: Scene, name: string): string => String(rowsOf(s)[addressOf(name)]?.["documentId"]);

describe("a set with one signed row", () => {
  test.each(rows)(
    "isn't replaced because of $why with $content, $order, $look: nothing is sent",
    async ({ cause, option, preview, more }) => {
      const before = { ...team(people), ...cause.before, ...option };
      await using s = await sceneWith([before]);
      const id = idOf(s, "Bob");
      s.service.people.sign(id, addressOf("Bob"));
      cause.prepare?.(s);
      const refused = await s.stack.up([{ ...team(people, more), ...cause.after, ...option }], {
        ...cause.options,
        ...preview,
      });
      // A document that a create keeps is no replacement.
      if (refused.error !== undefined) {
        expect(refused.error).toMatch(/1 of 3 (changed )?rows can't be (replaced|sent)/);
        expect(refused.error).toContain(`bob@example.com: document ${id} "NDA of Bob" is signed`);
      }
      expect(s.sent()).toEqual({ creates: 0, mails: 0 });
      expect(idOf(s, "Bob")).toBe(id);
      if (refused.error === undefined) return;
      s.stack.entry("ndas").taint = false;
      await healed(s, [before]);
      expect(idOf(s, "Bob")).toBe(id);
    },
  );
});

describe("an unsigned set", () => {
  test.each(rows)(
    "is replaced because of $why with $content, $order, $look: one mail for each row",
    async ({ cause, option, preview, more }) => {
      await using s = await sceneWith([{ ...team(people), ...cause.before, ...option }]);
      await s.stack.refresh();
      s.sent();
      const first = people.map(name => idOf(s, name));
      cause.prepare?.(s);
      const after = { ...team(people, more), ...cause.after, ...option };
      const outcome = await s.stack.up([after], { ...cause.options, ...preview });
      expect(outcome.error).toBeUndefined();
      expect(s.sent()).toEqual({ creates: 3, mails: 3 });
      expect(people.map(name => idOf(s, name)).filter(id => first.includes(id))).toEqual([]);
      await healed(s, [after]);
      expect(s.sent()).toEqual({ creates: 0, mails: 0 });
    },
  );
});

test("on another machine, a forced replacement is refused, and goes ahead with deleteBeforeReplace", async () => {
  await using s = await sceneWith([team(people)]);
  await forgetMachine(s);
  const refused = await s.stack.up([team(people)], { replace: ["ndas"], skipPreview: true });
  expect(refused.error).toContain("[docsign/replace-unknown-predecessor]");
  expect(s.sent()).toEqual({ creates: 0, mails: 0 });
});
