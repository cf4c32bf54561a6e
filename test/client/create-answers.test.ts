import { expect, test } from "vitest";
import { contract, documentBody, world } from "./setup.js";
import { stub } from "./stub.js";

const whole = documentBody("9007199254740993");
const basic = { id: 7, name: "Lease", status: "unsigned" };

async function answered(body: string, headers: Record<string, string> = {}, status = 201) {
  await using server = await stub(response => {
    response.writeHead(status, headers);
    response.end(body);
  });
  await using service = world(server.url);
  return await service.createDocument(contract);
}

test.each([
  ["in the envelope", { ok: true, payload: whole }],
  ["bare", whole],
  ["under payload.document", { ok: true, payload: { document: whole } }],
  ["under document", { document: whole }],
])("the whole document %s is a document", async (_name, body) => {
  expect(await answered(JSON.stringify(body))).toMatchObject({
    kind: "document",
    document: { id: "9007199254740993", name: "Lease" },
  });
});

test.each<[string, string, Record<string, string>?, number?]>([
  ["the list form", JSON.stringify({ ok: true, payload: basic })],
  ["the list form, bare", JSON.stringify(basic)],
  ["payload.id", '{"ok":true,"payload":{"id":7}}'],
  ["payload.id as text", '{"ok":true,"payload":{"id":"7"}}'],
  ["payload, a number", '{"ok":true,"payload":7}'],
  ["payload, digits", '{"ok":true,"payload":"7"}'],
  ["id", '{"id":7}'],
  ["document_id", '{"document_id":7}'],
  ["payload.document_id", '{"ok":true,"payload":{"document_id":7}}'],
  ["document.id", '{"document":{"id":7}}'],
  ["payload.document.id", '{"ok":true,"payload":{"document":{"id":7}}}'],
  ["ok: true and Location", '{"ok":true}', { location: "/v1/documents/7" }],
  ["nothing and Location", "", { location: "https://elsewhere.example/v1/documents/7" }, 204],
  ["a document that can't be read", JSON.stringify({ ...documentBody(), files: [{ id: "x" }] })],
])("%s is an id", async (_name, body, headers, status) => {
  expect(await answered(body, headers, status)).toEqual({ kind: "id", id: "7" });
});

test("an id above 2^53 keeps its digits", async () => {
  expect(await answered('{"ok":true,"payload":{"id":9223372036854775807}}')).toEqual({
    kind: "id",
    id: "9223372036854775807",
  });
});

test.each([
  ['{"ok":true,"payload":{"id":3,"name":"Leases","owner_id":1,"owner_type":"User","creator_id":1}}', "User"],
  ['{"id":3,"name":"Leases"}', null],
  ['{"ok":true,"payload":3}', null],
])("a folder's answer %s tells its id", async (body, ownerType) => {
  await using server = await stub(response => void response.end(body));
  await using service = world(server.url);
  expect(await service.createFolder({ name: "Leases" })).toMatchObject({ id: "3", name: "Leases", ownerType });
  expect(server.seen).toMatchObject([{ method: "POST", url: "/v1/folders", body: '{"name":"Leases"}' }]);
});
