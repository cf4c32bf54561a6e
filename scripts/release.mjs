// npm run release: a release, committed and tagged here. Pushing the tag publishes it.
import { readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readFragments, section, withSection } from "./release/changelog.mjs";
import { assertEnough, nextVersion, setVersion, versionFiles } from "./release/version.mjs";
import { must, runNpm } from "./setup/child.mjs";
import { ScriptError } from "./setup/progress.mjs";
import { readFlags } from "./setup/usage.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** What follows the bump, each an npm script. */
const STEPS = ["schema", "sdks", "archives", "record", "release -- --rehearse", "check"];

const { words, ...flags } = readFlags({
  name: "release",
  takes: "<major|minor|patch|x.y.z>",
  what: `Bumps the version wherever it stands, turns changes/ into a section of CHANGELOG.md, regenerates what is generated,
records the state this version writes, checks and tests all of it, commits, and tags. Nothing leaves this machine.`,
  flags: {
    "dry-run": { type: "boolean", help: "say what would happen, and change nothing" },
    rehearse: {
      type: "boolean",
      help: "release nothing: publish to registries on this machine, and install from there as the pages say",
    },
    "no-tests": { type: "boolean", help: "leave the test run to CI" },
  },
  examples: ["npm run release -- minor --dry-run", "npm run release -- 1.0.0"],
});

async function main() {
  if (flags.rehearse) return rehearse();
  if (words.length > 1) throw new ScriptError(`one version at a time, not ${words.join(" and ")}`);
  const plan = await makePlan(words[0]);
  const steps = flags["no-tests"] ? STEPS : [...STEPS, "test -- --all"];
  if (flags["dry-run"]) await tell(plan, steps);
  else await carryOut(plan, steps);
}

/** Everything that can be refused is refused here, before a file is touched. */
async function makePlan(wanted) {
  const { version: current } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const isOut = await hasTag(`v${current}`);
  const version = nextVersion(current, wanted, isOut);
  const tag = `v${version}`;
  if (await hasTag(tag)) throw new ScriptError(`the tag ${tag} exists already; delete it or release another version`);
  const changed = await git("status", "--porcelain");
  if (changed !== "") throw new ScriptError(`the working tree has changes; commit or stash them first:\n${changed}`);
  const fragments = await readFragments(root);
  if (fragments.length === 0) throw new ScriptError("changes/ has no fragments, so there is nothing to release");
  assertEnough(current, version, fragments);
  const date = new Date().toISOString().slice(0, 10);
  return { current, version, tag, fragments, section: section(version, date, fragments) };
}

async function tell({ current, version, tag, fragments, section }, steps) {
  const files = version === current ? [] : await versionFiles(root, current, version);
  say(`${version === current ? version : `${current} → ${version}`}, and nothing was changed: this is a dry run

would write   ${[...files.map(({ path }) => path), "CHANGELOG.md"].join("\n              ")}
would remove  ${fragments.map(({ file }) => `changes/${file}`).join("\n              ")}
would run     ${steps.map(name => `npm run ${name}`).join("\n              ")}
would commit  Release ${version}
would tag     ${tag}

${section.trimEnd()}`);
}

async function carryOut({ current, version, tag, fragments, section }, steps) {
  const base = await git("rev-parse", "--short", "HEAD");
  try {
    await setVersion(root, current, version);
    const changelog = join(root, "CHANGELOG.md");
    await writeFile(changelog, withSection(await readFile(changelog, "utf8"), section));
    for (const { file } of fragments) await rm(join(root, "changes", file));
    for (const name of steps) {
      say(`npm run ${name}`);
      await take(name);
    }
    await git("add", "--all");
    await git("commit", "--quiet", "--message", `Release ${version}`);
    await git("tag", "--annotate", tag, "--message", `Release ${version}`);
  } catch (error) {
    const way = `git reset --quiet --hard ${base} && git clean --quiet -fd`;
    throw new ScriptError(`${error.message}\nNothing was tagged. To have everything as it was: ${way}`);
  }
  say(`${tag} is committed and tagged. To publish it: git push --follow-tags`);
}

/** What it needs is loaded for it alone, under a Node that can read it. */
async function rehearse() {
  const { ready } = await import("./setup.mjs");
  await ready();
  const { rehearse } = await import("./release/rehearse.mjs");
  const report = await rehearse(step => process.stderr.write(`  ${step}\n`));
  await writeFile(join(root, "dist", "rehearsal.md"), report);
  say(`dist/rehearsal.md says what was installed from where, how long it took, and which licences it has`);
}

const hasTag = async tag => (await git("tag", "--list", tag)) !== "";
const git = (...args) => must("git", args, { cwd: root });

async function take(step) {
  const onLine = line => process.stderr.write(`  ${line}\n`);
  const { code } = await runNpm(["run", "--silent", ...step.split(" ")], { cwd: root, onLine });
  if (code !== 0) throw new ScriptError(`npm run ${step} failed`);
}

function say(text) {
  process.stdout.write(`${text}\n`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`release: ${error instanceof ScriptError ? error.message : error.stack}\n`);
  process.exitCode = 1;
}
