import { z } from "zod";
import { documentOutputs } from "../resources/document/declaration.js";
import { type FunctionDeclaration, property } from "../schema/property.js";
import { documentIdArgument } from "./arguments.js";

export const REQUIREMENTS = ["blockchain", "nom151", "all"] as const;

export const getCertificatesDeclaration = {
  token: "docsign:index:getCertificates",
  description: `The certificates of a document's latest version: where the blockchain certificates can be downloaded, and the NOM151
certificate itself. Not being ready yet is an answer, not an error, unless \`require\` says what has to be there: then the
function fails, in a preview too, and says what is missing.`,
  inputs: z.object({
    documentId: documentIdArgument,
    require: property(
      z.enum(REQUIREMENTS, { error: `one of ${REQUIREMENTS.map(each => `"${each}"`).join(", ")}` }).optional(),
      {
        description:
          "What has to be there: `blockchain` (both blockchain certificates), `nom151`, or `all` of it. Without it the function fails. Left out, nothing has to be.",
        typeName: "CertificateRequirement",
      },
    ),
  }),
  outputs: z.object({
    ...documentOutputs.pick({ documentId: true, certificates: true, nom151: true, signedSha256: true }).shape,
    certificatesNeedKey: property(z.boolean().optional(), {
      description:
        "Whether the addresses of the blockchain certificates want the account's key (`x-api-key`), found out by trying. Left out while they aren't ready, and where neither way leads to a PDF.",
    }),
  }),
} satisfies FunctionDeclaration;
