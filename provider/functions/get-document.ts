import { z } from "zod";
import { property } from "../../kit/property.js";
import { documentOutputs } from "../resources/document/declaration.js";
import { outputsOf } from "../resources/document/state.js";
import { maybeFlag, maybeText, text } from "../schema/types.js";
import { documentFile, fileRow, platformUser, userRow } from "./document-file.js";
import { documentIdArgument, present, readFunction } from "./read-function.js";

const documentInvitation = property(
  z.object({
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
    requestedDocuments: property(z.array(z.unknown()), {
      description: "Documents requested of this person, as the service returns them.",
    }),
    createdAt: maybeText("When the invitation was sent."),
    updatedAt: maybeText("When the invitation last changed."),
  }),
  { description: "An invitation to sign, as the service lists it.", typeName: "DocumentInvitation" },
);

/** What only a program that manages the document knows of it. */
const ofTheProgram = {
  supersedes: true,
  supersededContents: true,
  sentPdfHash: true,
  drift: true,
  imported: true,
  certificatesNeedKey: true,
  effectiveFrom: true,
  expiresAt: true,
  renewBefore: true,
} as const;

export const getDocument = readFunction({
  token: "docsign:index:getDocument",
  description: `Everything the service returns of a document: what the \`Document\` resource shows, and beyond that every version with
its signers, comments and certificates. Works for any document the key can see, whoever created it.`,
  inputs: z.object({ documentId: documentIdArgument }),
  outputs: documentOutputs.omit(ofTheProgram).extend({
    ownerType: maybeText("Kind of owner, such as `User`."),
    creatorId: maybeText("Id of the user who created the document."),
    active: maybeFlag("Whether the document is active."),
    signingStage: property(z.number().int().optional(), { description: "The stage being signed now." }),
    withNom151: maybeFlag("Whether the document gets a NOM151 certificate."),
    blockchainCertsEnabled: maybeFlag("Whether the document gets blockchain certificates."),
    validateSigners3id: maybeFlag("Whether the signers' identity is checked."),
    advancedSignatureVersion: maybeText("Version of the advanced signature."),
    autographSignatureVersion: maybeText("Version of the autograph signature."),
    files: property(z.array(documentFile), { description: "Every version of the document's file, in full." }),
    invitations: property(z.array(documentInvitation), { description: "Everyone invited, as the service lists them." }),
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
