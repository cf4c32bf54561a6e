import type { Secrecy } from "../engine/secrets.js";
import type { Diff, Failure, ProviderFunction, Resource } from "../resources/resource.js";
import type { UpdateArguments } from "../resources/update-refusal.js";
import type { Values } from "../schema/values.js";

/** Everything the protocol needs to know about a provider; `provider/main` puts one together. */
export interface Provider {
  readonly version: string;
  /** Before any call but the first greetings: whatever has to be loaded is there. */
  ready?(): Promise<void>;
  /** Tokens named in the message about an unknown one. */
  readonly tokens?: { readonly resources: readonly string[]; readonly functions: readonly string[] };
  /** The package schema as JSON. */
  schema(): Promise<string> | string;
  checkConfig(news: Values, olds: Values | undefined): { inputs: Values; failures: Failure[] };
  /** Never replaces: the engine would replace every resource of the provider. */
  diffConfig(olds: Values, news: Values): Diff;
  /** Called without CheckConfig on import and destroy, so a missing key is no error here. */
  configure(values: Values): void | Promise<void>;
  resource(token: string): Resource | undefined;
  fn(token: string): ProviderFunction | undefined;
  /** Asked for resources, functions and, as `pulumi:providers:<name>`, the configuration. */
  secrecy(token: string): Secrecy;
  /** Why Update can't do what it is asked for; undefined where it can. */
  updateRefusal(token: string, args: UpdateArguments): string | undefined;
  /** The process is ending. */
  close(): Promise<void>;
}
