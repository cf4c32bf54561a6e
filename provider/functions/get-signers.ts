import { outputsOf } from "../resources/document/document-state.js";
import { idText } from "./arguments.js";
import { getSignersDeclaration } from "./get-signers-declaration.js";
import { readFunction } from "./read-function.js";

export const getSigners = readFunction(getSignersDeclaration, {
  async answer(service, { documentId }, ask) {
    const body = await service.getDocument(idText(documentId), ask);
    const outputs = outputsOf(body, service, { supersedes: [], drift: [], imported: false });
    const { status, allSigned, signers, pendingSigners } = outputs;
    return { documentId: outputs.documentId, status, allSigned, signers, pendingSigners };
  },
});
