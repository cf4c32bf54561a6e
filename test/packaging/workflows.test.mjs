import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

// Pulumi's SDK brings a parser of YAML.
const { load } = createRequire(createRequire(import.meta.url).resolve("@pulumi/pulumi/package.json"))("js-yaml");

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
      "publish / release": "test",
      "publish / npm": "release",
      "publish / pypi": "release",
      "publish / go": "release",
    });
  });

  it("may read, and each job that may do more is one that publishes", () => {
    expect(workflows.map(({ permissions }) => permissions)).toEqual([{ contents: "read" }, { contents: "read" }]);
    const more = jobs.flatMap(({ title, permissions }) => (permissions ? [[title, permissions]] : []));
    expect(Object.fromEntries(more)).toEqual({
      "publish / release": { contents: "write", "id-token": "write", attestations: "write" },
      "publish / npm": { contents: "read", "id-token": "write" },
      "publish / pypi": { contents: "read", "id-token": "write" },
      "publish / go": { contents: "write" },
    });
  });

  it("keep no token: the registries trust the workflow itself", () => {
    for (const { text } of workflows) expect(text).not.toContain("secrets.");
  });

  it("end a job that hangs", () => {
    expect(jobs.filter(job => !(job["timeout-minutes"] <= 90)).map(({ title }) => title)).toEqual([]);
  });

  it("pin every action to a commit, say which version that is, and leave no credentials in the checkout", () => {
    const uses = workflows.flatMap(({ text }) => [...text.matchAll(/uses: (.*)/g)].map(match => match[1]));
    expect(uses.filter(use => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(use))).toEqual([]);
    expect(
      Object.values(Object.groupBy(uses, use => use.split("@")[0])).filter(same => new Set(same).size > 1),
    ).toEqual([]);
    const checkouts = jobs.flatMap(({ steps }) => steps.filter(({ uses }) => uses?.startsWith("actions/checkout@")));
    expect(checkouts.map(step => step.with)).toEqual(jobs.map(() => ({ "persist-credentials": false })));
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
