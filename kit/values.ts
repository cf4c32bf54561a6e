/**
 * The values that a provider sees: plain JSON values, plus three things that JSON lacks.
 * The server translates protobuf to and from these; nothing else knows how Pulumi encodes them.
 */

/** A value the engine doesn't know yet: it depends on something that hasn't been created. */
export const UNKNOWN: unique symbol = Symbol.for("pulumi-provider-kit.unknown");
export type Unknown = typeof UNKNOWN;

/**
 * A Pulumi asset. Check and Create see a source (`path`, `text` or `uri`) beside the hash;
 * Diff, Read, Update and Delete see the hash alone.
 */
export class Asset {
  readonly hash: string | undefined;
  readonly path: string | undefined;
  readonly text: string | undefined;
  readonly uri: string | undefined;
  constructor({ hash, path, text, uri }: { [Field in "hash" | "path" | "text" | "uri"]?: string | undefined }) {
    this.hash = hash;
    this.path = path;
    this.text = text;
    this.uri = uri;
  }
}

/** A Pulumi archive: the kit declares none, but a program may hand one over, and the message should say so. */
export class Archive {
  constructor(readonly hash: string | undefined) {}
}

export type Value = null | boolean | number | string | Unknown | Asset | Archive | Value[] | { [key: string]: Value };
export type Values = { [key: string]: Value };

export const isUnknown = (value: unknown): value is Unknown => value === UNKNOWN;

/** What is known of it. */
export const known = <T>(value: T | Unknown): T | undefined => (isUnknown(value) ? undefined : value);

export const isGiven = <T>(value: T): value is NonNullable<T> => value !== undefined && value !== null;

export const isRecord = (value: unknown): value is Values =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Asset) &&
  !(value instanceof Archive);

export const memberOf = (value: Value | undefined, key: PropertyKey): Value | undefined => {
  if (Array.isArray(value)) return value[Number(key)];
  return isRecord(value) && Object.hasOwn(value, key) ? value[String(key)] : undefined;
};

/** What a path leads to. */
export const at = (value: Value | undefined, path: readonly PropertyKey[]): Value | undefined =>
  path.reduce(memberOf, value);

/** Whether an unknown stands anywhere inside. */
export function hasUnknown(value: unknown): boolean {
  if (isUnknown(value)) return true;
  if (Array.isArray(value)) return value.some(hasUnknown);
  return isRecord(value) && Object.values(value).some(hasUnknown);
}

// ---- What JSON lacks, as the engine spells it, for both front ends ----

/** An unknown of each type; a provider answers with the string's, which the engine takes for any. */
export const UNKNOWN_STRING = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
export const UNKNOWNS = new Set([
  UNKNOWN_STRING,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);
