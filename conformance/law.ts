import type { Checked, Connection, Diffed, Engine, Existing } from "./connection.js";
import type { ResourceFixture } from "./fixture.js";
import type { PackageSpec, ResourceSpec } from "./schema.js";
import type { FakeEngine, Started } from "./start.js";
import type { Values } from "./values.js";

/** `must`: the engine goes wrong without it. `should`: users notice. `could`: a courtesy. */
export type Level = "must" | "should" | "could";
/** The strictest first. */
export const LEVELS: readonly Level[] = ["must", "should", "could"];

interface About {
  /** In kebab-case, as in reports and waivers. */
  readonly name: string;
  readonly level: Level;
  /** What holds, in a sentence. */
  readonly claim: string;
  /** What goes wrong in the engine, or for its user, where it doesn't. */
  readonly breaks: string;
  readonly needsSchema?: true;
}

export type ProviderLaw = About & { run(trial: Trial): Promise<void> };
/** `connection`: configured, and shared with other laws. */
export type ResourceLaw = About & { run(trial: ResourceTrial, connection: Connection): Promise<void> };
export type FunctionLaw = About & { run(trial: FunctionTrial, connection: Connection): Promise<void> };

export type Law =
  | (ProviderLaw & { readonly of: "provider" })
  | (ResourceLaw & { readonly of: "resource" })
  | (FunctionLaw & { readonly of: "function" });

/** A law that doesn't hold. */
export class Broken extends Error {}
/** A law that can't be tried here; the message says what is missing. */
export class Skipped extends Error {}

export function expect(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Broken(otherwise);
}

/** The inputs of a Check that has to take them. */
export function accepted({ inputs, failures: [failure] }: Checked, what = "the inputs"): Values {
  expect(!failure, `expected ${what} to be taken, got: ${failure?.property}: ${failure?.reason}`);
  return inputs;
}

export interface Trial {
  readonly spec: PackageSpec;
  readonly engine: Engine;
  readonly config: Values;
  readonly otherConfig: Values | undefined;
  /** How long to wait for what has to come soon. */
  readonly soonMs: number;
  /** Configured, and shared with other laws. */
  connect(): Promise<Connection>;
  /** In a process of its own, which nothing has been said to. */
  launch(): Promise<{ readonly process: Started; readonly connection: Connection; readonly host: FakeEngine }>;
  /** Whether the fixture says how the service is made to hang. */
  readonly stalls: boolean;
  command(name: "stall" | "resume"): Promise<void>;
  /** Whether the fixture says how to see what the service holds. */
  readonly observes: boolean;
  /** What the service holds, by the fixture's word; skips without one. */
  observe(): Promise<string>;
  urn(token: string, name?: string): string;
}

export interface ResourceTrial extends Trial {
  readonly token: string;
  readonly resource: ResourceSpec;
  readonly fixture: ResourceFixture;
  /** The program's inputs, with a patch laid over them; `fresh` makes other unique texts. */
  program(patch?: Readonly<Record<string, unknown>>, fresh?: boolean): Values;
  /** Check without old inputs, then Create. */
  create(connection?: Connection, program?: Values): Promise<Existing>;
  /** Check with old inputs, then Diff: what the engine does for a resource that exists. */
  compare(existing: Existing, program: Values, connection?: Connection): Promise<Diffed>;
  /** The form that an import takes. */
  importId(existing: Existing): string;
}

export interface FunctionTrial extends Trial {
  readonly token: string;
  readonly args: Values;
}
