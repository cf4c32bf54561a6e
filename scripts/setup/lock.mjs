// One set-up at a time does a long step; the others wait and then find it done. The lock only saves double work:
// what is brought is always renamed into place when whole, so even two holders at once couldn't spoil the cache.
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const HEARTBEAT = 5_000;
/** A holder that hasn't touched its lock for this long is gone, stopped, or its pid belongs to someone else by now. */
const SILENT = 60_000;

/**
 * Runs `work` while holding the lock file at `path`.
 * `onWait(holder)` is called once, when another process holds it.
 */
export async function withLock(path, work, { onWait = () => {}, poll = 500, silent = SILENT } = {}) {
  mkdirSync(dirname(path), { recursive: true });
  const token = `${process.pid}-${Math.random().toString(36).slice(2)}`;
  let waited = false;
  while (!take(path, token)) {
    const holder = readHolder(path);
    if (holder && isGone(holder, path, silent)) {
      setAside(path, holder);
      continue;
    }
    if (holder && !waited) {
      waited = true;
      onWait(holder);
    }
    await sleep(poll);
  }
  const beat = setInterval(() => touch(path), HEARTBEAT);
  beat.unref();
  const release = () => {
    clearInterval(beat);
    if (readHolder(path)?.token === token) rmSync(path, { force: true });
  };
  process.once("exit", release);
  try {
    return await work();
  } finally {
    process.removeListener("exit", release);
    release();
  }
}

function take(path, token) {
  try {
    writeFileSync(path, JSON.stringify({ token, pid: process.pid, host: hostname() }), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

function readHolder(path) {
  let text;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
  try {
    return JSON.parse(text);
  } catch {
    // Created but not written yet, or its writer died in between: age decides.
    return { token: undefined, pid: undefined, host: undefined };
  }
}

function isGone(holder, path, silent) {
  if (holder.pid !== undefined && holder.host === hostname() && !isAlive(holder.pid)) return true;
  try {
    return Date.now() - statSync(path).mtimeMs > silent;
  } catch {
    return false;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** Takes a dead holder's lock away. If a live one slipped in between reading and renaming, it is put back. */
function setAside(path, holder) {
  const aside = `${path}.${process.pid}.stale`;
  try {
    renameSync(path, aside);
  } catch {
    return; // someone else was quicker
  }
  if (readHolder(aside)?.token !== holder.token) {
    try {
      writeFileSync(path, readFileSync(aside), { flag: "wx" });
    } catch {
      // Taken again meanwhile: two may work at once, which costs time and nothing else.
    }
  }
  rmSync(aside, { force: true });
}

function touch(path) {
  const now = new Date();
  try {
    utimesSync(path, now, now);
  } catch {
    // Set aside by someone who thought us gone; the work goes on, see the top of this file.
  }
}
