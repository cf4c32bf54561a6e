import type * as kit from "../../kit/resource.js";
import type { Values } from "../../kit/values.js";
import type { Facts } from "../schema/facts.js";

export {
  type Created,
  type Diff,
  type Failure,
  type ListArguments,
  type ListPage,
  NO_CHANGE,
  PartialFailure,
  type PropertyChange,
  type ProviderFunction,
  type ReadResult,
  UserError,
} from "../../kit/resource.js";
export type { Values } from "../../kit/values.js";

/** The kit's, with facts that our commands read in place of the words. */
export interface Log extends kit.Log {
  info(message: string, facts?: Facts): void;
  warn(message: string, facts?: Facts, forgets?: Forgetting): void;
}

/** A warning that says by which command the journal forgets an attempt: by one command it forgets those of several rows. */
export interface Forgetting {
  readonly token: string;
  readonly words: (tokens: string) => string;
}

/** The same at the plugin and at the dynamic SDK, where the URN is the `resourceKey`. */
export interface Call extends kit.Call {
  readonly log: Log;
  /** Keys of a map that don't come back from state to this front end. */
  readonly lostKeys?: ReadonlySet<string>;
}

/** The engine prints a failing property's whole value, so that of a long or secret one is named in the reason alone. */
export const unnamedFailure = (reason: string): kit.Failure => ({ property: "", reason });

export interface Adoption {
  readonly outputs: Values;
  /** Ids of the documents, and under which URN each is from now on. */
  readonly held: readonly { readonly urn: string; readonly id: string }[];
  /** What isn't as the program says, one line each. */
  readonly differences: readonly string[];
}

/** A resource's whole life: the kit's, for both front ends. */
export interface Resource extends kit.Resource {
  /** Whether an import is what this resource sent for these inputs, though the service shows something else. */
  isUnchanged?(call: Call, args: { id: string; outputs: Values; inputs: Values }): Promise<boolean>;
  /** For front ends where a create takes over what is there: `found` as state of what the program says. */
  adopt?(call: Call, args: { inputs: Values; found: Values }): Promise<Adoption>;
}
