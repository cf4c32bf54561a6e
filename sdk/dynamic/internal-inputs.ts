import { own } from "../../kit/records.js";
import { typeOf } from "../../kit/resource.js";
import { isRecord, type Value, type Values } from "../../kit/values.js";
import { parseDuration } from "../../provider/schema/types.js";
import { DERIVED, dynamicTypeOf, INTERNAL, type Kind, RENAMED, tokenOf } from "../front-end.js";
import { decode, type Raw } from "./encoding.js";

/** What the classes added to a resource's own values. */
export interface InternalInputs {
  readonly key: string;
  readonly kind: Kind;
  readonly secrets: ReadonlySet<string>;
  readonly preview: boolean;
  readonly lookup: boolean;
  readonly importId: string | undefined;
  /** A create or an update of it came to an end half-way. */
  readonly unfinished: boolean;
  /** `customTimeouts`, in milliseconds. */
  readonly timeouts: Timeouts;
}

export interface Timeouts {
  readonly create?: number;
  readonly update?: number;
}

export interface Unpacked {
  readonly values: Values;
  readonly internal: InternalInputs;
  /** What outputs keep of the inputs. */
  readonly given: Value | undefined;
}

const NAMES = new Set<string>(Object.values(INTERNAL));
const KINDS = Object.keys(DERIVED) as Kind[];

/** Takes a resource's own values apart from what was added. */
export function unpack(raw: Raw): Unpacked {
  const all = decode(raw);
  const values = Object.fromEntries(Object.entries(all).filter(([name]) => !NAMES.has(name)));
  const text = (name: string): string => (typeof all[name] === "string" ? all[name] : "");
  const key = text(INTERNAL.key);
  const kind = KINDS.find(each => tokenOf(each) === typeOf(key));
  if (kind === undefined)
    throw new Error(
      `state has no ${INTERNAL.key} that names a resource of pulumi-docsign. An alias of a resource of the plugin's doesn't make it a dynamic one: leave it out, and set the resource option import to the document's id`,
    );
  const internal: InternalInputs = {
    key,
    kind,
    secrets: new Set(namesIn(all[INTERNAL.secretInputs])),
    preview: all[INTERNAL.preview] === true,
    lookup: all[INTERNAL.lookup] === true,
    importId: text(INTERNAL.import) || undefined,
    unfinished: all[INTERNAL.unfinished] === true,
    timeouts: timeoutsIn(all[INTERNAL.timeouts]),
  };
  return { values, internal, given: all[INTERNAL.given] };
}

/** A program's inputs, without those that are only there to say what is secret. */
export function unpackInputs(raw: Raw): Unpacked {
  const unpacked = unpack(raw);
  const derived = DERIVED[unpacked.internal.kind];
  const names = new Map(Object.entries(RENAMED[unpacked.internal.kind] ?? {}).map(([name, own]) => [own, name]));
  const values = Object.entries(unpacked.values).filter(([name]) => !Object.hasOwn(derived, name));
  return { ...unpacked, values: Object.fromEntries(values.map(([name, value]) => [names.get(name) ?? name, value])) };
}

/** Inputs by the names the engine knows them by. */
export function namedForEngine(kind: Kind, inputs: Values): Values {
  const names = RENAMED[kind] ?? {};
  return Object.fromEntries(Object.entries(inputs).map(([name, value]) => [own(names, name) ?? name, value]));
}

/** What was added, as inputs in state keep it; whether this is a preview isn't part of that. */
export function internalInInputs(raw: Raw, { kind }: InternalInputs, hasOlds: boolean): Raw {
  const names: string[] = [INTERNAL.key, INTERNAL.secretInputs, INTERNAL.given, ...Object.keys(DERIVED[kind])];
  if (!hasOlds) names.push(INTERNAL.import);
  return pick(raw, names);
}

export const internalInOutputs = (raw: Raw): Raw =>
  pick(raw, [INTERNAL.provider, INTERNAL.key, INTERNAL.secretInputs, INTERNAL.lookup]);

/** The URN the engine knows it by, for its log: `resourceKey` has the plugin's type in it. */
export function urnOf({ key, kind }: Pick<InternalInputs, "key" | "kind">): string {
  const [prefix = "", project = "", type = "", ...name] = key.split("::");
  const own = `${type.slice(0, type.length - tokenOf(kind).length)}${dynamicTypeOf(kind)}`;
  return [prefix, project, own, ...name].join("::");
}

function pick(raw: Raw, names: readonly string[]): Raw {
  return Object.fromEntries(names.filter(name => raw[name] !== undefined).map(name => [name, raw[name]]));
}

function timeoutsIn(value: Value | undefined): Timeouts {
  const given = isRecord(value) ? value : {};
  const times = (["create", "update"] as const).flatMap(name => {
    const text = given[name];
    // The engine takes none for no limit of its own.
    const milliseconds = typeof text === "string" ? (parseDuration(text) ?? 0) : 0;
    return milliseconds > 0 ? [[name, milliseconds] as const] : [];
  });
  return Object.fromEntries(times);
}

const namesIn = (value: Value | undefined): string[] =>
  Array.isArray(value) ? value.filter(name => typeof name === "string") : [];
