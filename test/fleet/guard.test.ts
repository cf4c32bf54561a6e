import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeGuard } from "../../fleet/guard.js";

/** A worker that has started an engine, whose standard input it holds. */
const WORKER = `require("node:child_process").spawn(process.argv[1], [], { stdio: ["pipe", "inherit", "inherit"] })`;
const ENGINE = `#!${process.execPath}
console.log("started");
setTimeout(() => console.log("survived"), 60_000);
`;

let folder: string;
let worker: ChildProcess;
let said: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "docsign-fleet-guard-"));
  writeFileSync(join(folder, "pulumi"), ENGINE, { mode: 0o755 });
  const guarded = writeGuard(join(folder, "guard"), [folder, process.env["PATH"]].join(delimiter));
  // The leader of a process group, as shells and service managers start one.
  worker = spawn(process.execPath, ["-e", WORKER, join(guarded, "bin", "pulumi")], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  said = "";
  worker.stdout?.setEncoding("utf8").on("data", text => {
    said += text;
  });
  await once(worker.stdout as NodeJS.ReadableStream, "data");
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

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
