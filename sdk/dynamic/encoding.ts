/**
 * Plain values to and from what the dynamic provider's host hands over: the engine's objects as they are. The marks
 * are the engine's, from its sdk/go/common/resource/sig/sig.go and plugin/rpc.go.
 */

import { ARCHIVE, ASSET, SECRET, SIGNATURE } from "../../kit/codec.js";
import { Archive, Asset, UNKNOWN, UNKNOWN_STRING, UNKNOWNS, type Value, type Values } from "../../kit/values.js";

export type Raw = Readonly<Record<string, unknown>>;

export function decode(raw: Raw): Values {
  return Object.fromEntries(
    Object.entries(raw)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, decodeValue(value)]),
  );
}

function decodeValue(raw: unknown): Value {
  if (typeof raw === "string") return UNKNOWNS.has(raw) ? UNKNOWN : raw;
  if (typeof raw === "number" || typeof raw === "boolean") return raw;
  if (Array.isArray(raw)) return raw.map(decodeValue);
  if (typeof raw !== "object" || raw === null) return null;
  const record = raw as Raw;
  const text = (name: string) => (typeof record[name] === "string" && record[name] !== "" ? record[name] : undefined);
  switch (record[SIGNATURE]) {
    case SECRET:
      return decodeValue(record["value"]);
    case ASSET:
      return new Asset({ hash: text("hash"), path: text("path"), text: text("text"), uri: text("uri") });
    case ARCHIVE:
      return new Archive(text("hash"));
    default:
      return decode(record);
  }
}

/** Outputs, with those that are secret marked as the engine marks them. */
export function encodeOutputs(outputs: object, secrets: readonly string[]): Record<string, unknown> {
  const encoded = encode(outputs, "omit");
  const hidden = secrets.filter(name => Object.hasOwn(encoded, name));
  return {
    ...encoded,
    ...Object.fromEntries(hidden.map(name => [name, { [SIGNATURE]: SECRET, value: encoded[name] }])),
  };
}

/** The host throws at `undefined`, and outside a preview the engine refuses an answer that holds an unknown. */
export function encode(values: object, unknowns: "keep" | "omit"): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined && (unknowns === "keep" || value !== UNKNOWN))
      .map(([key, value]) => [key.toWellFormed(), encodeValue(value, unknowns)]),
  );
}

function encodeValue(value: unknown, unknowns: "keep" | "omit"): unknown {
  if (value === UNKNOWN) return unknowns === "keep" ? UNKNOWN_STRING : null;
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.map(item => encodeValue(item, unknowns));
  if (typeof value !== "object" || value === null) return null;
  if (value instanceof Archive) return encode({ [SIGNATURE]: ARCHIVE, ...value }, unknowns);
  if (value instanceof Asset) return encode({ [SIGNATURE]: ASSET, ...value }, unknowns);
  return encode(value, unknowns);
}
