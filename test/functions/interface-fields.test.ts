import { describe, expect, test } from "vitest";
import type { Values } from "../../kit/values.js";
import { datedDocument, listedDocument, wholeDocument } from "../../provider/client/bodies.js";
import { functionDeclarations } from "../../provider/functions/index.js";
import { answer, FakeService } from "./service.js";

const AT = "2026-01-31T12:00:00.000-06:00";
const HASH = "ab".repeat(32);

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
  created_at: [AT, "createdAt"],
  updated_at: [AT, "updatedAt"],
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
  signed_ended_at: [AT, "signedEndedAt"],
  status: ["signed", "status"],
  sha256: [HASH, "sha256"],
  version: ["4", "version"],
  created_at: [AT, "createdAt"],
  updated_at: [AT, "updatedAt"],
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
  sha256_signed_file: [HASH, "signedSha256"],
};
const COMMENT: Fields = {
  title: ["Page 2", "title"],
  text: ["A question", "text"],
  created_at: [AT, "createdAt"],
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
  user: [{ email: "other@example.com", name: "Ana", user_id: 9 }, "name", "Ana"],
  user_id: [9, "userId", "9"],
  created_at: [AT, "createdAt"],
  updated_at: [AT, "updatedAt"],
};
const INVITATION: Fields = {
  id: [11, "invitationId", "11"],
  invite_name: ["Ana", "name"],
  invite_email: ["ana@example.com", "email"],
  document_id: [1, undefined],
  status: ["accepted", "status"],
  created_at: [AT, "createdAt"],
  updated_at: [AT, "updatedAt"],
  user: [
    { user_id: 9, name: "Ana", email: "ana@example.com" },
    "user",
    { userId: "9", name: "Ana", email: "ana@example.com" },
  ],
  stage: [12, "stage"],
  customer_id_3id: [null, undefined],
  validation_status_3id: ["pending", "validationStatus3id"],
  allowed_signature_types: ["all", "allowedSignatureTypes"],
  requested_documents_status: ["pending", "requestedDocumentsStatus"],
  requested_documents_required: [true, "requestedDocumentsRequired"],
  validate_kyc: [false, "validateKyc"],
  requested_documents: [[{ kind: "id" }], "requestedDocuments"],
};
const DATED: Fields = {
  id: [1, "documentId", "1"],
  name: ["Lease", "name"],
  description: ["Ground floor", "description"],
  created_at: [AT, "createdAt"],
  status: ["signed", "status"],
  unsigned_last_version_url: ["https://sign.example.com/o", "unsignedLastVersionUrl"],
  signed_last_version_url: ["https://sign.example.com/s", "signedLastVersionUrl"],
  last_version_signed_ended_at: [AT, "lastVersionSignedEndedAt"],
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
