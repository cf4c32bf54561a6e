import { z } from "zod";
import { property } from "../../kit/property.js";
import { certificatesOf, nom151Of } from "../client/files.js";
import type { CommentBody, FileBody, Service, SignerBody, UserBody } from "../client/service.js";
import { certificates, nom151 } from "../resources/document/declaration.js";
import { present } from "./read-function.js";

export const platformUser = property(
  z.object({
    userId: property(z.string().optional(), { description: "Id of the user, where there is one." }),
    name: property(z.string().optional(), { description: "Name of the user." }),
    email: property(z.string().optional(), { description: "Address of the user." }),
  }),
  { description: "A user of the platform.", typeName: "PlatformUser" },
);

const comment = property(
  z.object({
    title: property(z.string().optional(), { description: "Title of the comment." }),
    text: property(z.string().optional(), { description: "Text of the comment." }),
    createdAt: property(z.string().optional(), { description: "When the comment was written." }),
    user: property(platformUser.optional(), {
      description: "Who wrote it. Only registered users of the platform can.",
    }),
  }),
  { description: "A comment on one version of a document.", typeName: "DocumentComment" },
);

const fileSigner = property(
  z.object({
    signerId: property(z.string().optional(), { description: "Id of the signer." }),
    fileId: property(z.string().optional(), { description: "Id of the file this row belongs to." }),
    email: property(z.string().optional(), { description: "Address of the signer, where the service returns it." }),
    name: property(z.string().optional(), { description: "Name of the signer, where it is a registered user." }),
    userId: property(z.string().optional(), { description: "Id of the user, where the signer is registered." }),
    signatureType: property(z.string().optional(), { description: "`advanced` or `autograph`." }),
    hashToSign: property(z.string().optional(), { description: "Hash this signer signs." }),
    status: property(z.string().optional(), { description: "`signed` or `unsigned`." }),
    createdAt: property(z.string().optional(), { description: "When the row was created." }),
    updatedAt: property(z.string().optional(), { description: "When the row last changed." }),
  }),
  { description: "A signer of one version, as the service lists it.", typeName: "FileSigner" },
);

/** One version with everything the service returns of it: too much for a resource's state, right for a function's answer. */
export const documentFile = property(
  z.object({
    fileId: property(z.string(), { description: "Id of the file." }),
    version: property(z.string(), { description: "Number of the version." }),
    name: property(z.string().optional(), { description: "Name of the file." }),
    status: property(z.string().optional(), { description: "Status of this version." }),
    sha256: property(z.string().optional(), { description: "SHA-256 of the PDF." }),
    url: property(z.string().optional(), { description: "Address of the original PDF." }),
    signedFileUrl: property(z.string().optional(), { description: "Address of the signed PDF." }),
    signedSha256: property(z.string().optional(), {
      description: "SHA-256 of the signed PDF; certificate addresses are built on it.",
    }),
    signedEndedAt: property(z.string().optional(), { description: "When signing of this version ended." }),
    evidenceDocUrl: property(z.string().optional(), { description: "Address of the evidence document." }),
    certificates: property(certificates, { description: "The blockchain certificates of this version." }),
    xmlBtcCert: property(z.string().optional(), { description: "XML of the Bitcoin certificate, once ready." }),
    xmlEthCert: property(z.string().optional(), { description: "XML of the Ethereum certificate, once ready." }),
    nom151: property(nom151, { description: "The NOM151 certificate of this version." }),
    signers: property(z.array(fileSigner), { description: "Signers of this version, as the service lists them." }),
    comments: property(z.array(comment), { description: "Comments on this version." }),
    createdAt: property(z.string().optional(), { description: "When this version was created." }),
    updatedAt: property(z.string().optional(), { description: "When this version last changed." }),
  }),
  { description: "One version of a document, in full.", typeName: "DocumentFile" },
);

export function fileRow(documentId: string, file: FileBody, service: Service): z.infer<typeof documentFile> {
  return present({
    fileId: file.id,
    version: file.version,
    name: file.name,
    status: file.status,
    sha256: file.sha256,
    url: file.url,
    signedFileUrl: file.signedFileUrl,
    signedSha256: file.sha256SignedFile,
    signedEndedAt: file.signedEndedAt,
    evidenceDocUrl: file.evidenceDocUrl,
    certificates: certificatesOf(file, service.baseUrl),
    xmlBtcCert: file.xmlBtcCert,
    xmlEthCert: file.xmlEthCert,
    nom151: nom151Of(documentId, file),
    signers: file.signers.map(fileSignerRow),
    comments: file.comments.map(commentRow),
    createdAt: file.createdAt,
    updatedAt: file.updatedAt,
  });
}

function fileSignerRow({ id, ...rest }: SignerBody): z.infer<typeof fileSigner> {
  return present({ signerId: id, ...rest });
}

/** Absent where the service names nobody: it then writes a user without values. */
export function userRow(user: UserBody | null): z.infer<typeof platformUser> | undefined {
  const row = present({ userId: user?.id, name: user?.name, email: user?.email });
  return Object.keys(row).length === 0 ? undefined : row;
}

function commentRow({ user, ...rest }: CommentBody): z.infer<typeof comment> {
  return present({ ...rest, user: userRow(user) });
}
