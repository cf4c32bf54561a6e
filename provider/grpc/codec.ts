/**
 * The one codec between protobuf Structs and plain values. The marks are the engine's, from its
 * sdk/go/common/resource/sig/sig.go and plugin/rpc.go.
 */

import {
  ListValue,
  NullValue,
  Struct,
  type StructMessage,
  type ValueMessage,
  Value as ValueProto,
} from "../engine/proto.js";
import type { Bag, Path } from "../engine/secrets.js";
import { UNKNOWN_STRING, UNKNOWNS } from "../engine/unknowns.js";
import { Archive, Asset, UNKNOWN, type Value, type Values } from "../schema/values.js";

export const SIGNATURE = "4dabf18193072939515e22adb298388d";
export const SECRET = "1b47061264138c4ac30d75fd1eb44270";
export const RESOURCE = "5cf8f73096256a8f31e491e813e4eb8e";
export const OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4";
export const ASSET = "c44067f5952c0a294b673a41bacd8c17";
export const ARCHIVE = "0def7320c3a5731c473e5ecbe6d01bc7";

export function decode(struct: StructMessage | undefined): Bag {
  const secrets: Path[] = [];
  return { values: struct ? decodeFields(struct, [], secrets) : {}, secrets };
}

function decodeFields(struct: StructMessage, path: Path, secrets: Path[] | undefined): Values {
  const values: Values = {};
  // google-protobuf drops a field called __proto__, so a plain assignment is safe.
  struct.getFieldsMap().forEach((value, key) => {
    values[key] = decodeValue(value, [...path, key], secrets);
  });
  return values;
}

/** `secrets` is undefined inside a secret: what is below one is covered by it. */
function decodeValue(value: ValueMessage, path: Path, secrets: Path[] | undefined): Value {
  const { KindCase } = ValueProto;
  switch (value.getKindCase()) {
    case KindCase.BOOL_VALUE:
      return value.getBoolValue();
    case KindCase.NUMBER_VALUE:
      return value.getNumberValue();
    case KindCase.STRING_VALUE: {
      const text = value.getStringValue();
      return UNKNOWNS.has(text) ? UNKNOWN : text;
    }
    case KindCase.LIST_VALUE:
      return (value.getListValue()?.getValuesList() ?? []).map((item, i) => decodeValue(item, [...path, i], secrets));
    case KindCase.STRUCT_VALUE:
      return decodeStruct(value.getStructValue() ?? new Struct(), path, secrets);
    default:
      return null;
  }
}

function decodeStruct(struct: StructMessage, path: Path, secrets: Path[] | undefined): Value {
  const fields = struct.getFieldsMap();
  const text = (name: string) => fields.get(name)?.getStringValue() || undefined;
  const inner = (within: Path[] | undefined) => {
    const value = fields.get("value");
    return value ? decodeValue(value, path, within) : undefined;
  };
  switch (text(SIGNATURE)) {
    case SECRET:
      secrets?.push(path);
      return inner(undefined) ?? null;
    case OUTPUT: {
      const secret = fields.get("secret")?.getBoolValue() ?? false;
      if (secret) secrets?.push(path);
      return inner(secret ? undefined : secrets) ?? UNKNOWN;
    }
    case ASSET:
      return new Asset({ hash: text("hash"), path: text("path"), text: text("text"), uri: text("uri") });
    case ARCHIVE:
      return new Archive(text("hash"));
    case RESOURCE: {
      // As the engine does for providers that don't accept resources: the id, or a component's URN.
      const id = fields.get("id");
      if (!id) return text("urn") ?? null;
      const decoded = decodeValue(id, path, secrets);
      return decoded === "" ? UNKNOWN : decoded;
    }
    default:
      return decodeFields(struct, path, secrets);
  }
}

/** Where to wrap: a tree of the secret paths. */
interface Marks {
  secret: boolean;
  readonly below: Map<string, Marks>;
}

export interface EncodeOptions {
  /** Each is wrapped where it points to, or else at its nearest ancestor that exists. */
  readonly secrets?: readonly Path[];
  /** Outside a preview the engine refuses an answer that holds an unknown, and with it the resource's id. */
  readonly unknowns?: "keep" | "omit";
}

/**
 * Never throws, whatever a resource hands over: by the time of encoding the service may have accepted a
 * document, and its id must reach the state. What JSON can't hold is left out or written as text.
 */
export function encode(values: Values, { secrets = [], unknowns = "keep" }: EncodeOptions = {}): StructMessage {
  return encodeFields(values, marksOf(secrets), unknowns === "keep");
}

function marksOf(paths: readonly Path[]): Marks {
  const root: Marks = { secret: false, below: new Map() };
  for (const path of paths) {
    if (path.length === 0) continue;
    let marks = root;
    for (const key of path) {
      const next = marks.below.get(String(key)) ?? { secret: false, below: new Map() };
      marks.below.set(String(key), next);
      marks = next;
    }
    marks.secret = true;
  }
  return root;
}

function encodeFields(values: object, marks: Marks | undefined, keep: boolean): StructMessage {
  const struct = new Struct();
  const fields = struct.getFieldsMap();
  for (const [key, value] of Object.entries(values)) {
    const encoded = key === "__proto__" ? undefined : encodeValue(value, marks?.below.get(key), keep);
    if (encoded) fields.set(wellFormed(key), encoded);
  }
  return struct;
}

/** undefined: nothing to send. */
function encodeValue(value: unknown, marks: Marks | undefined, keep: boolean): ValueMessage | undefined {
  if (marks && (marks.secret || !reaches(value, marks))) {
    const inner = encodeValue(value, undefined, keep);
    return inner && signed(SECRET, { value: inner });
  }
  const encoded = new ValueProto();
  if (value === UNKNOWN) return keep ? encoded.setStringValue(UNKNOWN_STRING) : undefined;
  if (value instanceof Asset) return encodeAsset(value);
  if (value instanceof Archive) return signed(ARCHIVE, { hash: value.hash });
  if (value instanceof Date) return encoded.setStringValue(Number.isNaN(value.getTime()) ? "" : value.toISOString());
  if (Array.isArray(value)) {
    const item = (each: unknown, i: number) => encodeValue(each, marks?.below.get(String(i)), keep) ?? nothing();
    return encoded.setListValue(new ListValue().setValuesList(value.map(item)));
  }
  switch (typeof value) {
    case "boolean":
      return encoded.setBoolValue(value);
    case "number":
      // The engine's state is JSON, which has no NaN and no infinity: writing it would fail.
      return Number.isFinite(value) ? encoded.setNumberValue(value) : nothing();
    case "bigint":
      return encoded.setStringValue(String(value));
    case "string":
      return encoded.setStringValue(wellFormed(value));
    case "object":
      return value === null ? nothing() : encoded.setStructValue(encodeFields(value, marks, keep));
    default:
      return undefined;
  }
}

/** Whether everything marked below a value exists in it. */
function reaches(value: unknown, marks: Marks): boolean {
  if (marks.below.size === 0) return true;
  if (typeof value !== "object" || value === null || value instanceof Asset || value instanceof Archive) return false;
  return [...marks.below.keys()].every(
    key => Object.hasOwn(value, key) && (value as Record<string, unknown>)[key] !== undefined,
  );
}

const nothing = () => new ValueProto().setNullValue(NullValue.NULL_VALUE);

const encodeAsset = ({ hash, path, text, uri }: Asset) => signed(ASSET, { hash, path, text, uri });

function signed(signature: string, content: Record<string, ValueMessage | string | undefined>): ValueMessage {
  const struct = new Struct();
  const fields = struct.getFieldsMap();
  fields.set(SIGNATURE, new ValueProto().setStringValue(signature));
  for (const [key, value] of Object.entries(content)) {
    if (value !== undefined)
      fields.set(key, typeof value === "string" ? new ValueProto().setStringValue(wellFormed(value)) : value);
  }
  return new ValueProto().setStructValue(struct);
}

/** google-protobuf drops lone surrogates from values and writes them as invalid UTF-8, which Go refuses, into keys. */
const wellFormed = (text: string): string => text.toWellFormed();
