import { describe, expect, it } from "vitest";
import { z } from "zod";
import { previewed, stored } from "../../kit/check.js";
import { property } from "../../kit/property.js";
import { Archive, Asset, UNKNOWN, type Value, type Values } from "../../kit/values.js";

const described = { description: "A part of it." };
const part = z.object({ name: z.string(), weight: z.number().optional() });
const box = z.object({
  name: property(z.string().max(3), described),
  color: property(z.enum(["red", "blue"]).optional(), described),
  id: property(z.union([z.string(), z.number()]).optional(), described),
  isOpen: property(z.boolean().optional(), described),
  seal: property(z.string().nullable(), described),
  label: property(z.instanceof(Asset).optional(), described),
  lists: property(z.array(z.array(z.string())).optional(), described),
  parts: property(z.array(part), described),
  sizes: property(z.record(z.string(), z.number()).optional(), described),
  options: property(z.record(z.string(), z.unknown()).optional(), described),
});

describe("what state has", () => {
  it("is typed where it is of the declared type, whatever else the declaration says of it", () => {
    const label = new Asset({ hash: "a" });
    const state: Values = {
      ...{ name: "longer", color: "green", id: 7, isOpen: false, seal: null, label, lists: [["a"], []] },
      parts: [{ name: "lid", weight: 2 }],
      sizes: { height: 1 },
      options: { deep: [null, { a: 1 }] },
    };
    const typed = stored(box, state);
    expect(typed).toEqual(state);
    // @ts-expect-error state may lack what is required
    typed.name?.length satisfies number;
  });

  it.each<[string, Value]>([
    ["name", 5],
    ["name", null],
    ["color", { red: true }],
    ["id", true],
    ["isOpen", "true"],
    ["seal", 5],
    ["label", new Archive("a")],
    ["label", "a"],
    ["lists", "a"],
    ["parts", { name: "lid" }],
    ["sizes", [1]],
    ["options", 5],
    ["parts", UNKNOWN],
  ])("has no %s where that is %j", (name, value) => {
    expect(stored(box, { [name]: value })).toEqual({});
  });

  it("loses a wrong part of a list, a map or an object alone", () => {
    const state: Values = {
      lists: [["a", 5], "b"],
      parts: [{ name: "lid", weight: "2" }, "lid", UNKNOWN],
      sizes: { height: 1, width: "2" },
    };
    expect(stored(box, state)).toEqual({ lists: [["a"]], parts: [{ name: "lid" }], sizes: { height: 1 } });
  });

  it("keeps what isn't declared, under whatever name", () => {
    const state = JSON.parse('{ "constructor": 5, "toString": null, "__proto__": { "a": 1 } }') as Values;
    const typed = stored(box, state);
    expect(Object.entries(typed)).toEqual(Object.entries(state));
    expect((typed as Values)["a"]).toBeUndefined();
  });
});

it("inputs in a preview keep what isn't known, wherever it stands", () => {
  const inputs: Values = { name: UNKNOWN, parts: [UNKNOWN, { name: UNKNOWN, weight: "2" }], options: { a: UNKNOWN } };
  expect(previewed(box, inputs)).toEqual({ ...inputs, parts: [UNKNOWN, { name: UNKNOWN }] });
});
