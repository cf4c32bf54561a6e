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

/** Every member of a type, each to be said: a new one doesn't compile before it is. */
export type Every<T> = { [K in keyof Required<T>]: T[K] };

type Trimmed<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** A record without its undefined values: state can't hold them. */
export function trimmed<T extends object>(record: T): Trimmed<T> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as Trimmed<T>;
}

type Present<T> = { [K in keyof T as Extract<T[K], null | undefined> extends never ? K : never]: T[K] } & {
  [K in keyof T as Extract<T[K], null | undefined> extends never ? never : K]?: NonNullable<T[K]>;
};

/** The same without nulls: what a service calls null isn't there. */
export function present<T extends object>(record: T): Present<T> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value != null)) as Present<T>;
}
