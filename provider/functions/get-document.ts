import { z } from "zod";
import { property } from "../../kit/property.js";
import { present } from "../../kit/records.js";
import { certificatesOf, nom151Of } from "../client/files.js";
import type { FileBody, Service, UserBody } from "../client/service.js";
import { certificates, documentOutputs, nom151 } from "../resources/document/declaration.js";
import { outputsOf, type StateOnly } from "../resources/document/state.js";
import type { Term } from "../resources/terms.js";
import { listOf, maybeFlag, maybeText, objectType, text } from "../schema/types.js";
import { documentIdArgument, readFunction } from "./read-function.js";

const platformUser = objectType("PlatformUser", "A user of the platform.", {
  userId: maybeText("Id of the user, where there is one."),
  name: maybeText("Name of the user."),
  email: maybeText("Address of the user."),
});

const comment = objectType("DocumentComment", "A comment on one version of a document.", {
  title: maybeText("Title of the comment."),
  text: maybeText("Text of the comment."),
  createdAt: maybeText("When the comment was written."),
  user: property(platformUser.optional(), {
    description: "Who wrote it. Only registered users of the platform can.",
  }),
});

const fileSigner = objectType("FileSigner", "A signer of one version, as the service lists it.", {
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
});

/** One version with everything the service returns of it: too much for a resource's state, right for a function's answer. */
const documentFile = objectType("DocumentFile", "One version of a document, in full.", {
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
  signers: listOf(fileSigner, "Signers of this version, as the service lists them."),
  comments: listOf(comment, "Comments on this version."),
  createdAt: maybeText("When this version was created."),
  updatedAt: maybeText("When this version last changed."),
});

const documentInvitation = objectType("DocumentInvitation", "An invitation to sign, as the service lists it.", {
  invitationId: text("Id of the invitation: what a reminder is sent for."),
  email: maybeText("Address the invitation was sent to."),
  name: maybeText("Name of the person invited."),
  status: maybeText("Status of the invitation, such as `accepted`."),
  stage: property(z.number().int().optional(), { description: "Signing stage, where the service returns it." }),
  allowedSignatureTypes: maybeText(
    "How this person may sign, where the service returns it: `all`, `autograph` or `advanced`.",
  ),
  user: property(platformUser.optional(), { description: "The user, where the address is a registered one's." }),
  validationStatus3id: maybeText("Status of the identity check, such as `pending`."),
  validateKyc: maybeFlag("Whether this person's identity is checked."),
  requestedDocumentsStatus: maybeText("Status of the documents requested of this person, such as `pending`."),
  requestedDocumentsRequired: maybeFlag("Whether documents are requested of this person."),
  requestedDocuments: listOf(z.unknown(), "Documents requested of this person, as the service returns them."),
  createdAt: maybeText("When the invitation was sent."),
  updatedAt: maybeText("When the invitation last changed."),
});

/** What only a program that manages the document knows of it. */
const OF_THE_PROGRAM = {
  supersedes: true,
  supersededContents: true,
  sentPdfHash: true,
  drift: true,
  imported: true,
  certificatesNeedKey: true,
  effectiveFrom: true,
  expiresAt: true,
  renewBefore: true,
} as const satisfies Record<keyof StateOnly | Term | "drift" | "certificatesNeedKey", true>;

export const getDocument = readFunction({
  token: "docsign:index:getDocument",
  description: `Everything the service returns of a document: what the \`Document\` resource shows, and beyond that every version with
its signers, comments and certificates. Works for any document the key can see, whoever created it.`,
  inputs: z.object({ documentId: documentIdArgument }),
  outputs: documentOutputs.omit(OF_THE_PROGRAM).extend({
    ownerType: maybeText("Kind of owner, such as `User`."),
    creatorId: maybeText("Id of the user who created the document."),
    active: maybeFlag("Whether the document is active."),
    signingStage: property(z.number().int().optional(), { description: "The stage being signed now." }),
    withNom151: maybeFlag("Whether the document gets a NOM151 certificate."),
    blockchainCertsEnabled: maybeFlag("Whether the document gets blockchain certificates."),
    validateSigners3id: maybeFlag("Whether the signers' identity is checked."),
    advancedSignatureVersion: maybeText("Version of the advanced signature."),
    autographSignatureVersion: maybeText("Version of the autograph signature."),
    files: listOf(documentFile, "Every version of the document's file, in full."),
    invitations: listOf(documentInvitation, "Everyone invited, as the service lists them."),
  }),
  async read(service, { documentId }, options) {
    const body = await service.getDocument(documentId, options);
    const { supersedes, drift, imported, certificatesNeedKey, ...shared } = outputsOf(body, service);
    return {
      ...shared,
      ...present({
        ownerType: body.ownerType,
        creatorId: body.creatorId,
        active: body.active,
        signingStage: body.signingStage,
        withNom151: body.withNom151,
        blockchainCertsEnabled: body.blockchainCertsEnabled,
        validateSigners3id: body.validateSigners3id,
        advancedSignatureVersion: body.advancedSignatureVersion,
        autographSignatureVersion: body.autographSignatureVersion,
      }),
      files: body.files.map(file => fileRow(body.id, file, service)),
      invitations: body.invitations.map(({ id, user, requestedDocuments, ...rest }) =>
        present({ invitationId: id, user: userRow(user), requestedDocuments: [...requestedDocuments], ...rest }),
      ),
    };
  },
});

function fileRow(documentId: string, file: FileBody, service: Service): z.infer<typeof documentFile> {
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
function userRow(user: UserBody | null): z.infer<typeof platformUser> | undefined {
  const row = present({ userId: user?.id, name: user?.name, email: user?.email });
  return Object.keys(row).length === 0 ? undefined : row;
}

export const getSigners = readFunction({
  token: "docsign:index:getSigners",
  description: `Who is invited to sign a document, and who has signed its latest version.`,
  inputs: z.object({ documentId: documentIdArgument }),
  outputs: documentOutputs.pick({
    documentId: true,
    status: true,
    allSigned: true,
    signers: true,
    pendingSigners: true,
  }),
  async read(service, { documentId }, options) {
    const body = await service.getDocument(documentId, options);
    const { status, allSigned, signers, pendingSigners } = outputsOf(body, service);
    return { documentId: body.id, status, allSigned, signers, pendingSigners };
  },
});
