import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type Point, startStranger } from "../support/stranger/index.js";
import { ask, contract, create, knock, pdf, rawPost } from "./knock.js";

describe("the ledger", () => {
  test("finds duplicates whatever the order and case of invitees, and only within an account", async () => {
    await using stranger = await startStranger();
    await create(stranger, {}, "a@x.test", "b@x.test");
    await create(stranger, {}, "b@x.test", "A@x.test");
    await create(stranger, { name: "Other" }, "a@x.test", "b@x.test");
    await ask(stranger, "POST", "/v1/documents", contract({}, "a@x.test", "b@x.test"), stranger.second.apiKey);
    expect(stranger.ledger.duplicates().map(group => group.length)).toEqual([2]);
    expect(stranger.ledger.documentCount()).toBe(4);
    expect(stranger.ledger.documents("second")[0]).toMatchObject({ madeBy: 4, name: "Rental" });
  });

  test("knows each request, the PDF by its hash only", async () => {
    await using stranger = await startStranger({ basePath: "/api" });
    const id = await create(stranger);
    await ask(stranger, "GET", "/v1/documents?folder_id=7");
    const [posted] = stranger.ledger.requests({ operation: "createDocument", name: "Rental" });
    const sha256 = createHash("sha256").update(pdf).digest("hex");
    expect(posted).toMatchObject({
      ...{ number: 1, method: "POST", path: "/v1/documents", account: "first", status: 201, outcome: "answered" },
      ...{ processed: true, made: { document: id }, body: { base64_file: { sha256, size: pdf.length, pdf: true } } },
    });
    expect(stranger.ledger.requests(/^GET .*\?folder_id=7$/)).toHaveLength(1);
  });

  test("tells connections apart", async () => {
    await using stranger = await startStranger();
    const get = "GET /v1/documents HTTP/1.1\r\nHost: s\r\n\r\n";
    const lines = [await knock(stranger, get), await knock(stranger, get)];
    await expect.poll(() => stranger.ledger.requests(request => request.outcome === "answered")).toHaveLength(2);
    for (const { socket } of lines) socket.end(get);
    await Promise.all(lines.map(({ heard }) => heard));
    const seen = stranger.ledger.requests().map(({ socket, reused }) => `${socket} ${reused}`);
    expect(seen.sort()).toEqual(["1 false", "1 true", "2 false", "2 true"]);
    expect(stranger.connections).toBe(2);
  });

  test("documents uploaded on the platform were made by no request", async () => {
    await using stranger = await startStranger();
    const id = stranger.people.upload("first", { name: "By hand", pdf, emails: ["z@x.test"] });
    stranger.people.addVersion(id, Buffer.from("%PDF-1.4 second"));
    stranger.people.renameBehindBack(id, "By another hand");
    const { payload } = (await ask(stranger, "GET", `/v1/documents/${id}`)).json;
    expect(payload).toMatchObject({
      name: "By another hand",
      last_version: "2",
      files: [{ version: "2" }, { version: "1" }],
    });
    expect(stranger.ledger.documents()[0]?.madeBy).toBe(0);
    stranger.people.sign(id, "z@x.test");
    expect(() => stranger.people.addVersion(id, pdf)).toThrow("is signed");
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
    await using stranger = await startStranger();
    const gate = stranger.gate(point, { method: "POST", path: "/v1/documents" });
    const { heard } = await knock(stranger, rawPost(stranger, "/v1/documents", contract()));
    const request = await gate.reached;
    expect(request.operation).toBe("createDocument");
    expect(stranger.ledger.documentCount()).toBe(made);
    gate.cut();
    const { text, error } = await heard;
    expect(error).toBe("ECONNRESET");
    expect(text === "").toBe(point !== "answered-headers");
    expect(stranger.ledger.documentCount()).toBe(made);
  });

  test("opened, lets the request go on as if nothing had been", async () => {
    await using stranger = await startStranger();
    const gate = stranger.gate("received-body", "createDocument");
    const answer = ask(stranger, "POST", "/v1/documents", contract());
    await gate.reached;
    expect(stranger.ledger.documentCount()).toBe(0);
    gate.open();
    expect((await answer).status).toBe(201);
  });

  test("of a client that died: the service does not care and makes the document", async () => {
    await using stranger = await startStranger();
    const gate = stranger.gate("received-body");
    const { socket } = await knock(stranger, rawPost(stranger, "/v1/documents", contract()));
    await gate.reached;
    socket.resetAndDestroy();
    await gate.abandoned;
    gate.open();
    await expect.poll(() => stranger.ledger.documentCount()).toBe(1);
    expect(stranger.ledger.requests()[0]).toMatchObject({ outcome: "client gone", processed: true });
  });

  test("a client that dies half-way through its upload makes nothing", async () => {
    await using stranger = await startStranger();
    const gate = stranger.gate("receiving-body");
    const half = rawPost(stranger, "/v1/documents", contract()).slice(0, -20);
    const { socket } = await knock(stranger, half);
    await gate.reached;
    socket.resetAndDestroy();
    gate.open();
    await stranger.ledger.whenSeen("createDocument", { stage: "over" });
    expect(stranger.ledger.requests()[0]).toMatchObject({ outcome: "upload aborted", complete: false });
    expect(stranger.ledger.documentCount()).toBe(0);
  });

  test("left closed is cut when the stranger goes", async () => {
    const stranger = await startStranger();
    const gate = stranger.gate("received-body");
    const answer = ask(stranger, "POST", "/v1/documents", contract());
    const failed = expect(answer).rejects.toThrow("fetch failed");
    await gate.reached;
    await stranger[Symbol.asyncDispose]();
    await failed;
    expect(stranger.ledger.documentCount()).toBe(0);
  });
});
