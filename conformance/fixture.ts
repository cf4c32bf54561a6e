import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { z } from "zod";
import { ENGINES } from "./connection.js";
import {
  get,
  type ObjectSpec,
  type PackageSpec,
  type PropertySpec,
  type TypeSpec,
  takesAsset,
  typeToken,
} from "./schema.js";
import { File, fromJson, isList, isValues, Secret, toJson, type Value, type Values, valuesIn } from "./values.js";

const json = z.record(z.string(), z.unknown());
const command = z.array(z.string()).min(1);

// README.md says what each member means.

/** What can be tried of one resource. Patches are laid over `inputs`; null takes a member out. */
const resourceFixture = z.strictObject({
  inputs: json,
  update: json.optional(),
  replace: json.optional(),
  invalid: z.array(json).default([]),
  partial: json.optional(),
  kept: z.array(z.string()).default([]),
  importId: z.string().nullish(),
  forgets: z.boolean().default(false),
  list: json.optional(),
  missingId: z.string().optional(),
  waive: z.record(z.string(), z.string()).default({}),
});

const fixtureFile = z.strictObject({
  $schema: z.string().optional(),
  /** How the provider is started; the command line says otherwise. */
  provider: command.optional(),
  service: z.strictObject({ command, ready: z.string() }).optional(),
  environment: z.record(z.string(), z.string()).default({}),
  config: json.default({}),
  otherConfig: json.optional(),
  stall: command.optional(),
  resume: command.optional(),
  reset: command.optional(),
  observe: command.optional(),
  engines: z.array(z.enum(ENGINES)).optional(),
  resources: z.record(z.string(), resourceFixture).default({}),
  functions: z.record(z.string(), json).default({}),
  waive: z.record(z.string(), z.string()).default({}),
});

type FixtureFile = z.infer<typeof fixtureFile>;
export type ResourceFixture = z.infer<typeof resourceFixture>;

export interface Fixture extends FixtureFile {
  /** Its paths are relative to it. */
  readonly folder: string;
}

export const noFixture = (): Fixture => ({ ...fixtureFile.parse({}), folder: process.cwd() });

/** Thrown for what whoever runs the suite has to put right. */
export class UsageError extends Error {}

export function readFixture(path: string): Fixture {
  const parsed = fixtureFile.safeParse(parseJson(path));
  if (!parsed.success) throw new UsageError(`${path}: ${z.prettifyError(parsed.error)}`);
  return { ...parsed.data, folder: dirname(resolve(path)) };
}

function parseJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new UsageError(`${path}: expected a fixture file in JSON, got ${(error as Error).message}`);
  }
}

/** Fills `{{name}}` in every text. */
export function filled(value: unknown, variables: Readonly<Record<string, string>>): unknown {
  if (typeof value === "string")
    return value.replace(/\{\{(\w+)\}\}/g, (whole, name: string) =>
      Object.hasOwn(variables, name) ? (variables[name] ?? whole) : whole,
    );
  if (Array.isArray(value)) return value.map(each => filled(each, variables));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filled(each, variables)]));
}

/** Inputs as the engine would send them: a patch laid over them, paths made absolute, assets with their hash. */
export function inputsOf(
  { folder }: Pick<Fixture, "folder">,
  { inputs }: Pick<ResourceFixture, "inputs">,
  variables: Readonly<Record<string, string>>,
  patch: Readonly<Record<string, unknown>> = {},
): Values {
  const values = valuesIn(withoutNulls({ ...inputs, ...patch }));
  return new Map([...values].map(([key, value]) => [key, prepared(value, folder, variables)]));
}

function prepared(value: Value, folder: string, variables: Readonly<Record<string, string>>): Value {
  if (typeof value === "string") return filled(value, variables) as string;
  if (value instanceof Secret) return new Secret(prepared(value.value, folder, variables));
  if (value instanceof File) return withHash(value, folder, variables);
  if (isList(value)) return value.map(each => prepared(each, folder, variables));
  if (isValues(value)) return new Map([...value].map(([key, each]) => [key, prepared(each, folder, variables)]));
  return value;
}

/** With an absolute path, and the hash that stands for the bytes in a state. Of an archive it isn't the engine's, but as good for a comparison. */
function withHash(file: File, folder: string, variables: Readonly<Record<string, string>>): Value {
  const members = new Map([...file.members].map(([key, each]) => [key, prepared(each, folder, variables)]));
  const path = members.get("path");
  if (typeof path === "string") members.set("path", resolve(folder, path));
  if (!members.has("hash")) members.set("hash", hashOf(members));
  return new File(file.kind, members);
}

function hashOf(members: Values): string {
  const [text, path, assets] = [members.get("text"), members.get("path"), members.get("assets")];
  if (typeof text === "string") return sha256(text);
  if (typeof path === "string") return sha256(bytesAt(path));
  if (!isValues(assets)) return sha256(JSON.stringify(toJson(members)));
  const hashes = [...assets].map(([name, each]) => [name, each instanceof File ? each.members.get("hash") : null]);
  return sha256(JSON.stringify(hashes.sort()));
}

/** Of a folder, the names and the bytes of what is in it. */
const bytesAt = (path: string): Buffer =>
  statSync(path).isDirectory()
    ? Buffer.concat(
        readdirSync(path)
          .sort()
          .flatMap(name => [Buffer.from(`${name}\0`), bytesAt(resolve(path, name))]),
      )
    : readFileSync(path);

export const sha256 = (bytes: string | Buffer): string => createHash("sha256").update(bytes).digest("hex");

export const configOf = (
  config: Readonly<Record<string, unknown>>,
  variables: Readonly<Record<string, string>>,
): Values => fromJson(filled(withoutNulls(config), variables)) as Values;

const withoutNulls = (members: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));

// ---- A fixture to begin with ----

/** Each resource and function of a schema with what it requires. */
export function draft(spec: PackageSpec): string {
  const resources = Object.entries(spec.resources ?? {}).filter(([, { isComponent }]) => !isComponent);
  // A method of a provider or a resource takes what it belongs to.
  const functions = Object.entries(spec.functions ?? {}).filter(
    ([, { inputs }]) => !get(inputs?.properties, "__self__"),
  );
  const file = {
    config: required({ properties: spec.config?.variables ?? {}, required: spec.config?.required ?? [] }, spec),
    resources: Object.fromEntries(
      resources.map(([token, { inputProperties: properties = {}, requiredInputs = [] }]) => [
        token,
        { inputs: required({ properties, required: requiredInputs }, spec) },
      ]),
    ),
    functions: Object.fromEntries(functions.map(([token, { inputs = {} }]) => [token, required(inputs, spec)])),
  };
  return `${JSON.stringify(file, undefined, 2)}\n`;
}

const required = ({ properties = {}, required: keys = [] }: ObjectSpec, spec: PackageSpec, depth = 0): object =>
  Object.fromEntries(keys.map(key => [key, value(get(properties, key) ?? {}, spec, depth)]));

function value(property: PropertySpec, spec: PackageSpec, depth: number): unknown {
  const plain = unmarked(property, spec, depth);
  return property.secret ? { $secret: plain } : plain;
}

function unmarked(type: PropertySpec, spec: PackageSpec, depth: number): unknown {
  if (type.const !== undefined) return type.const;
  if (type.default !== undefined) return type.default;
  if (takesAsset(type)) return { $asset: { text: "text" } };
  if (type.$ref === "pulumi.json#/Archive") return { $archive: { assets: {} } };
  const named = get(spec.types, typeToken(type.$ref ?? "") ?? "");
  if (named?.enum) return named.enum[0]?.value;
  // A type may hold itself.
  if (named) return depth < 5 ? required(named, spec, depth + 1) : {};
  const [first] = type.oneOf ?? [];
  if (first) return unmarked(first as TypeSpec, spec, depth);
  return (
    { string: "text-{{unique}}", integer: 1, number: 1, boolean: true, array: [], object: {} }[type.type ?? ""] ?? {}
  );
}
