import { describe, expect, test } from "vitest";
import { live, shrink } from "./chaos/run.js";
import { OWN, scriptOf } from "./chaos/script.js";
import { cell } from "./support/cells.js";

const SEEDS = Array.from({ length: 12 }, (_, nth) => 7_000 + nth);

describe("a stack's whole life under random faults, kills and cancels", () => {
  test.each(SEEDS)("seed %i: no duplicate, no loss, nothing wrongly dropped or replaced", async seed => {
    const { violations } = await live(scriptOf(seed));
    expect(violations).toEqual([]);
  });

  test.each(SEEDS.slice(0, 8))(
    "seed %i, at a service of a random dialect: no duplicate, no loss, nothing wrongly dropped or replaced",
    async seed => {
      const { violations } = await live(scriptOf(seed, { dialects: true }));
      expect(violations).toEqual([]);
    },
  );

  test.each(SEEDS.slice(8))(
    "seed %i, through the dynamic provider, at a service of a random dialect: the same promises hold",
    async seed => {
      const { violations } = await live(scriptOf(seed, { dialects: true, dynamic: true }));
      expect(violations).toEqual([]);
    },
  );

  test("the same seed is the same script, another one another", context => {
    cell(context, { matrix: "chaos", row: "seeds", column: "repeat" }, undefined);
    expect(scriptOf(7)).toEqual(scriptOf(7));
    expect(scriptOf(7)).not.toEqual(scriptOf(8));
    expect(scriptOf(7, { dialects: true }).dialect).not.toEqual(scriptOf(8, { dialects: true }).dialect);
    expect(scriptOf(7, { dialects: true })).toEqual(scriptOf(7, { dialects: true }));
  });
});

/** The checker itself: a service that makes two documents of one request has to be noticed, and the story made short. */
test("a duplicate is found and shrunk to the steps it takes", async () => {
  const up = { do: "up", program: { nda: "nda1", lease: "lease1" }, faults: { seed: 1, share: 0 } } as const;
  const script = {
    seed: 1,
    mixed: OWN,
    dialect: [],
    thrownAway: false,
    dynamic: false,
    journal: "local",
    lag: 0,
    policy: {},
    steps: [up, { do: "sign", name: "lease", all: true }, up],
  } as const;
  const twice = { afterStep: 0, upload: "Contract nda1" };
  const { violations } = await live(script, { planted: twice });
  expect(violations.map(({ kind }) => kind)).toEqual(["duplicate"]);
  const least = await shrink(script, "duplicate", { planted: twice });
  expect(least.steps).toHaveLength(1);
});
