// What every script needs before it can work, found or brought: a Node, the dependencies, a build, an engine.
// Node's own modules only, and nothing newer than Node 18 knows: this runs before anything else is there.
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
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
 * Makes ready what is asked for; each step costs next to nothing when it was done before.
 *
 * - `node`: runs the calling script again under a newer Node when this one is too old (so call this first)
 * - `dependencies`, `build`: node_modules as the lock file says, dist/ as the sources say
 * - `engine`: "needed" ends the script where no engine can be had; "wanted" gives `{ missing: reason }` instead
 * - `olderEngines`: those that the smaller matrix of the tests runs on, where an engine was asked for
 * - `python`: a virtual environment with Pulumi's SDK, or `{ missing: reason }`
 * - `sdks`: the generated SDKs, and what programs in Go are compiled from, or `{ missing: reason }`
 * - `java`: the language host for programs in Java, or `{ missing: reason }`
 * - `s3Server`: a real one for the journal, or `{ missing: reason }`
 * - `conformance`: a provider in Go, and Pulumi's harness with our resources, or `{ missing: reason }`
 * - `oldestNode`: the oldest that programs may run on, or `{ missing: reason }`
 * - `nodeWithin`: the one that the plugin's executable for this machine has inside
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

async function prepare({
  node = true,
  dependencies,
  build,
  engine,
  olderEngines,
  python,
  sdks,
  java,
  s3Server,
  conformance,
  oldestNode,
  nodeWithin,
}) {
  const program = node ? await findNode() : process.execPath;
  if (program !== process.execPath) await runAgainUnder(program);
  // The mark against going round in circles has done its work; what we start may meet an old Node of its own.
  delete process.env.DOCSIGN_SETUP_NODE;
  if (dependencies) await bringDependencies(root);
  if (build) await bringBuild(root);
  const result = { node: program, env: underNode(program) };
  if (engine) {
    result.engine = await (engine === "needed" ? bringEngine() : orMissing(bringEngine));
    if (result.engine.binDir) result.env = withEngine(result.env, result.engine);
  }
  if (olderEngines) result.olderEngines = result.engine.binDir ? await bringOlderEngines() : [];
  if (python) result.python = await bringPython();
  if (sdks) result.sdks = await bringSdks(root);
  if (java) result.java = await bringJava();
  if (s3Server) result.s3Server = await bringS3Server();
  if (conformance) result.conformance = await bringConformance(root);
  if (oldestNode) result.oldestNode = await orMissing(bringOldestNode);
  if (nodeWithin) await bringNodeWithin(ownPlatform);
  return result;
}

/** The engine looks for its language hosts, and for the program behind dynamic providers, on PATH. */
function withEngine(env, { binDir }) {
  const [node, ...rest] = env.PATH.split(delimiter);
  const dynamicProviders = join(root, "node_modules", "@pulumi", "pulumi");
  return { ...env, PATH: [node, binDir, dynamicProviders, ...rest].join(delimiter) };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { node, engine } = await ready({ dependencies: true, build: true, engine: "needed" });
  say(`Node ${process.versions.node} (${node})`);
  say(`Pulumi ${engine.version} (${engine.pulumi}${engine.from === "build" ? ", built from source" : ""})`);
}
