import fc from "fast-check";
import { expect, test } from "vitest";
import { createdHints } from "../../provider/client/documents.js";
import { contract, documentBody, failure, testService } from "./setup.js";
import { stub } from "./stub.js";

const id = "9007199254740993";
const whole = {
  ...documentBody(id),
  files: [{ id: 11, document_id: id, version: "1" }],
  invitations: [{ id: 12, document_id: id, invite_email: "ana@example.com" }],
};
const basic = { id: 7, name: "Lease", status: "unsigned" };

async function answered(body: string, headers: Record<string, string> = {}, status = 201) {
  await using server = await stub(response => {
    response.writeHead(status, headers);
    response.end(body);
  });
  await using service = testService(server.url);
  return await service.createDocument(contract);
}

test.each([
  ["in the envelope", { ok: true, payload: whole }],
  ["bare", whole],
  ["under payload.document", { ok: true, payload: { document: whole } }],
  ["under document", { document: whole }],
])("a whole document %s is answered as it is, with its id as the hint", async (_name, body) => {
  expect(await answered(JSON.stringify(body))).toMatchObject({
    hints: ["9007199254740993"],
    document: { id: "9007199254740993", name: whole.name },
  });
});

test.each<[string, object]>([
  ["has no files", { files: [] }],
  ["has no invitations", { invitations: [] }],
  ["leaves invitations out", { invitations: undefined }],
  ["names another document in its files", { files: [{ ...whole.files[0], document_id: 8 }] }],
  ["names another document in an invitation", { invitations: [...whole.invitations, { id: 9, document_id: 8 }] }],
  ["names no document in its files", { files: [{ ...whole.files[0], document_id: undefined }] }],
])("an answer that %s isn't the whole document", async (_name, change) => {
  const answer = await answered(JSON.stringify({ ok: true, payload: { ...whole, ...change } }));
  expect(answer).toMatchObject({ hints: expect.arrayContaining(["9007199254740993"]) });
  expect(answer.document).toBeUndefined();
});

const folder = { id: 77, name: "Leases", owner_id: 78, owner_type: "User", creator_id: 79 };
const nested = { folder, user: { id: 80, user_id: 80 }, owner: { id: 81 }, organization: { id: 82, name: "Acme" } };

test.each<[string, string, string[], Record<string, string>?, number?]>([
  ["the list form", JSON.stringify({ ok: true, payload: basic }), ["7"]],
  ["the list form beside others' ids", JSON.stringify({ ok: true, payload: { ...nested, ...basic } }), ["7"]],
  ["the list form, bare", JSON.stringify(basic), ["7"]],
  ["payload.id", '{"ok":true,"payload":{"id":7}}', ["7"]],
  ["payload.id as text", '{"ok":true,"payload":{"id":"7"}}', ["7"]],
  ["payload, a number", '{"ok":true,"payload":7}', ["7"]],
  ["payload, digits", '{"ok":true,"payload":"7"}', ["7"]],
  ["id", '{"id":7}', ["7"]],
  ["a number", "7", ["7"]],
  ["document_id", '{"document_id":7}', ["7"]],
  ["payload.document_id", '{"ok":true,"payload":{"document_id":7}}', ["7"]],
  ["document.id", '{"document":{"id":7}}', ["7"]],
  ["payload.document.id", '{"ok":true,"payload":{"document":{"id":7}}}', ["7"]],
  ["a file", '{"ok":true,"payload":{"id":77,"document_id":7,"version":"1"}}', ["7", "77"]],
  ["an invitation", '{"ok":true,"payload":{"id":77,"invite_email":"a@example.com","document_id":7}}', ["7", "77"]],
  [
    "an array of invitations",
    '{"ok":true,"payload":[{"id":77,"document_id":7},{"id":78,"document_id":7}]}',
    ["7", "77"],
  ],
  ["an array of documents", JSON.stringify({ ok: true, payload: [basic] }), ["7"]],
  ["a document without an id, its files named", '{"ok":true,"payload":{"files":[{"id":77,"document_id":7}]}}', ["7"]],
  ["an id in the payload and another beside it", '{"ok":true,"id":8,"payload":{"id":7}}', ["7", "8"]],
  ["a folder alone", JSON.stringify({ ok: true, payload: { folder } }), []],
  ["people alone", JSON.stringify({ ok: true, payload: { owner_id: 1, creator_id: 2, user: { id: 3 } } }), []],
  ["ok: true and Location", '{"ok":true}', ["7"], { location: "/v1/documents/7" }],
  ["nothing and Location", "", ["7"], { location: "https://elsewhere.example/v1/documents/7" }, 204],
  ["Location of the document's file", "", ["7"], { location: "/v1/documents/7/files/77?x=1" }],
  ["Location elsewhere", "", ["7"], { location: "/contracts/7/" }],
  ["Location of a folder", "", [], { location: "/v1/folders/77" }],
  ["another id in Location", '{"id":7}', ["7", "8"], { location: "/v1/documents/8" }],
  ["nothing", "", [], {}, 204],
  ["ok: true", '{"ok":true,"payload":null}', []],
  ["something that is no id", '{"ok":true,"payload":{"id":"abc","document_id":0}}', []],
  ["a document that can't be read", JSON.stringify({ ...documentBody(), files: [{ id: "x" }] }), ["7"]],
])("%s gives the hints that are in it", async (_name, body, hints, headers, status) => {
  expect(await answered(body, headers, status)).toEqual({ hints });
});

test("an id above 2^53 keeps its digits", async () => {
  expect(await answered('{"ok":true,"payload":{"id":9223372036854775807}}')).toEqual({
    hints: ["9223372036854775807"],
  });
});

test("hints are ids, each once, whatever JSON the answer is", async () => {
  await fc.assert(
    fc.property(fc.jsonValue(), fc.option(fc.webPath(), { nil: undefined }), (body, location) => {
      const hints = createdHints({ headers: location === undefined ? {} : { location } }, body);
      expect(new Set(hints).size).toBe(hints.length);
      for (const hint of hints) expect(hint).toMatch(/^[1-9][0-9]{0,19}$/);
    }),
  );
});

test("a 2xx answer that isn't JSON leaves the outcome unknown", async () => {
  expect(await failure(answered("<html>Welcome</html>"))).toMatchObject({ name: "AmbiguousWriteError" });
  expect(await failure(answered('{"id":'))).toMatchObject({ name: "AmbiguousWriteError" });
});

test.each([
  ['{"ok":true,"payload":{"id":3,"name":"Leases","owner_id":1,"owner_type":"User","creator_id":1}}', "User"],
  ['{"id":3,"name":"Leases"}', null],
  ['{"ok":true,"payload":3}', null],
])("a folder's answer %s gives its id", async (body, ownerType) => {
  await using server = await stub(response => void response.end(body));
  await using service = testService(server.url);
  expect(await service.createFolder({ name: "Leases" })).toMatchObject({ id: "3", name: "Leases", ownerType });
  expect(server.seen).toMatchObject([{ method: "POST", url: "/v1/folders", body: '{"name":"Leases"}' }]);
});
