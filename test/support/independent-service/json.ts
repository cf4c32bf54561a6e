import { type Chance, shuffled } from "./chance.js";
import type { Dialect } from "./dialect.js";

/** What can be written: JSON, with bigint for ids that do not fit a double, and undefined for «leave the field out». */
export type Json = null | undefined | boolean | number | bigint | string | Json[] | { [key: string]: Json };

export interface Hand {
  keys: Dialect["keys"];
  idsAs: Dialect["idsAs"];
  extraFields: boolean;
  next: Chance;
}

/** Fields of nobody's business, one shape after the other. */
const EXTRAS: readonly (readonly [string, string])[] = [
  ["_rev", '"3-9f2c"'],
  ["x_trace", '{"hops":[1,2,3],"at":null}'],
  ["links", '[{"rel":"self","href":"/"}]'],
  ["locale", '"ne-NP"'],
  ["retention", "null"],
  ["score", "-0.25e-3"],
  ["constructor_hint", '{"":{"ñ":"\\u2028"}}'],
];

/** JSON as this service writes it: the order of keys is nobody's right, and there may always be one field more. */
export function write(value: Json, hand: Hand): string {
  if (value === undefined || value === null) return "null";
  if (typeof value === "bigint") return hand.idsAs === "text" ? `"${value}"` : String(value);
  if (typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(item => write(item, hand)).join(",")}]`;
  const pairs = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .map(([key, field]) => `${JSON.stringify(key)}:${write(field, hand)}`);
  const extra = hand.extraFields ? EXTRAS[Math.floor(hand.next() * EXTRAS.length)] : undefined;
  if (extra && !Object.hasOwn(value, extra[0])) pairs.push(`"${extra[0]}":${extra[1]}`);
  return `{${(hand.keys === "shuffled" ? shuffled(pairs, hand.next) : pairs).join(",")}}`;
}

/** JSON in, with integers that do not fit a double kept as bigint. Throws SyntaxError. */
export function parse(text: string): Json {
  const keepDigits = (_key: string, value: Json, context?: { source?: string }): Json => {
    const digits = context?.source;
    if (typeof value !== "number" || Number.isSafeInteger(value) || digits === undefined) return value;
    return /^-?\d+$/.test(digits) ? BigInt(digits) : value;
  };
  // The third parameter is ES2025 (Node has it, TypeScript's es2023 library does not).
  return JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown) as Json;
}

export function isObject(value: Json): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
