// npm run sdks: SDKs from schema.json into dist/sdks/<language>, each ready to install, and for npm a tarball. Needs Go, which runs the engine's
// own code generators.
import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { tarball } from "./packaging/tar.mjs";
import { LANGUAGES, must } from "./sdkgen/languages.mjs";
import { intoPlace } from "./setup/cache.mjs";
import { ask } from "./setup/child.mjs";
import { goEnvironment } from "./setup/go.mjs";
import { withLock } from "./setup/lock.mjs";
import { exitWith, Trouble } from "./setup/trouble.mjs";
import { readFlags } from "./setup/usage.mjs";
import { ready, root } from "./setup.mjs";

const target = join(root, "dist", "sdks");
const stampOf = language => join(target, `.stamp-${language}`);

const { words, all, check, github } = readFlags({
  name: "sdks",
  takes: "[<language>…]",
  what: `Generates SDKs from schema.json into dist/sdks/: nodejs, python and go, or the languages given, of ${Object.keys(LANGUAGES).join(", ")}.`,
  flags: {
    all: { type: "boolean", help: "every language" },
    check: { type: "boolean", help: "compile them; a language whose compiler is missing is named and left out" },
    github: {
      type: "string",
      value: "OWNER/NAME",
      help: "the repository that is released from: the engine then finds the plugin's archives there by itself",
    },
  },
  examples: ["npm run sdks", "npm run sdks -- java dotnet --check", "npm run sdks -- --all --github OWNER/NAME"],
});

function chosenLanguages() {
  const known = Object.keys(LANGUAGES);
  const unknown = words.find(language => !known.includes(language));
  if (unknown !== undefined) throw new Trouble(`no SDK can be written in "${unknown}", only in ${known.join(", ")}`);
  if (all) return known;
  return words.length > 0 ? words : ["nodejs", "python", "go"];
}

/** The schema as the generators get it: with where the package is released, when that is told. */
async function readSchema() {
  const schema = JSON.parse(await readFile(join(root, "schema.json"), "utf8"));
  if (github === undefined) return schema;
  if (!/^[\w.-]+\/[\w.-]+$/.test(github)) throw new Trouble(`--github takes OWNER/NAME, not "${github}"`);
  return {
    ...schema,
    repository: `https://github.com/${github}`,
    pluginDownloadURL: `github://api.github.com/${github}`,
  };
}

/** Changes with everything the SDK is made of: the schema, its generator, and these scripts. */
async function wantedStamp(language, schema) {
  const hash = createHash("sha256").update(JSON.stringify(schema));
  const { generator } = LANGUAGES[language];
  const scripts = ["sdks.mjs", "sdkgen/languages.mjs", "packaging/tar.mjs"].map(name =>
    join(import.meta.dirname, name),
  );
  for (const path of [...["main.go", "go.mod", "go.sum"].map(name => join(generator, name)), ...scripts])
    hash.update(await readFile(path));
  return hash.digest("hex");
}

const built = new Map();
process.on("exit", () => {
  for (const program of built.values()) rmSync(program, { force: true });
});

/** One generator writes several languages. */
async function programOf(generator) {
  const program = join(target, `.generator-${built.size}-${process.pid}`);
  if (!built.has(generator)) {
    built.set(generator, program);
    const env = goEnvironment();
    await must(`building ${generator}`, "go", ["build", "-o", program, "."], { cwd: generator, env });
  }
  return built.get(generator);
}

async function generate(language, schema) {
  const { generator, finish } = LANGUAGES[language];
  const program = await programOf(generator);
  await intoPlace(join(target, language), async draft => {
    const schemaFile = join(draft, "schema.json");
    await writeFile(schemaFile, JSON.stringify(schema));
    const contents = join(draft, "contents.json");
    await must(`generating the SDK for ${language}`, program, [schemaFile, language, contents]);
    const made = join(draft, "made");
    for (const [name, content] of Object.entries(JSON.parse(await readFile(contents, "utf8")))) {
      const path = join(made, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, Buffer.from(content, "base64"));
    }
    await finish(made, schema);
    await writeFile(join(made, "README.md"), readme(schema));
    if (language === "nodejs") await packForNpm(made, schema);
    return made;
  });
}

/** npm links a folder and leaves its dependencies out; a tarball it installs as it would from a registry. */
async function packForNpm(directory, { version, language }) {
  const { packageName } = language.nodejs;
  for (const name of await readdir(target)) {
    if (name.startsWith(`${packageName}-`)) await rm(join(target, name));
  }
  const names = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = names
    .filter(entry => entry.isFile())
    .map(async ({ parentPath, name }) => {
      const path = join(parentPath, name);
      return { name: `package/${relative(directory, path).replaceAll("\\", "/")}`, content: await readFile(path) };
    });
  await writeFile(join(target, `${packageName}-${version}.tgz`), tarball(await Promise.all(files)));
}

function readme({ description, attribution, version, pluginDownloadURL }) {
  const file = `pulumi-resource-docsign-v${version}-<os>-<arch>.tar.gz`;
  const plugin =
    pluginDownloadURL === undefined
      ? `It works through the \`docsign\` plugin, which is installed apart, from the archive for your system:

\`\`\`sh
pulumi plugin install resource docsign ${version} --file ${file}
\`\`\``
      : `It works through the \`docsign\` plugin, which the engine downloads by itself, from ${pluginDownloadURL}.`;
  return `# Docsign\n\n${description}\n\n${plugin} The plugin runs under Node 22.19 or newer, on PATH.\n\n${attribution}\n`;
}

async function bring(language, schema) {
  const stamp = await wantedStamp(language, schema);
  const known = () => readFile(stampOf(language), "utf8").catch(() => undefined);
  if ((await known()) === stamp) return "up to date";
  // Tests in several languages may ask at once: one writes, and nobody finds the folder half gone.
  await withLock(join(root, "dist", ".sdks.lock"), async () => {
    if ((await known()) === stamp) return;
    await rm(stampOf(language), { force: true });
    await generate(language, schema);
    await writeFile(stampOf(language), stamp);
  });
  return "written";
}

async function compiled(language) {
  const copy = join(root, "dist", `.sdk-check-${process.pid}`);
  try {
    await cp(join(target, language), copy, { recursive: true });
    const missing = await LANGUAGES[language].compile(copy);
    return missing === undefined ? ", and compiles" : `; not compiled: ${missing} is not on PATH`;
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

try {
  const languages = chosenLanguages();
  await ready({ dependencies: true });
  if (!(await ask("go", ["version"])))
    throw new Trouble("Go is missing, which the SDKs are generated with: install it from go.dev");
  await mkdir(target, { recursive: true });
  const schema = await readSchema();
  for (const language of languages) {
    const state = await bring(language, schema);
    process.stdout.write(`dist/sdks/${language} is ${state}${check ? await compiled(language) : ""}\n`);
  }
} catch (error) {
  exitWith(error);
}
