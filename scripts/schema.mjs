// node scripts/schema.mjs: writes schema.json, the package as code generators read it, and the same for people: docs/reference/
// and places in hand-written pages, off the declarations. `--check` writes nothing and fails when a file isn't what the
// declarations say.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { exitWith, ScriptError } from "./setup/progress.mjs";
import { readFlags } from "./setup/usage.mjs";
import { ready, root } from "./setup.mjs";

/** The files by their path in the repository. */
async function wanted() {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    absWorkingDir: root,
    stdin: {
      contents: `
        export { packageDeclaration, packageSchema } from "./scripts/docgen/package-schema.js";
        export { referencePages, referencePlaces, withPlaces } from "./scripts/docgen/reference/pages.js";`,
      resolveDir: root,
      loader: "ts",
    },
    bundle: true,
    platform: "node",
    format: "esm",
    // Declarations stand beside what uses gRPC, which is CommonJS.
    banner: {
      js: `import { createRequire } from "node:module"; const require = createRequire(${JSON.stringify(import.meta.url)});`,
    },
    write: false,
    logLevel: "warning",
  });
  const { text } = outputFiles[0];
  const module = await import(`data:text/javascript;base64,${Buffer.from(text).toString("base64")}`);
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const schema = module.packageSchema({ version, ...module.packageDeclaration });
  const files = {
    "schema.json": `${JSON.stringify(schema, null, 2)}\n`,
    ...module.referencePages(module.packageDeclaration, await readFile(join(root, "docs", "errors.md"), "utf8")),
  };
  for (const [path, places] of Object.entries(module.referencePlaces({ version, ...module.packageDeclaration })))
    files[path] = module.withPlaces(await readFile(join(root, path), "utf8"), places);
  return files;
}

const { check = false } = readFlags({
  name: "schema",
  what: "Writes schema.json and the generated pages of docs/, off the declarations.",
  flags: { check: { type: "boolean", help: "write nothing; end with 1 where a file isn't what the declarations say" } },
  examples: ["npm run schema", "npm run schema -- --check"],
});
try {
  await ready({ dependencies: true });
  const stale = [];
  for (const [path, text] of Object.entries(await wanted())) {
    const file = join(root, path);
    const known = await readFile(file, "utf8").catch(() => "");
    if (check) {
      if (text !== known) stale.push(path);
      continue;
    }
    if (text !== known) {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    process.stdout.write(text === known ? `${path} is up to date\n` : `${path} is written\n`);
  }
  if (stale.length > 0)
    throw new ScriptError(`not what the declarations say: ${stale.join(", ")}; run \`node scripts/schema.mjs\``);
} catch (error) {
  exitWith(error);
}
