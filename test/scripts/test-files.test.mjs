import { join } from "node:path";
import { expect, it } from "vitest";
import { filesNamed, filesUnder, leftOut, namesOf, needsOf } from "../../scripts/test-files.mjs";

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

it("a sample is the same for the same seed, and over some days has every file", () => {
  const days = Array.from({ length: 60 }, (_, nth) => leftOut(files, `${20260101 + nth}`));
  expect(leftOut(files, "20260101")).toEqual(days[0]);
  expect(days[1]).not.toEqual(days[0]);
  expect(files.filter(file => days.every(day => day.includes(file)))).toEqual([]);
});
