// node scripts/sdks.mjs: SDKs from schema.json into dist/sdks/{nodejs,python,go}, each ready to install: an npm package,
// a Python project and a Go module. Needs Go, which runs the engine's own code generators. `--check` compiles all three.
import { createHash } from "node:crypto";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { intoPlace } from "./setup/cache.mjs";
import { ask, run } from "./setup/child.mjs";
import { goEnvironment } from "./setup/go.mjs";
import { withLock } from "./setup/lock.mjs";
import { exitWith, Trouble } from "./setup/trouble.mjs";
import { ready, root } from "./setup.mjs";

const schema = join(root, "schema.json");
const generator = join(root, "scripts", "sdkgen");
const target = join(root, "dist", "sdks");
const SOURCES = [schema, ...["main.go", "go.mod", "go.sum"].map(name => join(generator, name)), import.meta.filename];

/** What makes of the generated files a package its language can install. */
const FINISH = { nodejs: compile, python: async () => {}, go: becomeModule };

async function stampOfSources() {
  const hash = createHash("sha256");
  for (const path of SOURCES) hash.update(await readFile(path));
  return hash.digest("hex");
}

async function generate(draft, stamp) {
  if (!(await ask("go", ["version"])))
    throw new Trouble("Go is missing, which the SDKs are generated with: install it from go.dev");
  const program = join(draft, "sdkgen");
  await must("building scripts/sdkgen", "go", ["build", "-o", program, "."], { cwd: generator, env: goEnvironment() });
  for (const [language, finish] of Object.entries(FINISH)) {
    const directory = join(draft, language);
    await must(`generating the SDK for ${language}`, program, [schema, directory, language]);
    await finish(directory);
  }
  await rm(program);
  await writeFile(join(draft, ".stamp"), stamp);
}

/** Leaves what Pulumi's own npm packages hold: JavaScript, its declarations and package.json. */
async function compile(directory) {
  const sources = `${directory}-sources`;
  await cp(directory, sources, { recursive: true });
  await rm(directory, { recursive: true });
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const options = ["--outDir", directory, "--rootDir", sources, "--sourceMap", "false", "--declarationMap", "false"];
  await must("compiling the SDK for nodejs", process.execPath, [tsc, "-p", sources, ...options]);
  for (const name of ["package.json", "README.md"]) await cp(join(sources, name), join(directory, name));
  await rm(sources, { recursive: true });
}

async function becomeModule(directory) {
  const { language } = JSON.parse(await readFile(schema, "utf8"));
  const module = language.go.importBasePath.replace(/\/[^/]+$/, "");
  const mod = await readFile(join(generator, "go.mod"), "utf8");
  const [, version] = /pulumi\/pkg\/v3 (v\S+)/.exec(mod) ?? [];
  await writeFile(
    join(directory, "go.mod"),
    `module ${module}\n\ngo 1.25\n\nrequire github.com/pulumi/pulumi/sdk/v3 ${version}\n`,
  );
}

/** nodejs is compiled already. The others are in a copy, because compiling leaves files behind. */
async function check() {
  const copy = join(root, "dist", `.sdk-check-${process.pid}`);
  try {
    await cp(target, copy, { recursive: true });
    await must("compiling the SDK for python", "python3", ["-m", "compileall", "-q", join(copy, "python")]);
    await must("checking the SDK for go", "go", ["vet", "./..."], { cwd: join(copy, "go"), env: goEnvironment() });
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function must(what, command, args, options) {
  const { code, last } = await run(command, args, options).catch(error => ({ code: 1, last: [error.message] }));
  if (code !== 0) throw new Trouble(`${what} failed:\n${last.join("\n")}`);
}

try {
  await ready({ dependencies: true });
  const stamp = await stampOfSources();
  const known = () => readFile(join(target, ".stamp"), "utf8").catch(() => undefined);
  const upToDate = (await known()) === stamp;
  if (!upToDate) {
    await mkdir(join(root, "dist"), { recursive: true });
    // Tests in several languages may ask at once: one writes, and nobody finds the folder half gone.
    await withLock(join(root, "dist", ".sdks.lock"), async () => {
      if ((await known()) !== stamp) await intoPlace(target, draft => generate(draft, stamp));
    });
  }
  if (process.argv.includes("--check")) await check();
  process.stdout.write(`dist/sdks is ${upToDate ? "up to date" : "written"}\n`);
} catch (error) {
  exitWith(error);
}
