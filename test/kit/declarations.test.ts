import { describe, expect, it } from "vitest";
import { z } from "zod";
import { problemsOf } from "../../kit/check.js";
import { defineConfiguration, defineFunction, defineResource } from "../../kit/define.js";
import { defineProvider } from "../../kit/define-provider.js";
import { type PropertyMetadata, property, type Shape } from "../../kit/property.js";

const described = { description: "A part of it." };
const none = z.object({});

const resource = (inputs: Shape, outputs: Shape = none) =>
  defineResource({
    token: "box:index:Box",
    description: "A box.",
    ...{ inputs, outputs },
    create: async () => ({ id: "1", outputs: {} }),
    update: async () => ({ outputs: {} }),
  });

describe("what a nested property can't be", () => {
  const nested = (facts: Partial<PropertyMetadata>) => {
    const password = property(z.string(), { ...described, ...facts });
    return z.object({ auth: property(z.object({ password }).optional(), { ...described, typeName: "Auth" }) });
  };

  it.each<Partial<PropertyMetadata>>([
    { secret: true },
    { replaces: true },
    { autoname: true },
    { derivedFrom: ["name"] },
    { silent: true },
    { env: ["PASSWORD"] },
    { compareBy: () => 1 },
  ])("is refused where it is declared: %o", facts => {
    const [fact] = Object.keys(facts);
    const refusal = `auth.password: expected ${fact} at a top-level property alone, got it at a nested one`;
    expect(() => resource(nested(facts))).toThrow(`box:index:Box: ${refusal}`);
    expect(() => resource(none, nested(facts))).toThrow(refusal);
    expect(() => defineConfiguration({ inputs: nested(facts), open: () => 1 })).toThrow(`configuration: ${refusal}`);
    const fn = (inputs: Shape, outputs: Shape) =>
      defineFunction({ token: "box:index:f", description: "A call.", inputs, outputs, answer: async () => ({}) });
    expect(() => fn(nested(facts), none)).toThrow(`box:index:f: ${refusal}`);
    expect(() => fn(none, nested(facts))).toThrow(refusal);
  });

  it.each([
    ["a list", (type: z.ZodType) => z.array(type), "all[]"],
    ["a map", (type: z.ZodType) => z.record(z.string(), type), "all{}"],
    ["what may be left out", (type: z.ZodType) => type.optional(), "all"],
    ["what is transformed", (type: z.ZodType) => type.transform(String), "all"],
    ["what has a default", (type: z.ZodType) => type.default("a"), "all"],
  ])("is refused within %s", (_, within, path) => {
    const secret = property(z.string(), { ...described, secret: true });
    expect(() => resource(z.object({ all: property(within(secret), described) }))).toThrow(
      `${path}: expected secret at a top-level property alone`,
    );
  });

  it("is neither its description nor the name of its type", () => {
    expect(() => resource(nested({}))).not.toThrow();
    expect(() => resource(nested({ secret: false }))).not.toThrow();
  });
});

describe("types", () => {
  it.each<[string, z.ZodType]>([
    ["literal", z.literal("a")],
    ["tuple", z.tuple([z.string()])],
    ["date", z.date()],
    ["lazy", z.lazy(() => z.string())],
    ["prefault", z.string().prefault("a")],
    ["catch", z.string().catch("a")],
    ["bigint", z.bigint()],
    ["any", z.any()],
    ["union", z.union([z.string(), z.boolean()])],
  ])("a %s is refused where it is declared, with the property's name", (kind, type) => {
    expect(() => resource(z.object({ size: property(type, described) }))).toThrow(
      `box:index:Box: size: expected a type that the package schema has a word for, got ${kind}`,
    );
    const sizes = z.array(z.object({ inner: property(type, described) }));
    expect(() => resource(z.object({ sizes: property(sizes, { ...described, typeName: "Size" }) }))).toThrow(
      "sizes[].inner: expected a type",
    );
  });

  it("without a name or a description are refused with the property's name", () => {
    expect(() => resource(z.object({ box: property(z.object({}), described) }))).toThrow("box: expected a typeName");
    expect(() => resource(z.object({ box: z.string() }))).toThrow("property box is declared without its facts");
  });
});

it("a default that is a list or a map is in no schema, and isn't required of a program", () => {
  const inputs = z.object({
    tags: property(z.array(z.string()).default([]), described),
    sizes: property(z.record(z.string(), z.number()).default({}), described),
    size: property(z.number().default(3), described),
  });
  const schema = JSON.parse(
    String(defineProvider({ name: "box", version: "1.0.0", resources: [resource(inputs)] }).schema()),
  );
  expect(schema.resources["box:index:Box"].requiredInputs).toEqual([]);
  expect(schema.resources["box:index:Box"].inputProperties).toEqual({
    tags: { type: "array", items: { type: "string" }, ...described },
    sizes: { type: "object", additionalProperties: { type: "number" }, ...described },
    size: { type: "number", default: 3, ...described },
  });
});

it.each<[z.ZodType, string | number | undefined, string]>([
  [z.string(), 5, "expected string, got 5"],
  [z.string(), undefined, "is required: string"],
  [z.int(), 2.5, "expected int, got 2.5"],
  [z.enum(["red", "blue"]), "green", 'expected one of "red"|"blue", got "green"'],
  [z.string().max(3), "long", 'expected string to have <=3 characters, got "long"'],
  [z.number().min(3), 2, "expected number to be >=3, got 2"],
  [z.string().startsWith("a"), "b", 'expected a string that must start with "a", got "b"'],
  [z.number().multipleOf(5), 7, "expected a number that must be a multiple of 5, got 7"],
  [z.email(), "a", 'expected valid email address, got "a"'],
  [z.union([z.string(), z.number()]).refine(() => false), "a", 'expected valid input, got "a"'],
])("without an error of its own, a type says what it expects: %#", (type, value, reason) => {
  const values = value === undefined ? {} : { size: value };
  expect(problemsOf(z.object({ size: type }), values).map(problem => problem.reason)).toEqual([`size: ${reason}`]);
});
