import type { Moment } from "./clock.js";
import { type Dialect, dialectFrom, settingsOf } from "./dialect/dialect.js";
import type { Scenario } from "./scenario.js";
import { defaultSettings, type Settings } from "./settings.js";

export interface SandboxOptions extends Partial<Settings> {
  /** How it answers what the interface leaves open; settings of its own win. */
  dialect?: Dialect;
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
  const dialect = settingsOf(dialectFrom(options.dialect ?? {}));
  return Object.assign({ ...defaultSettings, ...dialect }, ...keys.map(key => ({ [key]: Reflect.get(options, key) })));
}
