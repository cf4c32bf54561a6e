import { join } from "node:path";
import { expect, it } from "vitest";
import { filesNamed, filesUnder, leftOut, namesOf, needsOf, timesOf } from "../../scripts/test-files.mjs";
import times from "../../scripts/test-times.json" with { type: "json" };

const root = join(import.meta.dirname, "..", "..");
const files = filesUnder(root);
const needed = name =>
  Object.entries(needsOf(root, filesNamed(files, [name])))
    .filter(([, isNeeded]) => isNeeded)
    .map(([what]) => what);

it.each([
  ["test/client", []],
  ["test/lifecycle", []],
  ["test/dialects", []],
  ["test/journal", ["s3Server"]],
  ["test/engine/python.engine.test.ts", ["engine", "python", "sdks"]],
  ["test/conformance/docsign.test.ts", ["nodeWithin"]],
  ["test/sdk/starting", ["engine", "oldestNode"]],
  ["test/sdk/package", ["engine", "sdks"]],
  ["test/packaging/archives", ["engine", "nodeWithin"]],
  ["test/packaging/rehearsal", ["engine", "python", "sdks", "nodeWithin"]],
])("%s brings what its files and their imports need, and nothing else", (name, what) => {
  expect(needed(name)).toEqual(what);
});

it("a word after a flag may be its value, and names no file", () => {
  expect(namesOf(["-t", "folder"])).toEqual([]);
  expect(namesOf(["test/client", "-u"])).toEqual(["test/client"]);
  expect(namesOf(["--reporter=dot", "test/client"])).toEqual(["test/client"]);
});

it("a sample is the same for the same seed, and over some months has every file but what asks registries", () => {
  const days = Array.from({ length: 200 }, (_, nth) => leftOut(files, `${20260101 + nth}`));
  expect(leftOut(files, "20260101")).toEqual(days[0]);
  expect(days[1]).not.toEqual(days[0]);
  expect(files.filter(file => days.every(day => day.includes(file)))).toEqual([
    "test/packaging/rehearsal.engine.test.mjs",
  ]);
});

it("a day's sample of files takes the same time every day, but where a longer one is the first", () => {
  const sampled = new Set(Array.from({ length: 200 }, (_, nth) => leftOut(files, `${20260101 + nth}`)).flat());
  for (let day = 20260101; day < 20260201; day++) {
    const out = new Set(leftOut(files, `${day}`));
    const today = [...sampled].filter(file => !out.has(file)).map(file => times[file] ?? 5);
    const sum = today.reduce((a, b) => a + b, 0);
    expect(sum, `${day}: ${today}`).toBeGreaterThan(60);
    expect(today.length === 1 || sum <= 80, `${day}: ${today}`).toBe(true);
  }
});

it("the times name files that there are, and only what takes seconds", () => {
  expect(Object.keys(times).filter(file => !files.includes(file))).toEqual([]);
  expect(timesOf({ "test/b.test.ts": 12_345, "test/c.test.ts": 4_400, "test/a.test.ts": 4_600 })).toEqual({
    "test/a.test.ts": 5,
    "test/b.test.ts": 12,
  });
});
