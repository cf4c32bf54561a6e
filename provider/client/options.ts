import type { Clock } from "../core/clock.js";
import type { SharedLimit } from "./shared-limit.js";

/** `source` names the setting the secret came from; errors show it in the secret's place. */
export type Credentials =
  | { readonly kind: "apiKey"; readonly apiKey: string; readonly source: string }
  | { readonly kind: "login"; readonly email: string; readonly password: string; readonly source: string };

export type ReminderMethod = "auto" | "POST" | "GET";

/** Of one list: whoever has more documents than that asks for a folder or for days. */
export const MAX_ROWS = 200_000;

export interface Limits {
  /** Bytes of a list's answer. */
  readonly listBytes: number;
  /** Bytes of any other JSON answer: a document carries its certificates' XML. */
  readonly answerBytes: number;
  readonly downloadBytes: number;
  /** How long a call may take with all its waiting and retries; a pause the service asks for beyond it is an error. */
  readonly callMs: number;
  /** A download with no new byte for so long is given up. */
  readonly idleMs: number;
}

export const DEFAULT_LIMITS: Limits = {
  listBytes: 64_000_000,
  answerBytes: 16_000_000,
  downloadBytes: 512_000_000,
  callMs: 120_000,
  idleMs: 60_000,
};

export interface ServiceOptions {
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly maxConcurrency?: number | undefined;
  /** What processes on other machines share with this one. */
  readonly shared?: SharedLimit | undefined;
  readonly requestTimeoutMs?: number | undefined;
  readonly uploadTimeoutMs?: number | undefined;
  readonly reminderMethod?: ReminderMethod | undefined;
  readonly limits?: Partial<Limits> | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
  readonly userAgent?: string | undefined;
  /** Options of undici's connector, for tests: `{ ca }`, `{ lookup }`. */
  readonly connect?: object | undefined;
}
