import { describe, expect, test } from "vitest";
import { up } from "./support/engine.js";
import { folder, nda, type Rig, startRig } from "./support/rig.js";

/** A list may be complete and still show no document of some kind: then what isn't in it may have been made. */
async function expectUnsent(rig: Rig, when: "before" | "after", program = [nda()]): Promise<void> {
  rig.service.faults.push({ kind: "reset", when }, "createDocument");
  for (let runs = 0; runs < 3; runs++) {
    const error = (await rig.up(program)).errors["nda"] ?? "";
    expect(error).toMatch(/\[docsign\/create-unconfirmed\]/);
    expect(error).toMatch(/may leave documents out|too young to tell|the service lists no document/);
    expect(error).toMatch(/^ {2}look for "[^"]+" on the platform$/m);
    expect(error).toMatch(/send it again: DOCSIGN_FORGET=\w{8} pulumi up$/m);
    rig.later();
  }
  const made = when === "after" ? 1 : 0;
  expect(rig.saw()).toMatchObject({ posts: 1, documents: made, mails: 2 * made });
}

describe("a create without an answer isn't sent again", () => {
  test("where lists leave out what nobody has signed", async () => {
    await using rig = await startRig({ taste: { unlisted: "unknown-status", unsignedStatus: "drafted" } });
    await expectUnsent(rig, "after");
  });

  test("where lists leave out what is in a folder", async () => {
    await using rig = await startRig({ taste: { unlisted: "in-a-folder" }, proving: true });
    await rig.up([folder()]);
    const folderId = rig.idOf("leases", "Folder") ?? "";
    await expectUnsent(rig, "after", [folder(), nda({ folderId })]);
  });

  test("where lists are empty", async () => {
    await using rig = await startRig();
    await expectUnsent(rig, "before");
  });

  test("where lists show documents of others only", async () => {
    await using rig = await startRig({ taste: { order: "newest", decoys: 9 } });
    await expectUnsent(rig, "before");
  });

  test("where what lists show of this provider's is signed", async () => {
    await using rig = await startRig({ proving: true });
    rig.service.people.signAll(rig.service.ledger.decoys()[0]?.id ?? "");
    await expectUnsent(rig, "before");
  });
});

const DAY_MS = 24 * 3_600_000;

test("a machine six days behind the service proves nothing by the days that it asks for", async () => {
  const config = { duplicatePolicy: "create", reconcileTimeout: "0s" };
  await using rig = await startRig({ proving: true, config });
  const { service } = rig;
  for (const document of service.ledger.decoys()) document.createdAt -= 5 * DAY_MS;
  const old = new Set(service.ledger.decoys().map(({ id }) => id));
  rig.machine.pass(-6 * DAY_MS);
  const oldestFirst = ({ payload, ...rest }: { payload: { id: unknown }[] }) => ({
    ...rest,
    payload: payload.filter(({ id }) => old.has(String(id))).reverse(),
  });
  service.faults.otherwise(({ operation }) =>
    operation === "listDocuments" ? { kind: "edit", edit: json => oldestFirst(json as never) as never } : undefined,
  );
  const gate = service.gate("processed", "createDocument");
  await rig.crash(frontEnd => up(frontEnd, rig.state, [nda()]), rig.process(), gate.reached);
  gate.cut();
  rig.later();
  await rig.up([nda()]);
  expect(rig.saw()).toMatchObject({ posts: 1, documents: 1, mails: 2 });
});

test.each([404, 410, 400])("a document let go of that is answered with %i is not sent again", async status => {
  await using rig = await startRig();
  await rig.up([nda()]);
  const id = rig.idOf("nda") ?? "";
  await rig.up([]);
  const without = ({ payload, ...rest }: { payload: { id: unknown }[] }) => ({
    ...rest,
    payload: payload.filter(row => String(row.id) !== id),
  });
  rig.service.faults.otherwise(({ operation, path }) => {
    if (path.endsWith(`/documents/${id}`)) return { kind: "status", when: "before", status };
    const isList = operation === "listDocuments" || operation === "listByDateRange";
    return isList ? { kind: "edit", edit: json => without(json as never) as never } : undefined;
  });
  expect(JSON.stringify((await rig.up([nda()])).errors)).toContain("docsign/duplicate-unconfirmed");
  expect(rig.saw()).toMatchObject({ posts: 1 });
});
