// npm run chaos -- --seed N --runs 1000: random faults, kills and cancels over whole lives of a stack, each at another kind of service.
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { follow } from "./setup/child.mjs";
import { exitWith, ScriptError } from "./setup/progress.mjs";
import { readFlags } from "./setup/usage.mjs";
import { ready, root } from "./setup.mjs";

const {
  journal,
  engine,
  seed = "1",
  runs = "1000",
} = readFlags({
  name: "chaos",
  what: `Whole lives of a stack under random faults, kills and cancels. The same seed is the same life.
Says in how many of them a person acted, why, and how many of those are at services that the interface allows. Ends with 1
where a promise was broken, with the shortest story that breaks it, and where too many of a hundred lives or more at
services that the interface allows end with an error.`,
  flags: {
    seed: { type: "string", value: "N", help: "the first seed (default 1)" },
    runs: { type: "string", value: "N", help: "how many seeds from there (default 1000)" },
    plain: { type: "boolean", help: "one kind of service only, instead of a random dialect of it for each seed" },
    "thrown-away": {
      type: "boolean",
      help: "each command on a machine that remembers nothing of the ones before; without --journal what lists don't show is sent again (docs/explained/at-most-once.md)",
    },
    dynamic: { type: "boolean", help: "through the dynamic provider instead of the plugin, with any other option" },
    "skip-checkpoints": {
      type: "boolean",
      help: "the engine writes state at the end of a command alone (PULUMI_SKIP_CHECKPOINTS): killed, it has written nothing",
    },
    tomorrow: {
      type: "boolean",
      help: "before anybody acts on an error, a day passes, and the program has one more contract",
    },
    journal: {
      type: "string",
      value: "postgres|s3",
      help: "a journal that machines share, in a server that fails, too",
    },
    engine: {
      type: "boolean",
      help: "real engines on two machines, with a journal in Postgres, that are frozen and killed; with --seed and --runs alone",
    },
    verbose: { type: "boolean", help: "tell the whole story of every life that went wrong" },
  },
  examples: [
    "npm run chaos -- --runs 100",
    "npm run chaos -- --thrown-away --runs 100",
    "npm run chaos -- --dynamic --thrown-away --runs 100",
    "npm run chaos -- --thrown-away --journal postgres --runs 100",
    "npm run chaos -- --skip-checkpoints --runs 100",
    "npm run chaos -- --engine --runs 200",
    "npm run chaos -- --seed 7003 --runs 1 --verbose",
  ],
});

if (engine) {
  // What has an engine runs as a test.
  const env = { ...process.env, CI: "1", DOCSIGN_TEST_LIVES: runs, DOCSIGN_TEST_FIRST_LIFE: seed };
  const args = [join(root, "scripts", "test.mjs"), "test/faults/nemesis.engine.test.ts"];
  process.exit(await follow(process.execPath, args, { cwd: root, env }));
}

const { node, s3Server } = await ready({ dependencies: true, s3Server: journal === "s3" });
if (s3Server?.missing) exitWith(new ScriptError(s3Server.missing));
const { build } = await import("esbuild");

// Below node_modules, so that what the bundle leaves out is found.
const folder = join(root, "node_modules", ".cache", "pulumi-docsign");
const bundle = join(folder, `chaos-${process.pid}.mjs`);
await mkdir(folder, { recursive: true });
try {
  await build({
    absWorkingDir: root,
    entryPoints: ["test/faults/chaos/main.ts"],
    outfile: bundle,
    bundle: true,
    platform: "node",
    target: "node22",
    format: "esm",
    packages: "external",
    sourcemap: "inline",
    logLevel: "warning",
  });
  process.exitCode = await follow(node, ["--enable-source-maps", bundle, ...process.argv.slice(2)], {
    cwd: root,
    env: { ...process.env, DOCSIGN_TEST_S3_SERVER: s3Server?.program },
  });
} finally {
  await rm(bundle, { force: true });
}
