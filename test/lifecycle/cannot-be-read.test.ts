import { expect, test } from "vitest";
import { Asset } from "../../kit/values.js";
import { renderTemplate } from "../../sdk/templates/index.js";
import { type Goal, pluginFrontEnd } from "../support/simulated-engine.js";
import { base64, forgetMachine, nda, pdf, type Scene, scene, sceneWith } from "./scene.js";

const nobody = { creates: 0, mails: 0 };
const one = (text: string, more: Partial<Goal> = {}): Goal =>
  nda({
    deleteBeforeReplace: true,
    ...more,
    inputs: { base64File: base64(text), invitations: [{ email: "ana@example.com" }] },
  });
const up = async (s: Scene, ...program: Goal[]) => {
  expect((await s.stack.up(program)).error).toBeUndefined();
  return s.sent();
};
/** Listed, and for a while not read. */
const hide = (s: Scene, status = 404) =>
  s.service.faults.push({ kind: "status", when: "before", status }, "getDocument", { times: 99 });

test.each([404, 403])(
  "what the journal says another resource has, made of exactly this, isn't sent again while a read answers %s",
  async status => {
    await using s = await scene();
    await up(s, one("A"));
    await up(s, one("A"));
    // State is lost, and the resource has another name: readable, it is refused as a duplicate.
    s.stack.entries = [];
    expect((await s.stack.up([one("A", { name: "contract" })])).error).toContain("[docsign/duplicate]");
    expect(s.sent()).toEqual(nobody);
    hide(s, status);
    const { error } = await s.stack.up([one("A", { name: "contract" })]);
    expect([s.sent(), error]).toEqual([nobody, expect.stringContaining("[docsign/")]);
  },
);

test("an import that was let go of isn't sent again while it can't be read", async () => {
  await using s = await scene();
  const id = s.service.people.upload("first", {
    name: "NDA",
    description: "Mutual",
    pdf: pdf("A"),
    emails: ["ana@example.com"],
  });
  expect((await s.stack.import({ name: "nda" }, id)).error).toBeUndefined();
  s.sent();
  expect(await up(s, one("A"))).toEqual(nobody);
  expect(await up(s)).toEqual(nobody);
  hide(s);
  const { error } = await s.stack.up([one("A")]);
  expect([s.sent(), error]).toEqual([nobody, expect.stringContaining("[docsign/")]);
});

test("an import that a template describes isn't sent again while it can't be read, whatever hash is shown", async () => {
  await using s = await scene();
  const { base64: made } = await renderTemplate({ template: { markdown: "# A\n" } });
  const template = (text: string) =>
    nda({
      deleteBeforeReplace: true,
      inputs: {
        invitations: [{ email: "ana@example.com" }],
        base64File: null,
        template: new Asset({ text: `# ${text}\n` }),
      },
    });
  const id = s.service.people.upload("first", {
    name: "NDA",
    description: "Mutual",
    pdf: Buffer.from(made, "base64"),
    emails: ["ana@example.com"],
  });
  expect((await s.stack.import({ name: "nda" }, id)).error).toBeUndefined();
  s.sent();
  expect(await up(s, template("A"))).toEqual(nobody);
  await up(s, template("B"));
  await forgetMachine(s);
  // Only the first one can't be read.
  s.service.people.removeDocument(id);
  const { error } = await s.stack.up([template("A")]);
  expect([s.sent(), error]).toEqual([nobody, expect.stringContaining("[docsign/")]);
});

test("a document that is gone from the service and from state is let go of by the word that the refusal names", async () => {
  const env: Record<string, string> = {};
  await using s = await sceneWith([nda()], { frontEnd: machine => pluginFrontEnd(machine, env) });
  s.service.people.removeDocument(s.id());
  s.stack.entries = [];
  const refused = await s.stack.up([nda()]);
  expect(refused.error).toContain("could not confirm that document");
  expect(refused.error).not.toMatch(/state delete|take the change back|remove it from the program/);
  const [, token = ""] = /if it is gone for good, .*: DOCSIGN_FORGET=(\w{8}) pulumi up/.exec(refused.error ?? "") ?? [];
  env["DOCSIGN_FORGET"] = token;
  expect((await s.stack.up([nda()])).error).toBeUndefined();
  expect(s.sent()).toEqual({ creates: 1, mails: 2 });
});
