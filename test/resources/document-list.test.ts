import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Values } from "../../kit/values.js";
import type { ListedDocument, Service } from "../../provider/client/service.js";
import type { Context } from "../../provider/resources/context.js";
import { LIST_NOTE } from "../../provider/resources/document/list.js";
import type { ListPage } from "../../provider/resources/resource.js";
import { call, FakeService, listed } from "../functions/service.js";
import { documentsIn } from "../support/documents.js";

interface Ask {
  query?: Values;
  limit?: number;
  token?: string;
}

function listing(...documents: ListedDocument[]) {
  const service = new FakeService();
  service.listed = documents;
  const context = { service: () => service as unknown as Service } as Context;
  const warned: string[] = [];
  const asking = {
    ...call(),
    log: { info() {}, progress() {}, debug() {}, warn: (line: string) => void warned.push(line) },
  };
  const resource = documentsIn(context);
  const list = async ({ query = {}, limit = 0, token = "" }: Ask = {}): Promise<ListPage> => {
    if (!resource.list) throw new Error("expected a list");
    return resource.list(asking, { query, limit, token });
  };
  return { service, list, warned };
}

describe("listing documents", () => {
  it("answers with ids and names in ascending order of id, in one request", async () => {
    const { service, list } = listing(listed("10", { name: "NDA" }), listed("9"), listed("101"));
    expect(await list()).toEqual({
      found: [
        { id: "9", name: "Document 9" },
        { id: "10", name: "NDA" },
        { id: "101", name: "Document 101" },
      ],
      next: "",
    });
    expect(service.asked).toEqual([["listDocuments", {}]]);
  });

  it("narrows by folder and organization, also where the service ignores the filters", async () => {
    const acme = { id: "7", name: "Acme" };
    const { service, list } = listing(
      listed("1", { folderId: "12", organization: acme }),
      listed("2", { folderId: "12" }),
      listed("3", { organization: acme }),
    );
    const ids = async (query: Values) => (await list({ query })).found.map(({ id }) => id);
    expect(await ids({ folderId: 12 })).toEqual(["1", "2"]);
    expect(await ids({ organizationId: "7", folderId: null })).toEqual(["1", "3"]);
    expect(service.asked).toEqual([
      ["listDocuments", { folderId: "12" }],
      ["listDocuments", { organizationId: "7" }],
    ]);
  });

  it("says once, with the first page, that a list proves nothing about what it doesn't show", async () => {
    const { list, warned } = listing(listed("1"), listed("2"));
    const { next } = await list({ limit: 1 });
    await list({ limit: 1, token: next });
    expect(warned).toEqual([LIST_NOTE]);
  });

  it("lists a row once that the service repeats", async () => {
    const { list } = listing(listed("1"), listed("2"), listed("1"));
    expect((await list()).found.map(({ id }) => id)).toEqual(["1", "2"]);
  });

  it("shows each document once whatever the limits of the pages are, also when documents are sent between two pages", async () => {
    const ids = fc.uniqueArray(fc.bigInt({ min: 1n, max: 10n ** 19n - 1n }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(ids, fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), async (all, limits) => {
        const { service, list } = listing(...all.map(id => listed(String(id))));
        const seen: string[] = [];
        let token = "";
        for (let page = 0; ; page++) {
          const { found, next } = await list({ token, limit: limits[page % limits.length] ?? 1 });
          seen.push(...found.map(({ id }) => id));
          if (next === "") break;
          token = next;
          // The last to be sent has the highest id, and the service shows it first.
          if (page === 0) service.listed = [listed("9".repeat(19)), ...service.listed];
        }
        expect(new Set(seen).size).toBe(seen.length);
        expect(seen.filter(id => id !== "9".repeat(19))).toEqual(
          [...all]
            .sort((a, b) => (a < b ? -1 : 1))
            .map(String)
            .filter(id => id !== "9".repeat(19)),
        );
      }),
    );
  });

  it.each([
    [{ query: { folderId: "../12" } }, /^folderId: expected .*, got "..\/12"/],
    [{ query: { folder: "12" } }, /^folder: no such property/],
    [{ token: "page 2" }, /^expected a continuation token of this provider, got "page 2"$/],
  ])("refuses %j, and asks the service nothing", async (ask, words) => {
    const { service, list } = listing();
    await expect(list(ask)).rejects.toThrow(words);
    expect(service.asked).toEqual([]);
  });
});
