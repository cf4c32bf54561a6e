// The plugin as one file: a Node with the bundles inside, by Node's own support for single executables.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { must } from "../setup/child.mjs";
import { bringNodeWithin, ownPlatform } from "../setup/node.mjs";

const root = join(import.meta.dirname, "..", "..");
const LICENSES = { "http.cjs": "http", "evidence/constancia.cjs": "constancia", "journal/s3.cjs": "s3" };

/** What the plugin reads, by its name in the package. */
async function assets() {
  const fonts = await readdir(join(root, "dist", "templates", "fonts"));
  const names = [
    "plugin.cjs",
    "http.cjs",
    "templates/render.cjs",
    "evidence/constancia.cjs",
    "journal/limit.cjs",
    "journal/postgres.cjs",
    "journal/s3.cjs",
    ...fonts.sort().map(name => `templates/fonts/${name}`),
  ].map(name => `dist/${name}`);
  return Object.fromEntries(["schema.json", ...names].map(name => [name, join(root, name)]));
}

/** Writes the executable for a platform to `output`; any platform's can be written on any other. */
export async function writeExecutable(platform, output) {
  const writer = await bringNodeWithin(ownPlatform);
  const config = `${output}.json`;
  const settings = {
    main: join(import.meta.dirname, "executable.cjs"),
    executable: await bringNodeWithin(platform),
    output,
    disableExperimentalSEAWarning: true,
    // Uploads go through many short-lived buffers: a small nursery keeps what they leave behind small.
    execArgv: ["--max-semi-space-size=2"],
    assets: await assets(),
  };
  await writeFile(config, JSON.stringify(settings));
  await must(writer, ["--build-sea", config], { what: `writing the executable for ${platform}` });
}

/** The licenses of what is inside, as files of the archive. */
export async function licenses() {
  const node = dirname(dirname(await bringNodeWithin(ownPlatform)));
  const paths = [
    ["LICENSE", join(root, "LICENSE")],
    ["licenses/node.txt", join(node, "LICENSE")],
    ["licenses/fonts.txt", join(root, "dist", "templates", "fonts", "LICENSE")],
    ...Object.entries(LICENSES).map(([bundle, name]) => [
      `licenses/${name}.txt`,
      join(root, "dist", `${bundle}.LEGAL.txt`),
    ]),
  ];
  return Promise.all(paths.map(async ([name, path]) => ({ name, content: await readFile(path) })));
}
