/** A JSON object: neither null nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const NOTHING: object = Object.create(null);

/**
 * An object that inherits nothing, for keys from outside: `constructor` isn't there until it is set, and `__proto__` is a
 * key like any other.
 */
export const bareRecord = <T>(): Record<string, T> => Object.create(NOTHING);

/** What stands under a key from outside, and not what every object inherits. */
export const own = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;
