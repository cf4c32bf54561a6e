/** Property values as the engine sends them, and how they travel: https://github.com/pulumi/pulumi/blob/master/sdk/go/common/resource/plugin/rpc.go */
import * as structModule from "google-protobuf/google/protobuf/struct_pb.js";

const { Struct, Value: ProtoValue, ListValue, NullValue } = exportsOf(structModule);
export type ProtoStruct = InstanceType<typeof Struct>;
type ProtoMember = InstanceType<typeof ProtoValue>;

/** Generated CommonJS: Node's ESM loader shows its computed exports only as `default`. */
export function exportsOf<M extends object>(module: M): M {
  return (module as { default?: M }).default ?? module;
}

const SIGNATURE = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";
const OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4";
export const ASSET = "c44067f5952c0a294b673a41bacd8c17";
export const ARCHIVE = "0def7320c3a5731c473e5ecbe6d01bc7";
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** A value that is known only once something else has been created. */
export class Unknown {}
export const unknown = new Unknown();

export class Secret {
  constructor(readonly value: Value) {}
}

/** An asset or archive, with the members that the engine sends: `text`, `path`, `uri`, `assets`, `hash`. */
export class File {
  constructor(
    readonly kind: typeof ASSET | typeof ARCHIVE,
    readonly members: Values,
  ) {}
}

export type Value = null | boolean | number | string | Unknown | Secret | File | readonly Value[] | Values;
/** Keyed by foreign text: a map, so that no key means anything else. */
export type Values = ReadonlyMap<string, Value>;

export const isValues = (value: Value | undefined): value is Values => value instanceof Map;
export const isList = (value: Value | undefined): value is readonly Value[] => Array.isArray(value);

export function toStruct(values: Values): ProtoStruct {
  const struct = new Struct();
  for (const [key, value] of values) struct.getFieldsMap().set(key, toProto(value));
  return struct;
}

function toProto(value: Value): ProtoMember {
  const proto = new ProtoValue();
  if (value === null) return proto.setNullValue(NullValue.NULL_VALUE);
  if (typeof value === "boolean") return proto.setBoolValue(value);
  if (typeof value === "number") return proto.setNumberValue(value);
  if (typeof value === "string") return proto.setStringValue(value);
  if (value instanceof Unknown) return proto.setStringValue(UNKNOWN);
  if (value instanceof Secret) return marked(SECRET, new Map([["value", value.value]]));
  if (value instanceof File) return marked(value.kind, value.members);
  if (isList(value)) return proto.setListValue(new ListValue().setValuesList(value.map(toProto)));
  return proto.setStructValue(toStruct(value));
}

const marked = (signature: string, members: Values): ProtoMember =>
  new ProtoValue().setStructValue(toStruct(new Map([[SIGNATURE, signature], ...members])));

export function fromStruct(struct: ProtoStruct | undefined): Values {
  const values = new Map<string, Value>();
  for (const [key, value] of struct?.getFieldsMap().entries() ?? []) values.set(key, fromProto(value));
  return values;
}

function fromProto(value: ProtoMember): Value {
  switch (value.getKindCase()) {
    case ProtoValue.KindCase.BOOL_VALUE:
      return value.getBoolValue();
    case ProtoValue.KindCase.NUMBER_VALUE:
      return value.getNumberValue();
    case ProtoValue.KindCase.STRING_VALUE:
      return value.getStringValue() === UNKNOWN ? unknown : value.getStringValue();
    case ProtoValue.KindCase.LIST_VALUE:
      return value.getListValue()?.getValuesList().map(fromProto) ?? [];
    case ProtoValue.KindCase.STRUCT_VALUE:
      return unmarked(fromStruct(value.getStructValue()));
    default:
      return null;
  }
}

function unmarked(values: Values): Value {
  const rest = (): Values => new Map([...values].filter(([key]) => key !== SIGNATURE));
  switch (values.get(SIGNATURE)) {
    case SECRET:
      return new Secret(values.get("value") ?? null);
    case OUTPUT: {
      const inner = values.get("value") ?? unknown;
      return values.get("secret") === true ? new Secret(inner) : inner;
    }
    case ASSET:
      return new File(ASSET, rest());
    case ARCHIVE:
      return new File(ARCHIVE, rest());
    default:
      return values;
  }
}

/** From a fixture's JSON: `{"$secret": x}`, `{"$asset": {"path": …}}`, `{"$archive": {…}}` and `{"$unknown": true}` are marks. */
export function fromJson(json: unknown): Value {
  if (json === null || typeof json === "boolean" || typeof json === "number" || typeof json === "string") return json;
  if (Array.isArray(json)) return json.map(fromJson);
  if (typeof json !== "object") throw new TypeError(`expected JSON, got ${typeof json}`);
  const [[key, inner] = ["", undefined], ...others] = Object.entries(json);
  if (others.length === 0) {
    if (key === "$secret") return new Secret(fromJson(inner));
    if (key === "$unknown") return unknown;
    if (key === "$asset" || key === "$archive") return new File(key === "$asset" ? ASSET : ARCHIVE, valuesIn(inner));
  }
  return valuesIn(json);
}

export function valuesIn(json: unknown): Values {
  if (typeof json !== "object" || json === null || Array.isArray(json)) throw new TypeError("expected an object");
  return new Map(Object.entries(json).map(([key, value]) => [key, fromJson(value)]));
}

/** For comparisons: the marks as in a fixture, keys sorted. */
export function toJson(value: Value | undefined): unknown {
  if (value instanceof Unknown) return { $unknown: true };
  if (value instanceof Secret) return { $secret: toJson(value.value) };
  if (value instanceof File) return { [value.kind === ASSET ? "$asset" : "$archive"]: toJson(value.members) };
  if (isList(value)) return value.map(toJson);
  if (!isValues(value)) return value;
  const keys = [...value.keys()].sort();
  return Object.assign(Object.create(null), Object.fromEntries(keys.map(key => [key, toJson(value.get(key))])));
}

export const same = (one: Value | undefined, other: Value | undefined): boolean =>
  JSON.stringify(toJson(one)) === JSON.stringify(toJson(other));

/** Without the marks of secrets, at any depth. */
export function bare(value: Value): Value {
  if (value instanceof Secret) return bare(value.value);
  if (isList(value)) return value.map(bare);
  if (isValues(value)) return new Map([...value].map(([key, each]) => [key, bare(each)]));
  return value;
}

export const bareValues = (values: Values): Values => bare(values) as Values;

/** Whether anything in it isn't known yet. */
export function hasUnknown(value: Value | undefined): boolean {
  if (value instanceof Unknown) return true;
  if (value instanceof Secret) return hasUnknown(value.value);
  if (value instanceof File) return hasUnknown(value.members);
  if (isList(value)) return value.some(hasUnknown);
  return isValues(value) && [...value.values()].some(hasUnknown);
}

/** As the engine keeps them in state: of an asset the hash alone. */
export function asInState(value: Value): Value {
  if (value instanceof File) {
    const hash = value.members.get("hash");
    return hash === undefined ? value : new File(value.kind, new Map([["hash", hash]]));
  }
  if (value instanceof Secret) return new Secret(asInState(value.value));
  if (isList(value)) return value.map(asInState);
  if (isValues(value)) return new Map([...value].map(([key, each]) => [key, asInState(each)]));
  return value;
}

/** The keys under which two differ. */
export function difference(one: Values, other: Values): string {
  const keys = new Set([...one.keys(), ...other.keys()]);
  return [...keys].filter(key => !same(one.get(key), other.get(key))).join(", ");
}

/** Whole, or each of its leaves. */
export function isSecret(value: Value): boolean {
  if (value instanceof Secret) return true;
  if (isList(value)) return value.length > 0 && value.every(isSecret);
  return isValues(value) && value.size > 0 && [...value.values()].every(isSecret);
}

/** Another value of the same kind. */
export function another(value: Value): Value | undefined {
  if (typeof value === "string") return `${value} changed`;
  if (typeof value === "number") return value + 1;
  if (typeof value === "boolean") return !value;
  return undefined;
}

export function deep(levels: number): Value {
  let value: Value = "bottom";
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}
