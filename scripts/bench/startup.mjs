// How long the engine waits for the plugin, beside what Node and gRPC take by themselves; and what each step buys.
import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { tell } from "../setup/progress.mjs";
import { startEngine, startPlugin } from "./plugin-client.mjs";
import { spread } from "./report/figures.mjs";

const ROUNDS = 11;
const run = promisify(execFile);

export async function startup({ kit, home, options, root }) {
  const rounds = options.quick ? 5 : ROUNDS;
  const engine = await startEngine();
  const ways = await waysToStart(kit, home, root, engine);
  const taken = Object.fromEntries(ways.map(({ key }) => [key, []]));
  try {
    // The first round fills the caches and doesn't count.
    for (let round = 0; round <= rounds; round++) {
      for (const { key, start } of ways) {
        const took = await start();
        if (round > 0) taken[key].push(took);
      }
    }
  } finally {
    engine.close();
  }
  const rows = ways.map(({ key, title }) => ({ key, title, ...spread(taken[key]) }));
  for (const { title, median } of rows) tell(`start-up, ${title}: ${Math.round(median)} ms`);
  return { rounds, rows };
}

async function waysToStart(kit, home, root, engine) {
  const plain = { ...kit.env };
  const plugin = join(kit.product, "dist", "plugin.cjs");
  const apart = await bundleWithoutDependencies(root, kit.product);
  const node = text => async () => {
    const started = performance.now();
    await run(kit.node, ["-e", text], { cwd: root, env: plain });
    return performance.now() - started;
  };
  const handshake = what => async () => {
    const started = await startPlugin({ env: plain, cwd: home, ...what, engine });
    await started.close();
    return started.took;
  };
  const source = join(home, "source-plugin");
  mkdirSync(source, { recursive: true });
  for (const name of ["PulumiPlugin.yaml", "package.json", "schema.json"])
    symlinkSync(join(root, name), join(source, name));
  for (const name of ["dist", "node_modules"]) symlinkSync(join(kit.product, name), join(source, name));
  return [
    { key: "node", title: "node -e 0", start: node("0") },
    { key: "grpc", title: "node, loading @grpc/grpc-js", start: node('require("@grpc/grpc-js")') },
    {
      key: "modules",
      title: "plugin, dependencies from node_modules",
      start: handshake({ command: kit.node, args: [apart] }),
    },
    { key: "bundled", title: "plugin, bundled", start: handshake({ command: kit.node, args: [plugin] }) },
    {
      key: "launcher",
      title: "plugin, as shipped: bundled, compile cache, launcher",
      start: handshake({ command: join(kit.plugin, "pulumi-resource-docsign") }),
    },
    {
      key: "run-plugin",
      title: "plugin, through Pulumi's run-plugin",
      start: handshake({
        command: kit.node,
        args: [join(root, "node_modules", "@pulumi", "pulumi", "cmd", "run-plugin"), source],
      }),
    },
  ];
}

/** What the plugin would be if it weren't bundled. */
async function bundleWithoutDependencies(root, product) {
  const { build } = await import("esbuild");
  const outfile = join(product, "dist", "plugin-apart.cjs");
  await build({
    entryPoints: [join(root, "provider", "main.ts")],
    outfile,
    bundle: true,
    packages: "external",
    platform: "node",
    target: "node22",
    format: "cjs",
    define: { DOCSIGN_VERSION: JSON.stringify("0.0.0") },
    logLevel: "silent",
  });
  return outfile;
}
