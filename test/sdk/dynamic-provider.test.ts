import { describe, expect, test } from "vitest";
import type { Raw } from "../../sdk/dynamic/encoding.js";
import { mixedDialects } from "../support/independent-service/index.js";
import { keyOf, PROVIDER } from "./support/host.js";
import { asset, nda, open, pdf, unknown } from "./support/scene.js";

describe.each(mixedDialects)("a service of the dialect $name:", ({ settings }) => {
  test("keeps a document through create, refresh and preview with one request that mails", async () => {
    await using scene = await open(settings);
    const host = scene.host();
    const program = host.program("nda", nda());
    const entry = await host.create(program);
    expect(scene.posts()).toBe(1);
    expect(entry.id).toBe(scene.service.ledger.documents()[0]?.id);

    const seen = scene.service.ledger.requests().length;
    expect(await host.diff(entry, program)).toMatchObject({ changes: false, replaces: [] });
    expect(scene.service.ledger.requests()).toHaveLength(seen);

    const read = await host.refresh(entry);
    expect(read.outputs).toEqual(entry.outputs);
    expect(await scene.host().diff(read, program)).toMatchObject({ changes: false });
  });
});

test("the same PDF by another way in is no change, and a changed one replaces delete-first", async () => {
  await using scene = await open();
  const host = scene.host();
  const entry = await host.create(host.program("nda", nda()));
  const { base64File: _, ...rest } = nda();
  expect(await host.diff(entry, host.program("nda", { ...rest, file: asset("one") }))).toMatchObject({
    changes: false,
  });
  expect(await host.diff(entry, host.program("nda", { ...rest, file: asset("two") }))).toEqual({
    changes: true,
    replaces: ["file"],
    deleteBeforeReplace: true,
  });
});

test("a document made from a file asset is read and compared without the PDF", async () => {
  await using scene = await open();
  const { base64File: _, ...rest } = nda();
  const host = scene.host();
  const program = host.program("nda", { ...rest, file: asset("one") });
  const entry = await host.create(program);
  const read = await scene.host().refresh(entry);
  expect(read.outputs).toEqual(entry.outputs);
  expect(JSON.stringify(entry)).not.toContain("%PDF");
  expect(await scene.host().diff(read, program)).toMatchObject({ changes: false });
});

test("what the dynamic provider adds to a document's state stays below 1 KB", async () => {
  await using scene = await open();
  const host = scene.host();
  const { inputs, outputs } = await host.create(host.program("nda", nda()));
  const added = [inputs, outputs].map(({ __provider, resourceKey, secretInputs, given }) =>
    JSON.stringify({ __provider, resourceKey, secretInputs, given }),
  );
  expect(added.join("").length).toBeLessThan(1024);
  expect(PROVIDER.length).toBeLessThanOrEqual(300);
});

test("in a preview says who will be mailed, only reads, and leaves no mark", async () => {
  await using scene = await open();
  const host = scene.host();
  const inputs = await host.preview(host.program("nda", nda({ folderId: unknown })));
  expect(host.said.join()).toContain(
    "will mail bob@example.org, then ana@example.com (in stage 1, after those before)",
  );
  expect(scene.service.ledger.requests().filter(({ method }) => method !== "GET")).toEqual([]);
  expect(inputs).not.toHaveProperty("__preview");
  expect(inputs["folderId"]).toBe(unknown);
});

test("nothing signed is replaced: not by a change, not by force, not under a new name", async () => {
  await using scene = await open();
  const first = scene.host();
  const entry = await first.create(first.program("nda", nda()));
  await first.end();
  scene.service.people.sign(entry.id, "ana@example.com");
  const refusal = /is partially signed, so it is not replaced/;

  const host = scene.host();
  await expect(host.diff(entry, host.program("nda", nda({ base64File: pdf("two") })))).rejects.toThrow(refusal);
  const forced = scene.host();
  await expect(forced.replaceByForce(entry, forced.program("nda", nda()))).rejects.toThrow(refusal);
  const renamed = scene.host();
  await expect(renamed.replaceByForce(entry, renamed.program("contract", nda()))).rejects.toThrow(refusal);
  await expect(scene.host().remove(entry)).resolves.toBeUndefined();
  expect(scene.posts()).toBe(1);
});

test.each([
  ["another PDF", { base64File: pdf("two") }],
  ["another title and PDF", { name: "Lease", base64File: pdf("two") }],
  ["other people", { invitations: [{ email: "cy@example.net" }] }],
])(
  "nothing signed is replaced by force under a new name with %s, where this machine remembers nothing",
  async (_, more) => {
    await using scene = await open();
    const first = scene.host();
    const entry = await first.create(first.program("nda", nda()));
    await first.end();
    scene.service.people.sign(entry.id, "ana@example.com");
    const elsewhere = scene.anotherMachine();
    // Beside it, something new that has nothing in common with it.
    await elsewhere.check(
      undefined,
      elsewhere.program("new", {
        ...nda(),
        name: "New",
        base64File: pdf("three"),
        invitations: [{ email: "dee@example.com" }],
      }),
    );
    await expect(elsewhere.replaceByForce(entry, elsewhere.program("contract", nda(more)))).rejects.toThrow(
      /is partially signed/,
    );
    expect(scene.posts()).toBe(1);
  },
);

test("a signed one isn't let go of beside a new one that was never created: that may be its replacement", async () => {
  await using scene = await open();
  const first = scene.host();
  const entry = await first.create(first.program("nda", nda()));
  scene.service.people.sign(entry.id, "ana@example.com");
  const host = scene.host();
  const news = { name: "New", base64File: pdf("three"), invitations: [{ email: "dee@example.com" }] };
  await host.check(undefined, host.program("new", news));
  await expect(host.remove(entry)).rejects.toThrow("[docsign/replace-signed]");
});

test("an unsigned one is replaced by force right after the deployment that made it", async () => {
  await using scene = await open();
  const first = scene.host();
  const entry = await first.create(first.program("nda", nda()));
  const host = scene.host();
  const next = await host.replaceByForce(entry, host.program("nda", nda()));
  expect(next.id).not.toBe(entry.id);
  expect(next.outputs["supersedes"]).toEqual([entry.id]);
  expect(scene.posts()).toBe(2);
});

test("a new name is no change, and what this machine remembers moves along", async () => {
  await using scene = await open();
  const host = scene.host();
  const entry = await host.create(host.program("nda", nda()));
  await host.end();
  const renamed = scene.host();
  expect(await renamed.diff(entry, renamed.program("contract", nda()))).toMatchObject({ changes: false });
  // Where nothing changes the engine keeps the outputs and takes the new inputs.
  const after = { ...entry, inputs: await renamed.check(entry.inputs, renamed.program("contract", nda())) };
  await renamed.refresh(after);
  await renamed.end();
  const again = scene.host();
  await expect(again.preview(again.program("contract", nda({ name: "Other" })))).resolves.toBeDefined();
  expect(again.said.join()).toContain(`it replaces document ${entry.id}`);
});

test("a create that landed in another folder is kept in state, and the next update finishes it", async () => {
  await using scene = await open({ dialect: { folderId: "ignore" } }, { folderPlacement: "require" });
  const host = scene.host();
  const folder = await host.create(host.program("f", { name: "Contracts" }, "docsign:index:Folder"));
  const inputs = await host.check(undefined, host.program("nda", nda({ folderId: folder.id })));
  const failed = await host.frontEnd.create(inputs).catch((error: unknown) => error);
  const { id = "" } = scene.service.ledger.documents()[0] ?? {};
  expect(failed).toMatchObject({
    id,
    properties: { __provider: PROVIDER, resourceKey: keyOf("nda"), documentId: id },
    reasons: [expect.stringContaining(`not in folder ${folder.id}`), expect.any(String)],
  });

  const { properties } = failed as { properties: Raw };
  await expect(host.frontEnd.update(id, properties, inputs)).rejects.toMatchObject({ id });
  // A refresh can't fail because of that, and doesn't end it.
  const kept = await scene.host().refresh({ id, inputs, outputs: properties });
  expect(kept.outputs).toMatchObject({ documentId: id, drift: ["folderId"] });
  const preview = scene.host();
  expect(await preview.previewAgain(kept, { ...inputs })).toMatchObject({ changes: true, replaces: [] });
  expect(preview.said.join()).toContain(`not in folder ${folder.id}`);
  await expect(scene.host().update(kept, inputs)).rejects.toMatchObject({ id });

  scene.service.people.moveToFolder(id, folder.id);
  const { outs } = await host.frontEnd.update(id, kept.outputs, inputs);
  expect(outs).toMatchObject({ folderId: folder.id, status: "unsigned" });
  expect(await scene.host().diff({ id, inputs, outputs: outs }, inputs)).toMatchObject({ changes: false });
  expect(scene.posts()).toBe(1);
});

test("`import` takes over what is there if it is what the program says, and sends nothing", async () => {
  await using scene = await open();
  const { service } = scene;
  const id = service.people.upload("first", {
    name: "NDA",
    pdf: Buffer.from(pdf("one"), "base64"),
    emails: ["ana@example.com", "bob@example.org"],
  });
  const args = nda({ invitations: [{ email: "ana@example.com" }, { email: "bob@example.org" }] });
  const host = scene.host();
  const program = { ...host.program("nda", args), __import: id };
  await host.preview(program);
  expect(host.said.join()).toContain(`document ${id} is taken over as it is: no one is mailed`);
  await expect(scene.host().preview({ ...program, base64File: pdf("two") })).rejects.toThrow(
    /isn't what the program says/,
  );

  const entry = await host.create(program);
  expect(entry).toMatchObject({ id, outputs: { imported: true } });
  expect(scene.posts()).toBe(0);
  expect(await host.diff(entry, host.program("nda", args))).toMatchObject({ changes: false });
});

test("`import` takes over what the program sent, though the service stores its PDF differently", async () => {
  await using scene = await open({ dialect: { sha256: "stamped" } });
  const { ledger, faults, people } = scene.service;
  const other = people.upload("first", {
    name: "NDA",
    pdf: Buffer.from("%PDF-1.4 other"),
    emails: ["eve@example.com"],
  });
  faults.push({ kind: "reset", when: "after" }, "createDocument");
  // It is looked for, and the service doesn't answer.
  const isLook = ({ method }: { method: string }) => method === "GET" && ledger.requests("createDocument").length > 0;
  faults.push({ kind: "status", when: "before", status: 422 }, isLook, { times: 99 });
  const host = scene.host();
  const program = host.program("nda", nda());
  await expect(host.create(program)).rejects.toThrow("[docsign/create-");
  await host.end();
  faults.clear();
  const id = ledger.documents().find(made => made.madeBy > 0)?.id ?? "";
  const again = scene.host();
  await expect(again.create({ ...program, __import: other })).rejects.toThrow(/isn't what the program says/);
  await expect(again.create({ ...program, __import: id, base64File: pdf("two") })).rejects.toThrow(
    /isn't what the program says/,
  );
  await again.preview({ ...program, __import: id });
  const importing = scene.host();
  await importing.create({ ...program, __import: id });
  await importing.end();

  // The engine was killed before it had written state.
  const entry = await scene.host().create({ ...program, __import: id });
  expect(entry).toMatchObject({ id, outputs: { imported: true } });
  const later = scene.host();
  expect(await later.diff(await later.refresh(entry), program)).toMatchObject({ changes: false });
  expect(scene.posts()).toBe(1);
});

test("a preview of an import that comes to nothing isn't remembered", async () => {
  await using scene = await open();
  const host = scene.host();
  const entry = await host.create(host.program("theirs", nda()));
  await host.end();
  const look = scene.host();
  await look.preview({ ...look.program("mine", nda()), __import: entry.id });
  const { frontEnd, program } = scene.host();
  await frontEnd.read(entry.id, { ...program("looked-at", {}), __lookup: true });
  const again = scene.host();
  // It is a document like any other that this resource doesn't hold.
  await expect(again.preview(again.program("mine", nda()))).rejects.toThrow("[docsign/duplicate]");
  expect(again.said.join()).not.toContain("replaces");
});

test("what is secret goes into no message", async () => {
  await using scene = await open();
  const host = scene.host();
  const secretInputs = ["name", "description"];
  const program = host.program("nda", nda({ name: "CANARY".repeat(2000), description: "CANARY text", secretInputs }));
  const { failures } = await host.frontEnd.check({}, program);
  expect(JSON.stringify(failures)).toContain("name: expected");
  expect(JSON.stringify(failures)).not.toContain("CANARY");
  const entry = await host.create({ ...program, name: "CANARY name" });
  scene.service.people.sign(entry.id, "ana@example.com");
  const refused = await host.diff(entry, { ...program, name: "CANARY other" }).catch((error: Error) => error.message);
  expect(refused).toContain("is not replaced");
  expect(refused).not.toContain("CANARY");
});

test("remedies are commands of the dynamic provider", async () => {
  await using scene = await open();
  const host = scene.host();
  const entry = await host.create(host.program("nda", nda()));
  await host.refresh(entry);
  await host.end();
  scene.service.people.sign(entry.id, "ana@example.com");
  const again = scene.host();
  const refused = await again.preview(again.program("nda", nda())).then(String, (error: Error) => error.message);
  expect(refused).toContain(`set the resource option import: "${entry.id}" and run pulumi up`);
  expect(refused).not.toContain("pulumi import");
});
