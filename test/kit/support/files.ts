import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export const example = (path: string): string =>
  fileURLToPath(new URL(`../../../kit/examples/files/${path}`, import.meta.url));

/** The kit's example as one file, and its launcher as the engine looks for it. */
export async function filesPlugin(folder: string): Promise<{ plugin: string; folder: string }> {
  const plugin = join(folder, "files.cjs");
  await build({
    entryPoints: [example("main.ts")],
    outfile: plugin,
    bundle: true,
    platform: "node",
    logLevel: "error",
  });
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const launcher = join(bin, "pulumi-resource-files");
  writeFileSync(launcher, `#!/bin/sh\nexec "${process.execPath}" "${plugin}" "$@"\n`);
  chmodSync(launcher, 0o755);
  return { plugin, folder: bin };
}
