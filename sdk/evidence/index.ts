import { collect, examine } from "../../provider/evidence/collect.js";
import type { DownloadEvidenceArgs, EvidenceManifest } from "../../provider/evidence/types.js";
import { createRuntime } from "../../provider/runtime.js";

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
export async function downloadEvidence(args: DownloadEvidenceArgs): Promise<EvidenceManifest> {
  const runtime = createRuntime({ env: process.env, version, engine: undefined, pid: process.pid });
  const { Config, runtime: program } = await import("@pulumi/pulumi");
  const config = new Config("docsign");
  const settings = args.settings ?? Object.fromEntries(NAMES.map(name => [name, config.get(name)]));
  runtime.configure(Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)));
  try {
    const { manifest } = await (program.isDryRun() ? examine : collect)(runtime.context.service(), args);
    return manifest;
  } finally {
    await runtime.close();
  }
}

declare const DOCSIGN_VERSION: string | undefined;
const version = typeof DOCSIGN_VERSION === "string" ? DOCSIGN_VERSION : "0.0.0";

const NAMES = ["baseUrl", "apiKey", "email", "password", "requestTimeout"] as const;
