import { describe, expect, it } from "vitest";
import { UNKNOWN, type Values } from "../../kit/values.js";
import { answer, FakeService, failures, listed } from "./service.js";

const idsOf = (result: Values) => (result["documents"] as Values[]).map(row => row["documentId"]);

function serviceWith(...documents: ReturnType<typeof listed>[]): FakeService {
  const service = new FakeService();
  service.listed = documents;
  return service;
}

describe("getDocuments", () => {
  it("asks for everything when nothing is given, and answers in ascending order of id", async () => {
    const service = serviceWith(listed("10"), listed("9"), listed("101"));
    expect(idsOf(await answer(service, "getDocuments", {}))).toEqual(["9", "10", "101"]);
    expect(service.asked).toEqual([["listDocuments", {}]]);
  });

  it("hands the filters on, ids as text", async () => {
    const service = serviceWith();
    await answer(service, "getDocuments", { folderId: 12, organizationId: "7" });
    expect(service.asked).toEqual([["listDocuments", { folderId: "12", organizationId: "7" }]]);
  });

  it("shows one status where one is asked for", async () => {
    const service = serviceWith(listed("1"), listed("2", { status: "signed" }), listed("3", { status: "archived" }));
    expect(idsOf(await answer(service, "getDocuments", { status: "signed" }))).toEqual(["2"]);
    expect(service.asked).toEqual([["listDocuments", {}]]);
    expect(Object.keys(await failures("getDocuments", { status: "archived" }))).toEqual(["status"]);
  });

  it("shows a repeated row once", async () => {
    const service = serviceWith(listed("2"), listed("1"), listed("2"));
    expect(idsOf(await answer(service, "getDocuments", {}))).toEqual(["1", "2"]);
  });

  it("says what is known of its completeness", async () => {
    const service = serviceWith(listed("1"), listed("2", { folderId: "12" }));
    expect(await answer(service, "getDocuments", {})).toMatchObject({ truncated: "unknown" });
    service.listed = [listed("2", { folderId: "12" })];
    expect(await answer(service, "getDocuments", { folderId: "12" })).toMatchObject({ truncated: "no" });
    service.listed = [];
    expect(await answer(serviceWith(), "getDocuments", {})).toEqual({ documents: [], truncated: "no" });
  });

  it("filters again what a service answers that ignores the filters", async () => {
    const acme = { id: "7", name: "Acme" };
    const service = serviceWith(
      listed("1", { folderId: "12", organization: acme }),
      listed("2", { folderId: "12" }),
      listed("3", { folderId: "13", organization: acme }),
      listed("4"),
    );
    expect(idsOf(await answer(service, "getDocuments", { folderId: "12" }))).toEqual(["1", "2"]);
    expect(idsOf(await answer(service, "getDocuments", { organizationId: "7" }))).toEqual(["1", "3"]);
    expect(idsOf(await answer(service, "getDocuments", { folderId: "12", organizationId: "7" }))).toEqual(["1"]);
  });

  it("shows the interface's fields, and nothing where the service has nothing", async () => {
    const organization = { id: "7", name: "Acme" };
    const service = serviceWith(
      listed("1", {
        description: "Ground floor\n[docsign:0123456789ab]",
        folderId: "12",
        organization,
        updatedAt: "later",
      }),
      listed("2", { description: "[docsign:0123456789ab]" }),
    );
    expect((await answer(service, "getDocuments", {}))["documents"]).toEqual([
      {
        documentId: "1",
        ownerId: "118",
        ownerType: "User",
        folderId: "12",
        name: "Document 1",
        description: "Ground floor",
        lastVersion: "1",
        status: "unsigned",
        organization,
        createdAt: "2026-01-31T10:00:00.000-06:00",
        updatedAt: "later",
      },
      {
        documentId: "2",
        ownerId: "118",
        ownerType: "User",
        name: "Document 2",
        lastVersion: "1",
        status: "unsigned",
        createdAt: "2026-01-31T10:00:00.000-06:00",
      },
    ]);
  });

  it("names every wrong argument at once", async () => {
    const wrong = await failures("getDocuments", { folderId: "../12", organizationId: true });
    expect(Object.keys(wrong)).toEqual(["folderId", "organizationId"]);
  });

  it("never echoes a secret argument", async () => {
    const wrong = await failures("getDocuments", { folderId: "hush-hush" }, ["folderId"]);
    expect(JSON.stringify(wrong)).not.toContain("hush-hush");
  });

  it("doesn't ask with what isn't known yet", async () => {
    expect(await failures("getDocuments", { folderId: UNKNOWN })).toEqual({
      folderId: expect.stringContaining("isn't known yet"),
    });
  });
});

describe("getUnmanagedDocuments", () => {
  it("leaves out what is managed, given as text or number", async () => {
    const service = serviceWith(listed("3"), listed("2"), listed("1"));
    expect(idsOf(await answer(service, "getUnmanagedDocuments", { managedIds: ["1", 3] }))).toEqual(["2"]);
    expect(service.asked).toEqual([["listDocuments", {}]]);
  });

  it("leaves out what managed documents replaced", async () => {
    const service = serviceWith(listed("3"), listed("2"), listed("1"));
    const args = { managedIds: ["3"], supersededIds: [1] };
    expect(await answer(service, "getUnmanagedDocuments", args)).toMatchObject({
      documents: [{ documentId: "2" }],
      truncated: "unknown",
    });
  });

  it("is the whole list when nothing is managed", async () => {
    const service = serviceWith(listed("1", { folderId: "12" }), listed("2"));
    expect(idsOf(await answer(service, "getUnmanagedDocuments", { managedIds: [], folderId: "12" }))).toEqual(["1"]);
    expect(service.asked).toEqual([["listDocuments", { folderId: "12" }]]);
  });

  it("wants a list of ids, and says which of them is none", async () => {
    expect(Object.keys(await failures("getUnmanagedDocuments", {}))).toEqual(["managedIds"]);
    expect(Object.keys(await failures("getUnmanagedDocuments", { managedIds: "1" }))).toEqual(["managedIds"]);
    expect(Object.keys(await failures("getUnmanagedDocuments", { managedIds: ["1", "x", "2", -1] }))).toEqual([
      "managedIds[1]",
      "managedIds[3]",
    ]);
    expect(Object.keys(await failures("getUnmanagedDocuments", { managedIds: ["1", UNKNOWN] }))).toEqual([
      "managedIds",
    ]);
  });
});
