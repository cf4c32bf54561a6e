import { describe, expect, test } from "vitest";
import type { NewDocument } from "../support/independent-service/records.js";
import { causes, refusal, statuses } from "./matrix.js";
import { base64, fillAccount, forgetMachine, healed, nda, newestFirst, scene, sceneWith } from "./scene.js";

const force = { replace: ["nda"] };
const nobody = { creates: 0, mails: 0 };
const partially = statuses["partially_signed"]?.says ?? /never/;

describe("with the machine's memory lost", () => {
  test.each(["the base64File", "the name", "the folderId", "another explicit provider"])(
    "a signed document isn't replaced because of %s: Diff asks",
    async why => {
      const cause = causes[why];
      if (!cause) throw new Error(why);
      await using s = await sceneWith(cause.before({}), { providers: { second: {} } });
      s.service.people.sign(s.id(), "ana@example.com");
      await forgetMachine(s);
      expect(refusal(await s.stack.up(cause.after({})), s.id(), partially, cause.names)).toEqual([]);
      expect(s.sent()).toEqual(nobody);
    },
  );

  test.each(["a forced replacement", "a taint"])(
    "a signed document with deleteBeforeReplace isn't replaced because of %s: Delete asks",
    async why => {
      const cause = causes[why];
      if (!cause) throw new Error(why);
      const option = { deleteBeforeReplace: true };
      await using s = await sceneWith(cause.before(option));
      s.service.people.sign(s.id(), "ana@example.com");
      cause.prepare?.(s);
      await forgetMachine(s);
      const refused = await s.stack.up(cause.after(option), { ...cause.options, skipPreview: true });
      expect(refusal(refused, s.id(), partially, undefined)).toEqual([]);
      expect(refused.calls.at(-1)).toBe(`delete nda ${s.id()}`);
      expect(s.sent()).toEqual(nobody);
      cause.revert?.(s);
      await healed(s, cause.before(option));
    },
  );

  test("a replacementTrigger that looks like a replacement of a signed document is refused", async () => {
    await using s = await sceneWith([nda({ replacementTrigger: "1" })]);
    s.service.people.sign(s.id(), "ana@example.com");
    await forgetMachine(s);
    const refused = await s.stack.up([nda({ replacementTrigger: "2" })]);
    expect(refused.error).toMatch(/this create replaces a document, and nothing shows which one state holds now/);
    expect(refused.error).toMatch(/deleteBeforeReplace: true/);
    expect(s.sent()).toEqual(nobody);
    expect((await s.stack.refresh()).error).toBeUndefined();
    const outcome = await s.stack.up([nda({ replacementTrigger: "2" })]);
    expect(refusal(outcome, s.id(), partially, undefined)).toEqual([]);
    await healed(s, [nda({ replacementTrigger: "1" })]);
  });

  test("a document replaced along with another isn't when it is signed: the deployment remembers its Delete", async () => {
    const cause = causes["replaceWith"];
    if (!cause) throw new Error("no such cause");
    await using s = await sceneWith(cause.before({}));
    s.service.people.sign(s.id(), "ana@example.com");
    await forgetMachine(s);
    const refused = await s.stack.up(cause.after({}), { skipPreview: true });
    expect(refusal(refused, s.id(), partially, undefined)).toEqual([]);
    expect(s.sent()).toEqual({ creates: 1, mails: 0 });
    await healed(s, cause.after({}));
  });

  test("known limit, with duplicatePolicy: create: a forced replacement that creates first isn't examined", async () => {
    await using s = await sceneWith([nda()], { config: { duplicatePolicy: "create" } });
    s.service.people.sign(s.id(), "ana@example.com");
    await forgetMachine(s);
    const replaced = await s.stack.up([nda()], force);
    expect(replaced.error).toBeUndefined();
    expect(s.sent()).toEqual({ creates: 1, mails: 2 });
  });

  test.each([
    ["a forced replacement", {}],
    ["a forced replacement with retainOnDelete", { retainOnDelete: true }],
    ["a forced replacement, delete first", { deleteBeforeReplace: true }],
    ["a forced replacement with retainOnDelete, delete first", { retainOnDelete: true, deleteBeforeReplace: true }],
  ])("a signed document isn't replaced because of %s: the service's lists show it at preview", async (_, option) => {
    await using s = await sceneWith([nda(option)]);
    s.service.people.sign(s.id(), "ana@example.com");
    await forgetMachine(s);
    const refused = await s.stack.up([nda(option)], force);
    expect(refused.error).toContain(`document ${s.id()} has the same name, PDF and people already`);
    expect(refused.error).toContain(`document ${s.id()}, partially signed, created `);
    expect(refused.failed).toBe("preview");
    expect(s.sent()).toEqual(nobody);
    await healed(s, [nda(option)]);
  });
});

describe("where Delete is never called", () => {
  test.each([
    ["retainOnDelete", { retainOnDelete: true }],
    ["retainOnDelete and deleteBeforeReplace", { retainOnDelete: true, deleteBeforeReplace: true }],
  ])("%s: Create asks about the document this machine remembers", async (_, option) => {
    await using s = await sceneWith([nda(option)]);
    s.service.people.sign(s.id(), "ana@example.com");
    const refused = await s.stack.up([nda(option)], { ...force, skipPreview: true });
    expect(refusal(refused, s.id(), partially, undefined)).toEqual([]);
    expect(s.sent()).toEqual(nobody);
    await healed(s, [nda(option)]);
  });

  test("deletedWith: Create asks about the document this machine remembers", async () => {
    const contract = nda({ deletedWith: "folder", deleteBeforeReplace: true });
    const folder = { name: "folder", type: "docsign:index:Folder", inputs: { name: "F" }, deleteBeforeReplace: true };
    await using s = await sceneWith([folder, contract]);
    s.service.people.sign(s.id(), "ana@example.com");
    const refused = await s.stack.up([folder, contract], { replace: ["folder", "nda"], skipPreview: true });
    expect(refused.calls).not.toContainEqual(expect.stringMatching(/^delete nda/));
    expect(refusal(refused, s.id(), partially, undefined)).toEqual([]);
    expect(s.sent()).toEqual({ creates: 1, mails: 0 });
    await healed(s, [folder, contract]);
  });

  test("a document replaced again and again with retainOnDelete is judged by itself, not by its predecessors", async () => {
    const contract = nda({ retainOnDelete: true });
    await using s = await scene({ ...newestFirst, config: { duplicatePolicy: "create" } });
    fillAccount(s);
    for (const options of [{}, {}, force, {}]) expect((await s.stack.up([contract], options)).error).toBeUndefined();
    const second = s.stack.entry("nda");
    const [first = ""] = second.outputs["supersedes"] as string[];
    s.service.people.signAll(first);
    const again = await s.stack.up([contract], force);
    expect(again.error).toBeUndefined();
    expect(s.stack.entry("nda").outputs["supersedes"]).toEqual([first, second.id]);
  });
});

describe("a create that fails after the delete", () => {
  const refuse = { kind: "status", when: "before", status: 422 } as const;
  const renamed = [nda({ inputs: { name: "Other" } })];

  test("and was forced: forced again it is kept, and once more it is sent", async () => {
    await using s = await sceneWith([nda({ deleteBeforeReplace: true })]);
    const [id, program] = [s.id(), [nda({ deleteBeforeReplace: true })]];
    s.service.faults.push(refuse, "createDocument");
    expect(await s.stack.up(program, force)).toMatchObject({ failed: "up" });
    s.sent();
    const kept = await s.stack.up(program, force);
    expect([kept.error, s.stack.entry("nda").id, s.sent()]).toEqual([undefined, id, { creates: 0, mails: 0 }]);
    expect(kept.lines.join()).toContain(`document ${id} is kept, no one is mailed`);
    expect((await s.stack.up(program, force)).error).toBeUndefined();
    expect(s.sent()).toEqual({ creates: 1, mails: 2 });
  });

  test("reverted: the document comes back into the stack, and no one is mailed", async () => {
    await using s = await sceneWith([nda()]);
    s.service.faults.push(refuse, "createDocument");
    const failed = await s.stack.up(renamed);
    expect(failed).toMatchObject({ failed: "up" });
    expect(s.stack.entry("nda")).toMatchObject({ id: s.id(), pendingReplacement: true });
    expect(failed.error).toContain(s.id());
    s.sent();
    const back = await healed(s, [nda()]);
    expect(back.calls.slice(0, 4)).toEqual(["check nda (olds)", `diff nda ${s.id()}`, "check nda", "create nda"]);
    expect(back.lines.join()).toContain(`document ${s.id()} is kept, no one is mailed`);
    expect(s.stack.entry("nda")).toMatchObject({ id: s.id(), outputs: { supersedes: [], drift: [] } });
  });

  test("reverted with the machine's memory lost: the same", async () => {
    await using s = await sceneWith([nda()]);
    s.service.faults.push(refuse, "createDocument");
    await s.stack.up(renamed);
    s.sent();
    await forgetMachine(s);
    await healed(s, [nda()]);
    expect(s.stack.entry("nda").id).toBe(s.id());
  });

  test("retried: it is replaced once, and the old one is remembered", async () => {
    await using s = await sceneWith([nda()]);
    s.service.faults.push(refuse, "createDocument");
    await s.stack.up(renamed);
    expect((await s.stack.up(renamed)).error).toBeUndefined();
    expect(s.service.ledger.documentCount()).toBe(2);
    expect(s.stack.entry("nda").outputs).toMatchObject({ documentId: s.id(1), supersedes: [s.id(0)] });
  });

  test("signed meanwhile: a retry is refused, a revert succeeds", async () => {
    await using s = await sceneWith([nda()]);
    s.service.faults.push(refuse, "createDocument");
    await s.stack.up(renamed);
    s.service.people.sign(s.id(), "ana@example.com");
    s.sent();
    expect(refusal(await s.stack.up(renamed), s.id(), partially, /name/)).toEqual([]);
    expect((await s.stack.refresh()).error).toBeUndefined();
    await healed(s, [nda()]);
  });

  test("given up: destroy sends no request", async () => {
    await using s = await sceneWith([nda()]);
    s.service.faults.push(refuse, "createDocument");
    await s.stack.up(renamed);
    expect(await s.stack.destroy()).toMatchObject({ error: undefined, calls: [] });
    expect(s.stack.entries).toEqual([]);
  });

  test("an imported document comes back as one", async () => {
    await using s = await sceneWith([]);
    const id = s.service.people.upload("first", {
      name: "NDA",
      pdf: Buffer.from(base64("one"), "base64"),
      emails: ["ana@example.com"],
    });
    await s.stack.import({ name: "nda" }, id);
    const invitations = [{ email: "ana@example.com", message: "Hi", stage: 3 }];
    const program = [nda({ inputs: { description: null, invitations, extraParameters: { kyc: true } } })];
    expect((await s.stack.up(program)).error).toBeUndefined();
    s.service.faults.push(refuse, "createDocument");
    expect((await s.stack.up(renamed)).failed).toBe("up");
    s.sent();
    await healed(s, program);
    expect(s.stack.entry("nda").id).toBe(id);
  });
});

test("an import of what the program sent is no replacement, though the service stores the name trimmed", async () => {
  const stores = (wanted: NewDocument): NewDocument => ({ ...wanted, name: wanted.name.trim() });
  const program = [nda({ inputs: { name: "NDA for Alpha " } })];
  await using s = await sceneWith(program, { dialect: { stores } });
  s.service.people.signAll(s.id());
  await s.stack.destroy();
  expect((await s.stack.import({ name: "nda" }, s.id())).error).toBeUndefined();
  await healed(s, program);
  expect(s.stack.entry("nda")).toMatchObject({ id: s.id(), inputs: { name: "NDA for Alpha " } });
});

test("a refusal for a document of the same name says what an import of it comes to, and so it does", async () => {
  const emails = ["ana@example.com"];
  await using s = await sceneWith([]);
  const id = s.service.people.upload("first", { name: "NDA", pdf: Buffer.from(base64("two"), "base64"), emails });
  const program = [nda({ inputs: { description: null, invitations: [{ email: emails[0] ?? "" }] } })];
  const { error } = await s.stack.up(program);
  expect(error).toContain(
    "once it is imported, `pulumi up` replaces it, which mails people, while the program differs",
  );
  expect((await s.stack.import({ name: "nda" }, id)).error).toBeUndefined();
  s.sent();
  expect((await s.stack.up(program)).error).toBeUndefined();
  expect(s.sent()).toEqual({ creates: 1, mails: 1 });
});
