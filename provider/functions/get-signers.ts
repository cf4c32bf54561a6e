import { z } from "zod";
import type { FunctionDeclaration } from "../../kit/property.js";
import { documentOutputs } from "../resources/document/declaration.js";
import { outputsOf } from "../resources/document/state.js";
import { documentIdArgument, readFunction } from "./read-function.js";

const declaration = {
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
} satisfies FunctionDeclaration;

export const getSigners = readFunction(declaration, {
  async read(service, { documentId }, options) {
    const body = await service.getDocument(documentId, options);
    const outputs = outputsOf(body, service, { supersedes: [], drift: [], imported: false });
    const { status, allSigned, signers, pendingSigners } = outputs;
    return { documentId: outputs.documentId, status, allSigned, signers, pendingSigners };
  },
});
