// What a release publishes, made as the workflow makes it, into the folders of the registries.
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { must, runNpm } from "../setup/child.mjs";
import { ScriptError } from "../setup/progress.mjs";
import { mavenPackage } from "./maven.mjs";
import { setVersion } from "./version.mjs";

const MODULE = "github.com/pulumi-docsign/pulumi-docsign/sdk/go";

/** Builds the checkout in `root` and publishes it; `env` is the environment of whoever publishes. */
export async function publish(root, registries, { python, needs, java, env }) {
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const node = (script, ...args) => must(process.execPath, [join(root, "scripts", script), ...args], { cwd: root });
  await node("archives.mjs", "--here");
  await cp(join(root, "dist", "archives"), join(registries.folder, "plugins"), { recursive: true });

  await node("sdks.mjs");
  await wheel(join(root, "dist", "sdks", "python"), join(registries.folder, "wheels"), { python, needs });
  await module(root, join(registries.folder, "modules"), version);

  if (!java.missing) {
    await node("sdks.mjs", "java");
    await mavenPackage(join(root, "dist", "sdks", "java"), join(registries.folder, "maven"), { env });
  }

  const packed = await mkdtemp(join(tmpdir(), "docsign-pack-"));
  try {
    const npm = async args => {
      const { code, last } = await runNpm([...args, "--loglevel=error"], { cwd: root, env });
      if (code !== 0) throw new ScriptError(`npm ${args.join(" ")} failed:\n${last.join("\n")}`);
    };
    await npm(["pack", "--pack-destination", packed]);
    const [tarball] = await readdir(packed);
    await npm(["publish", join(packed, tarball), "--ignore-scripts", "--access", "public"]);
  } finally {
    await rm(packed, { recursive: true, force: true });
  }
  return version;
}

async function wheel(sources, folder, { python, needs }) {
  const args = ["--no-index", "--no-deps", "--no-build-isolation", "--quiet", "--wheel-dir", folder, sources];
  await must(python, ["-m", "pip", "wheel", ...args], { env: { ...process.env, PYTHONPATH: needs } });
}

/** Go fetches a module as the tag of a repository: the proxy's files are made of one. */
async function module(root, folder, version) {
  const repository = await mkdtemp(join(tmpdir(), "docsign-module-"));
  const target = join(folder, ...MODULE.split("/"), "@v");
  const name = join(target, `v${version}`);
  try {
    await cp(join(root, "dist", "sdks", "go"), repository, { recursive: true });
    await cp(join(root, "LICENSE"), join(repository, "LICENSE"));
    const identity = ["-c", "user.name=rehearsal", "-c", "user.email=rehearsal@example.com"];
    const git = (...args) => must("git", [...identity, ...args], { cwd: repository });
    await git("init", "--quiet");
    await git("add", "--force", "--all");
    await git("commit", "--quiet", "--message", `Go SDK v${version}`);
    await mkdir(target, { recursive: true });
    await git("archive", "--format=zip", `--prefix=${MODULE}@v${version}/`, `--output=${name}.zip`, "HEAD");
    await cp(join(repository, "go.mod"), `${name}.mod`);
    await writeFile(`${name}.info`, JSON.stringify({ Version: `v${version}`, Time: "2026-01-01T00:00:00Z" }));
    const versions = (await readdir(target)).filter(each => each.endsWith(".info")).map(each => each.slice(0, -5));
    await writeFile(join(target, "list"), `${versions.join("\n")}\n`);
  } finally {
    await rm(repository, { recursive: true, force: true });
  }
}

/** Go keeps a module for ever. Ours of a rehearsal isn't the one that will be published under its number. */
export async function forgetModule(modules) {
  const owner = dirname(dirname(dirname(MODULE)));
  for (const path of [join(modules, owner), join(modules, "cache", "download", owner)]) {
    // Its folders are read-only.
    await must("chmod", ["-R", "u+w", path]).catch(() => undefined);
    await rm(path, { recursive: true, force: true });
  }
}

/** A copy of the checkout to build in: what runs in the checkout meanwhile keeps its build. */
export async function copyOf(root, folder) {
  const listed = await must("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root });
  for (const path of listed.split("\0").filter(Boolean)) await cp(join(root, path), join(folder, path)).catch(gone);
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** Gives a copy the version after its own. */
export async function becomeNext(folder) {
  const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  await setVersion(
    folder,
    version,
    version.replace(/\d+$/, patch => String(Number(patch) + 1)),
  );
  await must(process.execPath, [join(folder, "scripts", "schema.mjs")], { cwd: folder });
}

/** Deleted, and not committed yet. */
function gone(error) {
  if (error.code !== "ENOENT") throw error;
}
