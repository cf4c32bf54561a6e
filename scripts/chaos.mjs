// npm run chaos -- --seed N --runs 1000: random faults, kills and cancels over whole lives of a stack.
import { spawn } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ready, root } from "./setup.mjs";

const { node } = await ready({ dependencies: true });
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
  const child = spawn(node, ["--enable-source-maps", bundle, ...process.argv.slice(2)], {
    cwd: root,
    stdio: "inherit",
  });
  process.exitCode = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", code => resolve(code ?? 1));
  });
} finally {
  await rm(bundle, { force: true });
}
