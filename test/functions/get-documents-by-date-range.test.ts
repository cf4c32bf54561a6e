import { describe, expect, it } from "vitest";
import type { Values } from "../../kit/values.js";
import type { DatedDocument } from "../../provider/client/service.js";
import { answer, dated, FakeService, failures, listed } from "./service.js";

const FN = "getDocumentsByDateRange";
const JANUARY = { fromDate: "2026-01-01", toDate: "2026-01-31" };
const A_DAY_MORE = { fromDate: "2025-12-31", toDate: "2026-02-01" };

const idsOf = (result: Values) => (result["documents"] as Values[]).map(row => row["documentId"]);

function serviceWith(documents: DatedDocument[]): FakeService {
  const service = new FakeService();
  service.dated = ({ fromDate, toDate, status }) =>
    documents.filter(document => {
      const day = document.createdAt?.slice(0, 10) ?? "";
      return document.status === status && fromDate <= day && day <= toDate;
    });
  return service;
}

it("asks for one status when one is given", async () => {
  const service = serviceWith([dated("1"), dated("2", { status: "signed" })]);
  expect(idsOf(await answer(service, FN, { ...JANUARY, status: "signed" }))).toEqual(["2"]);
  expect(service.asked).toEqual([["listDocumentsByDateRange", { ...A_DAY_MORE, status: "signed" }]]);
});

it("asks for each status when none is given, in the order a document goes through them", async () => {
  const service = serviceWith([
    dated("10"),
    dated("9", { status: "signed" }),
    dated("1", { status: "partially_signed" }),
  ]);
  expect(idsOf(await answer(service, FN, JANUARY))).toEqual(["1", "9", "10"]);
  expect(service.asked).toEqual([
    ["listDocumentsByDateRange", { ...A_DAY_MORE, status: "unsigned" }],
    ["listDocumentsByDateRange", { ...A_DAY_MORE, status: "partially_signed" }],
    ["listDocumentsByDateRange", { ...A_DAY_MORE, status: "signed" }],
  ]);
});

it("a document signed between two requests is there once, as signed", async () => {
  const service = new FakeService();
  service.dated = ({ status }) => (status === "partially_signed" ? [] : [dated("1", { status })]);
  expect((await answer(service, FN, JANUARY))["documents"]).toMatchObject([{ documentId: "1", status: "signed" }]);
});

describe("splitDays", () => {
  it("asks for consecutive parts, each up to the next one's first day", async () => {
    const service = serviceWith([]);
    await answer(service, FN, { fromDate: "2026-02-25", toDate: "2026-03-05", status: "signed", splitDays: 4 });
    expect(service.asked.map(([, filter]) => filter)).toEqual([
      { fromDate: "2026-02-24", toDate: "2026-02-28", status: "signed" },
      { fromDate: "2026-02-28", toDate: "2026-03-04", status: "signed" },
      { fromDate: "2026-03-04", toDate: "2026-03-06", status: "signed" },
    ]);
  });

  it("answers the same as the whole range, whether or not the service counts the last day", async () => {
    const documents = Array.from({ length: 31 }, (_, index) =>
      dated(String(40 - index), { createdAt: `2026-01-${String(index + 1).padStart(2, "0")}T12:00:00.000Z` }),
    );
    for (const lastDayCounts of [true, false]) {
      const service = new FakeService();
      service.dated = ({ fromDate, toDate, status }) =>
        documents.filter(document => {
          const day = document.createdAt?.slice(0, 10) ?? "";
          return document.status === status && fromDate <= day && (lastDayCounts ? day <= toDate : day < toDate);
        });
      const whole = await answer(service, FN, JANUARY);
      for (const splitDays of [1, 2, 7, 30, 31, 400]) {
        const { documents } = await answer(service, FN, { ...JANUARY, splitDays });
        expect(documents).toEqual(whole["documents"]);
        expect(documents).toHaveLength(31);
      }
    }
  });

  it("keeps few requests in flight, and begins none after a failure", async () => {
    const service = new FakeService();
    let inFlight = 0;
    let most = 0;
    service.dated = async ({ fromDate }) => {
      most = Math.max(most, ++inFlight);
      await new Promise(setImmediate);
      inFlight--;
      if (fromDate === "2026-01-06") throw new Error("out of order");
      return [];
    };
    await expect(answer(service, FN, { ...JANUARY, status: "signed", splitDays: 1 })).rejects.toThrow("out of order");
    await new Promise(resolve => setTimeout(resolve, 20));
    expect(most).toBe(4);
    expect(service.asked.length).toBeLessThan(14);
  });

  it("can't be so small that the service is flooded", async () => {
    const century = { fromDate: "1926-01-01", toDate: "2026-01-01" };
    expect(await failures(FN, { ...century, splitDays: 1 })).toEqual({
      splitDays: "splitDays: expected 74 days or more, got 1, which splits the range into 36526 parts (500 at most)",
    });
    expect(idsOf(await answer(serviceWith([]), FN, { ...century, splitDays: 74 }))).toEqual([]);
  });

  it.each([0, -1, 1.5, "7", true])("can't be %j", async splitDays => {
    expect(Object.keys(await failures(FN, { ...JANUARY, splitDays }))).toEqual(["splitDays"]);
  });
});

describe("the days asked for", () => {
  const at = (createdAt: string | null) => {
    const service = new FakeService();
    service.dated = ({ status }) => (status === "unsigned" ? [dated("1", { createdAt })] : []);
    return answer(service, FN, JANUARY);
  };

  it.each([
    ["2026-01-01T00:00:00.000-06:00", true],
    ["2026-01-31T23:59:59.999-06:00", true],
    ["2026-01-31T23:59:59Z", true],
    ["2025-12-31T23:59:59.999-06:00", false],
    ["2026-02-01T00:00:00.000+14:00", false],
    ["2026-02-01T05:59:59.000Z", false],
    ["some day", true],
    [null, true],
  ])("%s: %s, by the offset it is given with", async (createdAt, isIn) => {
    expect(idsOf(await at(createdAt))).toEqual(isIn ? ["1"] : []);
  });

  it("stay dates the service can read at the ends of the calendar", async () => {
    const service = serviceWith([]);
    await answer(service, FN, { fromDate: "0000-01-01", toDate: "9999-12-31", status: "signed" });
    expect(service.asked).toEqual([
      ["listDocumentsByDateRange", { fromDate: "0000-01-01", toDate: "9999-12-31", status: "signed" }],
    ]);
  });
});

describe("truncated", () => {
  it("is no where nothing came, and unknown where something did", async () => {
    expect(await answer(serviceWith([]), FN, JANUARY)).toEqual({ documents: [], truncated: "no" });
    expect(await answer(serviceWith([dated("1")]), FN, JANUARY)).toMatchObject({ truncated: "unknown" });
  });

  it("is no where every answer was shorter than another one", async () => {
    const service = serviceWith([dated("1"), dated("2"), dated("3", { status: "signed" })]);
    await answer(service, FN, { ...JANUARY, status: "unsigned" });
    expect(await answer(service, FN, { ...JANUARY, status: "signed" })).toMatchObject({ truncated: "no" });
    expect(await answer(service, FN, { ...JANUARY, status: "unsigned" })).toMatchObject({ truncated: "unknown" });
  });

  it("is yes where the folder's own list has a document that is missing", async () => {
    const service = serviceWith([dated("1")]);
    service.listed = [listed("1", { folderId: "12" }), listed("2", { folderId: "12" })];
    expect(await answer(service, FN, { ...JANUARY, folderId: "12" })).toMatchObject({ truncated: "yes" });
    service.listed = [
      listed("1", { folderId: "12" }),
      listed("2", { folderId: "12", createdAt: "2024-01-01T00:00:00Z" }),
    ];
    expect(await answer(service, FN, { ...JANUARY, folderId: "12" })).toMatchObject({ truncated: "unknown" });
  });
});

describe("filters the interface doesn't name", () => {
  it("are sent, and the rows are filtered by their organization", async () => {
    const service = serviceWith([dated("1", { organizationId: "7" }), dated("2", { organizationId: "8" }), dated("3")]);
    const result = await answer(service, FN, { ...JANUARY, status: "unsigned", organizationId: 7 });
    expect(idsOf(result)).toEqual(["1"]);
    expect(service.asked).toEqual([
      ["listDocumentsByDateRange", { ...A_DAY_MORE, status: "unsigned", organizationId: "7" }],
    ]);
  });

  it("are sent, and the rows are filtered by the folder's own list", async () => {
    const service = serviceWith([dated("1"), dated("2"), dated("3")]);
    service.listed = [
      listed("1", { folderId: "12" }),
      listed("2", { folderId: "13" }),
      listed("4", { folderId: "12" }),
    ];
    expect(idsOf(await answer(service, FN, { ...JANUARY, status: "unsigned", folderId: "12" }))).toEqual(["1"]);
    expect(service.asked).toEqual([
      ["listDocumentsByDateRange", { ...A_DAY_MORE, status: "unsigned", folderId: "12" }],
      ["listDocuments", { folderId: "12" }],
    ]);
  });

  it("a status the service ignores doesn't widen the list either", async () => {
    const service = new FakeService();
    service.dated = () => [dated("1"), dated("2", { status: "signed" })];
    expect(idsOf(await answer(service, FN, { ...JANUARY, status: "signed" }))).toEqual(["2"]);
  });
});

it("shows the interface's fields, and nothing where the service has nothing", async () => {
  const more = {
    description: "Ground floor",
    unsignedLastVersionUrl: "https://sign.example.com/original.pdf",
    signedLastVersionUrl: "https://sign.example.com/signed.pdf",
    lastVersionSignedEndedAt: "2026-02-01T10:00:00.000-06:00",
    organizationId: "7",
    organizationName: "Acme",
    createdById: "118",
    createdByName: "Ana",
    createdByEmail: "ana@example.com",
  };
  const createdAt = "2026-01-31T10:00:00.000-06:00";
  const { documents } = await answer(serviceWith([dated("1", more), dated("2")]), FN, JANUARY);
  expect(documents).toEqual([
    { documentId: "1", name: "Document 1", status: "unsigned", createdAt, ...more },
    { documentId: "2", name: "Document 2", status: "unsigned", createdAt },
  ]);
});

describe("dates", () => {
  it.each(["2026-02-30", "2026-2-3", "2025-02-29", "2026-13-01", "2026-01-31T00:00:00Z", "31.01.2026", "", 20260131])(
    "can't be %j",
    async given => {
      expect(Object.keys(await failures(FN, { fromDate: given, toDate: given }))).toEqual(["fromDate", "toDate"]);
    },
  );

  it("may be a leap day, and one day is a range", async () => {
    const service = serviceWith([]);
    await answer(service, FN, { fromDate: "2024-02-29", toDate: "2024-02-29", status: "signed" });
    expect(service.asked).toHaveLength(1);
  });

  it("must be in order", async () => {
    const args = { fromDate: "2026-02-01", toDate: "2026-01-31" };
    expect(await failures(FN, args)).toEqual({
      toDate: "toDate: expected a date not before fromDate, 2026-02-01, got 2026-01-31",
    });
    expect(await failures(FN, args, ["toDate"])).toEqual({ toDate: "toDate: expected a date not before fromDate" });
  });

  it("are reported together with everything else", async () => {
    const wrong = await failures(FN, { fromDate: "yesterday", status: "lost", folderId: "x" });
    expect(Object.keys(wrong).sort()).toEqual(["folderId", "fromDate", "status", "toDate"]);
  });
});
