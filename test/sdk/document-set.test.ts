import { expect, test } from "vitest";
import type { Raw } from "../../sdk/dynamic/encoding.js";
import { open, unknown as unknownValue } from "./support/scene.js";

const SET = "docsign:index:DocumentSet";
const ASSET = { "4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17" };
const addressOf = (name: string) => `${name.toLowerCase()}@example.com`;

/** A set with an NDA for each of these people, as the class sends it. */
const team = (people: readonly string[], more: object = {}): Raw => ({
  table: { ...ASSET, text: `email,name\n${people.map(name => `${addressOf(name)},${name}\n`).join("")}` },
  key: "{{email}}",
  defaults: {
    name: "NDA of {{name}}",
    template: { ...ASSET, text: "# NDA\n\n{{name}}\n" },
    variables: { name: "{{name}}" },
    invitations: [{ email: "{{email}}", name: "{{name}}" }],
  },
  ...more,
});

const rows = (entry: { outputs: Raw }) => entry.outputs["documents"] as Record<string, { documentId: string }>;
const mailed = (scene: Awaited<ReturnType<typeof open>>) =>
  scene.service.ledger
    .mails()
    .map(({ to }) => to)
    .toSorted();

test("a set is created, shows no diff, is refreshed, and a row added mails one person", async () => {
  await using scene = await open();
  const first = scene.host();
  await first.preview(first.program("ndas", team(["Ana", "Bob"]), SET));
  expect(first.said.join()).toContain("will mail ana@example.com");
  expect(scene.posts()).toBe(0);
  const entry = await first.create(first.program("ndas", team(["Ana", "Bob"]), SET));
  expect(mailed(scene)).toEqual(["ana@example.com", "bob@example.com"]);
  expect(entry.outputs["summary"]).toMatchObject({ total: 2, unsigned: 2 });
  expect(JSON.stringify(entry)).not.toContain("# NDA");

  const host = scene.host();
  const seen = scene.service.ledger.requests().length;
  expect(await host.diff(entry, host.program("ndas", team(["Bob", "Ana"]), SET))).toMatchObject({ changes: false });
  expect(scene.service.ledger.requests()).toHaveLength(seen);
  expect((await scene.host().refresh(entry)).outputs).toEqual(entry.outputs);

  const preview = scene.host();
  const more = preview.program("ndas", team(["Ana", "Bob", "Cy"]), SET);
  expect(await preview.previewAgain(entry, more)).toMatchObject({ changes: true, replaces: [] });
  expect(preview.said.join()).toContain("will mail cy@example.com");
  expect(preview.said.join()).not.toContain("will mail ana@example.com");
  const grown = await scene.host().update(entry, more);
  expect(Object.keys(rows(grown))).toHaveLength(3);
  expect(mailed(scene)).toEqual(["ana@example.com", "bob@example.com", "cy@example.com"]);
});

test("the rows given as `documents` aren't the output of that name, and are no diff", async () => {
  await using scene = await open();
  const host = scene.host();
  const args = {
    documentRows: {
      ana: { template: { ...ASSET, text: "Hello" }, invitations: [{ email: "ana@example.com" }] },
      bob: {
        base64File: Buffer.from("%PDF-1.4\nb\n%%EOF\n").toString("base64"),
        invitations: [{ email: "bob@example.org" }],
      },
    },
    defaults: { name: "NDA" },
  };
  const program = host.program("ndas", args, SET);
  const entry = await host.create(program);
  expect(rows(entry)).toMatchObject({ ana: { status: "unsigned" }, bob: { status: "unsigned" } });
  expect(entry.inputs).not.toHaveProperty("documents");
  expect(JSON.stringify(entry)).not.toMatch(/Hello|%PDF/);
  expect(await scene.host().diff(entry, program)).toMatchObject({ changes: false });
  const refreshed = await scene.host().refresh(entry);
  expect(await scene.host().diff(refreshed, program)).toMatchObject({ changes: false });
  expect(scene.posts()).toBe(2);
});

test("a signed row refuses the whole update, and a forced replacement, before anything is sent", async () => {
  await using scene = await open();
  const first = scene.host();
  const entry = await first.create(first.program("ndas", team(["Ana", "Bob", "Cy"]), SET));
  await first.end();
  scene.service.people.sign(rows(entry)["bob@example.com"]?.documentId ?? "", "bob@example.com");
  const before = scene.posts();
  const changed = team(["Ana", "Bob", "Cy"], {
    defaults: { ...(team([])["defaults"] as object), name: "Lease of {{name}}" },
  });
  const host = scene.host();
  await expect(host.diff(entry, host.program("ndas", changed, SET))).rejects.toThrow(
    "1 of 3 changed rows can't be replaced, so nothing was sent",
  );
  for (const args of [team(["Ana", "Bob", "Cy"]), changed]) {
    const forced = scene.host();
    await expect(forced.replaceByForce(entry, forced.program("ndas", args, SET))).rejects.toThrow(
      "1 of 3 rows can't be replaced, so nothing was sent",
    );
  }
  expect(scene.posts()).toBe(before);
  await scene.host().remove(entry);
  expect(scene.posts()).toBe(before);
});

test("an unsigned set is replaced by force, with one mail for each row", async () => {
  await using scene = await open();
  const first = scene.host();
  const entry = await first.create(first.program("ndas", team(["Ana", "Bob"]), SET));
  const host = scene.host();
  const next = await host.replaceByForce(entry, host.program("ndas", team(["Ana", "Bob"]), SET));
  expect(Object.values(rows(next)).map(({ documentId }) => documentId)).not.toContain(
    rows(entry)["ana@example.com"]?.documentId,
  );
  expect(mailed(scene)).toEqual(["ana@example.com", "ana@example.com", "bob@example.com", "bob@example.com"]);
});

test.each([3, 200])("of %i rows one fails: the others stay done, and the next up sends that one alone", async count => {
  await using scene = await open();
  const people = Array.from({ length: count }, (_, index) => `P${index}`);
  scene.service.faults.push({ kind: "status", when: "before", status: 422 }, "createDocument");
  const first = scene.host();
  const program = first.program("ndas", team(people), SET);
  const failed = await first.create(program).catch((error: unknown) => error);
  expect(String((failed as Error).message)).toContain(`${count - 1} of ${count} rows are done, 1 is not`);
  const { id, properties } = failed as { id?: string; properties?: Raw };
  await first.end();
  const host = scene.host();
  expect(Object.keys(rows({ outputs: properties ?? {} }))).toHaveLength(count - 1);
  const state = { id: id ?? "", inputs: await host.check(undefined, program), outputs: properties ?? {} };
  const entry = await host.update(state, program);
  expect(Object.keys(rows(entry))).toHaveLength(count);
  expect(mailed(scene)).toEqual(people.map(addressOf).toSorted());
});

test("`import` takes over the documents of a folder, keyed as the program says, and mails nobody", async () => {
  await using scene = await open();
  const { service } = scene;
  const pdf = Buffer.from("%PDF-1.4\nx\n%%EOF\n");
  const ids = ["ana", "bob"].map(name =>
    service.people.upload("first", { name: "NDA", pdf, emails: [addressOf(name)] }),
  );
  const args = (more: object = {}) => ({
    documentRows: Object.fromEntries(
      ["ana", "bob"].map(name => [addressOf(name), { invitations: [{ email: addressOf(name) }] }]),
    ),
    defaults: { name: "NDA", base64File: pdf.toString("base64"), ...more },
    __import: `documents/${ids.join(",")}/email`,
  });
  const other = scene.host();
  await expect(other.preview(other.program("ndas", args({ name: "Lease" }), SET))).rejects.toThrow(
    "different: ana@example.com: name",
  );
  const host = scene.host();
  await host.preview(host.program("ndas", args(), SET));
  const entry = await host.create(host.program("ndas", args(), SET));
  expect(
    Object.values(rows(entry))
      .map(({ documentId }) => documentId)
      .toSorted(),
  ).toEqual(ids.toSorted());
  expect(await scene.host().diff(entry, host.program("ndas", args(), SET))).toMatchObject({ changes: false });
  expect(scene.posts()).toBe(0);
});

test("rows that aren't known yet in a preview ask the service nothing", async () => {
  await using scene = await open();
  const host = scene.host();
  await host.preview(host.program("ndas", { documentRows: unknownValue }, SET));
  expect(scene.service.ledger.requests()).toEqual([]);
});

test("of a set in a folder that isn't known yet, a preview says whom it mails", async () => {
  await using scene = await open();
  const host = scene.host();
  const defaults = { ...(team([])["defaults"] as object), folderId: unknownValue };
  await host.preview(host.program("ndas", team(["Ana", "Bob"], { defaults }), SET));
  expect(host.said.join()).toContain("in all: 2 people will be mailed (2 new documents)");
});

test.each([
  ["the folder", { defaults: { name: "NDA", folderId: unknownValue } }],
  ["any of the defaults", { defaults: unknownValue }],
  ["the rows", { documentRows: unknownValue }],
])("a preview of an import goes well where %s isn't known yet", async (_, more) => {
  await using scene = await open();
  const content = Buffer.from("%PDF-1.4\nx\n%%EOF\n");
  const id = scene.service.people.upload("first", { name: "NDA", pdf: content, emails: ["ana@example.com"] });
  const row = { base64File: content.toString("base64"), invitations: [{ email: "ana@example.com" }] };
  const args = { documentRows: { [id]: row }, __import: `documents/${id}`, ...more };
  const host = scene.host();
  await host.preview(host.program("ndas", args, SET));
  expect(host.said.join()).toContain("1 document is taken over as it is: no one is mailed");
});
