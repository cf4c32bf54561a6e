import { describe, expect, test } from "vitest";
import type { Values } from "../../kit/values.js";
import { datedDocument, listedDocument, wholeDocument } from "../../provider/client/bodies.js";
import { functionDeclarations } from "../../provider/functions/index.js";
import { answer, FakeService } from "./service.js";

const at = (minute: number) => `2026-01-31T12:${minute}:00.000-06:00`;
const hash = (byte: string) => byte.repeat(32);

/** What the service says → where it is to be found, and as what. `undefined`: left out, see docs/decisions/answers-not-shown.md. */
type Fields = Record<string, [said: unknown, output: string | undefined, shown?: unknown]>;

/** Of the bytes that `MAA=` is. */
const MAA_SHA256 = "e4f60d0aa6d7f3d3b6a6494b1c861b99f649c6f9ec51abaf201b20f297327c95";
const DOCUMENT: Fields = {
  id: [1, "documentId", "1"],
  owner_id: [2, "ownerId", "2"],
  owner_type: ["User", "ownerType"],
  folder_id: [3, "folderId", "3"],
  name: ["Lease", "name"],
  description: ["Ground floor", "description"],
  last_version: ["4", "lastVersion"],
  created_at: [at(10), "createdAt"],
  updated_at: [at(11), "updatedAt"],
  status: ["signed", "status"],
  organization: [{ id: 5, name: "Acme" }, "organization", { id: "5", name: "Acme" }],
};
const EXTENDED: Fields = {
  with_nom151: [true, "withNom151"],
  creator_id: [6, "creatorId", "6"],
  advanced_signature_version: ["a_v1", "advancedSignatureVersion"],
  autograph_signature_version: ["b_v1", "autographSignatureVersion"],
  active: [false, "active"],
  validate_signers_3id: [true, "validateSigners3id"],
  blockchain_certs_enabled: [false, "blockchainCertsEnabled"],
  signing_stage: [7, "signingStage"],
};
const FILE: Fields = {
  id: [8, "fileId", "8"],
  document_id: [1, undefined],
  name: ["lease.pdf", "name"],
  signed_ended_at: [at(12), "signedEndedAt"],
  status: ["signed", "status"],
  sha256: [hash("ab"), "sha256"],
  version: ["4", "version"],
  created_at: [at(13), "createdAt"],
  updated_at: [at(14), "updatedAt"],
  url: ["https://sign.example.com/o", "url"],
  signed_file_url: ["https://sign.example.com/s", "signedFileUrl"],
  evidence_doc_url: ["https://sign.example.com/e", "evidenceDocUrl"],
  adv_id: [null, undefined],
  adv_moment: [null, undefined],
  adv_str_end: [null, undefined],
  adv_str_now: [null, undefined],
  adv_str_constance: [
    "MAA=",
    "nom151",
    {
      ready: true,
      dataUri: "data:application/octet-stream;base64,MAA=",
      fileName: "document-1-v4.asn1",
      sha256: MAA_SHA256,
    },
  ],
  xml_btc_cert: ["<btc/>", "xmlBtcCert"],
  xml_eth_cert: ["<eth/>", "xmlEthCert"],
  blockchain_certs_status: ["sended", "certificates", expect.objectContaining({ status: "sended", ready: true })],
  sha256_signed_file: [hash("cd"), "signedSha256"],
};
const COMMENT: Fields = {
  title: ["Page 2", "title"],
  text: ["A question", "text"],
  created_at: [at(15), "createdAt"],
  user: [
    { name: "Ana", email: "ana@example.com", id: 9 },
    "user",
    { name: "Ana", email: "ana@example.com", userId: "9" },
  ],
};
const SIGNER: Fields = {
  id: [10, "signerId", "10"],
  file_id: [8, "fileId", "8"],
  signature_type: ["advanced", "signatureType"],
  status: ["signed", "status"],
  email: ["ana@example.com", "email"],
  hash_to_sign: ["cd", "hashToSign"],
  user: [{ email: "other@example.com", name: "Ana", user_id: 13 }, "name", "Ana"],
  user_id: [9, "userId", "9"],
  created_at: [at(16), "createdAt"],
  updated_at: [at(17), "updatedAt"],
};
const INVITATION: Fields = {
  id: [11, "invitationId", "11"],
  invite_name: ["Ana María", "name"],
  invite_email: ["ana@example.com", "email"],
  document_id: [1, undefined],
  status: ["accepted", "status"],
  created_at: [at(18), "createdAt"],
  updated_at: [at(19), "updatedAt"],
  user: [
    { user_id: 9, name: "Ana", email: "other@example.com" },
    "user",
    { userId: "9", name: "Ana", email: "other@example.com" },
  ],
  stage: [12, "stage"],
  customer_id_3id: [null, undefined],
  validation_status_3id: ["pending", "validationStatus3id"],
  allowed_signature_types: ["all", "allowedSignatureTypes"],
  requested_documents_status: ["requested", "requestedDocumentsStatus"],
  requested_documents_required: [true, "requestedDocumentsRequired"],
  validate_kyc: [false, "validateKyc"],
  requested_documents: [[{ kind: "id" }], "requestedDocuments"],
};
const DATED: Fields = {
  id: [1, "documentId", "1"],
  name: ["Lease", "name"],
  description: ["Ground floor", "description"],
  created_at: [at(20), "createdAt"],
  status: ["signed", "status"],
  unsigned_last_version_url: ["https://sign.example.com/o", "unsignedLastVersionUrl"],
  signed_last_version_url: ["https://sign.example.com/s", "signedLastVersionUrl"],
  last_version_signed_ended_at: [at(21), "lastVersionSignedEndedAt"],
  organization_id: [5, "organizationId", "5"],
  organization_name: ["Acme", "organizationName"],
  created_by_id: [6, "createdById", "6"],
  created_by_name: ["Ana", "createdByName"],
  created_by_email: ["ana@example.com", "createdByEmail"],
};

const said = (fields: Fields) => Object.fromEntries(Object.entries(fields).map(([name, [value]]) => [name, value]));

const shown = (fields: Fields) =>
  Object.fromEntries(
    Object.values(fields).flatMap(([value, output, as = value]) => (output === undefined ? [] : [[output, as]])),
  );

const leaves = (value: unknown): string[] =>
  typeof value === "object" && value !== null ? Object.values(value).flatMap(leaves) : [String(value)];

test.each(Object.entries({ DOCUMENT: { ...DOCUMENT, ...EXTENDED }, FILE, COMMENT, SIGNER, INVITATION, DATED }))(
  "no two samples of %s are the same, so that none is taken from another field",
  (_name, fields) => {
    const samples = leaves(said(fields)).filter(sample => !["true", "false", "null"].includes(sample));
    expect(samples.filter((sample, index) => samples.indexOf(sample) !== index)).toEqual([]);
  },
);

describe("every field the interface shows reaches a user, or is named as left out", () => {
  const service = new FakeService();
  const body = {
    ...said({ ...DOCUMENT, ...EXTENDED }),
    files: [{ ...said(FILE), comments: [said(COMMENT)], signers: [said(SIGNER)] }],
    invitations: [said(INVITATION)],
  };
  service.documents = [wholeDocument.parse(body)];
  service.listed = [listedDocument.parse(said(DOCUMENT))];
  service.dated = ({ status }) => (status === "signed" ? [datedDocument.parse(said(DATED))] : []);

  test("of a document", async () => {
    const document = (await answer(service, "getDocument", { documentId: "1" })) as {
      files: [{ comments: [Values]; signers: [Values] }];
      invitations: [Values];
    };
    expect(document).toMatchObject(shown({ ...DOCUMENT, ...EXTENDED }));
    const declared = functionDeclarations.find(({ token }) => token === "docsign:index:getDocument");
    expect(Object.keys(document).sort()).toEqual(Object.keys(declared?.outputs.shape ?? {}).sort());
    const { comments, signers, ...file } = document.files[0];
    expect(file).toEqual(shown(FILE));
    expect(comments).toEqual([shown(COMMENT)]);
    expect(signers).toEqual([shown(SIGNER)]);
    expect(document.invitations).toEqual([shown(INVITATION)]);
  });

  test("of the list", async () => {
    expect((await answer(service, "getDocuments", {}))["documents"]).toEqual([shown(DOCUMENT)]);
  });

  test("of the list by date", async () => {
    const range = { fromDate: "2026-01-31", toDate: "2026-01-31" };
    expect((await answer(service, "getDocumentsByDateRange", range))["documents"]).toEqual([shown(DATED)]);
  });
});
