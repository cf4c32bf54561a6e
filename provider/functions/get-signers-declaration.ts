import { z } from "zod";
import { documentOutputs } from "../resources/document/declaration.js";
import type { FunctionDeclaration } from "../schema/property.js";
import { documentIdArgument } from "./arguments.js";

export const getSignersDeclaration = {
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
