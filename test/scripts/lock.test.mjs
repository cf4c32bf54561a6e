import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { withLock } from "../../scripts/setup/lock.mjs";
import { scratch } from "./scratch.mjs";

const holder = (...args) => spawn(process.execPath, [join(import.meta.dirname, "fixtures", "holder.mjs"), ...args]);
const lines = path => (existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : []);

async function until(condition) {
  while (!condition()) await sleep(10);
}

it("four processes go in one after the other", async () => {
  const [lock, journal] = [join(scratch(), "lock"), join(scratch(), "journal")];
  const children = [1, 2, 3, 4].map(() => holder(lock, journal, "50"));
  await Promise.all(children.map(child => once(child, "close")));
  const seen = lines(journal);
  expect(seen).toHaveLength(8);
  for (let i = 0; i < 8; i += 2) expect(seen[i + 1]).toBe(seen[i].replace("in", "out"));
  expect(existsSync(lock)).toBe(false);
});

it("who waits is shown for whom, once, and goes on when the other is done", async () => {
  const [lock, journal] = [join(scratch(), "lock"), join(scratch(), "journal")];
  const other = holder(lock, journal, "400");
  await until(() => lines(journal).length === 1);
  const waits = [];
  await withLock(lock, async () => expect(lines(journal)).toEqual([`in ${other.pid}`, `out ${other.pid}`]), {
    poll: 20,
    onWait: ({ pid }) => waits.push(pid),
  });
  expect(waits).toEqual([other.pid]);
});

it("the lock of a killed process is taken over at once", async () => {
  const [lock, journal] = [join(scratch(), "lock"), join(scratch(), "journal")];
  const other = holder(lock, journal, "60000");
  await until(() => lines(journal).length === 1);
  other.kill("SIGKILL");
  await once(other, "close");
  expect(existsSync(lock)).toBe(true);
  expect(await withLock(lock, async () => "in", { poll: 20 })).toBe("in");
  expect(existsSync(lock)).toBe(false);
});

it("a lock that nobody has touched for long is taken over, though its pid lives on in another program", async () => {
  const lock = join(scratch(), "lock");
  writeFileSync(lock, JSON.stringify({ token: "old", pid: process.pid, host: hostname() }));
  const longAgo = new Date(Date.now() - 3_600_000);
  utimesSync(lock, longAgo, longAgo);
  expect(await withLock(lock, async () => "in", { poll: 20 })).toBe("in");
});

it("a lock is given back when the work throws", async () => {
  const lock = join(scratch(), "lock");
  const work = async () => {
    throw new Error("no luck");
  };
  await expect(withLock(lock, work)).rejects.toThrow("no luck");
  expect(existsSync(lock)).toBe(false);
});
