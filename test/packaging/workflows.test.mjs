import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

// Pulumi's SDK brings a parser of YAML.
const { load } = createRequire(createRequire(import.meta.url).resolve("@pulumi/pulumi/package.json"))("js-yaml");

/** Whatever installs or builds something, or runs what was installed. */
const INSTALLS = /\b(npm (ci|install|i|run|pack|test|exec)|npx|pipx?|node scripts|go (run|build|install)|\.ci\/run)\b/;
const USE = /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;

const root = join(import.meta.dirname, "..", "..");
const folder = join(root, ".github", "workflows");
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const workflows = readdirSync(folder).map(name => {
  const text = readFileSync(join(folder, name), "utf8");
  return { name, text, ...load(text) };
});
const jobs = workflows.flatMap(workflow =>
  Object.entries(workflow.jobs).map(([name, job]) => ({ title: `${workflow.name} / ${name}`, workflow, ...job })),
);
const commands = jobs.flatMap(({ title, steps }) => steps.flatMap(({ run }) => (run ? [[title, run]] : [])));

describe("the workflows", () => {
  it("are CI and the publishing of a tag", () => {
    expect(workflows.map(({ name, on }) => [name, on])).toEqual([
      ["ci", { pull_request: null, push: { branches: ["main"] } }],
      ["publish", { push: { tags: ["v[0-9]+.[0-9]+.[0-9]+"] } }],
    ]);
  });

  it("run what CI runs, before anything is published", () => {
    const runs = name => jobs.find(({ title }) => title === name).steps.map(({ run }) => run);
    expect(runs("ci / test").at(-1)).toBe(".ci/run");
    expect(runs("publish / test").at(-1)).toBe(".ci/run");
    const needs = jobs.flatMap(({ title, workflow, needs }) => (workflow.name === "publish" ? [[title, needs]] : []));
    expect(Object.fromEntries(needs)).toEqual({
      "publish / test": undefined,
      "publish / build": "test",
      "publish / sign": "build",
      "publish / release": "sign",
      "publish / npm": "release",
      "publish / pypi": "release",
      "publish / nuget": "release",
      "publish / maven": "release",
      "publish / go": "release",
    });
  });

  it("may read, and each job that may do more is one that publishes", () => {
    expect(workflows.map(({ permissions }) => permissions)).toEqual([{ contents: "read" }, { contents: "read" }]);
    const more = jobs.flatMap(({ title, permissions }) => (permissions ? [[title, permissions]] : []));
    expect(Object.fromEntries(more)).toEqual({
      "publish / release": { contents: "write", "id-token": "write", attestations: "write" },
      "publish / npm": { "id-token": "write" },
      "publish / pypi": { "id-token": "write" },
      "publish / nuget": { "id-token": "write" },
      "publish / maven": {},
      "publish / go": { contents: "write" },
    });
  });

  it("publish from an environment what another job has built, and install nothing beside that permission", () => {
    for (const { title, permissions, environment, steps } of jobs) {
      expect([title, environment !== undefined]).toEqual([title, permissions !== undefined]);
      if (permissions === undefined) continue;
      expect(steps.filter(({ run }) => INSTALLS.test(run ?? ""))).toEqual([]);
      expect(steps.some(({ uses }) => uses?.startsWith("actions/download-artifact@"))).toBe(true);
    }
  });

  it("check that the tag is the version, and on main, before anything else is run", () => {
    const [checkout, ...steps] = jobs.find(({ title }) => title === "publish / test").steps;
    expect(checkout.with["fetch-depth"]).toBe(0);
    const [check] = steps.flatMap(({ run }) => run ?? []);
    expect(check).toContain('test "$GITHUB_REF_NAME" = "v$(node --print');
    expect(check).toContain('git merge-base --is-ancestor "$GITHUB_SHA" origin/main');
  });

  it("install without the packages' own scripts, and Python's tools in one version", () => {
    const lines = commands.flatMap(([, run]) => run.split("\n"));
    expect(lines.filter(line => /\bnpm (ci|install)\b/.test(line) && !line.includes("--ignore-scripts"))).toEqual([]);
    expect(lines.filter(line => line.includes("pipx") && !/--spec \w+==[\d.]+ /.test(line))).toEqual([]);
    // What the tool itself installs, and what it builds with.
    expect(lines.find(line => line.includes("constraints.txt"))).toMatch(
      /setuptools==[\d.]+ packaging==[\d.]+ pyproject_hooks==[\d.]+ >/,
    );
  });

  it("keep no token but Maven Central's: the other registries trust the workflow itself", () => {
    for (const { on: _, jobs: own, text: __, ...top } of workflows)
      expect(JSON.stringify(top)).not.toContain("secrets.");
    const withSecrets = jobs.filter(({ workflow: _, ...job }) => JSON.stringify(job).includes("secrets."));
    expect(withSecrets.map(({ title }) => title)).toEqual(["publish / maven"]);
  });

  it("publish an SDK in each of five languages, which the build has made by the engine's own command", () => {
    const { steps } = jobs.find(({ title }) => title === "publish / build");
    expect(steps.find(({ uses }) => uses?.startsWith("pulumi/actions@")).with).toEqual({ "pulumi-version": "3.259.0" });
    const runs = steps.map(({ run }) => run);
    expect(runs).toContain('npm run sdks -- --all --github "$GITHUB_REPOSITORY"');
    const { path } = steps.at(-1).with;
    for (const made of ["dist/npm", "dist/pypi", "dist/sdks/go", "dist/maven", "dist/nuget"])
      expect(path.split("\n")).toContain(made);
  });

  it("end a job that hangs", () => {
    expect(jobs.filter(job => !(job["timeout-minutes"] <= 90)).map(({ title }) => title)).toEqual([]);
  });

  it("pin every action to a commit, say which version that is, and leave no credentials in the checkout", () => {
    const uses = workflows.flatMap(({ text }) => [...text.matchAll(/\buses: (.*)/g)].map(match => match[1]));
    expect(uses.filter(use => !USE.test(use))).toEqual([]);
    expect(
      Object.values(Object.groupBy(uses, use => use.split("@")[0])).filter(same => new Set(same).size > 1),
    ).toEqual([]);
    const checkouts = jobs.flatMap(({ steps }) => steps.filter(({ uses }) => uses?.startsWith("actions/checkout@")));
    expect(checkouts.filter(step => step.with?.["persist-credentials"] !== false)).toEqual([]);
  });

  it.each(commands)("%s: `%s` names scripts and files that exist", (_, command) => {
    const names = [...command.matchAll(/npm run (\S+)/g)].map(match => match[1]);
    expect(names.filter(name => !(name in scripts))).toEqual([]);
    const paths = [...command.matchAll(/(?:^|\s|node )(\.ci\/\S+|scripts\/\S+\.mjs)/g)].map(match => match[1]);
    expect(paths.filter(path => !existsSync(join(root, path)))).toEqual([]);
  });

  it("put nothing from outside into a command by text: a tag's name comes as a variable", () => {
    expect(commands.filter(([, command]) => command.includes("${{"))).toEqual([]);
  });
});

it("a release has the list of what it is made of, attested beside its provenance", () => {
  const steps = name => jobs.find(({ title }) => title === name).steps;
  const made = "dist/sbom.spdx.json";
  expect(steps("publish / build").map(({ run }) => run)).toContain(`node scripts/release/sbom.mjs > ${made}`);
  expect(steps("publish / release")).toContainEqual({
    uses: expect.stringMatching(/^actions\/attest@/),
    with: { "subject-path": "dist/archives/*.tar.gz", "sbom-path": made },
  });
  expect(steps("publish / release").at(-1).run).toContain(` ${made}`);
});

it("a program in C# runs on the SDK that the engine's own command writes", () => {
  const runs = jobs.find(({ title }) => title === "ci / csharp").steps.flatMap(({ run }) => run ?? []);
  expect(runs.slice(-2)).toEqual(["npm run sdks -- dotnet", "node scripts/packaging/smoke.mjs dotnet"]);
});

it("every workflow and recipe says which engine it takes", () => {
  const recipe = load(readFileSync(join(root, "docs", "ci", "github-actions.yml"), "utf8"));
  const steps = [...workflows, recipe].flatMap(({ jobs: own }) => Object.values(own).flatMap(job => job.steps));
  const engines = steps.filter(({ uses }) => uses?.startsWith("pulumi/actions@"));
  expect(engines.length).toBeGreaterThan(4);
  expect(
    engines.filter(step => !/^(3\.\d+\.\d+|\$\{\{ matrix\.engine \}\})$/.test(step.with?.["pulumi-version"])),
  ).toEqual([]);
});

it("engines are tried as users install them: the oldest, the one set-up builds, and the newest", () => {
  const { strategy, steps } = jobs.find(({ title }) => title === "ci / engine");
  expect(strategy.matrix.engine).toEqual(["3.250.0", "3.259.0", "latest"]);
  expect(steps.at(-1).env).toEqual({ DOCSIGN_ENGINE: "path" });
});

it("Renovate looks at our workflows and at the recipes, and leaves time before it takes a version", () => {
  const renovate = JSON.parse(readFileSync(join(root, "renovate.json"), "utf8"));
  expect(renovate.minimumReleaseAge).toBe("7 days");
  const [pattern] = renovate["github-actions"].managerFilePatterns;
  const recipe = new RegExp(pattern.slice(1, -1));
  expect(recipe.test("docs/ci/github-actions.yml")).toBe(true);
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const named = renovate.packageRules.flatMap(({ matchPackageNames = [] }) => matchPackageNames);
  expect(named.filter(name => !(name in { ...dependencies, ...devDependencies }))).toEqual([]);
});

describe("the recipes for GitHub Actions", () => {
  const recipes = ["github-actions.yml"].map(name => {
    const text = readFileSync(join(root, "docs", "ci", name), "utf8");
    return { ...load(text), name, text };
  });
  const pins = text => [...text.matchAll(/\buses: (.*)/g)].map(match => match[1]);

  it.each(recipes)("$name: pins every action to a commit, the same as our own workflows", ({ text }) => {
    expect(pins(text).filter(use => !USE.test(use))).toEqual([]);
    const own = new Map(workflows.flatMap(({ text: ours }) => pins(ours).map(use => [use.split("@")[0], use])));
    expect(pins(text).filter(use => own.has(use.split("@")[0]) && own.get(use.split("@")[0]) !== use)).toEqual([]);
  });

  it.each(recipes)(
    "$name: secrets are in the steps that run Pulumi, and nowhere else",
    ({ jobs: own, ...workflow }) => {
      const { text: _, ...top } = workflow;
      expect(JSON.stringify(top)).not.toContain("secrets.");
      for (const { steps, ...job } of Object.values(own)) {
        expect(JSON.stringify(job)).not.toContain("secrets.");
        for (const { env = {}, run = "" } of steps)
          expect([run, JSON.stringify(env).includes("secrets.")]).toEqual([
            run,
            /\bpulumi (preview|up|refresh)\b/.test(run),
          ]);
      }
    },
  );

  it.each(recipes)("$name: a run that waits isn't dropped for a later one", ({ concurrency }) => {
    expect(concurrency).toMatchObject({ "cancel-in-progress": false, queue: "max" });
  });

  it.each(recipes)("$name: a job that may write installs nothing and has no secret", ({ permissions, jobs: own }) => {
    expect(permissions).toEqual({ contents: "read" });
    const writing = Object.entries(own).filter(([, job]) => job.permissions);
    expect(writing.map(([name, job]) => [name, job.permissions])).toEqual([
      ["comment", { "pull-requests": "write" }],
      ["status", { statuses: "write" }],
    ]);
    for (const [, { steps }] of writing)
      expect(
        steps.filter(({ run, uses }) => INSTALLS.test(run ?? "") || uses?.startsWith("actions/checkout@")),
      ).toEqual([]);
  });

  it.each(recipes)(
    "$name: no install runs packages' scripts, and no credentials stay in the checkout",
    ({ jobs: own }) => {
      const steps = Object.values(own).flatMap(job => job.steps);
      const installs = steps.flatMap(({ run }) => (/\bnpm ci\b/.test(run ?? "") ? [run] : []));
      expect(new Set(installs)).toEqual(new Set(["npm ci --ignore-scripts"]));
      const checkouts = steps.filter(({ uses }) => uses?.startsWith("actions/checkout@"));
      expect(checkouts.map(step => step.with["persist-credentials"])).toEqual(checkouts.map(() => false));
    },
  );
});

describe.each(["gitlab-ci.yml"])("the recipe %s", name => {
  const { preview, comment, ...others } = load(readFileSync(join(root, "docs", "ci", name), "utf8"));

  it("has the token that may write in a job which runs nothing of the merge request's", () => {
    expect(JSON.stringify([preview, others])).not.toContain("COMMENT_TOKEN");
    expect(comment).toMatchObject({ before_script: [], variables: { GIT_STRATEGY: "none" }, needs: ["preview"] });
    expect(comment.environment).toEqual({ name: "comments", action: "access" });
    expect(comment.script.filter(line => INSTALLS.test(line) || line.includes("pulumi"))).toEqual([]);
  });

  it("gives no secrets to a merge request from a fork, and no contracts to the public", () => {
    for (const { rules } of [preview, comment])
      for (const rule of rules)
        expect(rule.if).toContain("&& $CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_MERGE_REQUEST_PROJECT_ID");
    expect(preview.artifacts.access).toBe("developer");
  });
});

it("commands on our pages are never fetched by name: somebody else could have it", () => {
  const pages = [
    "README.md",
    "AGENTS.md",
    ...readdirSync(join(root, "docs"), { recursive: true }).map(name => join("docs", name)),
  ];
  const texts = pages
    .filter(name => /\.(md|yml)$/.test(name))
    .map(name => [name, readFileSync(join(root, name), "utf8")]);
  const bare = texts.flatMap(([name, text]) =>
    (text.match(/npx (?!--no-install )\S+/g) ?? []).map(found => [name, found]),
  );
  expect(bare).toEqual([]);
});

it("the plugin isn't among the package's commands, which npm puts before an installed plugin", () => {
  const { bin } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect(Object.keys(bin).filter(name => name.startsWith("pulumi-"))).toEqual([]);
});
