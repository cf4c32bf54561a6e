import { collect, examine } from "../../provider/evidence/collect.js";
import type { DownloadEvidenceArgs, EvidenceManifest } from "../../provider/evidence/types.js";
import { withService } from "./settings.js";

export {
  type Constancia,
  type DownloadEvidenceArgs,
  EvidenceError,
  type EvidenceFile,
  type EvidenceKind,
  type EvidenceManifest,
  type EvidenceSettings,
  type InvalidConstancia,
  type MissingEvidence,
  type OpaqueConstancia,
  type TimestampConstancia,
} from "../../provider/evidence/types.js";

/**
 * Downloads what proves that a document was signed, and checks it: the original and the signed PDF against the hashes the
 * service states, the blockchain certificates, the NOM151 constancia. `evidence.json` beside them says what was checked and
 * what is missing. If anything isn't what it should be, no file is written. In a preview of a Pulumi program it checks only.
 *
 * @example
 * ```ts
 * const { complete, missing } = await downloadEvidence({ documentId: "4711", directory: "evidence/4711" });
 * ```
 */
export function downloadEvidence(args: DownloadEvidenceArgs): Promise<EvidenceManifest> {
  return withService(args.settings, async (service, { isPreview }) => {
    const { manifest } = await (isPreview ? examine : collect)(service, args);
    return manifest;
  });
}
