import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { scratchFolder } from "../scratch.js";
import { unpackedOnce } from "./unpacked.js";

const WHOLE = "a whole browser";
const program = () => join(scratchFolder("docsign-unpacked-"), "chromium");

/** As the package does: what is there is taken for whole. */
const unpackingTo = (path: string) => {
  const times = { unpacked: 0 };
  const unpack = async () => {
    if (existsSync(path)) return path;
    times.unpacked++;
    writeFileSync(path, WHOLE.slice(0, 5));
    await wait(50);
    writeFileSync(path, WHOLE);
    return path;
  };
  return { times, unpack };
};

test("a browser is unpacked once for all who ask at the same time, and nobody gets a part of it", async () => {
  const path = program();
  const { times, unpack } = unpackingTo(path);
  const asked = () => unpackedOnce(path, unpack).then(found => readFileSync(found, "utf8"));
  expect(await Promise.all([asked(), asked(), asked()])).toEqual([WHOLE, WHOLE, WHOLE]);
  expect(times.unpacked).toBe(1);
});

test("a part of a browser that a killed process left is replaced", async () => {
  const path = program();
  writeFileSync(path, WHOLE.slice(0, 5));
  const { unpack } = unpackingTo(path);
  expect(readFileSync(await unpackedOnce(path, unpack), "utf8")).toBe(WHOLE);
});
