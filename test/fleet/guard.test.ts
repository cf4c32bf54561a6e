import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EngineTime, writeGuard } from "../../commands/fleet/guard.js";

/** A worker that has started an engine, whose standard input it holds. */
const WORKER = `require("node:child_process").spawn(process.argv[1], [], { stdio: ["pipe", "inherit", "inherit"] })`;
const ENGINE = `#!${process.execPath}
console.log("started");
setTimeout(() => console.log("survived"), 60_000);
`;

let folder: string;
let worker: ChildProcess;
let time: EngineTime;
let said: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "docsign-fleet-guard-"));
  time = new EngineTime(join(folder, "lease"));
  time.give(() => 3_600_000);
  writeFileSync(join(folder, "pulumi"), ENGINE, { mode: 0o755 });
  const guarded = writeGuard(mkdtempSync(join(folder, "guard-")), [folder, process.env["PATH"]].join(delimiter));
  // The leader of a process group, as shells and service managers start one.
  worker = spawn(process.execPath, ["-e", WORKER, guarded], {
    detached: true,
    env: { ...process.env, DOCSIGN_FLEET_LEASE: time.path, DOCSIGN_FLEET_PIDS: join(folder, "pids") },
    stdio: ["ignore", "pipe", "inherit"],
  });
  said = "";
  worker.stdout?.setEncoding("utf8").on("data", text => {
    said += text;
  });
  await once(worker.stdout as NodeJS.ReadableStream, "data");
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What has ended and wasn't waited for is still a process, of the state Z. */
const hasEngine = (): boolean => {
  const pid = readFileSync(join(folder, "pids"), "utf8").trim();
  return /^[^Z]/.test(spawnSync("ps", ["-o", "stat=", "-p", pid], { encoding: "utf8" }).stdout.trim());
};

/** The engine has its worker's standard output: that is closed once both have ended. */
const bothEnded = () => once(worker, "close");

test("an engine ends with its worker", async () => {
  const ended = bothEnded();
  worker.kill("SIGKILL");
  await ended;
  expect(said).toBe("started\n");
});

test("an engine ends with its worker's process group", async () => {
  const ended = bothEnded();
  process.kill(-(worker.pid ?? 0), "SIGKILL");
  await ended;
  expect(said).toBe("started\n");
});

test.each(["the worker", "its process group"])(
  "an engine ends once the lease's time is over, though %s is stopped and closes nothing",
  async which => {
    const ended = bothEnded();
    process.kill(which === "the worker" ? (worker.pid ?? 0) : -(worker.pid ?? 0), "SIGSTOP");
    expect(hasEngine()).toBe(true);
    // As the worker did before it was stopped.
    writeFileSync(time.path, "0");
    await expect.poll(hasEngine, { timeout: 120_000 }).toBe(false);
    worker.kill("SIGKILL");
    await ended;
    expect(said).toBe("started\n");
  },
);

test("the time that an engine has never becomes shorter", () => {
  const given = () => Number(readFileSync(time.path, "utf8"));
  const before = given();
  time.give(() => 1_000);
  expect(given()).toBe(before);
  time.give(() => 7_200_000);
  expect(given()).toBeGreaterThan(before);
});
