import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { Archive, Asset, UNKNOWN } from "../../../kit/values.js";
import { type Given, type Givens, Secret } from "../engine-client.js";

/** Another resource's output, as a program passes it on. */
export class Ref {
  constructor(
    readonly name: string,
    readonly output: string,
  ) {}
}

export type Argument = Given | Ref | Argument[] | { [key: string]: Argument };

/** A resource as the program declares it. */
export interface Goal {
  readonly name: string;
  /** The name the same resource had before. */
  readonly alias?: string;
  readonly type?: string;
  readonly inputs: Readonly<Record<string, Argument>>;
  readonly deleteBeforeReplace?: boolean;
  readonly retainOnDelete?: boolean;
  readonly deletedWith?: string;
  readonly replaceWith?: readonly string[];
  readonly replacementTrigger?: string;
  readonly protect?: boolean;
  readonly ignoreChanges?: string[];
  readonly replaceOnChanges?: readonly string[];
  /** Which of the stack's providers; the default one where it's left out. */
  readonly provider?: string;
  /** The `import` option: an id. */
  readonly import?: string;
}

/** A resource as state has it. */
export interface Entry {
  readonly urn: string;
  readonly goal: Goal;
  id: string;
  inputs: Givens;
  outputs: Givens;
  initErrors: string[];
  /** A leftover: its successor exists, it is still to be deleted. */
  delete: boolean;
  /** Deleted for a replacement that isn't created yet. */
  pendingReplacement: boolean;
  taint: boolean;
}

/** Refs in a property: what the engine keeps as property dependencies. */
export function refsIn(argument: Argument): string[] {
  if (argument instanceof Ref) return [argument.name];
  if (Array.isArray(argument)) return argument.flatMap(refsIn);
  return isPlain(argument) ? Object.values(argument).flatMap(refsIn) : [];
}

/** A copy. `change` says what becomes of a part; undefined leaves that to its own parts. */
export function copied(argument: Argument, change: (part: Argument) => Given | undefined = () => undefined): Given {
  const changed = change(argument);
  if (changed !== undefined) return changed;
  if (Array.isArray(argument)) return argument.map(each => copied(each, change));
  if (!isPlain(argument)) return argument as Given;
  return Object.fromEntries(Object.entries(argument).map(([key, each]) => [key, copied(each, change)]));
}

/** A program's value with its references resolved, and the engine's hash on every asset. */
export const resolved = (argument: Argument, outputOf: (ref: Ref) => Given): Given =>
  copied(argument, part => {
    if (part instanceof Ref) return outputOf(part);
    if (part instanceof Secret) return new Secret(resolved(part.value, outputOf));
    return part instanceof Asset ? hashed(part) : undefined;
  });

/** The engine reads a file or a text itself before Check; a directory it refuses, which is not for us to see. */
function hashed(asset: Asset): Asset {
  if (asset.hash !== undefined) return asset;
  const bytes = asset.text === undefined ? asset.path && readFileSync(asset.path) : Buffer.from(asset.text);
  return bytes ? new Asset({ ...asset, hash: createHash("sha256").update(bytes).digest("hex") }) : asset;
}

/** As Diff, Read, Update and Delete get it: assets are their hash alone. */
export const hashesOnly = (given: Given): Given =>
  copied(given, part => {
    if (part instanceof Secret) return new Secret(hashesOnly(part.value));
    return part instanceof Asset ? new Asset({ hash: part.hash }) : undefined;
  });

export const bare = (givens: Givens): Givens => hashesOnly(givens) as Givens;

/** Without the marks of secrets. */
export const open = (given: Given): Given =>
  copied(given, part => (part instanceof Secret ? open(part.value) : undefined));

/** Whether an unknown stands anywhere inside: state may hold none. */
export function unknownIn(given: Given): boolean {
  if (given === UNKNOWN) return true;
  if (given instanceof Secret) return unknownIn(given.value);
  if (Array.isArray(given)) return given.some(unknownIn);
  return isPlain(given) && Object.values(given).some(each => unknownIn(each as Given));
}

/** As the file backend writes a resource: four spaces deep, with the engine's signatures on assets. */
export function written(value: unknown, indent?: number): string {
  const signed = (_: string, each: unknown): unknown => {
    if (!(each instanceof Asset)) return each instanceof Secret ? { ciphertext: each.value } : each;
    const { hash, path, text, uri } = each;
    return { "4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17", hash, path, text, uri };
  };
  return JSON.stringify(value, signed, indent);
}

function isPlain(value: unknown): value is { [key: string]: Argument } {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return !(value instanceof Asset || value instanceof Archive || value instanceof Secret || value instanceof Ref);
}
