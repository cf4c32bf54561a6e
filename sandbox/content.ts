import { createHash } from "node:crypto";

export const sha256 = (bytes: Buffer | string) => createHash("sha256").update(bytes).digest("hex");

/** PDF bytes by their hash; identical files are held once. */
export class ContentStore {
  readonly #bytes = new Map<string, Buffer>();

  constructor(readonly keeps: boolean) {}

  put(hash: string, bytes: Buffer): void {
    if (this.keeps) this.#bytes.set(hash, bytes);
  }

  get(hash: string): Buffer | undefined {
    return this.#bytes.get(hash);
  }

  clear(): void {
    this.#bytes.clear();
  }

  toJSON(): Record<string, string> {
    return Object.fromEntries([...this.#bytes].map(([hash, bytes]) => [hash, bytes.toString("base64")]));
  }
}
