import { bareRecord } from "../../core/records.js";
import { propertiesWhere, type Shape } from "../../schema/property.js";
import { parseDuration } from "../../schema/types.js";
import { hasUnknown, type Value, type Values } from "../../schema/values.js";
import { addressOf } from "../document/document-state.js";
import type { PropertyChange } from "../resource.js";

/** What an input means, for each that is compared: two values that mean the same are no change. */
export type Meanings = Readonly<Record<string, (given: Value | undefined) => string | undefined>>;

export function changedInputs(
  shape: Shape,
  meanings: Meanings,
  before: Values,
  after: Values,
): Record<string, PropertyChange> {
  const replacing = new Set(propertiesWhere(shape, meta => meta.replaces === true));
  const changes = bareRecord<PropertyChange>();
  for (const [name, meaning] of Object.entries(meanings)) {
    const was = before[name];
    const is = after[name];
    if (!hasUnknown(is) && meaning(was) === meaning(is)) continue;
    const kind = isAbsent(was) ? "add" : isAbsent(is) ? "delete" : "update";
    changes[name] = replacing.has(name) ? `${kind}-replace` : kind;
  }
  return changes;
}

const isAbsent = (value: Value | undefined): boolean => value === undefined || value === null;

export const textMeaning =
  (fallback?: string) =>
  (given: Value | undefined): string | undefined =>
    isAbsent(given) ? fallback : String(given);

export const durationMeaning =
  (fallback: string) =>
  (given: Value | undefined): string =>
    String(millisecondsOf(given, fallback));

/** Addresses mean the same in any order and case, and twice is once. */
export const addressesMeaning = (given: Value | undefined): string | undefined =>
  Array.isArray(given) ? [...new Set(given.map(email => addressOf(String(email))))].sort().join("\n") : undefined;

export function millisecondsOf(given: Value | undefined, fallback: string): number {
  const wanted = typeof given === "string" || typeof given === "number" ? parseDuration(given) : undefined;
  return wanted ?? parseDuration(fallback) ?? 0;
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1],
] as const;

/** `1h30m`; days from two of them on. */
export function durationText(milliseconds: number): string {
  let rest = Math.round(milliseconds);
  let text = "";
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    if (count === 0 || (unit === "d" && count < 2)) continue;
    text += `${count}${unit}`;
    rest -= count * size;
  }
  return text || "0s";
}
