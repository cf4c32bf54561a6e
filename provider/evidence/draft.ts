import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { isRecord } from "../core/records.js";
import { EvidenceError } from "./types.js";

export interface Draft {
  readonly fileName: string;
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Its first bytes. */
  readonly head: string;
}

/** Files on their way into a folder: readable by nobody else, and under their names only when all of them are right. */
export class Drafts implements AsyncDisposable {
  readonly #drafts = new Set<Draft>();
  readonly #paths = new Set<string>();

  private constructor(readonly directory: string) {}

  static async in(directory: string): Promise<Drafts> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return new Drafts(directory);
  }

  async write(fileName: string, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Draft> {
    const path = join(this.directory, `.${fileName}.${randomUUID()}.part`);
    this.#paths.add(path);
    const handle = await open(path, "wx", 0o600);
    const hash = createHash("sha256");
    let bytes = 0;
    let head = "";
    try {
      for await (const chunk of content) {
        if (head.length < 8) head += Buffer.from(chunk.subarray(0, 8)).toString("latin1");
        bytes += chunk.byteLength;
        hash.update(chunk);
        await handle.writeFile(chunk);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    const draft = { fileName, path, bytes, sha256: hash.digest("hex"), head };
    this.#drafts.add(draft);
    return draft;
  }

  async drop(draft: Draft): Promise<void> {
    this.#drafts.delete(draft);
    await rm(draft.path, { force: true });
  }

  /** Gives every file its name. */
  async finish(): Promise<void> {
    for (const { path, fileName } of this.#drafts) {
      await rename(path, join(this.directory, fileName));
      this.#paths.delete(path);
    }
    this.#drafts.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const path of this.#paths) await rm(path, { force: true });
  }
}

/** A folder is for one document: files of another one would be taken for this one's. */
export async function refuseOthers(
  directory: string,
  fileName: string,
  documentId: string,
  service: string,
): Promise<void> {
  const text = await readFile(join(directory, fileName), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  });
  if (text === undefined) return;
  const found = parsed(text);
  if (found?.["documentId"] === documentId && found["service"] === service) return;
  throw new EvidenceError(
    `${join(directory, fileName)} isn't the evidence of document ${documentId} at ${service}: give each document a directory of its own`,
  );
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
