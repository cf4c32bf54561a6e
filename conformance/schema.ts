/** A package schema, as far as the laws read it: https://www.pulumi.com/docs/iac/guides/building-extending/packages/schema/ */

export interface TypeSpec {
  readonly type?: string;
  readonly $ref?: string;
  readonly items?: TypeSpec;
  readonly additionalProperties?: TypeSpec;
  readonly oneOf?: readonly TypeSpec[];
}

export interface PropertySpec extends TypeSpec {
  readonly description?: string;
  readonly secret?: boolean;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly replaceOnChanges?: boolean;
  readonly willReplaceOnChanges?: boolean;
}

export interface ObjectSpec {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, PropertySpec>>;
  readonly required?: readonly string[];
  readonly enum?: readonly { readonly value: unknown; readonly description?: string }[];
  readonly type?: string;
}

export interface ResourceSpec extends ObjectSpec {
  readonly inputProperties?: Readonly<Record<string, PropertySpec>>;
  readonly requiredInputs?: readonly string[];
  readonly isComponent?: boolean;
  readonly listInputs?: ObjectSpec;
}

export interface FunctionSpec {
  readonly description?: string;
  readonly inputs?: ObjectSpec;
  readonly outputs?: ObjectSpec;
}

export interface PackageSpec {
  readonly name: string;
  readonly version?: string;
  readonly config?: {
    readonly variables?: Readonly<Record<string, PropertySpec>>;
    readonly required?: readonly string[];
  };
  readonly provider?: ResourceSpec;
  readonly types?: Readonly<Record<string, ObjectSpec>>;
  readonly resources?: Readonly<Record<string, ResourceSpec>>;
  readonly functions?: Readonly<Record<string, FunctionSpec>>;
}

export const get = <T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  record && Object.hasOwn(record, key) ? record[key] : undefined;

/** The objects whose members programs see, each with a name for messages. */
export function objectsOf(spec: PackageSpec): [string, ObjectSpec][] {
  const resources = [
    ...Object.entries(spec.resources ?? {}),
    ...(spec.provider ? [["provider", spec.provider] as const] : []),
  ];
  return [
    ...resources.flatMap(([token, resource]): [string, ObjectSpec][] => [
      [token, { properties: resource.properties ?? {}, required: resource.required ?? [] }],
      [`${token} inputs`, { properties: resource.inputProperties ?? {}, required: resource.requiredInputs ?? [] }],
      ...(resource.listInputs ? [[`${token} listInputs`, resource.listInputs] as [string, ObjectSpec]] : []),
    ]),
    ...Object.entries(spec.functions ?? {}).flatMap(([token, { inputs, outputs }]): [string, ObjectSpec][] => [
      ...(inputs ? [[`${token} inputs`, inputs] as [string, ObjectSpec]] : []),
      ...(outputs ? [[`${token} outputs`, outputs] as [string, ObjectSpec]] : []),
    ]),
    ...Object.entries(spec.types ?? {}),
    ["config", { properties: spec.config?.variables ?? {}, required: spec.config?.required ?? [] }],
  ];
}

export function refsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(refsIn);
  return Object.entries(value).flatMap(([key, each]) =>
    key === "$ref" && typeof each === "string" ? [each] : refsIn(each),
  );
}

export const typeToken = (ref: string): string | undefined =>
  ref.startsWith("#/types/") ? decodeURIComponent(ref.slice("#/types/".length)) : undefined;

/** Whether an asset may be given for it, and so an archive. */
export const takesAsset = (spec: TypeSpec): boolean =>
  spec.$ref === "pulumi.json#/Asset" || (spec.oneOf ?? []).some(takesAsset);

/** Of a path such as `signers[0].email` the property. */
export const rootOf = (path: string): string =>
  /^(?:\["((?:[^"\\]|\\.)*)"\]|[^.[]+)/.exec(path)?.slice(0, 2).findLast(Boolean) ?? path;

export const takesArchive = (spec: TypeSpec): boolean =>
  spec.$ref === "pulumi.json#/Archive" || (spec.oneOf ?? []).some(takesArchive);
