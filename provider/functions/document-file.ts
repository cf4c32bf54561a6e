import { z } from "zod";
import { property } from "../../kit/property.js";
import { certificatesOf, nom151Of } from "../client/files.js";
import type { FileBody, Service, UserBody } from "../client/service.js";
import { certificates, nom151 } from "../resources/document/declaration.js";
import { maybeText, text } from "../schema/types.js";
import { present } from "./read-function.js";

export const platformUser = property(
  z.object({
    userId: maybeText("Id of the user, where there is one."),
    name: maybeText("Name of the user."),
    email: maybeText("Address of the user."),
  }),
  { description: "A user of the platform.", typeName: "PlatformUser" },
);

const comment = property(
  z.object({
    title: maybeText("Title of the comment."),
    text: maybeText("Text of the comment."),
    createdAt: maybeText("When the comment was written."),
    user: property(platformUser.optional(), {
      description: "Who wrote it. Only registered users of the platform can.",
    }),
  }),
  { description: "A comment on one version of a document.", typeName: "DocumentComment" },
);

const fileSigner = property(
  z.object({
    signerId: maybeText("Id of the signer."),
    fileId: maybeText("Id of the file this row belongs to."),
    email: maybeText("Address of the signer, where the service returns it."),
    name: maybeText("Name of the signer, where it is a registered user."),
    userId: maybeText("Id of the user, where the signer is registered."),
    signatureType: maybeText("`advanced` or `autograph`."),
    hashToSign: maybeText("Hash this signer signs."),
    status: maybeText("`signed` or `unsigned`."),
    createdAt: maybeText("When the row was created."),
    updatedAt: maybeText("When the row last changed."),
  }),
  { description: "A signer of one version, as the service lists it.", typeName: "FileSigner" },
);

/** One version with everything the service returns of it: too much for a resource's state, right for a function's answer. */
export const documentFile = property(
  z.object({
    fileId: text("Id of the file."),
    version: text("Number of the version."),
    name: maybeText("Name of the file."),
    status: maybeText("Status of this version."),
    sha256: maybeText("SHA-256 of the PDF."),
    url: maybeText("Address of the original PDF."),
    signedFileUrl: maybeText("Address of the signed PDF."),
    signedSha256: maybeText("SHA-256 of the signed PDF; certificate addresses are built on it."),
    signedEndedAt: maybeText("When signing of this version ended."),
    evidenceDocUrl: maybeText("Address of the evidence document."),
    certificates: property(certificates, { description: "The blockchain certificates of this version." }),
    xmlBtcCert: maybeText("XML of the Bitcoin certificate, once ready."),
    xmlEthCert: maybeText("XML of the Ethereum certificate, once ready."),
    nom151: property(nom151, { description: "The NOM151 certificate of this version." }),
    signers: property(z.array(fileSigner), { description: "Signers of this version, as the service lists them." }),
    comments: property(z.array(comment), { description: "Comments on this version." }),
    createdAt: maybeText("When this version was created."),
    updatedAt: maybeText("When this version last changed."),
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
