// What every script needs before it can work, found or brought: a Node, the dependencies, a build, an engine.
// Node's own modules only, and nothing newer than Node 18 knows: this runs before anything else is there.
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bringBuild } from "./setup/build.mjs";
import { bringDependencies } from "./setup/dependencies.mjs";
import { bringEngine, bringOlderEngines } from "./setup/engine.mjs";
import { bringNodeWithin, bringOldestNode, findNode, ownPlatform, runAgainUnder, underNode } from "./setup/node.mjs";
import { bringConformance, bringJava, bringS3Server } from "./setup/programs.mjs";
import { exitWith, isInteractive, orMissing, say } from "./setup/progress.mjs";
import { bringPython } from "./setup/python.mjs";
import { bringSdks } from "./setup/sdks.mjs";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Makes ready what is asked for; each step costs next to nothing when it was done before. Where this Node is too old, it runs
 * the calling script again under a newer one: so call this first.
 *
 * - `dependencies`, `build`: node_modules as the lock file says, dist/ as the sources say
 * - `engine`: "needed" ends the script where no engine can be had; "wanted" gives `{ missing: reason }` instead
 * - `olderEngines`: those that the smaller matrix of the tests runs on, where an engine was asked for
 * - each of {@link TOOLS}
 *
 * `env` is the environment to start programs in: this Node, the engine and its helpers first on PATH.
 */
export async function ready(wanted = {}) {
  const stop = signal => {
    if (isInteractive()) process.stderr.write("\n");
    say("stopped; what is done is kept, and the same command goes on from there");
    process.exit(signal === "SIGINT" ? 130 : 143);
  };
  process.once("SIGINT", stop).once("SIGTERM", stop);
  try {
    return await prepare(wanted);
  } catch (error) {
    return exitWith(error);
  } finally {
    process.removeListener("SIGINT", stop).removeListener("SIGTERM", stop);
  }
}

/** What tests and packages need besides: each but the last may be `{ missing: reason }`. */
const TOOLS = {
  // A virtual environment with Pulumi's SDK.
  python: bringPython,
  // The generated SDKs, and what programs in Go are compiled from.
  sdks: () => bringSdks(root),
  // The language host for programs in Java.
  java: bringJava,
  // A real one for the journal.
  s3Server: bringS3Server,
  // A provider in Go, and Pulumi's harness with our resources.
  conformance: () => bringConformance(root),
  // The oldest that programs may run on.
  oldestNode: () => orMissing(bringOldestNode),
  // The one that the plugin's executable for this machine has inside.
  nodeWithin: () => bringNodeWithin(ownPlatform),
};

async function prepare({ dependencies, build, engine, olderEngines, ...wanted }) {
  const node = await findNode();
  if (node !== process.execPath) await runAgainUnder(node);
  // The mark against going round in circles has done its work; what we start may meet an old Node of its own.
  delete process.env.DOCSIGN_SETUP_NODE;
  if (dependencies) await bringDependencies(root);
  if (build) await bringBuild(root);
  const result = { node, env: underNode(node) };
  if (engine) {
    result.engine = await (engine === "needed" ? bringEngine() : orMissing(bringEngine));
    if (result.engine.binDir) result.env = withEngine(result.env, result.engine);
  }
  if (olderEngines) result.olderEngines = result.engine.binDir ? await bringOlderEngines() : [];
  for (const [name, bring] of Object.entries(TOOLS)) if (wanted[name]) result[name] = await bring();
  return result;
}

/** The engine looks for its language hosts, and for the program behind dynamic providers, on PATH. */
function withEngine(env, { binDir }) {
  const [node, ...rest] = env.PATH.split(delimiter);
  const dynamicProviders = join(root, "node_modules", "@pulumi", "pulumi");
  return { ...env, PATH: [node, binDir, dynamicProviders, ...rest].join(delimiter) };
}
