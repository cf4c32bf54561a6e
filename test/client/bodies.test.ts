import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { datedDocument, folder, listedDocument, wholeDocument } from "../../provider/client/bodies.js";
import { parseJson } from "../../provider/client/json.js";

const read = (text: string) => wholeDocument.parse(parseJson(text));

test("an extended document, field by field", () => {
  const time = "2026-01-31T12:00:00.000-06:00";
  const body = {
    id: 1,
    owner_id: 2,
    owner_type: "User",
    folder_id: 3,
    name: "Lease",
    description: "",
    last_version: "1",
    status: "signed",
    created_at: time,
    updated_at: time,
    organization: { id: 4, name: "Acme", plan: "x" },
    with_nom151: true,
    creator_id: 5,
    advanced_signature_version: "a_v1",
    autograph_signature_version: "b_v1",
    active: true,
    blockchain_certs_enabled: true,
    validate_signers_3id: true,
    signing_stage: 2,
    files: [
      {
        id: 6,
        document_id: 1,
        name: null,
        version: "1",
        status: "signed",
        signed_ended_at: time,
        sha256: "AB".repeat(32),
        url: "u",
        signed_file_url: "s",
        evidence_doc_url: "e",
        adv_str_constance: "",
        xml_btc_cert: "<b/>",
        xml_eth_cert: null,
        blockchain_certs_status: "requested",
        sha256_signed_file: "CD".repeat(32),
        created_at: time,
        updated_at: time,
        comments: [
          { title: "t", text: "x", created_at: time, user: { id: null, name: "Ana", email: "ana@example.com" } },
        ],
        signers: [
          {
            id: 7,
            file_id: 6,
            signature_type: "advanced",
            status: "signed",
            user: { email: "ana@example.com", name: "Ana", user_id: 8 },
            hash_to_sign: "EF",
            created_at: time,
            updated_at: time,
          },
          { id: 9, status: "unsigned", email: "luis@example.com", user: { user_id: null } },
        ],
      },
    ],
    invitations: [
      {
        id: 10,
        invite_name: "Ana",
        invite_email: "ana@example.com",
        status: "accepted",
        stage: 1,
        allowed_signature_types: "all",
        user: { user_id: 8, name: "Ana", email: "ana@example.com" },
        validation_status_3id: "pending",
        validate_kyc: false,
        requested_documents_status: "pending",
        requested_documents_required: true,
        requested_documents: [{ kind: "passport" }],
        created_at: time,
        updated_at: time,
      },
    ],
  };
  const dates = { createdAt: time, updatedAt: time };
  expect(wholeDocument.parse(body)).toEqual({
    id: "1",
    ownerId: "2",
    ownerType: "User",
    folderId: "3",
    name: "Lease",
    description: "",
    lastVersion: "1",
    status: "signed",
    ...dates,
    organization: { id: "4", name: "Acme" },
    withNom151: true,
    creatorId: "5",
    advancedSignatureVersion: "a_v1",
    autographSignatureVersion: "b_v1",
    active: true,
    blockchainCertsEnabled: true,
    validateSigners3id: true,
    signingStage: 2,
    files: [
      {
        id: "6",
        name: null,
        version: "1",
        status: "signed",
        signedEndedAt: time,
        sha256: "ab".repeat(32),
        url: "u",
        signedFileUrl: "s",
        evidenceDocUrl: "e",
        constancia: null,
        xmlBtcCert: "<b/>",
        xmlEthCert: null,
        blockchainCertsStatus: "requested",
        sha256SignedFile: "CD".repeat(32),
        ...dates,
        comments: [
          { title: "t", text: "x", createdAt: time, user: { id: null, name: "Ana", email: "ana@example.com" } },
        ],
        signers: [
          {
            id: "7",
            fileId: "6",
            signatureType: "advanced",
            status: "signed",
            email: "ana@example.com",
            name: "Ana",
            userId: "8",
            hashToSign: "EF",
            ...dates,
          },
          {
            id: "9",
            fileId: null,
            signatureType: null,
            status: "unsigned",
            email: "luis@example.com",
            name: null,
            userId: null,
            hashToSign: null,
            createdAt: null,
            updatedAt: null,
          },
        ],
      },
    ],
    invitations: [
      {
        id: "10",
        name: "Ana",
        email: "ana@example.com",
        status: "accepted",
        stage: 1,
        allowedSignatureTypes: "all",
        user: { id: "8", name: "Ana", email: "ana@example.com" },
        validationStatus3id: "pending",
        validateKyc: false,
        requestedDocumentsStatus: "pending",
        requestedDocumentsRequired: true,
        requestedDocuments: [{ kind: "passport" }],
        ...dates,
      },
    ],
  });
});

const bare = read('{"id":1}');
const { files, invitations } = read('{"id":1,"files":[{"id":2,"signers":[{"id":3}]}],"invitations":[{"id":4}]}');

test.each<[string, object | undefined, object]>([
  ["a document", bare, { id: "1", name: "", status: "unknown", files: [], invitations: [] }],
  ["a file", files[0], { id: "2", version: "", comments: [], signers: [files[0]?.signers[0]] }],
  ["a signer", files[0]?.signers[0], { id: "3" }],
  ["an invitation", invitations[0], { id: "4", requestedDocuments: [] }],
  ["a document by date", datedDocument.parse({ id: 5 }), { id: "5", name: "", status: "unknown" }],
  ["a folder", folder.parse({ id: 6 }), { id: "6" }],
])("%s with an id alone is null in all but what always has a value", (_kind, body = {}, values) => {
  expect(body).toEqual({ ...Object.fromEntries(Object.keys(body).map(name => [name, null])), ...values });
});

test("everything but an id may be null", () => {
  const nulls = Object.fromEntries(
    ["owner_id", "name", "status", "organization", "files", "invitations", "stage", "active"].map(key => [key, null]),
  );
  expect(wholeDocument.parse({ ...nulls, id: 1 })).toEqual(bare);
});

test("unknown statuses pass, unknown fields and __proto__ are left out", () => {
  const document = read('{"id":1,"status":"embargoed","new_field":{"a":1},"__proto__":{"polluted":1}}');
  expect(document.status).toBe("embargoed");
  expect(document).not.toHaveProperty("new_field");
  expect(document).not.toHaveProperty("polluted");
});

test("ids keep their digits, and may be text", () => {
  const document = read(
    '{"id":9223372036854775807,"owner_id":"12345678901234567","files":[{"id":9007199254740993,"version":1}]}',
  );
  expect(document).toMatchObject({
    id: "9223372036854775807",
    ownerId: "12345678901234567",
    files: [{ id: "9007199254740993", version: "1" }],
  });
});

test.each(["-1", "0", "1.5", '"x"', '"../7"', "null", "[]", "1e400", "999999999999999999999", "-9007199254740993"])(
  "the id %s is no id",
  id => {
    expect(() => read(`{"id":${id}}`)).toThrow();
    expect(() => read(`{"id":1,"files":[{"id":${id}}]}`)).toThrow();
    expect(() => read(`{"id":1,"invitations":[{"id":${id}}]}`)).toThrow();
  },
);

const FOLDER = join(__dirname, "../fixtures/wire");
const fixtures = existsSync(FOLDER) ? readdirSync(FOLDER).filter(name => name.endsWith(".json")) : [];

/** Which schema a transcribed body is for, by its own fields. */
function schemaFor(body: object) {
  if ("files" in body) return wholeDocument;
  if ("created_by_id" in body || "unsigned_last_version_url" in body) return datedDocument;
  return "last_version" in body ? listedDocument : "creator_id" in body ? folder : undefined;
}

test.each(fixtures)("the interface's own body %s is accepted", name => {
  const body = parseJson(readFileSync(join(FOLDER, name), "utf8")) as { payload?: unknown };
  const payloads = Array.isArray(body.payload) ? body.payload : [body.payload];
  for (const payload of payloads) {
    if (typeof payload !== "object" || payload === null) continue;
    const schema = schemaFor(payload);
    if (schema) expect(schema.safeParse(payload).error).toBeUndefined();
  }
});
