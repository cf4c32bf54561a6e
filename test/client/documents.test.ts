import { expect, test } from "vitest";
import { contract, documentBody, failure, KEY, testService } from "./setup.js";
import { ok, stub } from "./stub.js";

test("GET /v1/documents/:id is asked with the key and nothing else", async () => {
  await using server = await stub(response => ok(response, documentBody()));
  await using service = testService(server.url);
  const document = await service.getDocument("7");
  expect(document).toMatchObject({
    id: "7",
    name: "Lease",
    status: "unsigned",
    folderId: null,
    files: [],
    invitations: [],
  });
  const [{ method, url, headers, body } = expect.fail("nothing was asked")] = server.seen;
  expect({ method, url, body }).toEqual({ method: "GET", url: "/v1/documents/7", body: "" });
  expect(headers).toEqual({
    host: server.url.slice("http://".length),
    connection: "keep-alive",
    accept: "application/json",
    "accept-encoding": "identity",
    "user-agent": "pulumi-docsign",
    "x-api-key": KEY,
  });
});

test("POST /v1/documents carries the PDF as a data URI after the small fields", async () => {
  await using server = await stub(response => ok(response, documentBody()));
  await using service = testService(server.url);
  const answer = await service.createDocument({
    ...contract,
    folderId: "9007199254740993",
    extraParameters: { remind_every: 3 },
  });
  expect(answer).toEqual({ hints: ["7"] });
  const [{ method, url, headers, body } = expect.fail("nothing was asked")] = server.seen;
  expect({ method, url }).toEqual({ method: "POST", url: "/v1/documents" });
  expect(headers).toMatchObject({
    "content-type": "application/json",
    "content-length": String(body.length),
    "x-api-key": KEY,
  });
  expect(body).toBe(
    '{"name":"Lease","folder_id":9007199254740993,"invitations_attributes":' +
      '[{"invite_email":"ana@example.com","invite_name":"Ana","stage":1},{"invite_email":"luis@example.com"}],"remind_every":3,' +
      `"base64_file":"data:application/pdf;base64,${Buffer.from("%PDF-1.7 lease").toString("base64")}"}`,
  );
});

test("another document's body is refused, and not asked for again", async () => {
  await using server = await stub(response => ok(response, documentBody(8)));
  await using service = testService(server.url);
  expect(await failure(service.getDocument("7"))).toMatchObject({
    name: "UnreadableAnswerError",
    retryable: false,
    message: `GET ${server.url}/v1/documents/7: expected document 7, got document 8`,
  });
  expect(server.seen).toHaveLength(1);
});

test("a list has each document once, in the order received, and says how many rows came", async () => {
  const rows = [9, 7, 9, 8].map(id => ({ ...documentBody(id), created_at: null }));
  const answers = [rows, rows.slice(0, 1), []];
  await using server = await stub(response => ok(response, answers.shift()));
  await using service = testService(server.url);
  const [first, second, dated] = [
    await service.listDocuments({}),
    await service.listDocuments({ folderId: "3" }),
    await service.listDocumentsByDateRange({ fromDate: "2026-01-01", toDate: "2026-01-31", status: "signed" }),
  ];
  expect(first).toMatchObject({ rows: [{ id: "9" }, { id: "7" }, { id: "8" }], received: 4 });
  expect(second).toMatchObject({ rows: [{ id: "9" }], received: 1 });
  expect(dated).toEqual({ rows: [], received: 0 });
  expect(service.longestList("documents")).toBe(4);
  expect(service.longestList("documentsByDateRange")).toBe(0);
});
