import { expect, test } from "vitest";
import { Asset } from "../../kit/values.js";
import { forgetMachine, healed, nda, pdf, sceneWith } from "../lifecycle/scene.js";

const nobody = { creates: 0, mails: 0 };

/** As an import file with outputs leaves it: the provider is asked nothing. */
const FAKED = { documentId: "999999", status: "signed", allSigned: true, signers: [] };

test("outputs that the provider didn't write are replaced by the service's at the next up, and mail no one", async () => {
  await using s = await sceneWith([nda()]);
  await forgetMachine(s);
  s.stack.entry("nda").outputs = FAKED;
  const up = await s.stack.up([nda()]);
  expect(up.error).toBeUndefined();
  expect(s.stack.entry("nda").outputs).toMatchObject({
    documentId: s.id(),
    status: "unsigned",
    service: s.service.url,
  });
  expect(s.sent()).toEqual(nobody);
  const after = await s.stack.up([nda()], { skipPreview: true });
  expect(after.calls).toEqual(["check nda (olds)", `diff nda ${s.id()}`]);
});

test("refresh replaces them too, and keeps the inputs", async () => {
  await using s = await sceneWith([nda()]);
  const { inputs } = s.stack.entry("nda");
  s.stack.entry("nda").outputs = FAKED;
  expect(await s.stack.refresh()).toMatchObject({ error: undefined });
  expect(s.stack.entry("nda")).toMatchObject({ inputs, outputs: { documentId: s.id(), status: "unsigned" } });
});

test("a replacement of one that failed is taken back, also after a run without it", async () => {
  await using s = await sceneWith([nda()]);
  s.stack.entry("nda").outputs = FAKED;
  s.service.faults.push({ kind: "status", when: "before", status: 422 }, "createDocument");
  expect((await s.stack.up([nda({ inputs: { name: "Other" } })])).error).toContain("422");
  expect((await s.stack.up([])).error).toBeUndefined();
  s.sent();
  await healed(s, [nda()]);
  expect(s.stack.entry("nda").id).toBe(s.id());
});

test("a refresh warns of no missing hash where the program gives a file", async () => {
  const file = new Asset({ text: pdf("one").toString() });
  const { base64File: _, ...inputs } = nda().inputs;
  const program = [{ name: "nda", inputs: { ...inputs, file } }];
  await using s = await sceneWith(program);
  s.stack.entry("nda").outputs = FAKED;
  const { error, lines } = await s.stack.refresh();
  expect(error).toBeUndefined();
  expect(lines.join("\n")).not.toContain("the service doesn't show the hash");
});

test.each([
  ["without outputs of the provider", FAKED],
  ["with the right id and no service", (id: string) => ({ ...FAKED, documentId: id })],
])("an id of another document %s is refused, and nothing is sent or replaced", async (_, faked) => {
  await using s = await sceneWith([nda()]);
  const other = s.service.people.upload("first", { name: "Lease", pdf: pdf("lease"), emails: ["cleo@example.com"] });
  s.sent();
  const entry = s.stack.entry("nda");
  entry.id = String(other);
  entry.outputs = typeof faked === "function" ? faked(String(other)) : faked;
  for (const run of [() => s.stack.up([nda()]), () => s.stack.refresh()]) {
    const refused = await run();
    expect(refused.error).toContain("[docsign/other-document]");
    expect(refused.error).toContain(`document ${other} at the service differs in name, invitations, base64File`);
  }
  expect(s.sent()).toEqual(nobody);
});

test("an id that the service doesn't show is refused", async () => {
  await using s = await sceneWith([nda()]);
  Object.assign(s.stack.entry("nda"), { id: "424242", outputs: FAKED });
  for (const run of [() => s.stack.up([nda()]), () => s.stack.refresh()])
    expect((await run()).error).toContain("[docsign/not-shown]");
  expect(s.sent()).toEqual(nobody);
});
