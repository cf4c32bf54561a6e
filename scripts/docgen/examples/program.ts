import type { FunctionDeclaration, ResourceDeclaration } from "../../../kit/property.js";
import { type NamedTypeSpec, type PropertiesSpec, type TypeSpec, TypeSpecs } from "../../../kit/schema.js";

/**
 * An example is said once, here, and written in every language off this and the package's own types. A name the package
 * doesn't have, or a value of another type, is an error when the pages are written, not when somebody tries the example.
 */
export interface Program {
  readonly resources?: readonly ResourceUse[];
  readonly call?: FunctionUse;
  readonly outputs: Readonly<Record<string, Ref>>;
}

export interface ResourceUse {
  /** The name in state, and of the variable. */
  readonly name: string;
  /** `Document` */
  readonly type: string;
  readonly inputs: Given;
  readonly options?: { readonly deleteBeforeReplace?: true; readonly timeout?: string };
}

interface FunctionUse {
  /** `getSigners` */
  readonly fn: string;
  readonly inputs: Given;
}

/** An output of a resource; without a resource, of the function asked. */
export class Ref {
  constructor(
    readonly path: readonly string[],
    readonly resource?: string,
  ) {}
}
export const output = (resource: string, ...path: string[]): Ref => new Ref(path, resource);
export const answer = (name: string): Ref => new Ref([name]);

class PdfFile {
  constructor(readonly path: string) {}
}
export const pdfFile = (path: string): PdfFile => new PdfFile(path);

export const LANGUAGES = ["typescript", "python", "go", "csharp", "java", "yaml"] as const;
export type Language = (typeof LANGUAGES)[number];

type Value = string | number | Ref | PdfFile | readonly Value[] | Given;
export interface Given {
  readonly [name: string]: Value;
}

/** A value with the type its property has: what a language needs in order to write it. */
export type Node =
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "choice"; readonly type: string; readonly value: string }
  | { readonly kind: "list"; readonly of: "text" | { readonly type: string }; readonly items: readonly Node[] }
  | { readonly kind: "object"; readonly type: string; readonly fields: Fields }
  /** `any` where its values may be of several types. */
  | { readonly kind: "map"; readonly of: "text" | "any"; readonly fields: Fields }
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "ref"; readonly ref: Ref };
export type Fields = readonly (readonly [name: string, node: Node])[];

export interface TypedProgram {
  readonly resources: readonly (Omit<ResourceUse, "inputs"> & { readonly fields: Fields })[];
  readonly call?: { readonly fn: string; readonly fields: Fields };
  readonly outputs: readonly (readonly [name: string, ref: Ref])[];
}

/** What the package has: inputs and outputs by name, and its named types by token. */
export interface Vocabulary {
  readonly members: Readonly<Record<string, { readonly inputs: PropertiesSpec; readonly outputs: PropertiesSpec }>>;
  readonly types: Readonly<Record<string, NamedTypeSpec>>;
}

export function typed({ resources = [], call, outputs }: Program, vocabulary: Vocabulary): TypedProgram {
  const reader = new Reader(vocabulary, { resources, ...(call && { call }), outputs });
  return {
    resources: resources.map(({ inputs, ...use }) => ({ ...use, fields: reader.inputs(use.type, inputs) })),
    ...(call && { call: { fn: call.fn, fields: reader.inputs(call.fn, call.inputs) } }),
    outputs: Object.entries(outputs).map(([name, ref]) => [name, reader.known(ref)]),
  };
}

class Reader {
  constructor(
    private readonly vocabulary: Vocabulary,
    private readonly program: Program,
  ) {}

  inputs(member: string, given: Given): Fields {
    const { inputs } = this.#member(member);
    for (const name of inputs.required)
      if (!(name in given)) throw new Error(`an example leaves out ${member}.${name}`);
    return this.#fields(member, inputs, given);
  }

  known(ref: Ref): Ref {
    const use = this.program.resources?.find(({ name }) => name === ref.resource);
    let { properties } = this.#member(use?.type ?? this.program.call?.fn ?? `${ref.resource}`).outputs;
    for (const step of ref.path) {
      const type = properties[step];
      if (!type) throw new Error(`an example reads ${ref.path.join(".")}, which isn't there`);
      const inner = "$ref" in type ? this.vocabulary.types[type.$ref.replace("#/types/", "")] : undefined;
      properties = inner?.type === "object" ? inner.properties : {};
    }
    return ref;
  }

  #member(name: string) {
    const member = this.vocabulary.members[name];
    if (!member) throw new Error(`an example uses ${name}, which the package doesn't have`);
    return member;
  }

  #fields(owner: string, { properties }: PropertiesSpec, given: Given): Fields {
    return Object.entries(given).map(([name, value]) => {
      const type = properties[name];
      if (!type) throw new Error(`an example gives ${owner}.${name}, which isn't there`);
      return [name, this.#node(`${owner}.${name}`, type, value)];
    });
  }

  #node(where: string, type: TypeSpec, value: Value): Node {
    if (value instanceof Ref) return { kind: "ref", ref: this.known(value) };
    if (value instanceof PdfFile) return { kind: "file", path: value.path };
    if (typeof value === "number") return { kind: "number", value };
    if (Array.isArray(value) && "type" in type && type.type === "array") {
      const items = value.map((item, index) => this.#node(`${where}[${index}]`, type.items, item));
      const [first] = items;
      return { kind: "list", of: first?.kind === "object" ? { type: first.type } : "text", items };
    }
    if ("$ref" in type && type.$ref.startsWith("#/types/")) return this.#named(where, type.$ref, value);
    if (typeof value === "string") return { kind: "text", value };
    const fields = Object.entries(value as Given);
    const inner = "type" in type && type.type === "object" ? type.additionalProperties : type;
    const nodes = fields.map(([name, each]) => [name, this.#node(`${where}.${name}`, inner, each)] as const);
    const isMixed = inner !== type && "$ref" in inner;
    return {
      kind: "map",
      of: !isMixed && nodes.every(([, { kind }]) => kind === "text") ? "text" : "any",
      fields: nodes,
    };
  }

  #named(where: string, $ref: string, value: Value): Node {
    const token = $ref.replace("#/types/", "");
    const spec = this.vocabulary.types[token];
    const type = token.split(":").at(-1) ?? token;
    if (spec?.type === "object") return { kind: "object", type, fields: this.#fields(type, spec, value as Given) };
    if (spec?.type === "string" && spec.enum.some(each => each.value === value))
      return { kind: "choice", type, value: String(value) };
    throw new Error(`an example gives ${where} a value it doesn't take`);
  }
}

/** What an example may say: every resource and function of the package by its name, and its types. */
export function vocabularyOf(
  packageName: string,
  declarations: readonly (ResourceDeclaration | FunctionDeclaration)[],
): Vocabulary {
  const types = new TypeSpecs(packageName);
  const members = Object.fromEntries(
    declarations.map(({ token, inputs, outputs }) => [
      token.split(":").at(-1) ?? token,
      { inputs: types.inputs(inputs), outputs: types.properties(outputs) },
    ]),
  );
  return { members, types: types.named };
}
