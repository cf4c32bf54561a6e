import type { CheckResult, Diff, ProviderFunction, Resource } from "./resource.js";
import type { Secrecy } from "./secrets.js";
import type { StatusOf } from "./status.js";
import type { Values } from "./values.js";

/** Everything the protocol needs to know about a provider. */
export interface Provider {
  /** Of the package: `files` of `pulumi-files`. */
  readonly name: string;
  readonly version: string;
  /** Whether Check makes names, so that the engine says how. */
  readonly autonames?: boolean;
  /** gRPC codes for errors that the kit doesn't know. */
  readonly statusOf?: StatusOf;
  /** Outputs that no refresh brings back: where they don't fit beside a failure, state stays as it was. */
  readonly keptWhole?: ReadonlySet<string>;
  /**
   * Facts for machines in a line of the log, in the provider's own spelling; `redact` takes secrets out of a text. `noteOf`
   * an error: those it has, and words for them.
   */
  readonly facts?: {
    write(words: string, facts: object, redact: (text: string) => string): string;
    noteOf(error: unknown): { readonly words: string; readonly facts: object } | undefined;
  };
  /** Before any call but the first greetings: whatever has to be loaded is there. */
  ready?(): Promise<void>;
  /** In debug mode, where the process outlives a deployment: another one begins, and what was kept of the one before is over. */
  begin?(): void;
  /** Tokens named in the message about an unknown one. */
  readonly tokens?: { readonly resources: readonly string[]; readonly functions: readonly string[] };
  /** The package schema as JSON. */
  schema(): Promise<string> | string;
  checkConfig(news: Values, olds: Values | undefined): CheckResult;
  /** Never replaces: the engine would replace every resource of the provider. */
  diffConfig(olds: Values, news: Values): Diff;
  /** Called without CheckConfig on import and destroy, so a missing key is no error here. */
  configure(values: Values): void | Promise<void>;
  resource(token: string): Resource | undefined;
  fn(token: string): ProviderFunction | undefined;
  /** Asked for resources, functions and, as `pulumi:providers:<name>`, the configuration. */
  secrecy(token: string): Secrecy;
  /** The process is ending. */
  close(): Promise<void>;
}
