import { describe, expect, test } from "vitest";
import { Asset } from "../../kit/values.js";
import { isSample, sample, wantsAll } from "../support/sample.js";
import type { Goal } from "../support/simulated-engine.js";
import { causes, refusal, statuses } from "./matrix.js";
import { base64, healed, nda, people, sceneWith } from "./scene.js";

const withSecond = { providers: { second: {} } };
const orders = { "as the engine likes": {}, "with deleteBeforeReplace": { deleteBeforeReplace: true } };
const looks = { "preview first": {}, "without a preview": { skipPreview: true } };

const rows = Object.entries(causes).flatMap(([why, cause]) =>
  Object.entries(orders).flatMap(([order, option]) =>
    Object.entries(looks).map(([look, preview]) => ({ why, cause, order, option, look, preview })),
  ),
);

/** `DOCSIGN_TEST_GUARD=all` takes every cell; otherwise statuses but the first have one order and look of each cause. */
const all = wantsAll("DOCSIGN_TEST_GUARD");
const rowsOf = (status: string) =>
  all || (status === "partially_signed" && !isSample)
    ? rows
    : Object.keys(causes).flatMap(cause =>
        sample(
          rows.filter(({ why }) => why === cause),
          1,
          ({ order, look }) => [status, cause, order, look].join("\u0000"),
        ),
      );

/** The engine asks for neither Diff nor Delete before it creates, so a document exactly alike may be anybody's. */
const isUnshown = ({ why, order }: { why: string; order: string }): boolean =>
  ["a forced replacement", "a taint"].includes(why) && order === "as the engine likes";

/** Status × cause × option × preview. What it doesn't prove: that the real engine calls in this order; `test/engine` does. */
describe.each(Object.entries(statuses).filter(([status]) => status !== "unsigned"))("%s", (name, status) => {
  test.each(rowsOf(name))("isn't replaced because of $why, $order, $look", async ({ cause, option, preview }) => {
    await using s = await sceneWith(cause.before(option), withSecond);
    const id = s.id();
    status.become(s, id);
    cause.prepare?.(s);

    const refused = await s.stack.up(cause.after(option), { ...cause.options, ...preview });

    expect(refusal(refused, id, status.says, cause.names)).toEqual([]);
    expect(s.stack.entry("nda").id).toBe(id);
    expect(s.sent()).toEqual({ creates: "skipPreview" in preview ? (cause.folders ?? 0) : 0, mails: 0 });
    expect(await s.stack.refresh()).toMatchObject({ error: undefined });

    cause.revert?.(s);
    const back = cause.healsForward && "skipPreview" in preview ? cause.after(option) : cause.before(option);
    await healed(s, back);
    expect(s.stack.entry("nda")).toMatchObject({ id, outputs: { documentId: id } });

    expect(await s.stack.destroy()).toMatchObject({ error: undefined });
    expect(s.stack.entries).toEqual([]);
    expect(s.sent()).toEqual({ creates: 0, mails: 0 });
  });

  test.each(Object.entries(orders))("signed between preview and up isn't replaced, %s", async (_, option) => {
    const cause = causes["the base64File"];
    if (!cause) throw new Error("no such cause");
    await using s = await sceneWith(cause.before(option));
    const refused = await s.stack.up(cause.after(option), { meanwhile: () => status.become(s, s.id()) });

    expect(refusal(refused, s.id(), status.says, cause.names)).toEqual([]);
    expect(refused.failed).toBe("up");
    expect(s.sent()).toEqual({ creates: 0, mails: 0 });
    await healed(s, cause.before(option));
  });

  test.each([
    ["delete nda", "before it is given up", /^ {2}changed: name$/m],
    ["create nda", "after it is given up and before the new one is sent", /this create would replace it/],
  ])("signed before %s isn't replaced: %s", async (call, _, why) => {
    const cause = causes["the name"];
    if (!cause) throw new Error("no such cause");
    await using s = await sceneWith(cause.before({}));
    const before = (next: string) => next.startsWith(call) && status.become(s, s.id());
    const refused = await s.stack.up(cause.after({}), { skipPreview: true, before });

    expect(refusal(refused, s.id(), status.says, why)).toEqual([]);
    expect(refused.error).not.toContain("untaint");
    expect(s.sent()).toEqual({ creates: 0, mails: 0 });
    await healed(s, cause.before({}));
    expect(s.stack.entry("nda").id).toBe(s.id());
  });
});

describe("unsigned", () => {
  const [shown, unshown] = [rows.filter(row => !isUnshown(row)), rows.filter(isUnshown)];

  test.each(unshown)(
    "is kept despite $why, $order, $look: nothing shows that state holds it",
    async ({ cause, option, preview }) => {
      await using s = await sceneWith(cause.before(option), withSecond);
      cause.prepare?.(s);

      const kept = await s.stack.up(cause.after(option), { ...cause.options, ...preview });

      expect(kept.error).toBeUndefined();
      expect(kept.lines.join("\n")).toContain(
        "To replace it all the same, set the resource option `deleteBeforeReplace: true`",
      );
      const before = "skipPreview" in preview ? [] : [expect.stringMatching(/^warning: .*`deleteBeforeReplace: true`/)];
      expect(kept.previewLines.filter(line => line.startsWith("warning"))).toEqual(before);
      expect(s.sent()).toEqual({ creates: 0, mails: 0 });
      cause.revert?.(s);
      await healed(s, cause.before(option));
      expect(s.stack.entry("nda").id).toBe(s.id());
    },
  );

  const anyway = { ...withSecond, config: { duplicatePolicy: "create" } };
  test.each([
    ...shown.map(row => ({ ...row, policy: "by default", settings: withSecond })),
    ...unshown.map(row => ({ ...row, policy: "with duplicatePolicy create", settings: anyway })),
  ])("is replaced because of $why, $order, $look, $policy", async ({ why, cause, option, preview, settings }) => {
    await using s = await sceneWith(cause.before(option), settings);
    const id = s.id();
    cause.prepare?.(s);

    const replaced = await s.stack.up(cause.after(option), { ...cause.options, ...preview });

    expect(replaced.error).toBeUndefined();
    expect(s.sent()).toEqual({ creates: 1 + (cause.folders ?? 0), mails: cause.mails ?? 2 });
    const { id: next, outputs } = s.stack.entry("nda");
    expect(next).toBe(s.id(1));
    expect(outputs).toMatchObject({ documentId: next, supersedes: [id], drift: [] });
    const second = await s.stack.up(cause.after(option));
    expect(
      second.calls.filter(call => !/^(check|diff)/.test(call)),
      why,
    ).toEqual([]);
    expect(s.sent()).toEqual({ creates: 0, mails: 0 });
  });

  test.each(Object.entries(causes).filter(([, { options }]) => !options))(
    "before replacing because of %s, the preview says who will be mailed and what stays behind",
    async (_, cause) => {
      await using s = await sceneWith(cause.before({}), withSecond);
      cause.prepare?.(s);
      const { previewLines } = await s.stack.up(cause.after({}));
      const said = previewLines.join("\n");
      expect(said).toMatch(
        /will mail ana@example\.com, then bob@example\.org[^\n]* \(in stage 2, after those before\)/,
      );
      expect(said).toContain(`it replaces document ${s.id()}, which stays at the service`);
    },
  );
});

test.each<[string, Goal["inputs"], string]>([
  ["a name", { name: "NDA 2" }, 'ignoreChanges: ["name"]'],
  ["a folder", { folderId: "4711" }, 'ignoreChanges: ["folderId"]'],
  [
    "people and the PDF",
    { invitations: people.slice(0, 1), base64File: base64("two") },
    'ignoreChanges: ["base64File", "file", "invitations"]',
  ],
  [
    "the PDF, given as a template",
    { base64File: null, template: new Asset({ text: "# NDA\n" }) } as unknown as Goal["inputs"],
    'ignoreChanges: ["base64File", "file", "template", "variables"]',
  ],
])("a refusal offers to ignore what has changed: %s", async (_, inputs, offers) => {
  await using s = await sceneWith([nda()]);
  s.service.people.signAll(s.id());
  const { error = "" } = await s.stack.up([nda({ inputs })]);
  const [, names = ""] = /ignoreChanges: \[([^\]]*)\]/.exec(error) ?? [];
  expect(`ignoreChanges: [${names.split(", ").sort().join(", ")}]`).toBe(offers);
  const kept = await s.stack.up([nda({ inputs, ignoreChanges: JSON.parse(`[${names}]`) })]);
  expect([kept.error, s.sent()]).toEqual([undefined, { creates: 0, mails: 0 }]);
});
