import type { Clock } from "./clock.js";
import type { ContentStore } from "./content.js";
import type { MakeKey } from "./keys.js";
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
