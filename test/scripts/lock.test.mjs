import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { thisProcess, tryLock, withLock } from "../../scripts/setup/lock.mjs";
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
  expect(existsSync(`${lock}.lock`)).toBe(false);
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
  expect(tryLock(lock, { isAlive: () => true }).holder.pid).toBe(other.pid);
  expect(await withLock(lock, async () => "in", { poll: 20 })).toBe("in");
  expect(existsSync(`${lock}.lock`)).toBe(false);
});

const me = thisProcess();
const gone = { self: { ...me, pid: 4_000_000 } };
const left = lock => tryLock(lock, gone).lock;
const file = lock => join(`${lock}.lock`, readdirSync(`${lock}.lock`)[0]);
const HOUR_MS = 3_600_000;
const clockJumps = lock => utimesSync(file(lock), new Date(Date.now() - HOUR_MS), new Date(Date.now() - HOUR_MS));
const grewOld = lock => {
  writeFileSync(file(lock), String(Number(readFileSync(file(lock), "utf8")) - HOUR_MS));
  clockJumps(lock);
};

it("a file that a system left in it doesn't give it away", () => {
  const lock = join(scratch(), "lock");
  const first = tryLock(lock).lock;
  const stray = join(`${lock}.lock`, ".DS_Store");
  writeFileSync(stray, "");
  utimesSync(stray, new Date(0), new Date(0));
  expect(tryLock(lock).holder.pid).toBe(process.pid);
  first.release();
  expect(tryLock(lock).lock).toBeDefined();
});

it("a lock that nobody has touched for long is taken over, though its process id lives on in another program", async () => {
  const lock = join(scratch(), "lock");
  left(lock);
  expect(tryLock(lock, { isAlive: () => true }).holder.pid).toBe(4_000_000);
  grewOld(lock);
  const { lock: taken } = tryLock(lock, { isAlive: () => true });
  expect(tryLock(lock, { isAlive: () => true }).holder.pid).toBe(process.pid);
  taken.release();
});

it("a lock whose holder lives isn't taken over because the system's clock was set", () => {
  const lock = join(scratch(), "lock");
  left(lock);
  clockJumps(lock);
  expect(tryLock(lock, { isAlive: () => true }).holder.pid).toBe(4_000_000);
});

it("of several that find a holder dead, exactly one takes its lock, however far the others had come", () => {
  const lock = join(scratch(), "lock");
  left(lock);
  let quicker;
  const slow = tryLock(lock, {
    self: { ...me, pid: 22 },
    isAlive(pid) {
      if (pid !== 4_000_000) return true;
      quicker = tryLock(lock, { self: { ...me, pid: 21 }, isAlive: () => false });
      return false;
    },
  });
  expect([quicker.lock !== undefined, slow.lock, slow.holder.pid]).toEqual([true, undefined, 21]);
});

it("who was slow to judge takes nothing from one that has taken the lock, given it back and gone", () => {
  const lock = join(scratch(), "lock");
  left(lock);
  let next;
  const slow = tryLock(lock, {
    self: { ...me, pid: 22 },
    isAlive(pid) {
      if (pid !== 4_000_000) return true;
      tryLock(lock, { self: { ...me, pid: 21 }, isAlive: () => false }).lock.release();
      next = tryLock(lock, { self: { ...me, pid: 23 } }).lock;
      return false;
    },
  });
  expect([next !== undefined, slow.holder?.pid]).toEqual([true, 23]);
});

it("eight processes that find a killed holder's lock go in one after the other", async () => {
  const [lock, journal] = [join(scratch(), "lock"), join(scratch(), "journal")];
  left(lock);
  const children = Array.from({ length: 8 }, () => holder(lock, journal, "20"));
  await Promise.all(children.map(child => once(child, "close")));
  const seen = lines(journal);
  expect(seen).toHaveLength(16);
  for (let i = 0; i < 16; i += 2) expect(seen[i + 1]).toBe(seen[i].replace("in", "out"));
});

it("a process id of another host, container or boot says nothing: only silence tells that its process is gone", () => {
  const lock = join(scratch(), "lock");
  tryLock(lock, { self: { pid: 1, host: "web-1", machine: "elsewhere" } });
  const first = { self: { pid: 1, host: "web-2", machine: "here" }, isAlive: () => false };
  expect(tryLock(lock, first).holder).toMatchObject({ pid: 1, host: "web-1" });
  grewOld(lock);
  expect(tryLock(lock, first).lock).toBeDefined();
});

it("a lock is given back when the work throws", async () => {
  const lock = join(scratch(), "lock");
  const work = async () => {
    throw new Error("no luck");
  };
  await expect(withLock(lock, work)).rejects.toThrow("no luck");
  expect(existsSync(lock)).toBe(false);
});
