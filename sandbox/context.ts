import { createHash, randomInt } from "node:crypto";
import { Clock } from "./clock.js";
import { type SandboxOptions, settingsFrom } from "./options.js";
import type { Settings } from "./settings.js";
import { Store } from "./store.js";

/** What every rule and route works on. */
export interface SandboxContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly makeKey: MakeKey;
  readonly settings: Settings;
  /** Requests that came as far as the rules. */
  readonly counts: { requests: number };
  /** Where the service listens, without a slash at the end; empty before it does. */
  origin: string;
}

export const contextOf = (options: SandboxOptions): SandboxContext => ({
  store: new Store(options.keepContent ?? true),
  clock: new Clock(),
  makeKey: keysFrom(options.seed ?? randomInt(2 ** 32)),
  settings: settingsFrom(options),
  counts: { requests: 0 },
  origin: "",
});

export const sha256 = (bytes: Buffer | string) => createHash("sha256").update(bytes).digest("hex");

/** Makes keys and tokens that a seed fixes. They are not fit to guard anything real. */
type MakeKey = (purpose: string, length: number) => string;

const keysFrom =
  (seed: number): MakeKey =>
  (purpose, length) =>
    sha256(`${seed}/${purpose}`).slice(0, length);
