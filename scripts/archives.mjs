// npm run archives: dist/archives/ with the plugin for each platform, as `pulumi plugin install … --file` takes it, and
// SHA256SUMS over them. The same sources give the same bytes.
import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { licenses, writeExecutable } from "./packaging/executable.mjs";
import { tarball } from "./packaging/tar.mjs";
import { intoPlace } from "./setup/cache.mjs";
import { withLock } from "./setup/lock.mjs";
import { EXECUTABLE_PLATFORMS, ownPlatform } from "./setup/node.mjs";
import { exitWith } from "./setup/progress.mjs";
import { readFlags } from "./setup/usage.mjs";
import { ready, root } from "./setup.mjs";

const target = join(root, "dist", "archives");

const { here = false } = readFlags({
  name: "archives",
  what: `The plugin for each platform, as one executable that needs no Node, into dist/archives/, as \`pulumi plugin install
resource docsign VERSION --file ARCHIVE\` takes it, and SHA256SUMS over them. The same sources give the same bytes.`,
  flags: { here: { type: "boolean", help: "for this machine's platform alone" } },
});
try {
  await ready({ dependencies: true, build: true });
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  await mkdir(join(root, "dist"), { recursive: true });
  const sums = [];
  // Several tests ask at once.
  await withLock(join(root, "dist", ".archives.lock"), () =>
    intoPlace(target, async draft => {
      for (const platform of here ? [ownPlatform] : EXECUTABLE_PLATFORMS) {
        const name = `pulumi-resource-docsign-v${version}-${platform}.tar.gz`;
        const bytes = tarball([await executable(platform, draft), ...(await licenses())]);
        await writeFile(join(draft, name), bytes);
        sums.push(`${createHash("sha256").update(bytes).digest("hex")}  ${name}`);
        process.stdout.write(`${sums.at(-1)}  ${(bytes.length / 1_000_000).toFixed(1)} MB\n`);
      }
      await writeFile(join(draft, "SHA256SUMS"), `${sums.join("\n")}\n`);
    }),
  );
} catch (error) {
  exitWith(error);
}

async function executable(platform, draft) {
  const name = platform.startsWith("windows") ? "pulumi-resource-docsign.exe" : "pulumi-resource-docsign";
  const path = join(draft, name);
  await writeExecutable(platform, path);
  const content = await readFile(path);
  await Promise.all([rm(path), rm(`${path}.json`)]);
  return { name, content, executable: true };
}
