/**
 * Plain values to and from what the dynamic provider's host hands over: the engine's wire objects as they are. The marks
 * are the engine's, from its sdk/go/common/resource/sig/sig.go and plugin/rpc.go.
 */
import { Archive, Asset, UNKNOWN, type Value, type Values } from "../../provider/schema/values.js";

const SIGNATURE = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";
const ASSET = "c44067f5952c0a294b673a41bacd8c17";
const ARCHIVE = "0def7320c3a5731c473e5ecbe6d01bc7";

/** An unknown of each type; the string's is taken for any. */
const UNKNOWN_STRING = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const UNKNOWNS = new Set([
  UNKNOWN_STRING,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

export type Raw = Readonly<Record<string, unknown>>;

export function decode(raw: Raw): Values {
  return Object.fromEntries(
    Object.entries(raw)
      .filter(([key, value]) => key !== "__proto__" && value !== undefined)
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
  if (value instanceof Archive) return encode({ [SIGNATURE]: ARCHIVE, hash: value.hash }, unknowns);
  if (value instanceof Asset) {
    const { hash, path, text, uri } = value;
    return encode({ [SIGNATURE]: ASSET, hash, path, text, uri }, unknowns);
  }
  return encode(value, unknowns);
}
