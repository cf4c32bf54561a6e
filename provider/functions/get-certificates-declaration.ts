import { z } from "zod";
import { documentOutputs } from "../resources/document/declaration.js";
import type { FunctionDeclaration } from "../schema/property.js";
import { documentIdArgument } from "./arguments.js";

export const getCertificatesDeclaration = {
  token: "docsign:index:getCertificates",
  description: `The certificates of a document's latest version: where the blockchain certificates can be downloaded, and the NOM151
certificate itself. Not being ready yet is an answer, not an error.`,
  inputs: z.object({ documentId: documentIdArgument }),
  outputs: documentOutputs.pick({ documentId: true, certificates: true, nom151: true, signedSha256: true }),
} satisfies FunctionDeclaration;
