import { describe, expect, test } from "vitest";
import { type Goal, pluginFrontEnd, Stack } from "../support/simulated-engine.js";
import { base64, fillAccount, nda, newestFirst, type Scene, type SceneOptions, scene } from "./scene.js";

const nobody = { creates: 0, mails: 0 };
const at = (backend: string): SceneOptions => ({
  frontEnd: machine => pluginFrontEnd(machine, { PULUMI_BACKEND_URL: backend }),
});

/** State in another backend, on the same journal: what the first one does from now on, the copy doesn't hold. */
function copied({ stack, machine }: Scene): Stack {
  const copy = new Stack(pluginFrontEnd(machine, { PULUMI_BACKEND_URL: "file:///b" }), { ...stack.providers });
  copy.entries = [...stack.entries];
  return copy;
}

const program = (text: string) => [nda({ inputs: { base64File: base64(text) } })];

test.each(["signed", "unsigned"])(
  "a copy of state in another backend, whose document was replaced there by one that is %s, sends no third one",
  async status => {
    await using s = await scene(at("file:///a"));
    await s.stack.up(program("one"));
    const copy = copied(s);
    await s.stack.up(program("two"));
    if (status === "signed") s.service.people.signAll(s.id(1));
    s.sent();
    for (const skipPreview of [false, true, false, true]) {
      const refused = await copy.up(program("three"), { skipPreview });
      expect(refused.error).toContain("[docsign/duplicate]");
      expect(refused.error).toContain(
        `document ${s.id(1)} has the same name and people already, and by the journal this`,
      );
      expect(s.sent()).toEqual(nobody);
    }
    expect((await copy.up(program("two"))).error).toContain("[docsign/duplicate]");
    expect(s.sent()).toEqual(nobody);
  },
);

test.each(["signed", "unsigned"])(
  "state in another backend that lacks the document, which is %s, sends no other one for the same people",
  async status => {
    await using s = await scene(at("file:///a"));
    await s.stack.up(program("one"));
    if (status === "signed") s.service.people.signAll(s.id(0));
    const copy = copied(s);
    copy.entries = [];
    s.sent();
    for (const skipPreview of [false, true])
      expect((await copy.up(program("two"), { skipPreview })).error).toContain("[docsign/duplicate]");
    expect(s.sent()).toEqual(nobody);
  },
);

describe("state that was moved to another backend", () => {
  const renamed = [nda({ inputs: { name: "Other", base64File: base64("two") } })];
  const moved = async (isSigned: boolean): Promise<[Scene, Stack]> => {
    const s = await scene({ ...at("file:///a"), ...newestFirst });
    fillAccount(s);
    for (let time = 0; time < 2; time++) expect((await s.stack.up(program("one"))).error).toBeUndefined();
    if (isSigned) s.service.people.signAll(s.stack.entry("nda").id);
    s.sent();
    const copy = copied(s);
    copy.taint("nda");
    return [s, copy];
  };

  test("has its signed document not replaced by force", async () => {
    const [made, copy] = await moved(true);
    await using s = made;
    for (const skipPreview of [false, true]) {
      const { error } = await copy.up(renamed, { skipPreview });
      expect(error).toContain("[docsign/replace-signed]");
      expect(error).toContain("::nda (file:///a)");
    }
    expect(s.sent()).toEqual(nobody);
  });

  test("has an unsigned one replaced", async () => {
    const [made, copy] = await moved(false);
    await using s = made;
    expect((await copy.up(renamed)).error).toBeUndefined();
    expect(s.sent()).toMatchObject({ creates: 1 });
  });

  test("has another one sent where the service shows the first one to nobody", async () => {
    const [made, copy] = await moved(true);
    await using s = made;
    const unread = new RegExp(`/${s.stack.entry("nda").id}$`);
    s.service.faults.push({ kind: "status", when: "before", status: 404 }, unread, { times: 20 });
    copy.entries = [];
    expect((await copy.up(renamed)).error).toBeUndefined();
    expect(s.sent()).toMatchObject({ creates: 1 });
  });
});

test("a new stack of another backend's names is sent by a person's word, and the first one's signed document stays", async () => {
  await using s = await scene({ ...at("file:///a"), ...newestFirst });
  fillAccount(s);
  const goal = (name: string, email: string) =>
    nda({ inputs: { name, base64File: base64(name), invitations: [{ email }] } });
  const up = (forget: string) =>
    new Stack(pluginFrontEnd(s.machine, { PULUMI_BACKEND_URL: "file:///b", DOCSIGN_FORGET: forget }), {
      ...s.stack.providers,
    }).up([goal("Two", "bob@example.com")]);
  for (let time = 0; time < 2; time++)
    expect((await s.stack.up([goal("One", "ana@example.com")])).error).toBeUndefined();
  s.service.people.signAll(s.stack.entry("nda").id);
  s.sent();
  const { error } = await up("");
  expect(error).toContain("is signed, and may be this resource's. Nothing was created. [docsign/replace-signed]");
  expect(error).not.toMatch(/take the change back|let go of this one/);
  const token = /if this is another stack: DOCSIGN_FORGET=([0-9a-f]{8})/.exec(error ?? "")?.[1] ?? "";
  expect((await up(token)).error).toBeUndefined();
  expect(s.sent()).toEqual({ creates: 1, mails: 1 });
  s.stack.taint("nda");
  const forced = await s.stack.up([goal("Three", "cy@example.com")], { skipPreview: true });
  expect(forced.error).toContain("[docsign/replace-signed]");
  expect(s.sent()).toEqual(nobody);
});

test("a copy of a set's state, whose rows were replaced there, sends no third contract for a row", async () => {
  const set = (text: string): Goal[] => [
    {
      name: "ndas",
      type: "docsign:index:DocumentSet",
      inputs: {
        documents: { ana: { invitations: [{ email: "ana@example.com" }] } },
        defaults: { name: "NDA", base64File: base64(text) },
      },
    },
  ];
  await using s = await scene(at("file:///a"));
  await s.stack.up(set("one"));
  const copy = copied(s);
  await s.stack.up(set("two"));
  s.service.people.signAll(s.id(1));
  s.sent();
  expect((await copy.up(set("three"), { skipPreview: true })).error).toContain("[docsign/duplicate]");
  // Who holds the very contract is said with the backend: the set has the same name in both.
  expect((await copy.up(set("two"), { skipPreview: true })).error).toContain("::ndas (file:///a)` holds it");
  expect(s.sent()).toEqual(nobody);
});

test("a copy that has gone another way by a person's word goes on with its own document", async () => {
  await using s = await scene(at("file:///a"));
  await s.stack.up(program("one"));
  const copy = copied(s);
  await s.stack.up(program("two"));
  const settings = copy.providers["default"] ?? {};
  copy.providers["default"] = { ...settings, duplicatePolicy: "create" };
  expect((await copy.up(program("three"))).error).toBeUndefined();
  copy.providers["default"] = settings;
  s.sent();
  expect((await copy.up(program("four"))).error).toBeUndefined();
  expect(s.sent()).toMatchObject({ creates: 1 });
});

test("a document that another backend has let go of stands in nobody's way", async () => {
  await using s = await scene(at("file:///a"));
  await s.stack.up(program("one"));
  const copy = copied(s);
  copy.entries = [];
  expect((await s.stack.destroy()).error).toBeUndefined();
  s.sent();
  expect((await copy.up(program("two"))).error).toBeUndefined();
  expect(s.sent()).toMatchObject({ creates: 1 });
});

test("nor does one of a resource whose name only begins like it", async () => {
  await using s = await scene(at("file:///a"));
  const [one] = program("one");
  await s.stack.up(one ? [{ ...one, name: "nda (Berlin)" }] : []);
  const copy = copied(s);
  copy.entries = [];
  s.sent();
  expect((await copy.up(program("two"))).error).toBeUndefined();
  expect(s.sent()).toMatchObject({ creates: 1 });
});
