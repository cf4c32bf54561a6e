import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { openProject, type Project, type ProjectOptions } from "../../sdk/support/project.js";
import { root } from "../../support/engine/found.js";

/** A stack as one release left it, with what the service answered about it. */
export interface Recording {
  readonly version: string;
  /** The program that made it, as it was written for that release. */
  readonly files: Readonly<Record<string, string>>;
  /** The service's answers by request, such as `GET /v1/documents/7`. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** What `pulumi stack export` printed. */
  readonly stack: { readonly deployment: { readonly resources: readonly RecordedResource[] } };
}

export interface RecordedResource {
  readonly urn: string;
  readonly type: string;
  readonly id?: string;
  readonly inputs?: Record<string, unknown>;
  readonly outputs?: Record<string, unknown>;
}

/** Stands in a recording for the service's address, which is another one each time. */
export const SERVICE = "http://127.0.0.1:0";
export const API_KEY = "recorded-api-key";
export const PLUGIN = "PLUGIN";

/** A project for the recorded program, with its plugin where the program says. */
export async function openRecorded(
  files: Recording["files"],
  service: ProjectOptions["service"] = { first: { apiKey: API_KEY } },
): Promise<Project> {
  // The states in recordings were written with one.
  const secrets = "passphrase";
  const project = await openProject({ files, settings: "stack", secrets, ...(service && { service }) });
  // A launcher of its own: an older YAML host keeps a copy of the schema beside it.
  const plugin = join(project.folder, "plugin", "bin");
  mkdirSync(plugin, { recursive: true });
  symlinkSync(join(root, "bin", "pulumi-resource-docsign"), join(plugin, "pulumi-resource-docsign"));
  project.write("Pulumi.yaml", (files["Pulumi.yaml"] ?? "").replace(PLUGIN, plugin));
  return project;
}
