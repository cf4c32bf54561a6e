import { z } from "zod";
import { property } from "../../kit/property.js";
import { type Certificates, certificatesOf, latestFile, type Nom151, needsKey, nom151Of } from "../client/files.js";
import { documentOutputs } from "../resources/document/declaration.js";
import { UserError } from "../resources/resource.js";
import { oneOf } from "../schema/types.js";
import { documentIdArgument, readFunction } from "./read-function.js";

const REQUIREMENTS = ["blockchain", "nom151", "all"] as const;

export const getCertificates = readFunction({
  token: "docsign:index:getCertificates",
  description: `The certificates of a document's latest version: where the blockchain certificates can be downloaded, and the NOM151
certificate itself. Not being ready yet is an answer, not an error, unless \`require\` says what has to be there: then the
function fails, in a preview too, and says what is missing.`,
  inputs: z.object({
    documentId: documentIdArgument,
    require: property(oneOf(REQUIREMENTS).optional(), {
      description:
        "What has to be there: `blockchain` (both blockchain certificates), `nom151`, or `all` of it. Without it the function fails. Left out, nothing has to be.",
      typeName: "CertificateRequirement",
    }),
  }),
  outputs: documentOutputs.pick({
    documentId: true,
    certificates: true,
    certificatesNeedKey: true,
    nom151: true,
    signedSha256: true,
  }),
  async read(service, { documentId, require }, options) {
    const body = await service.getDocument(documentId, options);
    const latest = latestFile(body);
    const certificates = certificatesOf(latest, service.baseUrl);
    const nom151 = nom151Of(body.id, latest);
    assertThere(body.id, require, certificates, nom151);
    return {
      documentId: body.id,
      certificates,
      nom151,
      signedSha256: latest?.sha256SignedFile ?? null,
      certificatesNeedKey: await needsKey(service, certificates.btcUrl, options),
    };
  },
});

function assertThere(
  id: string,
  required: (typeof REQUIREMENTS)[number] | undefined,
  { ready, status }: Certificates,
  nom151: Nom151,
): void {
  if (required === undefined) return;
  const missing: string[] = [];
  if (required !== "nom151" && !ready)
    missing.push(`its blockchain certificates${status === "" ? "" : ` (status "${status}")`}`);
  if (required !== "blockchain" && !nom151.ready) missing.push("its NOM151 certificate");
  if (missing.length === 0) return;
  throw new UserError(
    `document ${id} is still without ${missing.join(" and ")}, and \`require: "${required}"\` was asked for. Run again once they are there; a SignatureGate with \`until: "${required}"\` can wait for them.`,
  );
}
