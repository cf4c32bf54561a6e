// One process at a time does something long: set-up, a watcher, the start of a fleet's own Postgres. A lock is a folder with one
// file in it, whose name says who holds it. Both steps that take it are a rename, which one process alone gets done: a folder
// with one's own file becomes the lock where there is none, and a dead holder's file becomes one's own.
import { createHash, randomBytes } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const HEARTBEAT = 5_000;
/** Of the name of a holder's file. */
const PARTS = 4;
/** A holder that hasn't touched its lock for this long is gone, or stopped. */
export const SILENT = 60_000;
/** Each failure but the first means that somebody else was quicker. */
const MOST_TRIES = 1_000;

/**
 * Takes the lock at `path`, or says who holds it. `onLost` is called where another process thought this one gone, after a
 * minute without a sign of life, and has taken the lock.
 */
export function tryLock(path, { silent = SILENT, self = thisProcess(), isAlive = runs, onLost = () => {} } = {}) {
  const folder = `${path}.lock`;
  const name = [self.pid, self.machine, randomBytes(8).toString("hex"), self.host].join("~");
  mkdirSync(dirname(folder), { recursive: true });
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const holder = holderIn(folder);
    if (holder && !isGone(holder, { silent, self, isAlive })) return { holder };
    if (holder ? takeOver(folder, holder, name) : create(folder, name))
      return { lock: keepAlive(folder, name, onLost) };
  }
  throw new Error(`${folder} can't be taken, and nobody holds it`);
}

/** Runs `work` while holding the lock at `path`. `onWait(holder)` is called once, when another process holds it. */
export async function withLock(path, work, { onWait = () => {}, poll = 500, ...options } = {}) {
  let waited = false;
  for (;;) {
    const { lock, holder } = tryLock(path, options);
    if (lock) {
      try {
        return await work();
      } finally {
        lock.release();
      }
    }
    if (!waited) onWait(holder);
    waited = true;
    await sleep(poll);
  }
}

/** A folder with one file takes the place of none, or of an empty one, and of no other. */
function create(folder, name) {
  const draft = mkdtempSync(`${folder}.`);
  try {
    writeFileSync(join(draft, name), beatNow());
    // Windows puts a folder in no other's place, not even an empty one's.
    if (process.platform === "win32") removeEmpty(folder);
    renameSync(draft, folder);
    return true;
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (["ENOTEMPTY", "EEXIST"].includes(error.code) || process.platform === "win32") return false;
    throw error;
  }
}

function holderIn(folder) {
  try {
    const names = readdirSync(folder);
    // A system leaves files of its own in folders.
    const name = names.find(each => each.split("~").length === PARTS) ?? names[0];
    if (name === undefined) return undefined;
    const [pid, machine, , host] = name.split("~");
    const file = join(folder, name);
    const beat = Number(readFileSync(file, "utf8"));
    return { name, pid: Number(pid), machine, host, beat, seenAt: statSync(file).mtimeMs };
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * A process id means something on its own machine and among its own processes alone: elsewhere only silence tells. Here it
 * is told by a clock that nobody sets, and that begins anew with the machine.
 */
function isGone(holder, { silent, self, isAlive }) {
  if (holder.machine !== self.machine) return Date.now() - holder.seenAt > silent;
  if (holder.pid !== self.pid && !isAlive(holder.pid)) return true;
  return Math.abs(steady() - holder.beat) > silent;
}

const steady = () => Number(process.hrtime.bigint() / 1_000_000n);

/** As wide each time: it is written over the one before. */
const beatNow = () => String(steady()).padStart(16, "0");

function takeOver(folder, holder, name) {
  try {
    // Before it is one's own, so that nobody takes it for silent then.
    touch(join(folder, holder.name));
    renameSync(join(folder, holder.name), join(folder, name));
    return true;
  } catch (error) {
    if (error.code === "ENOENT") return false;
    throw error;
  }
}

function keepAlive(folder, name, onLost) {
  const file = join(folder, name);
  const beat = setInterval(() => {
    try {
      touch(file);
    } catch (error) {
      if (error.code !== "ENOENT") return;
      clearInterval(beat);
      onLost();
    }
  }, HEARTBEAT);
  beat.unref();
  const release = () => {
    clearInterval(beat);
    process.removeListener("exit", release);
    rmSync(file, { force: true });
    removeEmpty(folder);
  };
  process.once("exit", release);
  return { release, [Symbol.dispose]: release };
}

function touch(file) {
  writeFileSync(file, beatNow(), { flag: "r+" });
}

function removeEmpty(folder) {
  try {
    rmdirSync(folder);
  } catch {
    // Somebody holds it, or it's gone already.
  }
}

/** This process, so that it is known from one with the same number in another container, on another host or before a restart. */
export function thisProcess() {
  const parts = [hostname(), textIn("/proc/sys/kernel/random/boot_id"), link("/proc/self/ns/pid")];
  const machine = createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 16);
  return {
    pid: process.pid,
    host: hostname()
      .replace(/[^\w.-]/g, "_")
      .slice(0, 60),
    machine,
  };
}

/** A file's text; empty where it can't be read. */
export function textIn(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function link(path) {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

function runs(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
