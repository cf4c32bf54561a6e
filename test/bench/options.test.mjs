import { expect, it } from "vitest";
import { CONTENDERS } from "../../scripts/bench/contenders.mjs";
import { readOptions, repeatsOf } from "../../scripts/bench/options.mjs";
import { KEY_CELL, matrix } from "../../scripts/bench/workload.mjs";

const read = (...argv) => readOptions(argv, CONTENDERS);

it("without options everything is measured, three times where a round is short", () => {
  const options = read();
  expect(options.cells).toEqual(matrix());
  expect(options.only).toEqual(CONTENDERS.map(({ key }) => key));
  expect(options.sections).toEqual(["cells", "startup", "memory", "scale", "profile", "set", "many"]);
  expect(repeatsOf(options, { count: 100 })).toBe(3);
  expect(repeatsOf(options, { count: 1000 })).toBe(1);
});

it("--quick is the cell of the targets, once, without what takes longest", () => {
  const options = read("--quick");
  expect(options.cells).toEqual([KEY_CELL]);
  expect(repeatsOf(options, KEY_CELL)).toBe(1);
  expect(options.only).toEqual(["plugin-yaml", "plugin-ts", "sdk-ts", "tofu", "idle-yaml", "waiting-yaml", "loop"]);
  expect(options.sections).not.toContain("scale");
});

it("only what is named is measured", () => {
  const options = read("--quick", "--only", "tofu, naive", "--cells", "1x20KB@0", "--repeats", "5", "--limit", "9");
  expect(options).toMatchObject({ only: ["tofu", "naive"], cells: [{ count: 1 }], repeats: 5, limitMs: 9000 });
  expect([read().rows, read("--rows", "20").rows]).toEqual([1000, 20]);
});

it.each([
  [["--only", "terraform"], '--only: there is no "terraform"; there are plugin-yaml, '],
  [["--sections", "speed"], '--sections: there is no "speed"; there are cells, startup, memory, scale'],
  [["--repeats", "0"], '--repeats: "0" is no whole number from 1'],
  [["--limit", "soon"], '--limit: "soon" is no whole number from 1'],
])("%j is refused with what there is", (argv, message) => {
  expect(() => read(...argv)).toThrow(message);
});
