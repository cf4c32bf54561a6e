// node scripts/schema.mjs: writes schema.json, the package as code generators read it, off the declarations.
// `--check` writes nothing and fails when the file isn't what the declarations say.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { exitWith, Trouble } from "./setup/trouble.mjs";
import { ready, root } from "./setup.mjs";

const file = join(root, "schema.json");

async function wanted() {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    absWorkingDir: root,
    stdin: {
      contents: `
        export { packageDeclaration } from "./provider/declarations.js";
        export { packageSchema } from "./provider/schema/package-schema.js";`,
      resolveDir: root,
      loader: "ts",
    },
    bundle: true,
    platform: "node",
    format: "esm",
    write: false,
    logLevel: "warning",
  });
  const { text } = outputFiles[0];
  const module = await import(`data:text/javascript;base64,${Buffer.from(text).toString("base64")}`);
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const schema = module.packageSchema({ version, ...module.packageDeclaration });
  return `${JSON.stringify(schema, null, 2)}\n`;
}

try {
  await ready({ dependencies: true });
  const text = await wanted();
  const known = await readFile(file, "utf8").catch(() => "");
  if (!process.argv.includes("--check")) {
    if (text !== known) await writeFile(file, text);
    process.stdout.write(text === known ? "schema.json is up to date\n" : "schema.json is written\n");
  } else if (text !== known) {
    throw new Trouble("schema.json isn't what the declarations say; run `node scripts/schema.mjs`");
  }
} catch (error) {
  exitWith(error);
}
