import { z } from "zod";
import { property } from "../../kit/property.js";
import { present } from "../../kit/records.js";
import { examine } from "../evidence/collect.js";
import type { Constancia, EvidenceManifest } from "../evidence/types.js";
import { EvidenceError } from "../evidence/types.js";
import { UserError } from "../resources/resource.js";
import { flag, listOf, maybeFlag, maybeText, objectType, text, texts } from "../schema/types.js";
import { documentIdArgument, readFunction } from "./read-function.js";

const file = objectType("EvidenceFile", "A file of a document's evidence.", {
  kind: text("`original`, `signed`, `btc-certificate`, `eth-certificate`, `evidence-document` or `nom151`."),
  fileName: text("Name of the file that `docsign evidence pull` writes."),
  address: maybeText("Where the service has it. Left out for what the document itself carries."),
  bytes: property(z.number().int(), { description: "Size in bytes." }),
  sha256: text("SHA-256 of the file, in hex."),
  neededKey: maybeFlag("Whether the service required the key for it. Left out for what the document itself carries."),
  proven: flag("Whether every check that there are means for held."),
  verified: texts("What was checked, and held."),
  notVerified: texts("What was not checked."),
});

const missing = objectType("MissingEvidence", "Evidence that couldn't be had.", {
  kind: text("What is missing."),
  why: text("Why."),
});

const constancia = objectType("EvidenceConstancia", "What the NOM151 constancia says.", {
  kind: text("`rfc3161` for a timestamp that can be read, `opaque` for other ASN.1, `invalid` for what isn't ASN.1."),
  why: maybeText("What it isn't, for `opaque` and `invalid`."),
  time: maybeText("When the timestamp says it was made, in UTC."),
  serialNumber: maybeText("Serial number of the timestamp, in hex."),
  policy: maybeText("Policy of the issuer, an object identifier."),
  tsa: maybeText("Who the timestamp says issued it."),
  matches: maybeText(
    "What the timestamp is about: `original` or `signed` for that file, `neither`, or `unknown` for an unknown hash algorithm.",
  ),
  signature: maybeText("`fits its certificate`, `doesn't fit its certificate` or `not checked`."),
});

export const getEvidence = readFunction({
  token: "docsign:index:getEvidence",
  description: `Checks what proves that a document was signed: the original and the signed PDF against the hashes the service states, the
blockchain certificates, the NOM151 constancia. It reads each file to the end and writes none; \`docsign evidence pull\` writes the
same files into a folder. If a file isn't what the service says it is, the function fails. It downloads the files whenever it is
called, in a preview too.`,
  inputs: z.object({
    documentId: documentIdArgument,
    allowOrigins: property(
      z
        .array(z.string({ error: "an origin such as https://files.example" }), { error: "a list of origins" })
        .optional(),
      {
        description:
          "Origins besides the service's own, such as `https://files.example`, that files may be fetched from. The key is never sent there.",
      },
    ),
    requireComplete: property(z.boolean({ error: "true or false" }).optional(), {
      description:
        "Whether the function fails while something of what is expected is missing or unproven. Left out, `complete` and `missing` say so.",
    }),
  }),
  outputs: z.object({
    documentId: text("Id of the document."),
    sha256: text(
      "SHA-256 of the `evidence.json` that `docsign evidence pull` writes, in hex. It names the SHA-256 of each file, so it is the same as long as all of the evidence is.",
    ),
    complete: flag("Whether all that is expected is among `files`, and proven."),
    expected: texts("What this document is to have, by its own fields."),
    files: listOf(file, "The files."),
    missing: listOf(missing, "What is expected and couldn't be had."),
    constancia: property(constancia.optional(), { description: "The NOM151 constancia, where there is one." }),
  }),
  async read(service, { documentId, allowOrigins, requireComplete }, { signal }) {
    const args = { documentId, ...present({ allowOrigins, signal }) };
    const { manifest, sha256, addresses } = await examine(service, args).catch((error: unknown) => {
      throw error instanceof EvidenceError ? new UserError(error.message) : error;
    });
    if (requireComplete === true) assertComplete(manifest);
    const { documentId: id, complete, expected, files, missing, constancia } = manifest;
    return present({
      documentId: id,
      sha256,
      complete,
      expected,
      files: files.map(file => present({ ...file, address: addresses.get(file.kind) })),
      missing,
      constancia: constancia && present(flat(constancia)),
    });
  },
});

function assertComplete({ documentId, complete, files, missing }: EvidenceManifest): void {
  if (complete) return;
  const reasons = [
    ...missing.map(({ kind, why }) => `${kind}: ${why}`),
    ...files.filter(({ proven }) => !proven).map(({ kind, notVerified }) => `${kind} isn't proven: ${notVerified[0]}`),
  ];
  throw new UserError(
    `the evidence of document ${documentId} isn't complete, and \`requireComplete\` was asked for: ${reasons.join("; ")}`,
  );
}

function flat(constancia: Constancia) {
  if (constancia.kind !== "rfc3161") return { kind: constancia.kind, why: constancia.why };
  const { kind, time, serialNumber, policy, tsa, imprint, signature } = constancia;
  return { kind, time, serialNumber, policy, tsa, matches: imprint.matches, signature };
}
