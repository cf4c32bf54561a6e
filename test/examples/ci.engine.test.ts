import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { propertyMetadata } from "../../kit/property.js";
import { configInputs } from "../../provider/config.js";
import { archived, openProject, packed } from "../sdk/support/project.js";
import { type Ran, run } from "../support/engine/child.js";
import { environment, missingEngine, pulumi, root } from "../support/engine/found.js";

// Pulumi's SDK brings a parser.
const { load } = createRequire(createRequire(import.meta.url).resolve("@pulumi/pulumi/package.json"))("js-yaml") as {
  load(text: string): unknown;
};

const { version, bin: binaries } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  version: string;
  bin: Record<string, string>;
};
const commandsOfPackage = Object.values(binaries);

const RECIPES = ["github-actions.yml", "gitlab-ci.yml", "github-actions-npm.yml", "gitlab-ci-npm.yml"];
const PLUGIN = /^ *# Only with a plugin.*\n *- (?:run: )?\|\n *pulumi plugin install .*\n/gm;
/** A recipe; for `-npm`, as the page says to change it for dynamic resources. */
function text(name: string): string {
  const recipe = readFileSync(join(root, "docs", "ci", name.replace("-npm", "")), "utf8");
  return name.includes("-npm") ? recipe.replace(PLUGIN, "") : recipe;
}

/** The shell commands of a recipe, wherever they are. */
function commandsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(commandsIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    ["run", "script", "before_script", "after_script"].includes(key) ? [inner].flat().map(String) : commandsIn(inner),
  );
}

interface GitHubWorkflow {
  readonly jobs: Readonly<
    Record<string, { readonly steps: readonly { readonly if?: string; readonly run?: string }[] }>
  >;
}

type GitLabJob = "preview" | "up" | "nightly" | "weekly";
type GitLabPipeline = { readonly default: { readonly before_script: string[] } } & Record<
  GitLabJob,
  { script: string[] }
>;

/** The command lines of each job, in order, as the CI system would run them. */
function jobsOf(name: string): Record<"preview" | "merge" | "nightly" | "weekly", string[]> {
  const recipe = load(text(name)) as GitHubWorkflow | GitLabPipeline;
  if (!("jobs" in recipe)) {
    const job = (key: GitLabJob): string[] => [...recipe.default.before_script, ...recipe[key].script];
    return { preview: job("preview"), merge: job("up"), nightly: job("nightly"), weekly: job("weekly") };
  }
  const steps = (key: string, when: (condition: string) => boolean): string[] =>
    (recipe.jobs[key]?.steps ?? []).flatMap(step => (when(step.if ?? "") && step.run ? [step.run.trim()] : []));
  const deploy = (condition: string): string[] => steps("up", given => given === "" || given === condition);
  return {
    preview: steps("preview", given => given === ""),
    merge: deploy("github.event_name == 'push'"),
    nightly: deploy("github.event.schedule == '0 3 * * 0,2-6'"),
    weekly: deploy("github.event.schedule == '0 3 * * 1'"),
  };
}

const PROGRAM = `
const pulumi = require("@pulumi/pulumi");
const docsign = require("pulumi-docsign/dynamic");
const nda = new docsign.Document("nda", {
  name: "Mutual NDA",
  file: new pulumi.asset.FileAsset("contracts/nda.pdf"),
  invitations: [{ email: "ana@example.com", stage: 1 }, { email: "bob@example.org", stage: 2 }],
});
exports.pendingSigners = nda.pendingSigners;
`;

const ours = (name: string): string[] =>
  commandsIn(load(text(name))).flatMap(lines => lines.match(/pulumi (?:preview|up|refresh)\b[^\n]*"\$STACK"/g) ?? []);
const [PREVIEW, COMMENT, UP, NIGHTLY, WEEKLY] = [
  'pulumi preview --non-interactive --stack "$STACK"',
  'pulumi preview --json --show-sames --non-interactive --stack "$STACK"',
  'pulumi up --yes --non-interactive --stack "$STACK"',
  'pulumi refresh --run-program --yes --non-interactive --stack "$STACK"',
  'pulumi up --refresh --yes --non-interactive --stack "$STACK"',
];

/** In the page, commands stand in backticks. */
const inPage = [...text("../ci.md").matchAll(/`(pulumi [a-z][^`]*)`/g)].map(([, command = ""]) => command);
const commands = [...new Set([...RECIPES.flatMap(ours), ...inPage])];

describe("the CI recipes", () => {
  it.each(RECIPES)("%s previews, comments, brings up, refreshes every night, and brings up once a week", name => {
    expect(ours(name)).toEqual([PREVIEW, COMMENT, UP, NIGHTLY, WEEKLY]);
  });

  it.each(["github-actions", "gitlab-ci"])("%s: dynamic resources take the same steps, but for the plugin", name => {
    const without = (commands: string[]): string[] =>
      commands.filter(line => !line.startsWith("pulumi plugin install"));
    const [plugin, npm] = [jobsOf(`${name}.yml`), jobsOf(`${name}-npm.yml`)];
    expect(npm).toEqual(
      Object.fromEntries(Object.entries(plugin).map(([job, lines]) => [job, without(lines.map(line => line.trim()))])),
    );
    for (const [job, lines] of Object.entries(plugin))
      expect(lines.slice(0, 2), job).toEqual([
        "npm ci --ignore-scripts",
        expect.stringMatching(/^pulumi plugin install resource docsign /),
      ]);
  });

  it("name settings that there are", () => {
    const known = Object.values(configInputs.shape).flatMap(input => propertyMetadata.get(input)?.env ?? []);
    const variables = new Set([...RECIPES, "../ci.md"].flatMap(name => text(name).match(/DOCSIGN_\w+/g) ?? []));
    expect([...variables].filter(name => ![...known, "DOCSIGN_JOURNAL", "DOCSIGN_SHOW_VALUES"].includes(name))).toEqual(
      [],
    );
    const keys = [...text("../ci.md").matchAll(/docsign:(\w+)/g)].map(([, key = ""]) => key);
    expect(keys.filter(key => !(key in configInputs.shape))).toEqual([]);
  });
});

describe.skipIf(missingEngine)("the CI recipes' commands", () => {
  const helps = new Map<string, Promise<Ran>>();
  const helpOf = (subcommand: readonly string[]): Promise<Ran> => {
    const words = subcommand.join(" ");
    const help = helps.get(words) ?? run(pulumi(), [...subcommand, "--help"], { cwd: root, env: environment() });
    helps.set(words, help);
    return help;
  };

  it.each(commands)("%s is something Pulumi does", async command => {
    const words = command
      .replace(/"[^"]*"/g, "")
      .split(" ")
      .slice(1);
    const flags = words.filter(word => word.startsWith("--"));
    const subcommand = words.slice(0, words[0] === "config" ? 2 : 1);
    const { code, stdout } = await helpOf(subcommand);
    expect(code).toBe(0);
    expect(stdout).toContain(`pulumi ${subcommand.join(" ")}`);
    expect(flags.filter(flag => !new RegExp(`${flag}\\b`).test(stdout))).toEqual([]);
  });
});

describe.skipIf(missingEngine)(
  "the CI recipes in a repository that holds what the page says, on an empty machine",
  () => {
    let folder: string;
    let unpacked: string;
    let plugin: string;
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "docsign-ci-"));
      unpacked = await packed(folder);
      plugin = await archived(folder);
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

    it.each(["github-actions.yml", "gitlab-ci-npm.yml"])(
      "%s mails each person once, and outputs follow",
      async name => {
        const isPlugin = !name.includes("-npm");
        const archive = `pulumi-resource-docsign-v${version}-linux-amd64.tar.gz`;
        const quickstart = (path: string) => readFileSync(join(root, "examples/quickstart", path));
        await using project = await openProject({
          package: unpacked,
          files: isPlugin
            ? {
                "Pulumi.yaml": String(quickstart("Pulumi.yaml")).replace(/^plugins:\n(?: .*\n)+/m, ""),
                "contracts/nda.pdf": quickstart("contracts/nda.pdf"),
                [`vendor/${archive}`]: readFileSync(plugin),
              }
            : {
                "Pulumi.yaml": "name: contracts\nruntime:\n  name: nodejs\n  options: { typescript: false }\n",
                "package.json": '{"name":"contracts","main":"index.js"}',
                "index.js": PROGRAM,
                "contracts/nda.pdf": quickstart("contracts/nda.pdf"),
              },
        });
        const jobs = jobsOf(name);
        // `npm ci` has linked the package's commands as well; what is left asks the CI system, which another test plays.
        const bin = `mkdir -p node_modules/.bin && ${commandsOfPackage
          .map(path => `ln -sf ../pulumi-docsign/${path} node_modules/.bin/`)
          .join(" && ")}`;
        const install = /^(#.*\n)?npm ci --ignore-scripts$/;
        const job = (lines: readonly string[]): Promise<string> =>
          project.shell(
            ["STACK=dev GITHUB_OUTPUT=/dev/null", bin, ...lines.filter(line => !install.test(line))].join("\n"),
          );
        const { people } = project.service;

        expect(await job(jobs.preview)).toContain("will mail ana@example.com");
        expect(project.mails()).toBe(0);
        // A plugin among the package's commands would be taken instead of the one that is installed, with a warning.
        expect(await job(jobs.merge)).not.toContain("$PATH");
        const mails = project.mails();
        expect(project.service.ledger.documentCount()).toBe(1);
        const [document] = project.service.ledger.documents();
        people.sign(document?.id ?? 0, "ana@example.com");
        await job(jobs.nightly);
        expect(JSON.parse(await project.shell("pulumi stack output pendingSigners --json"))).toEqual([
          "bob@example.org",
        ]);
        people.sign(document?.id ?? 0, "bob@example.org");
        await job(jobs.weekly);
        expect(JSON.parse(await project.shell("pulumi stack output pendingSigners --json"))).toEqual([]);
        expect(project.service.ledger.documentCount()).toBe(1);
        expect(project.mails()).toBe(mails);
      },
    );
  },
);
