// npm run archives: dist/archives/ with the plugin for each platform, as `pulumi plugin install … --file` takes it, and
// SHA256SUMS over them. The same sources give the same bytes.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tarball } from "./packaging/tar.mjs";
import { intoPlace } from "./setup/cache.mjs";
import { exitWith } from "./setup/errors.mjs";
import { readFlags } from "./setup/usage.mjs";
import { ready, root } from "./setup.mjs";

const target = join(root, "dist", "archives");
const PLATFORMS = ["linux", "darwin", "windows"].flatMap(os => ["amd64", "arm64"].map(arch => ({ os, arch })));

/**
 * The plugin is JavaScript, so only the launcher differs. PulumiPlugin.yaml is left out on purpose: an engine that
 * installs an archive with one asks npm for dependencies, and the bundle has none.
 */
async function contents(os) {
  const from = (name, path = name) => readFile(join(root, path)).then(content => ({ name, content }));
  const fonts = (await readdir(join(root, "dist", "templates", "fonts"))).sort();
  const launcher = os === "windows" ? "pulumi-resource-docsign.cmd" : "pulumi-resource-docsign";
  return [
    { ...(await startedBy(launcher)), executable: true },
    await from("start.cjs", "scripts/packaging/start.cjs"),
    await from("dist/plugin.cjs"),
    await from("dist/http.cjs"),
    await from("dist/http.cjs.LEGAL.txt"),
    // Read by the first template only.
    await from("dist/templates/render.cjs"),
    ...(await Promise.all(fonts.map(name => from(`dist/templates/fonts/${name}`)))),
    await from("dist/evidence/constancia.cjs"),
    await from("dist/evidence/constancia.cjs.LEGAL.txt"),
    await from("dist/journal/limit.cjs"),
    await from("dist/journal/postgres.cjs"),
    await from("dist/journal/s3.cjs"),
    await from("dist/journal/s3.cjs.LEGAL.txt"),
    await from("schema.json"),
    await from("LICENSE"),
  ];
}

async function startedBy(name) {
  const text = await readFile(join(root, "scripts", "packaging", name), "utf8");
  // A checkout may have either line ending; each system's shell wants its own.
  const lines = text.replaceAll("\r\n", "\n");
  return { name, content: Buffer.from(name.endsWith(".cmd") ? lines.replaceAll("\n", "\r\n") : lines) };
}

readFlags({
  name: "archives",
  what: `The plugin for each platform into dist/archives/, as \`pulumi plugin install resource docsign VERSION --file ARCHIVE\`
takes it, and SHA256SUMS over them. The same sources give the same bytes.`,
});
try {
  await ready({ dependencies: true, build: true });
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  await mkdir(join(root, "dist"), { recursive: true });
  const sums = [];
  let largest = 0;
  await intoPlace(target, async draft => {
    for (const { os, arch } of PLATFORMS) {
      const name = `pulumi-resource-docsign-v${version}-${os}-${arch}.tar.gz`;
      const bytes = tarball(await contents(os));
      largest = Math.max(largest, bytes.length);
      await writeFile(join(draft, name), bytes);
      sums.push(`${createHash("sha256").update(bytes).digest("hex")}  ${name}`);
    }
    await writeFile(join(draft, "SHA256SUMS"), `${sums.join("\n")}\n`);
  });
  const size = `${(largest / 1_000_000).toFixed(1)} MB`;
  process.stdout.write(`${sums.join("\n")}\ndist/archives is written; an archive has at most ${size}\n`);
} catch (error) {
  exitWith(error);
}
