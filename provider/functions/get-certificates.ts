import { z } from "zod";
import { CancelledError, StatusError } from "../client/errors.js";
import type { RequestOptions, Service } from "../client/service.js";
import { documentOutputs } from "../resources/document/declaration.js";
import { certificatesOf, latestFile, nom151Of } from "../resources/document/document-state.js";
import { UserError } from "../resources/resource.js";
import { type FunctionDeclaration, property } from "../schema/property.js";
import { documentIdArgument, idText } from "./arguments.js";
import { present } from "./omit-nil.js";
import { readFunction } from "./read-function.js";

const REQUIREMENTS = ["blockchain", "nom151", "all"] as const;

const declaration = {
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

export const getCertificates = readFunction(declaration, {
  async answer(service, { documentId, require }, ask) {
    const body = await service.getDocument(idText(documentId), ask);
    const latest = latestFile(body);
    const certificates = certificatesOf(latest, service.baseUrl);
    const nom151 = nom151Of(body.id, latest);
    assertThere(body.id, require, { certificates, nom151 });
    return present({
      documentId: body.id,
      certificates,
      nom151,
      signedSha256: latest?.sha256SignedFile,
      certificatesNeedKey: certificates.btcUrl ? await needsKey(service, certificates.btcUrl, ask) : undefined,
    });
  },
});

interface Found {
  readonly certificates: { readonly ready: boolean; readonly status: string };
  readonly nom151: { readonly ready: boolean };
}

function assertThere(id: string, required: (typeof REQUIREMENTS)[number] | undefined, found: Found): void {
  if (required === undefined) return;
  const missing: string[] = [];
  if (required !== "nom151" && !found.certificates.ready) {
    const { status } = found.certificates;
    missing.push(`its blockchain certificates${status === "" ? "" : ` (status "${status}")`}`);
  }
  if (required !== "blockchain" && !found.nom151.ready) missing.push("its NOM151 certificate");
  if (missing.length === 0) return;
  throw new UserError(
    `document ${id} is still without ${missing.join(" and ")}, and \`require: "${required}"\` was asked for. Run again once they are there; a SignatureGate with \`until: "${required}"\` can wait for them.`,
  );
}

/** The interface doesn't show whether these addresses want the key. Both tries stay at the service's own origin. */
async function needsKey(service: Service, address: string, ask: RequestOptions): Promise<boolean | undefined> {
  for (const withKey of [false, true]) {
    try {
      if (await beginsAsPdf(await service.download(address, { ...ask, withKey }))) return withKey;
    } catch (error) {
      if (error instanceof CancelledError) throw error;
      if (!(error instanceof StatusError && error.isLasting)) return undefined;
    }
  }
  return undefined;
}

/** Reads its first bytes only, which ends the request. */
async function beginsAsPdf(chunks: AsyncIterable<Uint8Array>): Promise<boolean> {
  let head = "";
  for await (const chunk of chunks) {
    head += Buffer.from(chunk.subarray(0, 5)).toString("latin1");
    if (head.length >= 5) break;
  }
  return head.startsWith("%PDF-");
}
