import { describe, expect, it } from "vitest";
import { z } from "zod";
import { problemsOf } from "../../kit/check.js";
import { defineConfiguration, defineFunction, defineResource } from "../../kit/define.js";
import { defineProvider } from "../../kit/define-provider.js";
import { type PropertyMetadata, property, type Shape } from "../../kit/property.js";
import type { Call } from "../../kit/resource.js";
import { UNKNOWN, type Value, type Values } from "../../kit/values.js";

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

const provider = (...parts: Parameters<typeof resource>) =>
  defineProvider({ name: "box", version: "1.0.0", resources: [resource(...parts)] });

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
  ])("is refused with the provider: %o", facts => {
    const [fact] = Object.keys(facts);
    const refusal = `auth.password: expected ${fact} at a top-level property alone, got it at a nested one`;
    expect(() => provider(nested(facts))).toThrow(`box:index:Box: ${refusal}`);
    expect(() => provider(none, nested(facts))).toThrow(refusal);
    const whole = { name: "box", version: "1.0.0", resources: [] };
    const configuration = defineConfiguration({ inputs: nested(facts), open: () => 1 });
    expect(() => defineProvider({ ...whole, configuration })).toThrow(`the configuration: ${refusal}`);
    const about = { token: "box:index:f", description: "A call." };
    const fn = (inputs: Shape, outputs: Shape) =>
      defineProvider({
        ...whole,
        functions: [defineFunction({ ...about, inputs, outputs, answer: async () => ({}) })],
      });
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
    expect(() => provider(z.object({ all: property(within(secret), described) }))).toThrow(
      `${path}: expected secret at a top-level property alone`,
    );
  });

  it("is neither its description nor the name of its type", () => {
    expect(() => provider(nested({}))).not.toThrow();
    expect(() => provider(nested({ secret: false }))).not.toThrow();
  });
});

const call: Call = {
  urn: "urn:pulumi:dev::shop::box:index:Box::lunch",
  preview: false,
  signal: new AbortController().signal,
  log: { info() {}, warn() {}, progress() {}, debug() {} },
  secrets: new Set(),
};

describe("a transform", () => {
  const check = (size: z.ZodType, given: Value) =>
    resource(z.object({ size: property(size, described) }))
      .serve(() => undefined)
      .check(call, { olds: undefined, news: { size: given } });

  it.each<[string, z.ZodType, Value]>([
    ["adds to what it made", z.string().transform(text => `${text}!`), "a"],
    ["doesn't take what it made", z.string().transform(Number), "5"],
    ["is an overwrite", z.string().overwrite(text => `${text}!`), "a"],
    ["stands in a list", z.array(z.string().transform(text => `${text}!`)), ["a"]],
    [
      "stands in a map",
      z.record(
        z.string(),
        z.string().overwrite(text => `${text}!`),
      ),
      { a: "a" },
    ],
  ])(
    "is refused at Check where it %s: Create would make another value of it than state has",
    async (_, type, given) => {
      await expect(check(type, given)).rejects.toThrow(
        "box:index:Box: size: expected a transform that leaves what it made as it is, got one that doesn't",
      );
    },
  );

  it.each<[z.ZodType, Value, Value]>([
    [z.union([z.string(), z.number()]).transform(String), 5, "5"],
    [z.string().trim(), " a ", "a"],
    [z.array(z.string().toLowerCase()), ["A"], ["a"]],
    [z.string().max(2).transform(Number), "five", "five"],
    [z.string().transform(Number), UNKNOWN, UNKNOWN],
  ])("that does is in state: %#", async (type, given, inState) => {
    expect((await check(type, given)).inputs).toEqual({ size: inState });
  });
});

it("each value is parsed once in a Check and once in a Diff, and what is in state once", async () => {
  const parsed: unknown[] = [];
  const size = z.number().refine(value => parsed.push(value));
  const boxes = resource(z.object({ size: property(size, described) })).serve(() => undefined);
  await boxes.check(call, { olds: undefined, news: { size: 2 } });
  expect(parsed).toEqual([2]);
  parsed.length = 0;
  const [oldInputs, news]: Values[] = [{ size: 1 }, { size: 2 }];
  await boxes.diff(call, { id: "1", olds: {}, oldInputs: oldInputs ?? {}, news: news ?? {}, ignoreChanges: [] });
  expect(parsed).toEqual([1, 2]);
  for (const preview of [true, false]) {
    parsed.length = 0;
    await boxes.update({ ...call, preview }, { id: "1", olds: {}, oldInputs: oldInputs ?? {}, news: news ?? {} });
    expect(parsed).toEqual([1, 2]);
  }
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
  ])("a %s is refused with the provider, by the property's name", (kind, type) => {
    expect(() => provider(z.object({ size: property(type, described) }))).toThrow(
      `box:index:Box: size: expected a type that the package schema has a word for, got ${kind}`,
    );
    const sizes = z.array(z.object({ inner: property(type, described) }));
    expect(() => provider(z.object({ sizes: property(sizes, { ...described, typeName: "Size" }) }))).toThrow(
      "sizes[].inner: expected a type",
    );
  });

  it("without a name or a description are refused with the property's name", () => {
    expect(() => provider(z.object({ box: property(z.object({}), described) }))).toThrow("box: expected a typeName");
    expect(() => provider(z.object({ box: z.string() }))).toThrow("property box is declared without its facts");
  });

  it("that are enums of other than texts are refused", () => {
    const size = property(z.enum({ small: 1, large: 2 }), { ...described, typeName: "Size" });
    expect(() => provider(z.object({ size }))).toThrow("box:index:Box: size: expected an enum of texts, got one of 1");
  });
});

it("a default that is a list or a map is in no schema, and isn't required of a program", () => {
  const inputs = z.object({
    tags: property(z.array(z.string()).default([]), described),
    sizes: property(z.record(z.string(), z.number()).default({}), described),
    size: property(z.number().default(3), described),
  });
  const schema = JSON.parse(String(provider(inputs).schema()));
  expect(schema.resources["box:index:Box"].requiredInputs).toEqual([]);
  expect(schema.resources["box:index:Box"].inputProperties).toEqual({
    tags: { type: "array", items: { type: "string" }, ...described },
    sizes: { type: "object", additionalProperties: { type: "number" }, ...described },
    size: { type: "number", default: 3, ...described },
  });
});

it("a default within an object isn't required of a program", () => {
  const size = property(z.number().default(3), described);
  const lid = property(z.object({ size, name: property(z.string(), described) }), { ...described, typeName: "Lid" });
  const { types } = JSON.parse(String(provider(z.object({ lid })).schema()));
  expect(types["box:index:Lid"].required).toEqual(["name"]);
  expect(types["box:index:Lid"].properties.size).toEqual({ type: "number", default: 3, ...described });
});

it("a number that is the default of a text or a number is text in the schema, as its type is", () => {
  const size = property(z.union([z.string(), z.number()]).default(3), described);
  const schema = JSON.parse(String(provider(z.object({ size })).schema()));
  expect(schema.resources["box:index:Box"].inputProperties.size).toEqual({
    ...{ type: "string", default: "3" },
    ...described,
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

it("shows of a wrong value what a terminal wouldn't", () => {
  const [problem] = problemsOf(z.object({ size: z.enum(["red", "blue"]) }), { size: "r\u200be\u2060d\u202e\ufeff" });
  expect(problem?.reason).toBe('size: expected one of "red"|"blue", got "r\\u200be\\u2060d\\u202e\\ufeff"');
});

it("says of a problem which input it is in, also where its path isn't shown", () => {
  const shape = z.object({ keys: property(z.array(z.string()), { ...described, secret: true }) });
  const found = problemsOf(shape, { keys: ["a", 7], "keys: other": 1 });
  expect(found.map(({ name, property: path }) => [name, path])).toEqual([
    ["keys", ""],
    ["keys: other", ""],
  ]);
});
