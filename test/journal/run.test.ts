import { rmSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DeploymentLog } from "../../provider/resources/journal/deployment-log.js";
import { scratchFolder } from "../support/scratch.js";

let folder = "";
beforeEach(() => {
  folder = scratchFolder("docsign-deployments-");
});
afterEach(() => rmSync(folder, { recursive: true }));

const ENGINE = "127.0.0.1:4000";
const runOf = (engine: string | undefined, pid: number, alive: readonly number[]): string =>
  new DeploymentLog(folder, engine, pid, other => alive.includes(other)).run;

test("all processes of one engine are one run", () => {
  expect(runOf(ENGINE, 1, [1])).toMatch(/^[0-9a-f]{8,}$/);
  expect(runOf(ENGINE, 2, [1, 2])).toBe(runOf(ENGINE, 1, [1]));
});

test("another engine is another run, also at an address that was used before", () => {
  const first = runOf(ENGINE, 1, [1]);
  expect(runOf("127.0.0.1:4001", 2, [1, 2])).not.toBe(first);
  expect(runOf(ENGINE, 3, [3])).not.toBe(first);
});

test("without an engine's address, and without a folder, each process is a run of its own", () => {
  expect(runOf(undefined, 1, [1])).not.toBe(runOf(undefined, 2, [1, 2]));
});
