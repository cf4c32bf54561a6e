import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { Asset } from "../../kit/values.js";
import { secret } from "../support/engine-client.js";
import { mixedDialects } from "../support/independent-service/index.js";
import type { Json } from "../support/independent-service/json.js";
import { type Goal, Ref, written } from "../support/simulated-engine.js";
import { base64, forgetMachine, nda, pdf, people, scene, sceneWith } from "./scene.js";

const folder = (name = "Contracts"): Goal => ({ name: "folder", type: "docsign:index:Folder", inputs: { name } });

describe.each(mixedDialects)("a document's life at a service of the dialect $name:", ({ settings }) => {
  test("from check to delete, with one request that mails and no change invented", async () => {
    await using s = await scene(settings);
    const up = await s.stack.up([nda()]);
    expect(up).toMatchObject({ error: undefined, previewCalls: ["check nda", "create nda"] });
    expect(s.sent()).toEqual({ creates: 1, mails: 2 });
    const id = s.id();
    expect(s.stack.entry("nda").id).toBe(id);

    expect((await s.stack.up([nda()])).calls).toEqual(["check nda (olds)", `diff nda ${id}`]);
    expect((await s.stack.refresh()).error).toBeUndefined();
    expect((await s.stack.up([nda()])).calls).toEqual(["check nda (olds)", `diff nda ${id}`]);

    s.stack.entries = [];
    await forgetMachine(s);
    expect((await s.stack.import({ name: "nda" }, id)).error).toBeUndefined();
    const imported = await s.stack.up([nda()]);
    const hidden = settings.dialect?.description !== undefined;
    if (!hidden) expect(imported.calls).toEqual(["check nda (olds)", `diff nda ${id}`]);
    expect(imported.error).toBeUndefined();
    s.stack.entries = s.stack.entries.slice(0, 1);
    if (hidden) return;
    expect(s.sent()).toEqual({ creates: 0, mails: 0 });

    expect((await s.stack.up([nda({ inputs: { name: "Other" } })])).error).toBeUndefined();
    expect(s.sent()).toEqual({ creates: 1, mails: 2 });
    expect(await s.stack.destroy()).toMatchObject({ error: undefined });
    expect(s.sent()).toEqual({ creates: 0, mails: 0 });
    expect(s.service.ledger.duplicates()).toEqual([]);
  });
});

describe("requests", () => {
  const lists = [
    "GET /v1/documents",
    ...["unsigned", "partially_signed", "signed"].map(status =>
      expect.stringMatching(`^GET /v1/documents/by_date_range\\?from_date=[-0-9]+&to_date=[-0-9]+&status=${status}$`),
    ),
  ];

  test("a create looks at four lists, sends one document and reads it, where the answer carries the id alone", async () => {
    await using s = await scene({ dialect: { createAnswer: "id" } });
    expect((await s.stack.preview([nda()])).error).toBeUndefined();
    expect(s.asked()).toEqual(lists);
    expect((await s.stack.up([nda()], { skipPreview: true })).error).toBeUndefined();
    expect(s.asked()).toEqual([...lists, "POST /v1/documents", `GET /v1/documents/${s.id()}`]);
  });

  test.each(["whole", "bare"] as const)(
    "a create reads nothing where the answer is the whole document, %s",
    async createAnswer => {
      await using s = await scene({ dialect: { createAnswer } });
      expect((await s.stack.up([nda()], { skipPreview: true })).error).toBeUndefined();
      expect(s.asked()).toEqual([...lists, "POST /v1/documents"]);
      const before = s.stack.entry("nda").outputs;
      expect(before["signers"]).toHaveLength(people.length);
      await s.stack.refresh();
      expect(s.stack.entry("nda").outputs).toEqual(before);
      expect((await s.stack.up([nda()])).calls).not.toContainEqual(expect.stringMatching(/^(create|update|delete)/));
      expect(s.sent()).toEqual({ creates: 1, mails: people.length });
    },
  );

  test.each<[string, (payload: Record<string, Json>) => Record<string, Json>]>([
    ["has another id than its parts", payload => ({ ...payload, id: 4711n })],
    ["has another name", payload => ({ ...payload, name: "Lease" })],
    ["has another PDF", payload => withFile(payload, { sha256: "0".repeat(64) })],
    ["leaves the hash out", payload => withFile(payload, { sha256: null })],
    ["lacks an invitation", payload => ({ ...payload, invitations: (payload["invitations"] as Json[]).slice(1) })],
    ["is in a folder", payload => ({ ...payload, folder_id: 4711n })],
    ["is signed", payload => ({ ...payload, status: "signed" })],
    ["is older than the request", payload => ({ ...payload, created_at: "2020-01-31T12:00:00.000-06:00" })],
    ["has no time", payload => ({ ...payload, created_at: null })],
    ["has another version than its file", payload => ({ ...payload, last_version: "2" })],
  ])("a create reads the document where the answer %s", async (_, change) => {
    await using s = await scene({ dialect: { createAnswer: "whole" } });
    const edit = (json: Json): Json => ({ ...Object(json), payload: change(Object(json)["payload"]) });
    s.service.faults.push({ kind: "edit", edit }, "createDocument");
    expect((await s.stack.up([nda()], { skipPreview: true })).error).toBeUndefined();
    expect(s.asked()).toContain(`GET /v1/documents/${s.id()}`);
    expect(s.stack.entry("nda").outputs["name"]).toBe("NDA");
    expect(s.sent()).toEqual({ creates: 1, mails: people.length });
  });

  test("a create reads each document of the same name, and sends once", async () => {
    await using s = await scene();
    const others = ["two", "three"].map(text =>
      s.service.people.upload("first", { name: "NDA", pdf: pdf(text), emails: ["cleo@example.net"] }),
    );
    expect((await s.stack.up([nda()], { skipPreview: true })).error).toBeUndefined();
    expect(s.asked()).toEqual([
      ...lists,
      ...others.map(id => `GET /v1/documents/${id}`),
      "POST /v1/documents",
      `GET /v1/documents/${s.id(2)}`,
    ]);
  });

  test("ten creates of a moment look at the lists once", async () => {
    // A moment is five seconds, however long the machine takes.
    vi.spyOn(Date, "now").mockReturnValue(Date.now());
    await using s = await scene();
    const ten = Array.from({ length: 10 }, (_, index) =>
      nda({ name: `nda-${index}`, inputs: { name: `NDA ${index}` } }),
    );
    expect((await s.stack.up(ten, { skipPreview: true })).error).toBeUndefined();
    expect(s.asked().filter(request => !/^POST|documents\/\d+$/.test(request))).toEqual(lists);
  });

  test("with duplicatePolicy: create, a create looks at no list", async () => {
    await using s = await scene({ config: { duplicatePolicy: "create" } });
    expect((await s.stack.up([nda()])).error).toBeUndefined();
    expect(s.asked()).toEqual(["POST /v1/documents", `GET /v1/documents/${s.id()}`]);
  });

  test("a no-op preview and a no-op up make none, a refresh one, destroy none", async () => {
    await using s = await sceneWith([folder(), nda({ inputs: { folderId: new Ref("folder", "folderId") } })]);
    const program = [folder(), nda({ inputs: { folderId: new Ref("folder", "folderId") } })];
    expect((await s.stack.up(program)).error).toBeUndefined();
    expect(s.asked()).toEqual([]);
    await s.stack.refresh();
    expect(s.asked()).toEqual([`GET /v1/documents/${s.id()}`]);
    await s.stack.destroy();
    expect(s.asked()).toEqual([]);
  });

  test("the create body is what the interface lists, and nothing else", async () => {
    await using s = await scene();
    const invitations = [
      { email: "ana@example.com", name: "Ana", message: "Please", stage: 1, allowedSignatureTypes: "advanced" },
    ];
    const extraParameters = { remind_every: 3, deep: { list: [null, "x"] } };
    await s.stack.up([
      folder(),
      nda({ inputs: { invitations, extraParameters, folderId: new Ref("folder", "folderId") } }),
    ]);
    const [request] = s.service.ledger.requests("createDocument");
    const bytes = pdf("one");
    expect(request?.body).toEqual({
      name: "NDA",
      description: "Mutual",
      folder_id: expect.anything(),
      invitations_attributes: [
        {
          invite_email: "ana@example.com",
          invite_name: "Ana",
          message: "Please",
          allowed_signature_types: "advanced",
          stage: 1,
        },
      ],
      base64_file: { sha256: s.stack.entry("nda").outputs["sha256"], size: bytes.length, pdf: true },
      ...extraParameters,
    });
  });
});

describe("a folder's life", () => {
  test("one create, nothing else ever asked", async () => {
    await using s = await scene();
    expect((await s.stack.up([folder()])).error).toBeUndefined();
    expect(s.asked()).toEqual(["POST /v1/folders"]);
    const { id, outputs } = s.stack.entry("folder");
    expect(outputs).toMatchObject({ folderId: id, name: "Contracts", ownerType: "User" });
    await s.stack.refresh();
    expect((await s.stack.up([folder()])).calls).toEqual(["check folder (olds)", `diff folder ${id}`]);
    s.stack.entries = [];
    expect((await s.stack.import(folder(), `${id}/Contracts`)).error).toBeUndefined();
    expect((await s.stack.up([folder()])).calls).toEqual(["check folder (olds)", `diff folder ${id}`]);
    expect((await s.stack.destroy()).lines.join()).toMatch(/folder \d+ is removed from state, not deleted/);
    expect(s.asked()).toEqual([]);
  });

  const inside = nda({ inputs: { folderId: new Ref("folder", "folderId") } });

  test("a changed name is refused while a document is inside, and taken back without a trace", async () => {
    await using s = await sceneWith([folder(), inside]);
    const refused = await s.stack.up([folder("Renamed"), inside]);
    expect(refused.error).toMatch(
      /holds 1 document[\s\S]*changed: name \("Contracts" → "Renamed"\)[\s\S]*inside: document \d+, unsigned/,
    );
    expect(s.sent()).toEqual({ creates: 0, mails: 0 });
    expect((await s.stack.up([folder(), inside])).error).toBeUndefined();
  });

  test.each([{}, { deleteBeforeReplace: true }])(
    "a forced replacement is refused while a document is inside, %o",
    async option => {
      const program = [{ ...folder(), ...option }, inside];
      await using s = await sceneWith(program);
      const refused = await s.stack.up(program, { replace: ["folder"], skipPreview: true });
      expect(refused.error).toMatch(/holds 1 document/);
      expect(s.sent()).toEqual({ creates: 0, mails: 0 });
      expect((await s.stack.up(program)).error).toBeUndefined();
    },
  );

  test("an empty one is replaced when its name changes", async () => {
    await using s = await sceneWith([folder()]);
    expect((await s.stack.up([folder("Renamed")])).error).toBeUndefined();
    expect(s.service.ledger.folders().map(({ name }) => name)).toEqual(["Contracts", "Renamed"]);
  });
});

describe("ways in of the same PDF", () => {
  const file = (text: string) => {
    const path = join(mkdtempSync(join(tmpdir(), "docsign-pdf-")), "a.pdf");
    writeFileSync(path, pdf(text));
    return { path, [Symbol.dispose]: () => rmSync(path) };
  };

  test("have the same hash, and going from one to the next is no change, signed or not", async () => {
    using here = file("one");
    const ways: Goal["inputs"][] = [
      { base64File: base64("one") },
      { base64File: `data:application/pdf;base64,${base64("one")}` },
      { base64File: base64("one").replace(/.{10}/g, "$&\r\n") },
      { base64File: null, file: new Asset({ path: here.path }) },
      { base64File: null, file: new Asset({ text: pdf("one").toString() }) },
      { base64File: null, file: new Asset({ uri: `file://${here.path}` }) },
      { base64File: base64("one") },
    ];
    await using s = await sceneWith([nda()]);
    s.service.people.signAll(s.id());
    for (const inputs of ways) {
      const up = await s.stack.up([nda({ inputs })]);
      expect(up).toMatchObject({ error: undefined, calls: ["check nda (olds)", `diff nda ${s.id()}`] });
    }
    expect(s.asked()).toEqual([]);
  });

  test.each([
    ["a path", (path: string) => new Asset({ path })],
    ["a string", () => new Asset({ text: pdf("one").toString() })],
    ["an address on this machine", (path: string) => new Asset({ uri: `file://${path}` })],
  ])("an asset given as %s is sent as it is, and its content never enters state", async (_, asset) => {
    using here = file("one");
    await using s = await scene();
    expect((await s.stack.up([nda({ inputs: { base64File: null, file: asset(here.path) } })])).error).toBeUndefined();
    expect(s.service.ledger.documents()[0]?.uploadedSha256).toBe(s.stack.entry("nda").outputs["sha256"]);
    const { inputs, outputs } = s.stack.entry("nda");
    expect(written({ inputs, outputs })).not.toMatch(/PDF-1|EOF/);
    expect(outputs).not.toHaveProperty("file");
  });
});

test("a document with two signers costs at most 3 KB of state, whatever its PDF weighs", async () => {
  const weighty = pdf("x".repeat(300_000)).toString("base64");
  for (const { settings } of mixedDialects) {
    await using s = await scene(settings);
    await s.stack.up([nda({ inputs: { base64File: weighty } })]);
    s.service.people.signAll(s.id());
    s.service.people.certify(s.id(), { nom151: false });
    await s.stack.refresh();
    const { inputs, outputs } = s.stack.entry("nda");
    expect(written({ inputs, outputs }).length).toBeLessThanOrEqual(3_072);
  }
});

test("a secret input makes what is derived from it secret, and is never echoed", async () => {
  await using s = await scene();
  const canary = `Project Canary ${"x".repeat(70)} "quoted"`;
  const hushed = nda({
    inputs: { name: secret(canary), invitations: secret(people), base64File: secret(base64("one")) },
  });
  expect((await s.stack.up([hushed])).error).toBeUndefined();
  const { inputs, outputs } = s.stack.entry("nda");
  for (const name of ["name", "invitations", "base64File"]) expect(inputs[name]).toHaveProperty("value");
  for (const name of ["name", "signers", "pendingSigners"]) expect(outputs[name]).toHaveProperty("value");
  s.service.people.sign(s.id(), "ana@example.com");
  const stories = [
    await s.stack.refresh(),
    await s.stack.up([nda({ inputs: { ...hushed.inputs, name: secret(`${canary} changed`) } })]),
    await s.stack.up([nda({ inputs: { ...hushed.inputs, base64File: secret(base64("two")) } })]),
    await s.stack.up([nda({ inputs: { ...hushed.inputs, base64File: secret("not a pdf: Canary") } })]),
    await s.stack.up([nda({ inputs: { ...hushed.inputs, name: secret(`Canary\n${canary}`) } })]),
    await s.stack.up([hushed], { replace: ["nda"] }),
    await s.stack.destroy(),
  ];
  const shown = JSON.stringify(stories.map(({ error, lines, previewLines }) => [error, lines, previewLines]));
  expect(shown).not.toMatch(/Canary|ana@example|bob@example/);
  expect(stories.map(({ error }) => error === undefined)).toEqual([true, false, false, false, false, false, true]);
});

test("a hash of what was replaced is secret: an input of what was replaced may have been", async () => {
  await using s = await sceneWith([nda({ inputs: { description: secret("4711") } })]);
  expect((await s.stack.up([nda({ inputs: { description: "NDA" } })])).error).toBeUndefined();
  const { supersedes, supersededContents } = s.stack.entry("nda").outputs;
  expect(supersedes).toEqual([s.id()]);
  expect(supersededContents).toHaveProperty("value", { [s.id()]: expect.stringMatching(/^[\w-]{12}$/) });
});

test("an import of a document whose hash the service keeps to itself fetches the PDF, or says that it can't", async () => {
  await using s = await sceneWith([nda()], { dialect: { sha256: "null" } });
  s.stack.entries = [];
  await forgetMachine(s);
  await s.stack.import({ name: "nda" }, s.id());
  expect(s.stack.entry("nda").inputs["base64File"]).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect((await s.stack.up([nda()])).calls).toEqual(["check nda (olds)", `diff nda ${s.id()}`]);

  await using t = await sceneWith([nda()], { dialect: { sha256: "null", downloads: "missing" } });
  t.stack.entries = [];
  await forgetMachine(t);
  const imported = await t.stack.import({ name: "nda" }, t.id());
  expect(imported.error).toBeUndefined();
  expect(imported.lines.join("\n")).toMatch(/PDF/);
  expect(t.stack.entry("nda").inputs).not.toHaveProperty("base64File");
  t.service.people.signAll(t.id());
  const ignoring = nda({ ignoreChanges: ["file", "base64File"] });
  expect((await t.stack.up([ignoring])).calls).toEqual(["check nda (olds)", `diff nda ${t.id()}`]);
  expect((await t.stack.up([nda()])).calls).toEqual(["check nda (olds)", `diff nda ${t.id()}`]);
});

test("a secret name alone stays secret in a refusal, long and quoted as it may be", async () => {
  await using s = await scene();
  const canary = `Canary "of" ${"x".repeat(70)}`;
  const hushed = nda({ inputs: { name: secret(canary) } });
  expect((await s.stack.up([hushed])).error).toBeUndefined();
  s.service.people.sign(s.id(), "ana@example.com");
  const refused = await s.stack.up([nda({ inputs: { name: secret(canary), description: "Changed" } })]);
  expect(refused.error).toMatch(/is partially signed/);
  expect(refused.error).not.toMatch(/Canary/);
  const forced = await s.stack.up([hushed], { replace: ["nda"] });
  expect(forced.error).toMatch(/is partially signed/);
  expect(forced.error).not.toMatch(/Canary/);
});

test.each(["../users/api_key", "12?x=1", "12\r\nx: y", "١٢", "0", "-1", "1e3", " 12", "9".repeat(21), "12/../13"])(
  "an import of the id %j never reaches the service",
  async id => {
    await using s = await scene();
    expect((await s.stack.import({ name: "nda" }, id)).error).toBeDefined();
    if (!id.includes("/")) expect((await s.stack.import(folder(), `${id}/Name`)).error).toBeDefined();
    expect(s.asked()).toEqual([]);
  },
);

const withFile = (payload: Record<string, Json>, change: Record<string, Json>): Record<string, Json> => ({
  ...payload,
  files: (payload["files"] as Record<string, Json>[]).map(file => ({ ...file, ...change })),
});
