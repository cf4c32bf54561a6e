import { describe, expect, it } from "vitest";
import type { Values } from "../../kit/values.js";
import { functionDeclarations } from "../../provider/functions/index.js";
import { answer, FakeService, failures, fixture } from "./service.js";

const NAMES = ["document-basic", "document-partially-signed", "document-certificates", "document-nom151"];

function serviceWith(name: string): { service: FakeService; id: string } {
  const service = new FakeService();
  service.documents = [fixture(name)];
  return { service, id: service.documents[0]?.id ?? "" };
}

describe.each(NAMES)("%s", name => {
  it.each(["getDocument", "getSigners", "getCertificates"])(
    "%s asks for the document once, and answers as declared",
    async fn => {
      const { service, id } = serviceWith(name);
      const result = await answer(service, fn, { documentId: id });
      expect(service.asked.filter(([what]) => what !== "download")).toEqual([["getDocument", id]]);
      const declared = functionDeclarations.find(({ token }) => token.endsWith(`:${fn}`));
      expect(declared?.outputs.strict().safeParse(result).error?.message).toBeUndefined();
    },
  );
});

it("a document comes with its comments, its certificates' XML, its signers and its invitations", async () => {
  const { service, id } = serviceWith("document-certificates");
  const [body] = service.documents;
  const result = await answer(service, "getDocument", { documentId: id });
  const [file] = result["files"] as Values[];
  expect(file).toMatchObject({
    fileId: "9120",
    version: "1",
    xmlBtcCert: body?.files[0]?.xmlBtcCert,
    xmlEthCert: body?.files[0]?.xmlEthCert,
    certificates: {
      ready: true,
      btcUrl: `https://sign.example.com/api/v3/timestamps/${body?.files[0]?.sha256SignedFile}.pdf`,
    },
  });
  expect(file?.["signers"]).toMatchObject([
    { signerId: "4411", fileId: "9120", userId: "204", email: "ana@example.com" },
    { signerId: "4412", email: "ben@example.org" },
  ]);
  expect(result).toMatchObject({
    documentId: id,
    ownerType: "User",
    withNom151: body?.withNom151,
    creatorId: body?.creatorId,
    signingStage: body?.signingStage,
    blockchainCertsEnabled: body?.blockchainCertsEnabled,
    advancedSignatureVersion: body?.advancedSignatureVersion,
    autographSignatureVersion: body?.autographSignatureVersion,
    active: body?.active,
  });
  expect((result["invitations"] as Values[]).map(row => row["invitationId"])).toEqual(
    body?.invitations.map(({ id }) => id),
  );
});

it("an invitation and a signer come with the fields of the extended form", async () => {
  const { service, id } = serviceWith("document-certificates");
  const result = await answer(service, "getDocument", { documentId: id });
  const [ana, ben] = result["invitations"] as Values[];
  expect(ana).toMatchObject({
    user: { userId: "204", name: "Ana Example", email: "ana@example.com" },
    validationStatus3id: "pending",
    validateKyc: false,
    requestedDocumentsStatus: "pending",
    requestedDocumentsRequired: false,
    requestedDocuments: [],
  });
  expect(ben).not.toHaveProperty("user");
  expect((result["files"] as Values[])[0]?.["signers"]).toMatchObject([
    { hashToSign: expect.stringMatching(/^[0-9a-f]{64}$/) },
    { hashToSign: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ]);
  expect(result["validateSigners3id"]).toBe(false);
});

it("a comment keeps its author, whether registered or not", async () => {
  const { service, id } = serviceWith("document-basic");
  const [body] = service.documents;
  const [file] = body?.files ?? [];
  if (!body || !file) throw new Error("the fixture has no file");
  const comments = [
    { title: "Rent", text: "Too high", createdAt: null, user: { id: "204", name: "Ana", email: "ana@example.com" } },
    { title: null, text: "Fine", createdAt: "2026-01-31T10:00:00.000Z", user: null },
  ];
  service.documents = [{ ...body, files: [{ ...file, comments }] }];
  const result = await answer(service, "getDocument", { documentId: id });
  expect((result["files"] as Values[])[0]?.["comments"]).toEqual([
    { title: "Rent", text: "Too high", user: { userId: "204", name: "Ana", email: "ana@example.com" } },
    { text: "Fine", createdAt: "2026-01-31T10:00:00.000Z" },
  ]);
});

it("what only state knows isn't in a function's answer", async () => {
  const { service, id } = serviceWith("document-basic");
  const result = await answer(service, "getDocument", { documentId: id });
  for (const name of ["supersedes", "drift", "imported"]) expect(result).not.toHaveProperty(name);
});

it("who signed is counted from the signers", async () => {
  const { service, id } = serviceWith("document-partially-signed");
  const result = await answer(service, "getSigners", { documentId: id });
  const rows = result["signers"] as Values[];
  expect(result).toMatchObject({ documentId: id, status: "partially_signed", allSigned: false });
  expect(result["pendingSigners"]).toEqual(rows.filter(row => row["status"] !== "signed").map(row => row["email"]));
});

it("certificates that aren't ready are an answer, not an error", async () => {
  const { service, id } = serviceWith("document-certificates-requested");
  expect(await answer(service, "getCertificates", { documentId: id })).toMatchObject({
    documentId: id,
    certificates: { status: "requested", ready: false },
    nom151: { ready: false },
  });
});

it("the NOM151 certificate is a data URI under a name that ends in .asn1", async () => {
  const { service, id } = serviceWith("document-nom151");
  const constancia = service.documents[0]?.files[0]?.constancia;
  const { nom151 } = (await answer(service, "getCertificates", { documentId: id })) as { nom151: Values };
  expect(nom151).toMatchObject({ ready: true, dataUri: `data:application/octet-stream;base64,${constancia}` });
  expect(nom151["fileName"]).toMatch(/\.asn1$/);
});

describe("a document's id", () => {
  it("may be a number", async () => {
    const { service, id } = serviceWith("document-basic");
    await answer(service, "getDocument", { documentId: Number(id) });
    expect(service.asked).toEqual([["getDocument", id]]);
  });

  it.each(["../users/api_key", "0", "-1", "1.5", "", "123456789012345678901", "١٢", 1.5, -3, 2 ** 60, true, {}])(
    "can't be %j, and the service isn't asked",
    async documentId => {
      for (const fn of ["getDocument", "getSigners", "getCertificates"]) {
        expect((await failures(fn, { documentId }))["documentId"]).toContain("documentId: expected");
      }
    },
  );

  it.each([{}, { documentId: null }])("can't be left out: %j", async args => {
    expect(await failures("getDocument", args)).toEqual({
      documentId: expect.stringContaining("documentId: is required"),
    });
  });
});

it("a misspelt argument is named, with the right one", async () => {
  expect(await failures("getDocument", { documentID: "1", documentId: "1" })).toEqual({
    "": "documentID: no such property; did you mean documentId?",
  });
});
