import type { Moment } from "./clock.js";
import type { Scenario } from "./scenario.js";
import { defaultSettings, type Settings } from "./settings.js";

export interface SandboxOptions extends Partial<Settings> {
  host?: string;
  /** 0 picks a free one. */
  port?: number;
  tls?: { key: string; cert: string };
  /** The same seed gives the same keys, tokens and addresses. */
  seed?: number;
  email?: string;
  password?: string;
  apiKey?: string;
  /** Documents the main account may have signed, and bytes it may upload; without limit unless given. */
  quota?: number;
  storage?: number;
  /** The service's time at the start. */
  now?: Moment;
  /** Whether time stands still until `clock.advance` moves it. */
  frozen?: boolean;
  /** Where the state is kept between runs. */
  file?: string;
  /** Answer under `/_sandbox/` too. */
  control?: boolean;
  /** Forget the bytes of PDFs, keeping their hashes. */
  keepContent?: boolean;
  scenario?: Scenario;
}

/** What the options say about behaviour, and the defaults for the rest. */
export function settingsFrom(options: SandboxOptions): Settings {
  const keys = Object.keys(defaultSettings).filter(key => Reflect.get(options, key) !== undefined);
  return Object.assign({ ...defaultSettings }, ...keys.map(key => ({ [key]: Reflect.get(options, key) })));
}
