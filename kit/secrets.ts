import { at, isRecord, memberOf, type Value, type Values } from "./values.js";

export type Path = readonly (string | number)[];

/** Plain values, and where in them the engine had wrapped a secret. */
export interface Bag {
  readonly values: Values;
  readonly secrets: readonly Path[];
}

/** What of a resource, a function's result or the configuration is secret beyond what the program marked. */
export interface Secrecy {
  /** Outputs that are always secret. */
  readonly secretOutputs: readonly string[];
  /** Output → the inputs it is made from: a secret in one of them makes the whole output secret. */
  readonly derivedFrom: Readonly<Record<string, readonly string[]>>;
  /** Inputs that are always secret. */
  readonly secretInputs?: readonly string[];
}

/** By index where an answer keeps the order of what it was given; whole where it may be arranged anew. */
type Arrays = "by index" | "whole";

/**
 * Secret paths of one bag, as far as they lead in another. A path that breaks off ends at the last place
 * that exists: rather too much is secret than too little. Arrays that are made anew are secret as a whole,
 * as in the engine's own annotateSecrets.
 */
function carry(from: Bag, to: Values, arrays: Arrays): Path[] {
  return from.secrets.map(path => reach(path, from.values, to, arrays)).filter(path => path.length > 0);
}

function reach(path: Path, from: Value, to: Value, arrays: Arrays): Path {
  const reached: (string | number)[] = [];
  let source: Value | undefined = from;
  let target: Value | undefined = to;
  for (const key of path) {
    if (Array.isArray(target)) {
      const same: boolean = Array.isArray(source) && source.length === target.length;
      if (arrays === "whole" || !same) return reached;
    }
    source = memberOf(source, key);
    target = memberOf(target, key);
    if (target === undefined) return reached;
    reached.push(key);
  }
  return reached;
}

/** What is secret in a resource's outputs, given the inputs they were made from and what was secret before. */
export function outputSecrets(secrecy: Secrecy, outputs: Values, inputs: Bag, before?: Bag): Path[] {
  const tainted = new Set(inputs.secrets.map(path => path[0]));
  const derived = Object.entries(secrecy.derivedFrom).filter(([, sources]) => sources.some(name => tainted.has(name)));
  return [
    ...secrecy.secretOutputs.map(name => [name]),
    ...derived.map(([name]) => [name]),
    ...carry(inputs, outputs, "whole"),
    ...(before ? carry(before, outputs, "whole") : []),
  ];
}

/** What is secret in inputs that came back from a check or a read. */
export function inputSecrets(secrecy: Secrecy, inputs: Values, given: Bag): Path[] {
  return [...(secrecy.secretInputs ?? []).map(name => [name]), ...carry(given, inputs, "by index")];
}

/** Shorter ones are more likely to be part of an innocent word than to be worth hiding. */
const SHORTEST_HIDDEN = 4;

/** Every text that stands at a secret path. */
export function secretTexts({ values, secrets }: Bag): string[] {
  return secrets.flatMap(path => textsIn(at(values, path)));
}

function textsIn(value: Value | undefined): string[] {
  if (typeof value === "string") return value.length < SHORTEST_HIDDEN ? [] : [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isRecord(value) ? Object.values(value).flatMap(textsIn) : [];
}

/** A text without the given secrets; the longest goes first, as one may contain another. */
export function redact(text: string, secrets: Iterable<string>): string {
  return [...secrets]
    .sort((a, b) => b.length - a.length)
    .reduce((rest, secret) => rest.replaceAll(secret, "[secret]"), text);
}
