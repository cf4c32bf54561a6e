import { expect, test } from "vitest";
import { contract, documentBody, KEY, world } from "./setup.js";
import { ok, stub } from "./stub.js";

test("GET /v1/documents/:id is asked with the key and nothing else", async () => {
  await using server = await stub(response => ok(response, documentBody()));
  await using service = world(server.url);
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
  await using service = world(server.url);
  const answer = await service.createDocument({
    ...contract,
    folderId: "9007199254740993",
    extraParameters: { remind_every: 3 },
  });
  expect(answer).toMatchObject({ kind: "document", document: { id: "7" } });
  const [{ method, url, headers, body } = expect.fail("nothing was asked")] = server.seen;
  expect({ method, url }).toEqual({ method: "POST", url: "/v1/documents" });
  expect(headers).toMatchObject({
    "content-type": "application/json",
    "content-length": String(body.length),
    "x-api-key": KEY,
  });
  expect(body).toBe(
    '{"name":"Lease","folder_id":9007199254740993,"remind_every":3,"invitations_attributes":' +
      '[{"invite_email":"ana@example.com","invite_name":"Ana","stage":1},{"invite_email":"luis@example.com"}],' +
      `"base64_file":"data:application/pdf;base64,${Buffer.from("%PDF-1.7 lease").toString("base64")}"}`,
  );
});
