import type { Connection, Diffed, EngineProfile } from "./connection.js";
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
export type ResourceLaw = About & { run(trial: ResourceTrial): Promise<void> };
export type FunctionLaw = About & { run(trial: FunctionTrial): Promise<void> };

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

export interface Trial {
  readonly spec: PackageSpec;
  readonly engine: EngineProfile;
  readonly config: Values;
  readonly otherConfig: Values | undefined;
  /** How long to wait for what has to come soon. */
  readonly soonMs: number;
  /** Configured, and shared with other laws. */
  connect(): Promise<Connection>;
  /** The engine of the shared process. */
  host(): FakeEngine | undefined;
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

/** A resource that exists, with what the engine's state would hold. */
export interface Existing {
  readonly urn: string;
  readonly id: string;
  readonly inputs: Values;
  readonly outputs: Values;
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
  /** Inputs or outputs as the engine sends them to this provider. */
  sent(values: Values): Values;
  /** The form that an import takes. */
  importId(existing: Existing): string;
}

export interface FunctionTrial extends Trial {
  readonly token: string;
  readonly args: Values;
}
