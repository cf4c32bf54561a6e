import { outputsOf } from "../resources/document/document-state.js";
import { idText } from "./arguments.js";
import { fileRow, userRow } from "./document-file.js";
import { getDocumentDeclaration } from "./get-document-declaration.js";
import { present } from "./omit-nil.js";
import { readFunction } from "./read-function.js";

export const getDocument = readFunction(getDocumentDeclaration, {
  async answer(service, { documentId }, ask) {
    const body = await service.getDocument(idText(documentId), ask);
    const { supersedes, drift, imported, ...shared } = outputsOf(body, service, {
      supersedes: [],
      drift: [],
      imported: false,
    });
    return present({
      ...shared,
      ownerType: body.ownerType,
      creatorId: body.creatorId,
      active: body.active,
      signingStage: body.signingStage,
      withNom151: body.withNom151,
      blockchainCertsEnabled: body.blockchainCertsEnabled,
      validateSigners3id: body.validateSigners3id,
      advancedSignatureVersion: body.advancedSignatureVersion,
      autographSignatureVersion: body.autographSignatureVersion,
      files: body.files.map(file => fileRow(body.id, file, service)),
      invitations: body.invitations.map(({ id, user, requestedDocuments, ...rest }) =>
        present({ invitationId: id, user: userRow(user), requestedDocuments: [...requestedDocuments], ...rest }),
      ),
    });
  },
});
