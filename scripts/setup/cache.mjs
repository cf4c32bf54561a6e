// Where set-up keeps what it brings: the user's cache directory, so that every clone shares one engine and one Node.
import { mkdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { withLock } from "./lock.mjs";
import { say } from "./progress.mjs";

/** The platform's cache directory for us. `env` and `platform` are arguments for the tests. */
export function cacheDirectory(env = process.env, platform = process.platform) {
  return join(userCache(env, platform), "pulumi-docsign");
}

function userCache(env, platform) {
  // An explicit choice holds on every system; the XDG rules say to ignore a relative one.
  if (env.XDG_CACHE_HOME?.startsWith("/")) return env.XDG_CACHE_HOME;
  const home = env.HOME || env.USERPROFILE || homedir();
  if (platform === "win32") return env.LOCALAPPDATA || join(home, "AppData", "Local");
  if (platform === "darwin") return join(home, "Library", "Caches");
  return join(home, ".cache");
}

/**
 * Fills `target` in one step: `make(directory)` works in a fresh directory beside it, and only a finished result is
 * renamed into place. A kill at any moment leaves the target absent or whole, never half.
 */
export async function intoPlace(target, make) {
  const draft = join(dirname(target), `.draft-${basename(target)}-${process.pid}`);
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  try {
    const made = (await make(draft)) ?? draft;
    await rm(target, { recursive: true, force: true });
    await rename(made, target);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Does what one set-up does at a time. `doing` reads after "another set-up is": "bringing Node 24.21.0". */
export const alone = (lock, doing, work) =>
  withLock(lock, work, { onWait: ({ pid }) => say(`another set-up (pid ${pid}) is ${doing}; waiting for it`) });
