import { createHash, randomUUID } from "node:crypto";
import { closeSync, openSync, read as readFd, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Bytes } from "../../client/service.js";
import { makePrivateFolder } from "../../core/private-folder.js";

const readAt = promisify(readFd);
const CHUNK = 256 * 1024;

/**
 * The bytes of PDFs that reached Check as text, kept between Check and Create because state gets only their hash.
 * Shared by identical resources. In memory up to a budget; beyond it in private files that are unlinked while open
 * where the system allows it, so that nothing is left behind however the process ends.
 */
export class HeldPdfs {
  readonly #held = new Map<string, Bytes>();
  readonly #descriptors: number[] = [];
  readonly #leftovers: string[] = [];
  #inMemory = 0;

  constructor(
    private readonly folder: string,
    private readonly memoryBudget = 64 * 1024 * 1024,
  ) {}

  /** Keeps the bytes and answers their SHA-256. */
  hold(bytes: Uint8Array): string {
    const hash = createHash("sha256").update(bytes).digest("hex");
    if (this.#held.has(hash)) return hash;
    if (this.#inMemory + bytes.length <= this.memoryBudget) {
      this.#inMemory += bytes.length;
      this.#held.set(hash, { size: bytes.length, open: () => inChunks(bytes) });
    } else {
      this.#held.set(hash, this.#spill(bytes));
    }
    return hash;
  }

  get(hash: string): Bytes | undefined {
    return this.#held.get(hash);
  }

  close(): void {
    for (const descriptor of this.#descriptors.splice(0)) closeSync(descriptor);
    for (const path of this.#leftovers.splice(0)) rmSync(path, { force: true });
    this.#held.clear();
  }

  #spill(bytes: Uint8Array): Bytes {
    makePrivateFolder(this.folder);
    const path = join(this.folder, `${randomUUID()}.tmp`);
    const descriptor = openSync(path, "wx+", 0o600);
    this.#descriptors.push(descriptor);
    try {
      // Windows refuses to unlink an open file: there it goes when the process ends in order.
      rmSync(path);
    } catch {
      this.#leftovers.push(path);
    }
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
    return { size: bytes.length, open: () => fromDescriptor(descriptor, bytes.length) };
  }
}

async function* inChunks(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK) yield bytes.subarray(at, at + CHUNK);
}

async function* fromDescriptor(descriptor: number, size: number): AsyncIterable<Uint8Array> {
  for (let at = 0; at < size; ) {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK, size - at));
    const { bytesRead } = await readAt(descriptor, buffer, 0, buffer.length, at);
    if (bytesRead === 0) throw new Error("a held PDF became shorter than it was");
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
