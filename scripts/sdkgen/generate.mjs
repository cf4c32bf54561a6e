// SDKs from schema.json into dist/sdks/<language>, each ready to install: by `pulumi package gen-sdk` where a language host can,
// else by the engine's own code generators, which are Go.
import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { intoPlace } from "../setup/cache.mjs";
import { must, run } from "../setup/child.mjs";
import { bringEngine, CURRENT } from "../setup/engine.mjs";
import { withLock } from "../setup/lock.mjs";
import { bringJava, bringSdkGenerator } from "../setup/programs.mjs";
import { ScriptError } from "../setup/progress.mjs";
import { LANGUAGES } from "./languages.mjs";

const root = join(import.meta.dirname, "..", "..");
export const target = join(root, "dist", "sdks");
const stampOf = language => join(target, `.stamp-${language}`);

export const readSchema = async () => JSON.parse(await readFile(join(root, "schema.json"), "utf8"));

/** What SDKs are made by. */
const SOURCES = ["sdkgen/generate.mjs", "sdkgen/languages.mjs", "setup/programs.mjs"];

/** Changes with everything the SDK is made of: the schema, the engine or its generator, and these scripts. */
async function wantedStamp(language, schema) {
  const hash = createHash("sha256").update(JSON.stringify(schema)).update(CURRENT);
  const { generator } = LANGUAGES[language];
  const paths = SOURCES.map(name => `scripts/${name}`).concat(generator?.source ?? []);
  for (const path of paths) hash.update(await readFile(join(root, path)));
  return hash.digest("hex");
}

async function generate(language, schema) {
  const { finish } = LANGUAGES[language];
  await intoPlace(join(target, language), async draft => {
    const schemaFile = join(draft, "schema.json");
    await writeFile(schemaFile, JSON.stringify(schema));
    const made = (await byHost(language, schemaFile, draft)) ?? (await byGenerator(language, schemaFile, draft));
    await finish(made, schema);
    await writeFile(join(made, "README.md"), readme(schema));
    return made;
  });
}

/** As users get it, with the engine's own command: undefined where its language host can't, as those built from source can't but Java's. */
async function byHost(language, schemaFile, draft) {
  const args = ["package", "gen-sdk", schemaFile, "--language", language, "--out", draft];
  const { code, last } = await run("pulumi", args, { env: await engineFor(language) }).catch(error => ({
    code: 1,
    last: [error.message],
  }));
  if (code === 0) return join(draft, language);
  const output = last.join("\n");
  if (LANGUAGES[language].generator && CANNOT.test(output)) return undefined;
  throw new ScriptError(`generating the SDK for ${language} failed:\n${output}`);
}

/** No engine, no host for the language, or one that generates nothing. */
const CANNOT = /ENOENT|unknown method GeneratePackage|GeneratePackage not implemented|no language plugin|Unimplemented/;

/** Of the engine on PATH; for Java, of the one that set-up brings, with the host that is built for it. */
async function engineFor(language) {
  const env = { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" };
  if (language !== "java") return env;
  const [engine, java] = [await bringEngine(), await bringJava()];
  if (java.missing) throw new ScriptError(`the SDK for Java can't be generated: ${java.missing}`);
  return { ...env, PATH: [java.binDir, engine.binDir, env.PATH].join(delimiter) };
}

async function byGenerator(language, schemaFile, draft) {
  const program = await bringSdkGenerator(root, LANGUAGES[language].generator);
  const contents = join(draft, "contents.json");
  await must(program, [schemaFile, language, contents], { what: `generating the SDK for ${language}` });
  const made = join(draft, "made");
  for (const [name, content] of Object.entries(JSON.parse(await readFile(contents, "utf8")))) {
    const path = join(made, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, Buffer.from(content, "base64"));
  }
  return made;
}

function readme({ description, attribution, version, pluginDownloadURL }) {
  const file = `pulumi-resource-docsign-v${version}-<os>-<arch>.tar.gz`;
  const plugin = `It works through the \`docsign\` plugin, which the engine downloads by itself from ${pluginDownloadURL} once this version is released there. From the archive for your system:

\`\`\`sh
pulumi plugin install resource docsign ${version} --file ${file}
\`\`\``;
  return `# Docsign\n\n${description}\n\n${plugin}\n\n${attribution}\n`;
}

/** Generates the SDK for a language, unless it is there as the schema and the generators make it. */
export async function bringSdk(language, schema) {
  await mkdir(target, { recursive: true });
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
