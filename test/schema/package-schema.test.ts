import { describe, expect, it } from "vitest";
import { z } from "zod";
import { property, type Shape } from "../../kit/property.js";
import { refuseUnkept } from "../../kit/schema.js";
import { configProblems } from "../../provider/config.js";
import { packageDeclaration, packageSchema } from "../../scripts/docgen/package-schema.js";

interface Spec {
  type?: string;
  $ref?: string;
  items?: Spec;
  additionalProperties?: Spec;
  description?: string;
  secret?: boolean;
  default?: unknown;
  defaultInfo?: { environment: string[] };
  willReplaceOnChanges?: boolean;
  enum?: { value: string }[];
  properties?: Record<string, Spec>;
  required?: string[];
  inputProperties?: Record<string, Spec>;
  requiredInputs?: string[];
  inputs?: Spec;
  outputs?: Spec;
}

interface Schema {
  types: Record<string, Spec>;
  provider: Spec;
  config: { variables: Record<string, Spec> };
  resources: Record<string, Spec>;
  functions: Record<string, Spec>;
  language: Record<string, Record<string, unknown>>;
}

const schema = packageSchema({ version: "1.2.3", ...packageDeclaration }) as Schema;
const { resources, functions, types, provider, config } = schema;

/** Every set of properties in the package, with the names of those that are required. */
const objects: [string, Record<string, Spec>, string[]][] = [
  ["config", config.variables, []],
  ...[["provider", provider] as const, ...Object.entries(resources)].flatMap(
    ([name, spec]): [string, Record<string, Spec>, string[]][] => [
      [`${name} inputs`, spec.inputProperties ?? {}, spec.requiredInputs ?? []],
      [`${name} outputs`, spec.properties ?? {}, spec.required ?? []],
    ],
  ),
  ...Object.entries(functions).flatMap(([name, spec]): [string, Record<string, Spec>, string[]][] => [
    [`${name} inputs`, spec.inputs?.properties ?? {}, spec.inputs?.required ?? []],
    [`${name} outputs`, spec.outputs?.properties ?? {}, spec.outputs?.required ?? []],
  ]),
  ...Object.entries(types)
    .filter(([, spec]) => spec.properties)
    .map(([name, spec]): [string, Record<string, Spec>, string[]] => [
      name,
      spec.properties ?? {},
      spec.required ?? [],
    ]),
];

const inner = (spec: Spec): Spec => spec.items ?? spec.additionalProperties ?? spec;

describe.each(objects)("%s", (_, properties, required) => {
  it("describes every property, in sentences", () => {
    for (const spec of Object.values(properties)) expect(spec.description).toMatch(/^\S.*\.$/s);
  });

  it("requires only what it declares", () => {
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(required));
  });

  it("refers to types that exist", () => {
    for (const spec of Object.values(properties)) {
      const { type, $ref } = inner(spec);
      if ($ref === undefined) expect(type).toMatch(/^(string|integer|boolean)$/);
      else if ($ref.startsWith("#/types/")) expect(types).toHaveProperty([$ref.slice("#/types/".length)]);
      else expect($ref).toMatch(/^pulumi\.json#\/(Asset|Any)$/);
    }
  });
});

it("every named type is used", () => {
  const used = new Set(objects.flatMap(([, properties]) => Object.values(properties).map(spec => inner(spec).$ref)));
  expect(Object.keys(types).filter(token => !used.has(`#/types/${token}`))).toEqual([]);
});

it("every resource and function says what it is, with a program in each language", () => {
  for (const { description } of [...Object.values(resources), ...Object.values(functions)]) {
    for (const language of ["typescript", "python", "go", "csharp", "java", "yaml"])
      expect(description).toContain(`\`\`\`${language}\n`);
    expect(description?.match(/{{% (\/?)example(s?) %}}/g)).toEqual([
      "{{% examples %}}",
      "{{% example %}}",
      "{{% /example %}}",
      "{{% /examples %}}",
    ]);
  }
});

it("enums have their values", () => {
  const values = (name: string) => types[`docsign:index:${name}`]?.enum?.map(({ value }) => value);
  expect(values("SignatureTypes")).toEqual(["all", "autograph", "advanced"]);
  expect(values("DuplicatePolicy")).toEqual(["create", "adopt", "refuse"]);
  expect(values("ReminderMethod")).toEqual(["auto", "POST", "GET"]);
  expect(values("DocumentStatus")).toEqual(["unsigned", "partially_signed", "signed"]);
});

it("a document's inputs replace it, but for its terms, and its file is an asset", () => {
  const document = resources["docsign:index:Document"];
  expect(document?.requiredInputs).toEqual(["name", "invitations"]);
  const inputs = Object.entries(document?.inputProperties ?? {});
  const kept = inputs.filter(([, spec]) => spec.willReplaceOnChanges !== true).map(([name]) => name);
  expect(kept.sort()).toEqual(["effectiveFrom", "expiresAt", "renewBefore"]);
  expect(document?.inputProperties?.["file"]?.$ref).toBe("pulumi.json#/Asset");
  expect(document?.inputProperties?.["extraParameters"]?.additionalProperties?.$ref).toBe("pulumi.json#/Any");
  expect(JSON.stringify(schema)).not.toContain("replaceOnChanges");
});

it("ids are strings and say so", () => {
  expect(resources["docsign:index:Document"]?.inputProperties?.["folderId"]).toMatchObject({
    type: "string",
    description: expect.stringContaining("A string of digits."),
  });
  expect(functions["docsign:index:getUnmanagedDocuments"]?.inputs?.properties?.["managedIds"]?.items).toEqual({
    type: "string",
  });
});

describe("the provider's settings", () => {
  it("have their defaults, as variables and as inputs", () => {
    for (const settings of [config.variables, provider.inputProperties ?? {}]) {
      expect(settings["requestTimeout"]).toMatchObject({ type: "string", default: "30s" });
      expect(settings["creationMarker"]).toMatchObject({ type: "boolean", default: false });
    }
  });

  it("are numbers and booleans again where a default provider has made texts of them", () => {
    const given = { integer: " 8 ", number: "8", boolean: "true" };
    const texts = Object.entries(config.variables).flatMap(([name, { type }]): [string, string][] =>
      type !== undefined && Object.hasOwn(given, type) ? [[name, given[type as keyof typeof given]]] : [],
    );
    expect(texts.length).toBeGreaterThan(1);
    const settings = { baseUrl: "https://api.example.com", apiKey: "key", ...Object.fromEntries(texts) };
    expect(configProblems(settings, {}, () => null)).toEqual([]);
  });

  it("have no default of maxConcurrency, which an SDK would pass on: in a fleet it is another one", () => {
    for (const settings of [config.variables, provider.inputProperties ?? {}]) {
      expect(settings["maxConcurrency"]).toMatchObject({ description: expect.stringContaining("Left out, 8;") });
      expect(settings["maxConcurrency"]).not.toHaveProperty("default");
    }
  });

  it("are secret where they must be, in and out", () => {
    for (const settings of [config.variables, provider.inputProperties, provider.properties]) {
      const secret = Object.entries(settings ?? {}).filter(([, spec]) => spec.secret);
      expect(secret.map(([name]) => name)).toEqual(["apiKey", "password", "journal"]);
    }
  });

  it("name their environment variables, which an SDK leaves to the plugin", () => {
    expect(config.variables["apiKey"]?.defaultInfo).toEqual({ environment: ["DOCSIGN_API_KEY"] });
    expect(provider.inputProperties?.["apiKey"]?.description).toContain("`DOCSIGN_API_KEY`");
    expect(JSON.stringify(provider)).not.toContain("defaultInfo");
  });

  it("are text as variables, and enums as inputs", () => {
    expect(config.variables["duplicatePolicy"]).toMatchObject({ type: "string", default: "refuse" });
    expect(provider.inputProperties?.["duplicatePolicy"]?.$ref).toBe("#/types/docsign:index:DuplicatePolicy");
  });
});

it.each(
  [...packageDeclaration.resources, ...packageDeclaration.functions]
    // Compares its rows by itself.
    .filter(({ token }) => token !== "docsign:index:DocumentSet")
    .map(declared => [declared.token, declared] as const),
)("%s declares nothing that the kit wouldn't keep", (token, { inputs, outputs }) => {
  expect(() => refuseUnkept(token, inputs, outputs)).not.toThrow();
});

it("has a block for each language", () => {
  expect(Object.keys(schema.language)).toEqual(["nodejs", "python", "go", "csharp", "java"]);
});

describe("a declaration it can't render is an error", () => {
  const withOutputs = (outputs: Shape) => () =>
    packageSchema({
      ...packageDeclaration,
      version: "1.2.3",
      functions: [{ token: "docsign:index:getThing", description: "A thing.", inputs: z.object({}), outputs }],
    });
  const text = property(z.string(), { description: "A text." });

  it.each([
    ["a property without facts", z.object({ bare: z.string() }), "bare is declared without its facts"],
    [
      "an object without a name",
      z.object({ thing: property(z.object({ text }), { description: "A thing." }) }),
      "typeName",
    ],
    ["an enum without a name", z.object({ thing: property(z.enum(["a"]), { description: "A thing." }) }), "typeName"],
    [
      "a type Pulumi lacks",
      z.object({ thing: property(z.date(), { description: "A thing." }) }),
      "has a word for, got date",
    ],
    [
      "one name for two types",
      z.object({
        one: property(z.object({ text }), { description: "One.", typeName: "Thing" }),
        two: property(z.object({ text, more: text }), { description: "Two.", typeName: "Thing" }),
      }),
      "two different types are called Thing",
    ],
  ])("%s", (_, outputs, message) => {
    expect(withOutputs(outputs)).toThrow(message);
  });
});
