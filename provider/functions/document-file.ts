import { z } from "zod";
import { property } from "../../kit/property.js";
import { certificatesOf, nom151Of } from "../client/files.js";
import type { FileBody, Service, UserBody } from "../client/service.js";
import { certificates, nom151 } from "../resources/document/declaration.js";
import { present, text } from "./read-function.js";

export const platformUser = property(
  z.object({
    userId: text("Id of the user, where there is one."),
    name: text("Name of the user."),
    email: text("Address of the user."),
  }),
  { description: "A user of the platform.", typeName: "PlatformUser" },
);

const comment = property(
  z.object({
    title: text("Title of the comment."),
    text: text("Text of the comment."),
    createdAt: text("When the comment was written."),
    user: property(platformUser.optional(), {
      description: "Who wrote it. Only registered users of the platform can.",
    }),
  }),
  { description: "A comment on one version of a document.", typeName: "DocumentComment" },
);

const fileSigner = property(
  z.object({
    signerId: text("Id of the signer."),
    fileId: text("Id of the file this row belongs to."),
    email: text("Address of the signer, where the service returns it."),
    name: text("Name of the signer, where it is a registered user."),
    userId: text("Id of the user, where the signer is registered."),
    signatureType: text("`advanced` or `autograph`."),
    hashToSign: text("Hash this signer signs."),
    status: text("`signed` or `unsigned`."),
    createdAt: text("When the row was created."),
    updatedAt: text("When the row last changed."),
  }),
  { description: "A signer of one version, as the service lists it.", typeName: "FileSigner" },
);

/** One version with everything the service returns of it: too much for a resource's state, right for a function's answer. */
export const documentFile = property(
  z.object({
    fileId: property(z.string(), { description: "Id of the file." }),
    version: property(z.string(), { description: "Number of the version." }),
    name: text("Name of the file."),
    status: text("Status of this version."),
    sha256: text("SHA-256 of the PDF."),
    url: text("Address of the original PDF."),
    signedFileUrl: text("Address of the signed PDF."),
    signedSha256: text("SHA-256 of the signed PDF; certificate addresses are built on it."),
    signedEndedAt: text("When signing of this version ended."),
    evidenceDocUrl: text("Address of the evidence document."),
    certificates: property(certificates, { description: "The blockchain certificates of this version." }),
    xmlBtcCert: text("XML of the Bitcoin certificate, once ready."),
    xmlEthCert: text("XML of the Ethereum certificate, once ready."),
    nom151: property(nom151, { description: "The NOM151 certificate of this version." }),
    signers: property(z.array(fileSigner), { description: "Signers of this version, as the service lists them." }),
    comments: property(z.array(comment), { description: "Comments on this version." }),
    createdAt: text("When this version was created."),
    updatedAt: text("When this version last changed."),
  }),
  { description: "One version of a document, in full.", typeName: "DocumentFile" },
);

export function fileRow(documentId: string, file: FileBody, service: Service): z.infer<typeof documentFile> {
  const { id, sha256SignedFile, constancia, blockchainCertsStatus, signers, comments, ...rest } = file;
  return present({
    ...rest,
    fileId: id,
    signedSha256: sha256SignedFile,
    certificates: certificatesOf(file, service.baseUrl),
    nom151: nom151Of(documentId, file),
    signers: signers.map(({ id: signerId, ...row }) => present({ signerId, ...row })),
    comments: comments.map(({ user, ...row }) => present({ ...row, user: userRow(user) })),
  });
}

/** Absent where the service names nobody: it then writes a user without values. */
export function userRow(user: UserBody | null): z.infer<typeof platformUser> | undefined {
  const row = present({ userId: user?.id, name: user?.name, email: user?.email });
  return Object.keys(row).length === 0 ? undefined : row;
}
