import { describe, expect, test } from "vitest";
import { dialects, dialectsOf, startIndependentService, together } from "../support/independent-service/index.js";
import { ask, contract, create } from "./connect.js";

const random = (seed: number) => together(dialectsOf(seed));
const named = (name: string) => together(dialects.filter(each => each.name === name)).settings;

describe("dialects", () => {
  test("have names of their own, and settings that differ from ours", () => {
    expect(new Set(dialects.map(({ name }) => name)).size).toBe(dialects.length);
    expect(dialects.filter(({ settings }) => Object.keys(settings).length === 0)).toEqual([]);
  });

  test.each(dialects)("$name: one create is one document and one mail an invitee", async ({ settings }) => {
    await using service = await startIndependentService(settings);
    await ask(service, "POST", "/v1/documents", contract());
    expect(service.ledger.documents().filter(({ madeBy }) => madeBy > 0)).toHaveLength(1);
    expect(service.ledger.mails()).toHaveLength(2);
  });

  test("a seed is the same dialect everywhere, and a service of it makes one document of one create", async () => {
    expect(random(7).name).toBe(random(7).name);
    expect(random(7).name).not.toBe(random(8).name);
    for (const seed of [7, 8, 9]) {
      await using service = await startIndependentService(random(seed).settings);
      await ask(service, "POST", "/v1/documents", contract());
      expect(service.ledger.documents().filter(({ madeBy }) => madeBy > 0)).toHaveLength(1);
    }
  });
});

test.each(["list form with folder", "File", "Invitation", "id and document_id"])(
  "a create that answers with a %s names an id under which somebody else has a document",
  async answer => {
    await using service = await startIndependentService(named(`create: ${answer}`));
    const { payload } = (await ask(service, "POST", "/v1/documents", contract())).json;
    const misleading = String(payload.folder?.id ?? payload.id);
    expect(service.ledger.decoys().map(({ id }) => id)).toContain(misleading);
    const read = await ask(service, "GET", `/v1/documents/${misleading}`);
    expect(read.json.payload.name).toMatch(/^Of another department/);
  },
);

test("a create that is late is carried out after its answer was lost, by the service's clock", async () => {
  await using service = await startIndependentService(named("late: 13 s"));
  service.faults.push({ kind: "reset", when: "after" }, "createDocument");
  await expect(create(service)).rejects.toThrow("fetch failed");
  service.clock.advance(12_000);
  await ask(service, "GET", "/v1/documents");
  expect(service.ledger.documentCount()).toBe(0);
  service.clock.advance(1_100);
  const list = await ask(service, "GET", "/v1/documents");
  expect(list.json.payload).toHaveLength(1);
  expect(service.ledger.mails()).toHaveLength(2);
});
