import type { Service } from "../../provider/client/index.js";
import type { EvidenceSettings } from "../../provider/evidence/types.js";
import { createRuntime } from "../../provider/runtime.js";

declare const DOCSIGN_VERSION: string | undefined;
const version = typeof DOCSIGN_VERSION === "string" ? DOCSIGN_VERSION : "0.0.0";

const NAMES = ["baseUrl", "apiKey", "email", "password", "requestTimeout"] as const;

/** Works with the service that the settings name, and takes leave of it. */
export async function withService<T>(
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
