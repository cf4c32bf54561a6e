import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makePdf, type Sandbox, startSandbox } from "../../sandbox/index.js";
import { downloadEvidence, type EvidenceManifest } from "../../sdk/evidence/index.js";

export const PDF = makePdf(["Lease"]);

export interface Scene extends AsyncDisposable {
  readonly service: Sandbox;
  readonly id: number;
  readonly directory: string;
  download(): Promise<EvidenceManifest>;
  /** Names of all files in the folder, hidden ones too. */
  files(): string[];
  read(name: string): Buffer;
  mode(name: string): number;
  /** The folder as it is on the disk says what was returned. */
  written(): unknown;
}

/** A document at the sandbox, signed by everybody and without certificates, and an empty folder. */
export async function openScene(): Promise<Scene> {
  const service = await startSandbox();
  const [id = 0] = service.seed({
    documents: [{ name: "Lease", pdf: PDF, invitations: [{ email: "ana@example.com" }, { email: "bob@example.org" }] }],
  });
  service.signAll(id);
  const { directory, ...rest } = folder();
  return {
    service,
    id,
    directory,
    ...rest,
    download: () => downloadEvidence({ documentId: id, directory, settings: settingsOf(service) }),
    [Symbol.asyncDispose]: async () => {
      await service.close();
      rest.remove();
    },
  };
}

export function folder() {
  const parent = mkdtempSync(join(tmpdir(), "docsign-evidence-"));
  const directory = join(parent, "evidence/7");
  const read = (name: string) => readFileSync(join(directory, name));
  return {
    directory,
    files: () => {
      try {
        return readdirSync(directory).sort();
      } catch {
        return [];
      }
    },
    read,
    mode: (name: string) => statSync(join(directory, name)).mode & 0o777,
    written: () => JSON.parse(read("evidence.json").toString()) as unknown,
    remove: () => rmSync(parent, { recursive: true, force: true }),
  };
}

export const settingsOf = ({ url, apiKey }: { url: string; apiKey: string }) => ({ baseUrl: url, apiKey });

export async function failure(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("it was expected to fail, and didn't");
}
