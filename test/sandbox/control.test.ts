import { describe, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../sandbox/index.js";
import { ask, create, lease, wanted } from "./service.js";

const started = () => startSandbox({ control: true });
const act = (sandbox: Sandbox, name: string, body: unknown = {}) =>
  ask(sandbox, `POST /_sandbox/${name}`, { body, key: null });
const look = async (sandbox: Sandbox, name: string) => (await ask(sandbox, `GET /_sandbox/${name}`)).body.payload;

describe("the control surface", () => {
  test("a browser that asks for a file that isn't there gets a page, a program JSON", async () => {
    await using sandbox = await started();
    const get = (accept: string) => fetch(`${sandbox.url}/_sandbox/files/1/signed.pdf`, { headers: { accept } });
    const [page, json] = await Promise.all([get("text/html"), get("application/json")]);
    expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    expect(json.status).toBe(404);
    expect(await json.json()).toMatchObject({ error: { code: "not_found" } });
  });

  test("plays the people: version, comment, decline, sign, certify", async () => {
    await using sandbox = await started();
    const documentId = await create(sandbox, wanted("ana@example.com", "ben@example.org"));
    await act(sandbox, "version", { documentId, pdf: lease.toString("base64") });
    await act(sandbox, "comment", { documentId, by: sandbox.email, text: "Page 2?" });
    await act(sandbox, "decline", { documentId, who: "ben@example.org" });
    const signed = await act(sandbox, "sign", { documentId, who: "ana@example.com", type: "autograph" });
    expect(signed.body.payload).toMatchObject({ status: "partially_signed", files: [{}, { comments: [{}] }] });
    expect((await act(sandbox, "sign-all", { documentId })).body.payload.status).toBe("signed");
    const certified = await act(sandbox, "certify", { documentId, what: "nom151", constancia: "AAEC" });
    expect(certified.body.payload.files[1]).toMatchObject({ constancia: "AAEC", certsStatus: "not_requested" });
  });

  test("changes things behind a client's back: edit, status, invite, remove", async () => {
    await using sandbox = await started();
    const documentId = await create(sandbox);
    const folderId = sandbox.addFolder("Leases").id;
    await act(sandbox, "edit", { documentId, name: "Lease 13", folderId });
    await act(sandbox, "status", { documentId, status: "archived" });
    await act(sandbox, "invite", { documentId, email: "ben@example.org" });
    expect(sandbox.document(documentId)).toMatchObject({ name: "Lease 13", folderId, status: "archived" });
    expect(sandbox.document(documentId).invitations).toHaveLength(2);
    await act(sandbox, "edit", { documentId, folderId: null });
    expect(sandbox.document(documentId)).toMatchObject({ name: "Lease 13", folderId: null });
    await act(sandbox, "remove", { documentId });
    expect(sandbox.documents()).toEqual([]);
  });

  test("fills the service: account, user, organization, seed", async () => {
    await using sandbox = await started();
    const account = await act(sandbox, "account", { email: "other@example.org", quota: 3 });
    expect(account.body.payload).toMatchObject({ email: "other@example.org", documentsLeft: 3 });
    expect((await act(sandbox, "account", { email: "other@example.org" })).status).toBe(409);
    await act(sandbox, "user", { email: "ana@example.com", name: "Ana Example" });
    await act(sandbox, "organization", { name: "Example Homes", members: ["other@example.org"] });
    const seeded = await act(sandbox, "seed", {
      documents: [{ name: "Lease 12", organization: "Example Homes", invitations: [{ email: "ana@example.com" }] }],
    });
    expect(seeded.body.payload).toEqual({ documentIds: [sandbox.documents()[0]?.id] });
    expect((await ask(sandbox, "GET /v1/documents", { key: account.body.payload.apiKey })).body.payload).toHaveLength(
      1,
    );
  });

  test("injects faults, limits and settings, and clears them", async () => {
    await using sandbox = await started();
    await act(sandbox, "fault", { kind: "status", status: 503, retryAfter: 2, match: { route: "listDocuments" } });
    const refused = await ask(sandbox, "GET /v1/documents");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "2"]);
    await act(sandbox, "rate-limit", { limit: 0, windowMs: 1000 });
    expect((await ask(sandbox, "GET /v1/documents")).status).toBe(429);
    await act(sandbox, "clear-faults");
    expect((await ask(sandbox, "GET /v1/documents")).status).toBe(200);
    await act(sandbox, "configure", { createAnswer: "ok", lag: { requests: 1 }, reminderMethods: ["GET"] });
    expect(sandbox.settings).toMatchObject({ createAnswer: "ok", lag: { requests: 1 }, reminderMethods: ["GET"] });
  });

  test("a dialect sets what the action names by itself, too", async () => {
    await using sandbox = await started();
    const dialect = { create: "id", order: "asc", reminder: "get", lag: "lists", timestamps: "east" };
    await act(sandbox, "configure", { dialect, listOrder: "unordered" });
    expect(sandbox.settings).toMatchObject({
      ...{ createAnswer: "id", listOrder: "unordered", reminderMethods: ["GET"], lag: { lists: 3 } },
      utcOffsetMinutes: 840,
    });
  });

  test("holds a request until it is released", async () => {
    await using sandbox = await started();
    const { hold } = (await act(sandbox, "hold", { at: "before", match: { method: "GET" } })).body.payload;
    const asking = ask(sandbox, "GET /v1/documents");
    const arrived = await act(sandbox, "arrived", { hold });
    expect(arrived.body.payload).toMatchObject({ path: "/v1/documents", processed: false });
    await act(sandbox, "release", { hold });
    expect((await asking).status).toBe(200);
    expect((await act(sandbox, "release", { hold: 99 })).status).toBe(404);
  });

  test("sets, freezes and advances the clock", async () => {
    await using sandbox = await started();
    const moved = await act(sandbox, "clock", { frozen: true, set: "2031-03-14T00:00:00Z", advance: 1500 });
    expect(moved.body.payload).toEqual({ now: "2031-03-14T00:00:01.500Z" });
    expect((await act(sandbox, "clock", { set: "noon" })).status).toBe(422);
  });

  test("a time that can't be is refused before anything is changed", async () => {
    await using sandbox = await started();
    const refused = await act(sandbox, "clock", { frozen: true, advance: 3.6e18 });
    expect(refused.body.error.message).toBe("advance must lead to a time from 1970 to 9999");
    expect(sandbox.clock.frozen).toBe(false);
    expect((await ask(sandbox, "GET /v1/documents")).status).toBe(200);
  });

  test("a version has to be a PDF", async () => {
    await using sandbox = await started();
    const documentId = await create(sandbox);
    const text = Buffer.from("not a PDF").toString("base64");
    const refused = await act(sandbox, "version", { documentId, pdf: text });
    expect([refused.status, refused.body.error.message]).toEqual([422, "pdf must be a PDF in base64"]);
    const seeded = await act(sandbox, "seed", { documents: [{ name: "NDA", invitations: [], pdf: text }] });
    expect([seeded.status, seeded.body.error.message]).toEqual([422, "documents[0].pdf must be a PDF in base64"]);
  });

  test.each([
    ["configure", { utcOffsetMinutes: 1e12 }, "utcOffsetMinutes must be an integer from -1439 to 1439"],
    ["configure", { createStatus: 1e12 }, "createStatus must be an integer from 200 to 999"],
    ["configure", { createStatus: 100 }, "createStatus must be an integer from 200 to 999"],
    ["configure", { latency: -1 }, "latency must be a number from 0 to 1000000000000"],
    ["configure", { lag: { lists: -1 } }, "lag.lists must be an integer from 0 to 1000000000"],
    ["configure", { reminderMethods: ["PUT"] }, "reminderMethods must be of GET, POST"],
    ["fault", { kind: "status", status: 101 }, "status must be an integer from 200 to 999"],
    ["fault", { kind: "bomb", bytes: 6e9 }, "bytes must be an integer from 0 to 1073741824"],
    ["fault", { kind: "deep", levels: 1e9 }, "levels must be an integer from 0 to 10000000"],
    ["fault", { kind: "date", ms: 1e300 }, "ms must be a number from -1000000000000 to 1000000000000"],
    ["fault", { kind: "redirect", to: "/a\r\nb" }, "to must be a string that a header can hold"],
    ["fault", { kind: "status", retryAfter: "€" }, "retryAfter must be a string that a header can hold"],
    ["fault", { kind: "status", headers: { "a b": "c" } }, "headers must be an object of headers"],
    ["rate-limit", { limit: 1, windowMs: 0 }, "windowMs must be an integer from 1 to 1000000000000"],
  ])("%s %j is refused before it breaks every answer", async (name, body, message) => {
    await using sandbox = await started();
    const refused = await act(sandbox, name, body);
    expect([refused.status, refused.body.error.message]).toEqual([422, message]);
    expect((await ask(sandbox, "GET /v1/documents")).status).toBe(200);
  });

  test("an address with half of a character in it leaves every view to be seen", async () => {
    await using sandbox = await started();
    const invitations_attributes = [{ invite_email: "\ud800@example.com" }];
    await ask(sandbox, "POST /v1/documents", { body: { ...wanted(), invitations_attributes } });
    expect(sandbox.mails).toHaveLength(1);
    for (const path of ["inbox", "inbox/1", "documents"])
      expect([path, (await fetch(`${sandbox.url}/_sandbox/page/${path}`)).status]).toEqual([path, 200]);
  });

  test("a fault's path is a glob, and one made to be slow isn't", async () => {
    await using sandbox = await started();
    const statusWith = async (path: string): Promise<number> => {
      await act(sandbox, "clear-faults");
      await act(sandbox, "fault", { kind: "status", status: 502, match: { path } });
      return (await ask(sandbox, `GET /v1/documents/${"a".repeat(60)}!`)).status;
    };
    expect(await statusWith("/v1/documents/*")).toBe(502);
    expect(await statusWith("*/documents/*a*!")).toBe(502);
    expect(await statusWith("/v1/documents")).not.toBe(502);
    expect(await statusWith(`${"*a".repeat(1000)}*b`)).not.toBe(502);
    expect(await statusWith("^(a|a)*(a|a)*$")).not.toBe(502);
  });

  test("a body that no service would take is refused while it arrives", async () => {
    await using sandbox = await started();
    const body = Buffer.alloc(129 * 1024 * 1024, " ");
    for (const path of ["/v1/documents", "/_sandbox/seed"]) {
      const answer = await fetch(sandbox.url + path, { method: "POST", body }).then(
        ({ status }) => status,
        () => "cut off",
      );
      expect([413, "cut off"]).toContain(answer);
    }
    expect((await ask(sandbox, "GET /v1/documents")).status).toBe(200);
  });

  test("shows the state, and is no part of the history", async () => {
    await using sandbox = await started();
    const id = await create(sandbox);
    expect(await look(sandbox, "state")).toMatchObject({
      documents: [{ id, status: "unsigned" }],
      folders: [],
      mails: [{ documentId: id }],
      history: [{ number: 1, status: 201 }],
      faults: [],
    });
    expect((await look(sandbox, "history")).map((seen: { path: string }) => seen.path)).toEqual(["/v1/documents"]);
    await act(sandbox, "reset");
    expect(await look(sandbox, "documents")).toEqual([]);
    expect(await look(sandbox, "mails")).toEqual([]);
  });

  test.each([
    ["sign", { documentId: 1, who: "ana@example.com" }, 404, "not_found"],
    ["sign", {}, 422, "validation_failed"],
    ["fault", { kind: "gremlins" }, 422, "validation_failed"],
    ["fault", { kind: "status", status: "500" }, 422, "validation_failed"],
    ["fault", { kind: "status", match: { paht: "/" } }, 422, "validation_failed"],
    ["clock", { advence: 1 }, 422, "validation_failed"],
    ["clock", {}, 422, "validation_failed"],
    ["clock", { advance: 3.6e18 }, 422, "validation_failed"],
    ["clock", { advance: -1e15 }, 422, "validation_failed"],
    ["clock", { frozen: true, set: "+275760-09-13T00:00:00Z" }, 422, "validation_failed"],
    ["configure", { form: "long" }, 422, "validation_failed"],
    ["constructor", {}, 404, "not_found"],
    ["seed", { documents: [{ name: "x", folder: "Nowhere", invitations: [] }] }, 422, "unknown_name"],
    ["seed", { documets: [] }, 422, "validation_failed"],
  ])("refuses %s %j", async (name, body, status, code) => {
    await using sandbox = await started();
    const refused = await act(sandbox, name, body);
    expect([refused.status, refused.body.error.code]).toEqual([status, code]);
  });
});
