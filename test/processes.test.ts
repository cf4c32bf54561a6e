import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { isAlive } from "../provider/processes.js";

/** A parent whose child ends once the parent is stopped: it never asks what came of it. */
const PARENT = "(until grep -q '^State:.T' /proc/$$/status; do :; done) & echo $!; kill -STOP $$";

test("this process runs", () => {
  expect(isAlive(process.pid)).toBe(true);
});

// Other systems don't say more than that it is in the list.
test.skipIf(process.platform !== "linux")("one that has ended isn't alive, though its parent is stopped", async () => {
  const parent = spawn("sh", ["-c", PARENT], { stdio: ["ignore", "pipe", "inherit"] });
  const [pid] = await once(parent.stdout, "data");
  await expect.poll(() => isAlive(Number(pid))).toBe(false);
  expect(() => process.kill(Number(pid), 0)).not.toThrow();
  const ended = once(parent, "exit");
  parent.kill("SIGKILL");
  await ended;
});
