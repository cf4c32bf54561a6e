import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type Point, startIndependentService } from "../support/independent-service/index.js";
import { ask, contract, create, pdf, rawPost, rawRequest } from "./connect.js";

describe("the ledger", () => {
  test("finds duplicates whatever the order and case of invitees, and only within an account", async () => {
    await using service = await startIndependentService();
    await create(service, {}, "a@x.test", "b@x.test");
    await create(service, {}, "b@x.test", "A@x.test");
    await create(service, { name: "Other" }, "a@x.test", "b@x.test");
    await ask(service, "POST", "/v1/documents", contract({}, "a@x.test", "b@x.test"), service.second.apiKey);
    expect(service.ledger.duplicates().map(group => group.length)).toEqual([2]);
    expect(service.ledger.documentCount()).toBe(4);
    expect(service.ledger.documents("second")[0]).toMatchObject({ madeBy: 4, name: "Rental" });
  });

  test("knows each request, the PDF by its hash only", async () => {
    await using service = await startIndependentService({ basePath: "/api" });
    const id = await create(service);
    await ask(service, "GET", "/v1/documents?folder_id=7");
    const [posted] = service.ledger.requests({ operation: "createDocument", name: "Rental" });
    const sha256 = createHash("sha256").update(pdf).digest("hex");
    expect(posted).toMatchObject({
      ...{ number: 1, method: "POST", path: "/v1/documents", account: "first", status: 201, outcome: "answered" },
      ...{ processed: true, made: { document: id }, body: { base64_file: { sha256, size: pdf.length, pdf: true } } },
    });
    expect(service.ledger.requests(/^GET .*\?folder_id=7$/)).toHaveLength(1);
  });

  test("tells connections apart", async () => {
    await using service = await startIndependentService();
    const get = "GET /v1/documents HTTP/1.1\r\nHost: s\r\n\r\n";
    const lines = [await rawRequest(service, get), await rawRequest(service, get)];
    await expect.poll(() => service.ledger.requests(request => request.outcome === "answered")).toHaveLength(2);
    for (const { socket } of lines) socket.end(get);
    await Promise.all(lines.map(({ heard }) => heard));
    const seen = service.ledger.requests().map(({ socket, reused }) => `${socket} ${reused}`);
    expect(seen.sort()).toEqual(["1 false", "1 true", "2 false", "2 true"]);
    expect(service.connections).toBe(2);
  });

  test("documents uploaded on the platform were made by no request", async () => {
    await using service = await startIndependentService();
    const id = service.people.upload("first", { name: "By hand", pdf, emails: ["z@x.test"] });
    service.people.addVersion(id, Buffer.from("%PDF-1.4 second"));
    service.people.renameBehindBack(id, "By another hand");
    const { payload } = (await ask(service, "GET", `/v1/documents/${id}`)).json;
    expect(payload).toMatchObject({
      name: "By another hand",
      last_version: "2",
      files: [{ version: "2" }, { version: "1" }],
    });
    expect(service.ledger.documents()[0]?.madeBy).toBe(0);
    service.people.sign(id, "z@x.test");
    expect(() => service.people.addVersion(id, pdf)).toThrow("is signed");
  });
});

describe("a gate", () => {
  test.each([
    ["received-headers", 0],
    ["receiving-body", 0],
    ["received-body", 0],
    ["processed", 1],
    ["answered-headers", 1],
  ] as [Point, number][])("at %s holds the request there, and cut resets it", async (point, made) => {
    await using service = await startIndependentService();
    const gate = service.gate(point, { method: "POST", path: "/v1/documents" });
    const { heard } = await rawRequest(service, rawPost(service, "/v1/documents", contract()));
    const request = await gate.reached;
    expect(request.operation).toBe("createDocument");
    expect(service.ledger.documentCount()).toBe(made);
    gate.cut();
    const { text, error } = await heard;
    expect(error).toBe("ECONNRESET");
    expect(text === "").toBe(point !== "answered-headers");
    expect(service.ledger.documentCount()).toBe(made);
  });

  test("opened, lets the request go on as if nothing had been", async () => {
    await using service = await startIndependentService();
    const gate = service.gate("received-body", "createDocument");
    const answer = ask(service, "POST", "/v1/documents", contract());
    await gate.reached;
    expect(service.ledger.documentCount()).toBe(0);
    gate.open();
    expect((await answer).status).toBe(201);
  });

  test("of a client that died: the service does not care and makes the document", async () => {
    await using service = await startIndependentService();
    const gate = service.gate("received-body");
    const { socket } = await rawRequest(service, rawPost(service, "/v1/documents", contract()));
    await gate.reached;
    socket.resetAndDestroy();
    await gate.abandoned;
    gate.open();
    await expect.poll(() => service.ledger.documentCount()).toBe(1);
    expect(service.ledger.requests()[0]).toMatchObject({ outcome: "client gone", processed: true });
  });

  test("a client that dies half-way through its upload makes nothing", async () => {
    await using service = await startIndependentService();
    const gate = service.gate("receiving-body");
    const half = rawPost(service, "/v1/documents", contract()).slice(0, -20);
    const { socket } = await rawRequest(service, half);
    await gate.reached;
    socket.resetAndDestroy();
    gate.open();
    await service.ledger.whenSeen("createDocument", { stage: "over" });
    expect(service.ledger.requests()[0]).toMatchObject({ outcome: "upload aborted", complete: false });
    expect(service.ledger.documentCount()).toBe(0);
  });

  test("left closed is cut when the service goes", async () => {
    const service = await startIndependentService();
    const gate = service.gate("received-body");
    const answer = ask(service, "POST", "/v1/documents", contract());
    const failed = expect(answer).rejects.toThrow("fetch failed");
    await gate.reached;
    await service[Symbol.asyncDispose]();
    await failed;
    expect(service.ledger.documentCount()).toBe(0);
  });
});
