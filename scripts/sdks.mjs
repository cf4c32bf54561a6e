// npm run sdks: SDKs from schema.json into dist/sdks/<language>, each ready to install, and for npm a tarball. By the engine on PATH where its
// language hosts can, else by the engine's own code generators, which need Go.
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { bringSdk, readSchema, target } from "./sdkgen/generate.mjs";
import { LANGUAGES } from "./sdkgen/languages.mjs";
import { exitWith, ScriptError } from "./setup/progress.mjs";
import { readFlags } from "./setup/usage.mjs";
import { ready, root } from "./setup.mjs";

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
      help: "the repository that is released from, where it isn't the schema's: the engine finds the plugin's archives there",
    },
  },
  examples: ["npm run sdks", "npm run sdks -- java dotnet --check", "npm run sdks -- --all --github OWNER/NAME"],
});

function chosenLanguages() {
  const known = Object.keys(LANGUAGES);
  const unknown = words.find(language => !known.includes(language));
  if (unknown !== undefined)
    throw new ScriptError(`no SDK can be written in "${unknown}", only in ${known.join(", ")}`);
  if (all) return known;
  return words.length > 0 ? words : ["nodejs", "python", "go"];
}

/** The schema as the generators get it: a fork is released elsewhere than the schema says. */
async function releasedSchema() {
  const schema = await readSchema();
  if (github === undefined) return schema;
  if (!/^[\w.-]+\/[\w.-]+$/.test(github)) throw new ScriptError(`--github takes OWNER/NAME, not "${github}"`);
  return {
    ...schema,
    repository: `https://github.com/${github}`,
    pluginDownloadURL: `github://api.github.com/${github}`,
  };
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
  const schema = await releasedSchema();
  for (const language of languages) {
    const state = await bringSdk(language, schema);
    process.stdout.write(`dist/sdks/${language} is ${state}${check ? await compiled(language) : ""}\n`);
  }
} catch (error) {
  exitWith(error);
}
