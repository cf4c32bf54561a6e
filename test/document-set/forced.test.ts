import { describe, expect, test } from "vitest";
import { Asset, type Values } from "../../kit/values.js";
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
      await s.stack.refresh();
      cause.prepare?.(s);
      const refused = await s.stack.up([{ ...team(people, more), ...cause.after, ...option }], {
        ...cause.options,
        ...preview,
      });
      expect(refused.error).toMatch(/rows can't be (replaced|sent)/);
      expect(refused.error).toContain(`bob@example.com: document ${id} "NDA of Bob" is signed`);
      expect(s.sent()).toEqual({ creates: 0, mails: 0 });
      expect(idOf(s, "Bob")).toBe(id);
      s.stack.entry("ndas").taint = false;
      await healed(s, [before]);
      expect(idOf(s, "Bob")).toBe(id);
    },
  );
});

describe("an unsigned set", () => {
  test.each(rows)(
    "is replaced because of $why with $content, $order, $look: one mail for each row, and none where nothing shows the old ones",
    async ({ why, cause, order, option, preview, content, more }) => {
      await using s = await sceneWith([{ ...team(people), ...cause.before, ...option }]);
      await s.stack.refresh();
      s.sent();
      const first = people.map(name => idOf(s, name));
      cause.prepare?.(s);
      const after = { ...team(people, more), ...cause.after, ...option };
      const outcome = await s.stack.up([after], { ...cause.options, ...preview });
      // This looks the same as a set whose state was lost.
      if (why !== "a replacementTrigger" && order === "as the engine likes" && content === "the same rows") {
        expect(outcome.error).toBeUndefined();
        expect(people.map(name => idOf(s, name))).toEqual(first);
        expect(s.sent()).toEqual({ creates: 0, mails: 0 });
        return;
      }
      expect(outcome.error).toBeUndefined();
      expect(s.sent()).toEqual({ creates: 3, mails: 3 });
      expect(people.map(name => idOf(s, name)).filter(id => first.includes(id))).toEqual([]);
      await healed(s, [after]);
      expect(s.sent()).toEqual({ creates: 0, mails: 0 });
    },
  );
});

describe("on another machine", () => {
  const forced = { replace: ["ndas"], skipPreview: true };

  test("a forced replacement is refused", async () => {
    await using s = await sceneWith([team(people)]);
    await forgetMachine(s);
    expect((await s.stack.up([team(people)], forced)).error).toContain("[docsign/duplicate]");
    expect(s.sent()).toEqual({ creates: 0, mails: 0 });
  });

  test.each([[[]], [["Bob"]]])("with deleteBeforeReplace it asks about every row, of which %j signed", async signed => {
    const goal = { ...team(people), deleteBeforeReplace: true };
    await using s = await sceneWith([goal]);
    for (const name of signed) s.service.people.sign(idOf(s, name), addressOf(name));
    await forgetMachine(s);
    const { error } = await s.stack.up([goal], forced);
    if (signed.length > 0) expect(error).toContain("1 of 3 rows can't be replaced, so nothing was sent");
    else expect(error).toBeUndefined();
    expect(s.sent()).toEqual(signed.length > 0 ? { creates: 0, mails: 0 } : { creates: 3, mails: 3 });
  });
});

test("a row that is taken out while the set is replaced is let go of, signed or not", async () => {
  const option = { deleteBeforeReplace: true };
  await using s = await sceneWith([{ ...team(people), ...option }]);
  s.service.people.sign(idOf(s, "Bob"), addressOf("Bob"));
  const outcome = await s.stack.up([{ ...team(["Ana", "Cy"]), ...option }], { replace: ["ndas"] });
  expect(outcome.error).toBeUndefined();
  expect(s.sent()).toEqual({ creates: 2, mails: 2 });
});

test.each(
  Object.entries(orders).flatMap(([order, option]) =>
    Object.entries(looks).map(([look, preview]) => ({ order, look, option, preview })),
  ),
)("a set that replaceOnChanges replaces as one row changes keeps the others, $order, $look", async given => {
  const { option, preview } = given;
  const goal = (more: Values = {}): Goal => ({ ...team(people, more), ...option, replaceOnChanges: ["table"] });
  await using s = await sceneWith([goal()]);
  await s.stack.refresh();
  s.sent();
  const first = people.map(name => idOf(s, name));
  const { table } = team(people).inputs;
  const text = String((table as Asset).text).replace("Ana,1 March", "Ana,2 April");
  const after = goal({ table: new Asset({ text }) });
  expect((await s.stack.up([after], preview)).error).toBeUndefined();
  expect(s.sent()).toEqual({ creates: 1, mails: 1 });
  expect(people.map(name => first.includes(idOf(s, name)))).toEqual([false, true, true]);
  await healed(s, [after]);
});
