import { describe, expect, test } from "vitest";
import { Asset } from "../../kit/values.js";
import type { Fault } from "../support/independent-service/index.js";
import { base64, healed, nda, pdf, people, scene, sceneWith } from "./scene.js";

const nobody = { creates: 0, mails: 0 };
const other = { name: "Other", pdf: pdf("other"), emails: ["cleo@example.net"] };

describe("a document the service doesn't show", () => {
  const rows: [string, (s: Awaited<ReturnType<typeof sceneWith>>) => void][] = [
    [
      "is missing while the same key sees another document of its owner",
      s => {
        s.service.people.upload("first", other);
        s.service.people.removeDocument(s.id());
        s.service.clock.advance(60_000);
      },
    ],
    [
      "is fresh and lags",
      s => {
        s.service.people.upload("first", other);
        s.service.people.removeDocument(s.id());
      },
    ],
    [
      "was the only one",
      s => {
        s.service.people.removeDocument(s.id());
        s.service.clock.advance(60_000);
      },
    ],
    [
      "belongs to another account's key",
      s => {
        s.service.people.upload("second", other);
        s.service.clock.advance(60_000);
        const config = s.stack.providers["default"];
        s.stack.providers["default"] = { ...config, apiKey: s.service.second.apiKey };
      },
    ],
    [
      "is still in the list",
      s => {
        s.service.people.upload("first", other);
        s.service.clock.advance(60_000);
        s.service.faults.push({ kind: "status", when: "before", status: 404, body: "json" }, "getDocument", {
          times: 99,
        });
      },
    ],
    ...(
      [
        ["is answered by a page of HTML", { kind: "status", when: "before", status: 404, body: "html" }],
        ["is answered by nothing", { kind: "status", when: "before", status: 404, body: "empty" }],
      ] satisfies [string, Fault][]
    ).map(([name, fault]): (typeof rows)[number] => [
      name,
      s => {
        s.service.people.upload("first", other);
        s.service.people.removeDocument(s.id());
        s.service.clock.advance(60_000);
        s.service.faults.push(fault, "getDocument", { times: 99 });
      },
    ]),
    [
      "is looked for below a wrong base URL",
      s => {
        s.service.people.upload("first", other);
        s.service.clock.advance(60_000);
        const config = s.stack.providers["default"];
        s.stack.providers["default"] = { ...config, baseUrl: `${s.service.url}/elsewhere` };
      },
    ],
  ];
  test.each(rows)("stays in state with a warning when it %s, and isn't replaced", async (_, happens) => {
    await using s = await sceneWith([nda()]);
    const { inputs, outputs } = s.stack.entry("nda");
    happens(s);
    s.sent();
    const refreshed = await s.stack.refresh();
    expect(refreshed.error).toBeUndefined();
    expect(refreshed.lines).toEqual([
      expect.stringContaining(`warning: the service doesn't show document ${s.id()}, so state keeps what it knew`),
    ]);
    expect(s.stack.entry("nda")).toMatchObject({ id: s.id(), inputs, outputs });

    expect((await s.stack.up([nda()], { refresh: true })).error).toBeUndefined();
    for (const refused of [
      await s.stack.up([nda({ inputs: { name: "Other" } })], { refresh: true }),
      await s.stack.up([nda()], { replace: ["nda"], skipPreview: true }),
    ]) {
      expect(refused.error).toContain(`could not confirm that document ${s.id()} is safe to replace`);
      expect(refused.error).toContain("[docsign/replace-unconfirmed]");
    }
    expect(s.stack.entry("nda").id).toBe(s.id());
    expect(s.sent()).toEqual(nobody);
  });

  test("isn't sent again after its entry was deleted from state by hand: the journal names it", async () => {
    await using s = await sceneWith([nda()]);
    s.service.people.removeDocument(s.id());
    s.stack.entries = [];
    s.sent();
    const refused = await s.stack.up([nda()]);
    expect(refused.error).toContain(`could not confirm that document ${s.id()} is safe to replace`);
    expect(refused.error).toMatch(/DOCSIGN_FORGET=[0-9a-f]{8} pulumi up/);
    expect(s.sent()).toEqual(nobody);
  });

  test.each([401, 403, 500, 502])("stays in state when the service answers %s", async code => {
    await using s = await sceneWith([nda()]);
    s.service.faults.push({ kind: "status", when: "before", status: code, body: "html" }, "getDocument", { times: 99 });
    expect((await s.stack.refresh()).error).toContain(String(code));
    expect(s.stack.entry("nda").id).toBe(s.id());
  });
});

describe("what was changed outside Pulumi", () => {
  const changes: Record<string, (s: Awaited<ReturnType<typeof sceneWith>>) => void> = {
    name: s => s.service.people.renameBehindBack(s.id(), "Renamed"),
    description: s => s.service.people.describeBehindBack(s.id(), "Rewritten"),
    base64File: s => s.service.people.addVersion(s.id(), pdf("second version")),
    folderId: s => s.service.people.moveToFolder(s.id(), "77"),
  };
  test.each(Object.entries(changes))("%s is drift in the outputs, no change and no mail", async (name, happens) => {
    await using s = await sceneWith([nda()]);
    const { inputs } = s.stack.entry("nda");
    happens(s);
    const up = await s.stack.up([nda()], { refresh: true });
    expect(up).toMatchObject({ error: undefined });
    expect(up.calls.filter(call => !/^(read|diff|check)/.test(call))).toEqual([]);
    expect(s.stack.entry("nda")).toMatchObject({ inputs, outputs: { drift: [name] } });
    expect(s.sent()).toEqual(nobody);
  });

  test.each([
    ["name", { name: "Renamed" }],
    ["description", { description: "Rewritten" }],
    ["base64File", { base64File: base64("second version") }],
    ["folderId", { folderId: "77" }],
  ])("a program that follows %s changes nothing, and the drift is over", async (name, inputs) => {
    await using s = await sceneWith([nda()]);
    changes[name]?.(s);
    s.service.people.signAll(s.id());
    await s.stack.refresh();
    expect(s.stack.entry("nda").outputs["drift"]).toEqual([name]);
    await healed(s, [nda({ inputs })]);
    expect(s.stack.entry("nda").outputs["drift"]).toEqual([]);
    await s.stack.refresh();
    expect(s.stack.entry("nda").outputs["drift"]).toEqual([]);
    await healed(s, [nda({ inputs })]);
  });

  test("a signature shows in the outputs and in nothing else", async () => {
    await using s = await sceneWith([nda()]);
    s.service.people.sign(s.id(), "ana@example.com");
    await s.stack.refresh();
    expect(s.stack.entry("nda").outputs).toMatchObject({
      status: "partially_signed",
      allSigned: false,
      pendingSigners: ["bob@example.org"],
      drift: [],
    });
    s.service.people.sign(s.id(), "bob@example.org");
    await s.stack.refresh();
    expect(s.stack.entry("nda").outputs).toMatchObject({ status: "signed", allSigned: true, pendingSigners: [] });
    await healed(s, [nda()]);
  });
});

describe("a folder the service ignores", () => {
  const inFolder = nda({ inputs: { folderId: "77" } });
  const ignored = { dialect: { folderId: "ignore" } } as const;
  const required = { ...ignored, config: { folderPlacement: "require" } } as const;

  test("is a warning and drift, and no failure", async () => {
    await using s = await scene(ignored);
    const up = await s.stack.up([inFolder]);
    expect(up.error).toBeUndefined();
    expect(up.lines.join("\n")).toContain(`warning: document ${s.id()} is in no folder, not in folder 77`);
    expect(s.stack.entry("nda").outputs).toMatchObject({ documentId: s.id(), drift: ["folderId"] });
    expect(s.sent()).toEqual({ creates: 1, mails: 2 });
    await healed(s, [inFolder]);
    s.service.people.moveToFolder(s.id(), "77");
    await s.stack.refresh();
    expect(s.stack.entry("nda").outputs).toMatchObject({ folderId: "77", drift: [] });
    expect(await s.stack.destroy()).toMatchObject({ error: undefined });
  });

  test("is no difference to an import of what was sent into it", async () => {
    await using s = await sceneWith([inFolder], ignored);
    s.stack.entries = [];
    const imported = await s.stack.up([{ ...inFolder, import: s.id() }]);
    expect(imported.error).toBeUndefined();
    await healed(s, [inFolder]);
    expect(s.stack.entry("nda")).toMatchObject({ id: s.id(), outputs: { imported: true } });
  });

  test("is a document created in part where folderPlacement is require: every up fails and mails no one", async () => {
    await using s = await scene(required);
    const up = await s.stack.up([inFolder]);
    const misplaced = `document ${s.id()} is in no folder, not in folder 77: the service didn't follow \`folderId\`. [docsign/folder-placement]`;
    expect(up.error).toContain(misplaced);
    expect(s.stack.entry("nda")).toMatchObject({ id: s.id(), outputs: { documentId: s.id(), drift: ["folderId"] } });
    expect(s.sent()).toEqual({ creates: 1, mails: 2 });
    for (let i = 0; i < 2; i++) {
      const again = await s.stack.up([inFolder], { skipPreview: true });
      expect(again.calls.at(-1)).toBe(`update nda ${s.id()}`);
      expect(again.error).toContain(misplaced);
    }
    expect(s.sent()).toEqual(nobody);
    expect((await s.stack.refresh()).error).toBeUndefined();
    expect(await s.stack.destroy()).toMatchObject({ error: undefined });
  });

  test("is none where the program names none: wherever the document was moved, a term changes without a request", async () => {
    await using s = await sceneWith([nda()], required);
    s.service.people.moveToFolder(s.id(), "77");
    await s.stack.refresh();
    s.asked();
    await healed(s, [nda({ inputs: { expiresAt: "2029-02-28" } })]);
    expect(s.asked()).toEqual([]);
  });

  test("heals once it is moved on the platform", async () => {
    await using s = await scene(required);
    await s.stack.up([inFolder]);
    s.sent();
    s.service.people.moveToFolder(s.id(), "77");
    await healed(s, [inFolder]);
    expect(s.stack.entry("nda").outputs).toMatchObject({ folderId: "77", drift: [] });
  });

  test("and somebody moves the document to another one: that isn't the service's doing", async () => {
    await using s = await scene(required);
    await s.stack.up([inFolder]);
    s.service.people.moveToFolder(s.id(), "77");
    expect((await s.stack.up([inFolder])).error).toBeUndefined();
    s.service.people.moveToFolder(s.id(), "78");
    for (let i = 0; i < 2; i++) await s.stack.refresh();
    expect((await s.stack.up([inFolder])).error).toContain(
      `document ${s.id()} is in folder 78, not in folder 77: somebody may have moved it on the platform. [docsign/folder-placement]`,
    );
  });

  test.each(["unsigned", "signed"])("taken out of the program is no change while it is %s", async status => {
    await using s = await scene(required);
    await s.stack.up([inFolder]);
    s.sent();
    if (status === "signed") s.service.people.signAll(s.id());
    await healed(s, [nda()]);
    expect(s.stack.entry("nda")).toMatchObject({ id: s.id(), initErrors: [] });
  });
});

const { base64File: _, ...described } = nda().inputs;
const printed = { name: "nda", inputs: { ...described, template: new Asset({ text: "# NDA\n" }) } };

test.each([nda(), printed])(
  "an imported document to which somebody was added, and that was signed since, is refreshed: %#",
  async goal => {
    await using s = await sceneWith([goal]);
    const { id } = s.stack.entry("nda");
    // `pulumi state delete`: the journal still knows what was sent.
    s.stack.entries.length = 0;
    expect((await s.stack.import({ name: "nda" }, id)).error).toBeUndefined();
    expect((await s.stack.up([goal])).error).toBeUndefined();
    s.service.people.invitedBehindBack(id, person =>
      person.email === people[0]?.email ? [person, { ...person, email: "cy@example.net" }] : [person],
    );
    s.service.people.sign(id, people[0]?.email ?? "");
    s.sent();
    const { error } = await s.stack.refresh();
    expect(error).toBeUndefined();
    expect(s.stack.entry("nda").outputs).toMatchObject({ status: "partially_signed", drift: ["invitations"] });
    expect(s.sent()).toEqual(nobody);
  },
);

test("a document that somebody uploaded is refreshed, though it is signed and somebody was added since its import", async () => {
  await using s = await scene();
  const id = s.service.people.upload("first", other);
  expect((await s.stack.import({ name: "nda" }, id)).error).toBeUndefined();
  s.service.people.invitedBehindBack(id, person => [person, { ...person, email: "cy@example.net" }]);
  s.service.people.sign(id, "cleo@example.net");
  const { error } = await s.stack.refresh();
  expect(error).toBeUndefined();
  expect(s.stack.entry("nda").outputs).toMatchObject({ status: "partially_signed", drift: ["invitations"] });
});

test("an import of what was sent names what was changed there since", async () => {
  await using s = await sceneWith([nda()]);
  const id = s.id();
  s.service.people.renameBehindBack(id, "Renamed");
  s.stack.entries.length = 0;
  s.sent();
  for (const goal of [nda({ import: id }), nda()]) {
    expect((await s.stack.up([goal])).error).toBeUndefined();
    expect(s.stack.entry("nda").outputs).toMatchObject({ name: "Renamed", drift: ["name"] });
  }
  expect((await s.stack.up([nda()])).calls).toEqual(["check nda (olds)", `diff nda ${id}`]);
  expect(s.sent()).toEqual(nobody);
});

test.each([false, true])(
  "of an import, a description that the service doesn't show is no change, and said: by the option, %s",
  async isByOption => {
    await using s = await scene();
    const emails = people.map(({ email }) => email);
    const id = s.service.people.upload("first", { name: "NDA", pdf: pdf("one"), emails });
    s.service.people.signAll(id);
    s.sent();
    const goal = nda({ inputs: { invitations: emails.map(email => ({ email, name: email })) } });
    if (!isByOption) expect((await s.stack.import({ name: "nda" }, id)).error).toBeUndefined();
    const { error, previewLines, lines } = await s.stack.up([isByOption ? { ...goal, import: id } : goal]);
    const warned = [expect.stringContaining(`warning: the service shows no description of document ${id}`)];
    expect([error, previewLines, lines]).toEqual([undefined, warned, warned]);
    await healed(s, [goal]);
    expect((await s.stack.up([goal])).lines).toEqual([]);
    expect((await s.stack.refresh()).error).toBeUndefined();
    expect(s.stack.entry("nda").outputs["drift"]).toEqual(["description"]);
  },
);
