import type { Service } from "../../provider/client/service.js";
import { collect, examine } from "../../provider/evidence/collect.js";
import type { DownloadEvidenceArgs, EvidenceManifest, EvidenceSettings } from "../../provider/evidence/types.js";
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
export function downloadEvidence(args: DownloadEvidenceArgs): Promise<EvidenceManifest> {
  return withService(args.settings, async (service, { isPreview }) => {
    const { manifest } = await (isPreview ? examine : collect)(service, args);
    return manifest;
  });
}

declare const DOCSIGN_VERSION: string | undefined;
const version = typeof DOCSIGN_VERSION === "string" ? DOCSIGN_VERSION : "0.0.0";

const NAMES = ["baseUrl", "apiKey", "email", "password", "requestTimeout"] as const;

/** Works with the service that the settings name, and takes leave of it. */
async function withService<T>(
  given: EvidenceSettings | undefined,
  work: (service: Service, program: { readonly isPreview: boolean }) => Promise<T>,
): Promise<T> {
  const runtime = createRuntime({ env: process.env, version, engine: undefined, pid: process.pid });
  const { Config, runtime: program } = await import("@pulumi/pulumi");
  const config = new Config("docsign");
  const settings = given ?? Object.fromEntries(NAMES.map(name => [name, config.get(name)]));
  runtime.configure(Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)));
  try {
    return await work(runtime.context.service(), { isPreview: program.isDryRun() });
  } finally {
    await runtime.close();
  }
}
