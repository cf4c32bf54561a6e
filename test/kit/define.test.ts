import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { STATE_OUTDATED } from "../../kit/changes.js";
import { defineConfiguration, defineFunction, defineResource } from "../../kit/define.js";
import { defineProvider } from "../../kit/define-provider.js";
import { property } from "../../kit/property.js";
import { type Call, PartialFailure } from "../../kit/resource.js";
import { assetsIn } from "../../kit/schema.js";
import { Asset, isUnknown, UNKNOWN, type Value, type Values } from "../../kit/values.js";

const call = (more: Partial<Call> = {}): Call => ({
  urn: "urn:pulumi:dev::shop::box:index:Box::lunch",
  preview: false,
  signal: new AbortController().signal,
  log: { info() {}, warn() {}, progress() {}, debug() {} },
  secrets: new Set(),
  ...more,
});
const planned = call({ preview: true });

const size = property(z.int({ error: "a whole number" }).default(3), { description: "How large." });
const name = property(z.string(), { description: "What it is called.", replaces: true, autoname: true });
const text = property(z.string({ error: "a text" }), { description: "What it says." });
const color = property(z.string().optional(), { description: "Its color." });
const label = property(z.object({ text, color }), { description: "A label.", typeName: "Label" });
const labels = property(z.array(label).optional(), { description: "What stands on it." });

/** What the service was asked. */
const asked: string[] = [];

const box = defineResource({
  token: "box:index:Box",
  description: "A box.",
  inputs: z.object({ name, size, labels }),
  outputs: z.object({
    size,
    weight: property(z.number(), { description: "How heavy.", derivedFrom: ["size"] }),
    seal: property(z.string(), { description: "Its seal.", derivedFrom: [] }),
  }),
  contradictions: ({ size, labels = [] }) =>
    !isUnknown(size) && !isUnknown(labels) && labels.length > size
      ? [{ property: "labels", reason: "labels: expected no more than its size" }]
      : [],
  async create({ inputs: { name, size } }) {
    asked.push(`create ${name}`);
    const outputs = { size, weight: size * 2, seal: "red" };
    return { id: name, outputs, ...(size > 9 ? { unfinished: ["it doesn't close"] } : {}) };
  },
  read: async ({ id, outputs }) =>
    id === "gone"
      ? undefined
      : { inputs: { name: id, size: 4 }, outputs: outputs ?? { size: 4, weight: 8, seal: "red" } },
  async update({ inputs, outputs, oldInputs }) {
    // @ts-expect-error an input that isn't declared
    void inputs.height;
    asked.push(`update ${oldInputs.size} to ${inputs.size}`);
    return { outputs: { ...outputs, size: inputs.size, weight: inputs.size * 2 } };
  },
  async delete({ id, oldInputs }) {
    asked.push(`delete ${id} of ${oldInputs.size}`);
  },
  list: async () => ["a", "b", "c"].map(id => ({ id, name: id })),
});
const boxes = box.serve(() => undefined);
const checked = (news: Values, olds?: Values, seed = "") =>
  boxes.check(call(), { news, olds, naming: { seed: Buffer.from(seed), proposed: "", disabled: false } });
const inState = { name: "lunch", size: 3 };
const state = { size: 3, weight: 6, seal: "red" };

describe("Check", () => {
  it("gives a name that is the same for the same seed, and leaves defaults to what is declared", async () => {
    const { inputs, failures } = await checked({ labels: null }, undefined, "seed");
    expect([inputs, failures]).toEqual([{ name: expect.stringMatching(/^lunch-[0-9a-f]{7}$/) }, []]);
    expect((await checked({}, undefined, "seed")).inputs).toEqual(inputs);
    expect((await checked({}, undefined, "other")).inputs).not.toEqual(inputs);
    expect((await checked({}, { name: "old", size: 3 }, "other")).inputs["name"]).toBe("old");
  });

  it("takes null for nothing, inside of what is declared too", async () => {
    const labels = [{ text: "a", color: null }];
    expect((await checked({ name: "a", size: null, labels })).inputs).toEqual({ name: "a", labels: [{ text: "a" }] });
    const args = { id: "a", olds: state, oldInputs: { name: "a", labels: [{ text: "a" }] }, ignoreChanges: [] };
    expect(await boxes.diff(call(), { ...args, news: { name: "a", labels } })).toMatchObject({ changes: "none" });
    expect(await boxes.create(call(), { inputs: { name: "a", size: null, labels } })).toMatchObject({ id: "a" });
  });

  it("takes the name that the engine proposes, and makes none where it may not", async () => {
    const named = async (naming: { proposed: string; disabled: boolean }) =>
      (await boxes.check(call(), { news: {}, olds: undefined, naming: { seed: Buffer.from("seed"), ...naming } }))
        .inputs;
    expect(await named({ proposed: "dev-lunch", disabled: false })).toEqual({ name: "dev-lunch" });
    expect(await named({ proposed: "", disabled: true })).toEqual({});
  });

  it("says everything that is wrong, with its path, and nothing of what isn't known yet", async () => {
    const { failures } = await checked({ name: "a", size: "big", labels: [{ text: 5 }, { text: UNKNOWN }], lid: true });
    expect(failures.map(({ reason }) => reason)).toEqual([
      'size: expected a whole number, got "big"',
      "labels[0].text: expected a text, got 5",
      "lid: no such property; it takes name, size, labels",
    ]);
  });

  it("asks for contradictions, and takes what is wrong by itself for unknown", async () => {
    const [a, b] = [{ text: "a" }, { text: "b" }];
    expect((await checked({ size: 1, labels: [a, b] })).failures).toHaveLength(1);
    expect((await checked({ size: UNKNOWN, labels: [a, b] })).failures).toEqual([]);
    expect((await checked({ size: 1, labels: [a, b], name: 7 })).failures).toHaveLength(2);
    expect((await checked({ size: "1", labels: [a, b] })).failures).toHaveLength(1);
  });
});

describe("Diff", () => {
  const diff = (news: Values, oldInputs: Values = inState) =>
    boxes.diff(call(), { id: "lunch", olds: state, oldInputs, news, ignoreChanges: [] });

  it("names what differs by its path, and replaces where the declaration says so", async () => {
    expect(await diff(inState)).toEqual({ changes: "none", detailed: {}, deleteBeforeReplace: false });
    expect((await diff({ name: "dinner", size: 4 })).detailed).toEqual({ name: "update-replace", size: "update" });
    const labelled = { ...inState, labels: [{ text: "a" }, { text: "b" }] };
    expect(
      (await diff({ ...inState, labels: [{ text: "a" }, { text: "c" }, { text: "d" }] }, labelled)).detailed,
    ).toEqual({
      "labels[1].text": "update",
      "labels[2]": "add",
    });
    expect((await diff(inState, labelled)).detailed).toEqual({ labels: "delete" });
    expect((await diff({ ...inState, size: UNKNOWN })).detailed).toEqual({ size: "update" });
  });
});

describe("what an input means", () => {
  const words = z.array(z.string()).optional();
  const parcel = defineResource({
    token: "box:index:Parcel",
    description: "A parcel.",
    inputs: z.object({
      size,
      to: property(z.union([z.string(), z.number()]).transform(String), { description: "Where to.", replaces: true }),
      tags: property(words, { description: "In any order.", compareBy: tags => [...new Set(tags)].sort() }),
    }),
    outputs: z.object({ posted: property(z.string(), { description: "What was posted." }) }),
    create: async ({ inputs }) => ({ id: inputs.to, outputs: { posted: `${inputs.to} of ${inputs.size}` } }),
    update: async ({ inputs, oldInputs, changes }) => ({
      outputs: { posted: `${changes.map(({ name }) => name).join()} ${oldInputs.size} ${inputs.size}` },
    }),
  });
  const parcels = parcel.serve(() => undefined);
  const diff = async (oldInputs: Values, news: Values) =>
    (await parcels.diff(call(), { id: "1", olds: {}, oldInputs, news, ignoreChanges: [] })).detailed;

  it("is what its type makes of it, in state and in calls; a default is in calls alone", async () => {
    const { inputs, failures } = await parcels.check(call(), {
      olds: undefined,
      news: { to: 12, tags: ["b", UNKNOWN] },
    });
    expect([inputs, failures]).toEqual([{ to: "12", tags: ["b", UNKNOWN] }, []]);
    expect(await parcels.create(call(), { inputs: { to: 12 } })).toEqual({ id: "12", outputs: { posted: "12 of 3" } });
    const args = { id: "12", olds: { posted: "" }, oldInputs: { to: "12" }, news: { to: 12, size: 4, tags: ["a"] } };
    expect(await parcels.update(call(), args)).toEqual({ posted: "size,tags 3 4" });
  });

  it("is what Diff compares: the default left out or written, a number or its text, tags in any order", async () => {
    expect(await diff({ to: "12", tags: ["a", "b"] }, { to: 12, size: 3, tags: ["b", "a", "b"] })).toEqual({});
    expect(await diff({ to: "12", size: 4 }, { to: "12" })).toEqual({ size: "delete" });
    expect(await diff({ to: "12" }, { to: 13, size: 4 })).toEqual({ to: "update-replace", size: "add" });
    expect(await diff({ to: "12", tags: ["a"] }, { to: "12", tags: ["a", "b"] })).toEqual({ tags: "update" });
    expect(await diff({ to: "12", tags: ["a"] }, { to: "12", tags: [UNKNOWN] })).toEqual({ tags: "update" });
  });
});

describe("an update that no input asks for", () => {
  const plant = defineResource({
    token: "box:index:Plant",
    description: "A plant.",
    inputs: z.object({ size }),
    outputs: z.object({ height: property(z.number(), { description: "How high it is." }) }),
    outdated: async ({ outputs: { height = 0 } }) => {
      asked.push("how high");
      return { outputs: height < 5 ? ["height"] : [], found: 5 };
    },
    preview: async ({ found, expected }) => ({ outputs: found === undefined ? expected : { height: found } }),
    create: async () => ({ id: "1", outputs: { height: 1 } }),
    read: async ({ outputs }) => ({ outputs: outputs ?? { height: 1 } }),
    update: async () => ({ outputs: { height: 5 } }),
  });
  const at = { id: "1", oldInputs: {}, news: {}, ignoreChanges: [] };
  const low = { ...at, olds: { height: 2 } };

  it("is in the diff as the output that it renews; its preview gets what Diff found", async () => {
    const plants = plant.serve(() => undefined);
    asked.length = 0;
    expect((await plants.diff(planned, low)).detailed).toEqual({ height: "update" });
    expect(await plants.update(planned, low)).toEqual({ height: 5 });
    expect(asked).toEqual(["how high"]);
    expect(await plants.diff(planned, { ...at, olds: { height: 6 } })).toMatchObject({ changes: "none" });
    await plants.check(planned, { olds: undefined, news: {} });
    expect(await plants.update(planned, { ...low, news: { size: 4 } })).toEqual({ height: UNKNOWN });
  });

  it.each([[{}], [{ height: "high" }]])("is made of what state has of its type: %o", async olds => {
    expect((await plant.serve(() => undefined).diff(planned, { ...at, olds })).detailed).toEqual({ height: "update" });
  });

  it("is none of a refresh's, which reads and compares without a Check", async () => {
    const plants = plant.serve(() => undefined);
    await plants.read(call(), { id: "1", inputs: { size: 3 }, outputs: { height: 2 } });
    expect(await plants.diff(call(), low)).toMatchObject({ changes: "none" });
    await plants.check(call(), { olds: undefined, news: {} });
    expect(await plants.diff(call(), low)).toMatchObject({ changes: "some" });
  });

  it("keeps the inputs that a read doesn't name, and takes an import's from it alone", async () => {
    const plants = plant.serve(() => undefined);
    const known = { id: "1", inputs: {}, outputs: { height: 2 } };
    expect(await plants.read(call(), known)).toEqual(known);
    await expect(plants.read(call(), { id: "1", inputs: undefined, outputs: undefined })).rejects.toThrow("got none");
  });
});

it("names the properties that are assets or lists of them, whatever stands around their types", () => {
  const asset = property(z.instanceof(Asset), { description: "A file.", asset: true });
  const optional = property(z.instanceof(Asset).optional(), { description: "A file.", asset: true });
  expect(assetsIn(z.object({ asset, optional, size, list: z.array(asset).optional(), labels }))).toEqual([
    "asset",
    "optional",
    "list",
  ]);
});

describe("previews", () => {
  it("call nothing, and know of a new resource what its inputs say", async () => {
    asked.length = 0;
    const { id, outputs } = await boxes.create(planned, { inputs: inState });
    expect([id, outputs, asked]).toEqual(["", { size: 3, weight: UNKNOWN, seal: UNKNOWN }, []]);
  });

  it("keep outputs of an update that nothing changed reaches", async () => {
    const update = (news: Values) => boxes.update(planned, { id: "lunch", olds: state, oldInputs: inState, news });
    expect(await update({ ...inState, size: 5 })).toEqual({ size: 5, weight: UNKNOWN, seal: "red" });
    expect(await update({ ...inState, labels: [] })).toEqual(state);
  });
});

describe("a life", () => {
  it("goes from create over update to what can't be updated", async () => {
    asked.length = 0;
    expect(await boxes.create(call(), { inputs: inState })).toEqual({ id: "lunch", outputs: state });
    const args = { id: "lunch", olds: state, oldInputs: inState };
    expect(await boxes.update(call(), { ...args, news: { ...inState, size: 4 } })).toEqual({
      size: 4,
      weight: 8,
      seal: "red",
    });
    await expect(boxes.update(call(), { ...args, news: { name: "dinner", size: 3 } })).rejects.toThrow(
      "Box lunch can't be updated in place: a change of name takes a new Box. Nothing was changed.",
    );
    expect(asked).toEqual(["create lunch", "update 3 to 4"]);
  });

  it("keeps what is created and unfinished, with its inputs", async () => {
    const failure = await boxes
      .create(call(), { inputs: { name: "trunk", size: 10 } })
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(PartialFailure);
    expect(failure).toMatchObject({
      id: "trunk",
      outputs: { weight: 20 },
      inputs: { name: "trunk", size: 10 },
      reasons: ["it doesn't close"],
    });
  });

  it("refuses inputs that no Check has seen", async () => {
    await expect(boxes.create(call(), { inputs: { name: "a", size: "big" } })).rejects.toThrow(
      "size: expected a whole number",
    );
    await expect(boxes.create(call(), { inputs: { name: "a", size: UNKNOWN } })).rejects.toThrow(
      "size: isn't known yet",
    );
  });

  it("is imported, found gone, and listed in pages", async () => {
    const none = { inputs: undefined, outputs: undefined };
    expect(await boxes.read(call(), { id: "x", ...none })).toMatchObject({ id: "x", inputs: { name: "x", size: 4 } });
    expect(await boxes.read(call(), { id: "gone", ...none })).toMatchObject({ id: "" });
    const page = await boxes.list?.(call(), { query: {}, limit: 2, token: "" });
    expect(page).toMatchObject({ found: [{ id: "a" }, { id: "b" }], next: "2" });
    expect(await boxes.list?.(call(), { query: {}, limit: 2, token: "2" })).toMatchObject({
      found: [{ id: "c" }],
      next: "",
    });
  });

  it("deletes by the inputs in state, as far as they are of their type; without any, by what outputs show of them", async () => {
    asked.length = 0;
    for (const inputs of [{ name: "lunch", size: 4 }, { name: "lunch", size: "large" }, {}])
      await boxes.delete(call(), { id: "lunch", outputs: state, inputs });
    expect(asked).toEqual(["delete lunch of 4", "delete lunch of undefined", "delete lunch of 3"]);
  });

  it("without update, read and delete: every change replaces, a refresh keeps, and it can't be imported", async () => {
    const stone = defineResource({
      token: "box:index:Stone",
      description: "A stone.",
      inputs: z.object({ size }),
      outputs: z.object({ size }),
      create: async ({ inputs }) => ({ id: "1", outputs: inputs }),
    });
    const stones = stone.serve(() => undefined);
    const args = { id: "1", olds: { size: 3 }, oldInputs: { size: 3 } };
    expect((await stones.diff(call(), { ...args, news: { size: 4 }, ignoreChanges: [] })).detailed).toEqual({
      size: "update-replace",
    });
    const known = { id: "1", inputs: { size: 3 }, outputs: { size: 3 } };
    expect(await stones.read(call(), known)).toEqual(known);
    await expect(stones.read(call(), { id: "1", inputs: undefined, outputs: undefined })).rejects.toThrow(
      "can't be imported",
    );
    await stones.delete(call(), { id: "1", outputs: {}, inputs: {} });
    const schema = JSON.parse(
      String(await defineProvider({ name: "box", version: "1.0.0", resources: [stone] }).schema()),
    );
    expect(schema.resources["box:index:Stone"].inputProperties.size).toMatchObject({ willReplaceOnChanges: true });
    expect(schema.resources["box:index:Stone"].requiredInputs).toEqual([]);
  });
});

describe("a resource that checks and compares by itself", () => {
  /** A tree keeps its height: only a smaller size takes another one. */
  const tree = defineResource({
    token: "box:index:Tree",
    description: "A tree.",
    inputs: z.object({ name, size }),
    outputs: z.object({ size }),
    instead: "Plant another one.",
    async check({ inputs: { size: given, ...others }, olds, declared }) {
      await Promise.resolve();
      const { inputs, failures } = declared(typeof given === "string" ? { ...others, size: given.length } : others);
      return { inputs, failures: olds === undefined ? failures : [] };
    },
    async compare({ inputs, outputs: { size: before = 0 } }) {
      if (isUnknown(inputs.size)) return [{ ...shrunk, unknown: true }];
      return inputs.size < before ? [shrunk] : before === 0 ? [STATE_OUTDATED] : [];
    },
    preview: async ({ before, expected }) => ({ outputs: expected, ...(before && { unfinished: ["it is winter"] }) }),
    create: async ({ inputs }) => ({ id: "1", outputs: inputs }),
    update: async ({ inputs: { name, size } }) => {
      asked.push(String(name));
      return { outputs: { size } };
    },
  });
  const shrunk = { name: "size", path: "size", what: "update", replaces: true } as const;
  const trees = tree.serve(() => undefined);
  const at = (before: number | undefined, after: Value) => ({
    ...{ id: "1", olds: before === undefined ? {} : { size: before }, ignoreChanges: [] },
    ...{ oldInputs: { name: "oak" }, news: { name: "oak", size: after } as Values },
  });

  it("takes its answer for inputs and failures in place of what the declaration says", async () => {
    expect(await trees.check(call(), { olds: undefined, news: { name: 5, size: "four" } })).toEqual({
      inputs: { name: 5, size: 4 },
      failures: [expect.objectContaining({ property: "name" })],
    });
    expect((await trees.check(call(), { olds: {}, news: { name: 5 } })).failures).toEqual([]);
  });

  it("replaces for what it says, and refuses an update for the same, in its words", async () => {
    expect(await trees.diff(call(), at(5, 7))).toMatchObject({ changes: "none" });
    expect((await trees.diff(call(), at(5, 4))).detailed).toEqual({ size: "update-replace" });
    await expect(trees.update(call(), at(5, 4))).rejects.toThrow(
      "Tree 1 can't be updated in place: a change of size takes a new Tree. Plant another one.",
    );
    expect((await trees.diff(planned, at(5, UNKNOWN))).detailed).toEqual({ size: "update-replace" });
    await expect(trees.update(planned, at(5, UNKNOWN))).rejects.toThrow("it is winter");
  });

  it("is updated without a property's name where its state is to be written anew", async () => {
    expect(await trees.diff(call(), at(undefined, 4))).toEqual({
      ...{ changes: "some", detailed: {}, deleteBeforeReplace: false },
    });
    expect(await trees.update(call(), at(undefined, 4))).toEqual({ size: 4 });
  });

  it("doesn't ask an update's inputs again for what state has", async () => {
    const odd = { ...at(undefined, 4), oldInputs: { name: "o".repeat(3) }, news: { name: "ooo", size: 4, height: 2 } };
    await expect(trees.update(call(), odd)).rejects.toThrow("height: no such property");
    asked.length = 0;
    await trees.update(call(), { ...odd, oldInputs: { name: "ooo", height: 2 } });
    expect(asked).toEqual(["ooo"]);
  });
});

describe("a provider", () => {
  const opened: unknown[] = [];
  const configuration = defineConfiguration({
    inputs: z.object({
      key: property(z.string({ error: "a key" }), { description: "Its key.", secret: true, env: ["KIT_TEST_KEY"] }),
      most: property(z.int({ error: "a whole number" }).default(8), { description: "How many." }),
    }),
    open: settings => {
      opened.push(settings);
      return settings.key;
    },
  });
  const key = defineFunction({
    token: "box:index:keyLength",
    description: "How long the key is.",
    configuration,
    inputs: z.object({ of: property(z.string().optional(), { description: "What for." }) }),
    outputs: z.object({ length: property(z.int(), { description: "Characters." }) }),
    answer: async ({ context }) => ({ length: context.length }),
  });
  const provider = () =>
    defineProvider({ name: "box", version: "1.0.0", configuration, resources: [], functions: [key] });

  it("is configured with text as a default provider has it, and opened once, by the first call", async () => {
    opened.length = 0;
    const made = provider();
    expect(
      made.checkConfig({ most: "many", version: "1.0.0", pluginChecksums: { "linux-amd64": "ab" } }, undefined)
        .failures,
    ).toHaveLength(2);
    await made.configure({ key: "12345", most: "2", version: "1.0.0" });
    expect(opened).toEqual([]);
    const fn = made.fn("box:index:keyLength");
    expect(await fn?.invoke(call(), {})).toEqual({ result: { length: 5 } });
    await fn?.invoke(call(), {});
    expect(opened).toEqual([{ key: "12345", most: 2 }]);
    expect(await fn?.invoke(call(), { of: UNKNOWN })).toMatchObject({ failures: [{ property: "of" }] });
    expect(made.secrecy("pulumi:providers:box").secretInputs).toEqual(["key"]);
  });

  it("says at the first call what it isn't configured with, and reads the environment", async () => {
    const made = provider();
    await made.configure({});
    const fn = made.fn("box:index:keyLength");
    await expect(fn?.invoke(call(), {})).rejects.toThrow(
      "the box provider isn't configured:\n  - key: is required: a key",
    );
    process.env["KIT_TEST_KEY"] = "abc";
    try {
      await made.configure({});
    } finally {
      delete process.env["KIT_TEST_KEY"];
    }
    expect(await fn?.invoke(call(), {})).toEqual({ result: { length: 3 } });
  });

  it("never replaces for other settings", () => {
    expect(provider().diffConfig({ key: "a", version: "1" }, { key: "b", most: 1, version: "2" })).toMatchObject({
      detailed: { key: "update", most: "add" },
    });
  });
});

it("is taught by a README that shows the example provider whole, in less than 60 lines", () => {
  const [readme = "", main = ""] = ["README.md", "examples/files/main.ts"].map(path =>
    readFileSync(new URL(`../../kit/${path}`, import.meta.url), "utf8"),
  );
  expect(readme).toContain(`\`\`\`ts\n${main}\`\`\`\n`);
  expect(main.trim().split("\n").length).toBeLessThan(60);
});
