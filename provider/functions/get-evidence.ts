import { join, resolve } from "node:path";
import { collect } from "../evidence/collect.js";
import { EvidenceError } from "../evidence/errors.js";
import type { Constancia, EvidenceManifest } from "../evidence/types.js";
import { UserError } from "../resources/resource.js";
import { Asset } from "../schema/values.js";
import { idText } from "./arguments.js";
import { getEvidenceDeclaration } from "./get-evidence-declaration.js";
import { present } from "./omit-nil.js";
import { readFunction } from "./read-function.js";

export const getEvidence = readFunction(getEvidenceDeclaration, {
  async answer(service, { documentId, directory, allowOrigins, requireComplete }, { signal }) {
    const folder = resolve(directory);
    const args = { documentId: idText(documentId), directory: folder, ...present({ allowOrigins, signal }) };
    const manifest = await collect(service, args).catch((error: unknown) => {
      throw error instanceof EvidenceError ? new UserError(error.message) : error;
    });
    if (requireComplete === true) assertComplete(manifest);
    const { documentId: id, complete, expected, files, missing, constancia } = manifest;
    return present({
      documentId: id,
      directory: folder,
      complete,
      expected,
      files: files.map(file =>
        present({ ...file, asset: new Asset({ path: join(folder, file.fileName), hash: file.sha256 }) }),
      ),
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
