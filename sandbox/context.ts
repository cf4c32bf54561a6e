import { createHash } from "node:crypto";
import type { Clock } from "./clock.js";
import type { Settings } from "./settings.js";
import type { Store } from "./store.js";

/** What every rule and route works on. */
export interface SandboxContext {
  readonly store: Store;
  readonly content: ContentStore;
  readonly clock: Clock;
  readonly makeKey: MakeKey;
  readonly settings: Settings;
  /** Requests that came as far as the rules. */
  readonly counts: { requests: number };
  /** Where the service listens, without a slash at the end. */
  readonly origin: string;
}

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

/** Makes keys and tokens that a seed fixes. They are not fit to guard anything real. */
type MakeKey = (purpose: string, length: number) => string;

export function keysFrom(seed: number): MakeKey {
  return (purpose, length) => sha256(`${seed}/${purpose}`).slice(0, length);
}
