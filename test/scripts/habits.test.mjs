import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";

/** The files around the code that nobody compiles: what they name has to be there. */

const root = join(import.meta.dirname, "..", "..");
const read = path => readFileSync(join(root, path), "utf8");
const require = createRequire(import.meta.url);
const { load } = createRequire(require.resolve("@pulumi/pulumi/package.json"))("js-yaml");
const { scripts } = JSON.parse(read("package.json"));

describe("the development container", () => {
  const container = JSON.parse(read(".devcontainer/devcontainer.json"));

  it("is an official image and official features, each with its version", () => {
    expect(container.image).toMatch(/^mcr\.microsoft\.com\/devcontainers\/[a-z-]+:[\w.-]+$/);
    expect(container.image).not.toMatch(/:latest$/);
    for (const [name, { version }] of Object.entries(container.features)) {
      expect(name).toMatch(/^ghcr\.io\/devcontainers\/features\/[a-z]+:\d+$/);
      expect(version).toMatch(/^(\d+(\.\d+)*|os-provided)$/);
    }
  });

  it("has a Node and a Go that the project can be built with", () => {
    const { node } = JSON.parse(read("package.json")).engines;
    const [, least] = /^>=(\d+)/.exec(node);
    const version = feature => container.features[`ghcr.io/devcontainers/features/${feature}:1`].version;
    expect(Number(version("node"))).toBeGreaterThan(Number(least));
    expect(read("scripts/setup/go.mjs")).toContain(`NEEDED = "${version("go")}`);
  });

  it("installs from the lock file, and builds", () => {
    expect(container.postCreateCommand).toMatch(/^npm ci .*&& npm run build$/);
  });

  it("finds the seed files' schema", () => {
    for (const { url } of container.customizations.vscode.settings["json.schemas"])
      expect(existsSync(join(root, url)), url).toBe(true);
  });
});

describe("issue forms", () => {
  const folder = ".github/ISSUE_TEMPLATE";
  const forms = readdirSync(join(root, folder)).filter(name => name !== "config.yml");

  it("offer the one that comes first first", () => {
    expect(forms.sort()).toEqual(["1-mailed-twice-or-replaced.yml", "2-bug.yml", "3-feature.yml"]);
    expect(load(read(`${folder}/config.yml`))).toEqual({ blank_issues_enabled: false });
  });

  it.each(forms)("%s is a form that the site accepts", name => {
    const form = load(read(`${folder}/${name}`));
    expect(Object.keys(form).filter(key => !["name", "description", "title", "labels", "body"].includes(key))).toEqual(
      [],
    );
    const ids = form.body.filter(({ type }) => type !== "markdown").map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { type, id, attributes } of form.body) {
      expect(type).toMatch(/^(markdown|input|textarea|dropdown)$/);
      if (type === "markdown") expect(attributes.value).toMatch(/\S/);
      else expect([id, typeof attributes.label]).toEqual([expect.stringMatching(/^[a-z]+$/), "string"]);
    }
  });

  it("the first asks for the journal, and says what to take out", () => {
    const text = read(`${folder}/1-mailed-twice-or-replaced.yml`);
    for (const said of [
      "DOCSIGN_STATE_DIR",
      "~/.local/state/pulumi-docsign",
      "Take out before you send",
      "PULUMI_DEBUG_GRPC",
    ])
      expect(text).toContain(said);
  });
});

describe.each(["SECURITY.md", ".github/PULL_REQUEST_TEMPLATE.md"])("%s", path => {
  const text = read(path);

  it("names scripts that are there", () => {
    const named = [...text.matchAll(/npm (?:run )?([a-z]+)/g)].map(([, name]) => name);
    expect(named.filter(name => !(name in scripts))).toEqual([]);
  });

  it("links to what is there", () => {
    const links = [...text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, link]) => link);
    const gone = links.filter(link => !/^https?:/.test(link) && !existsSync(join(root, dirname(path), link)));
    expect(gone).toEqual([]);
  });
});

describe.each(["CONTRIBUTING.md", "SECURITY.md", "docs/sandbox.md"])("%s", path => {
  const text = read(path);

  it("names files and folders that are there", () => {
    const named = [...text.matchAll(/`((?:[\w.-]+\/)+[\w.*-]*)`/g)].map(([, name]) => name);
    const made = ["reports/", "dist/"];
    const gone = named.filter(
      name => !/stamp/.test(name) && !made.some(start => name.startsWith(start)) && !existsSync(join(root, name)),
    );
    expect(gone).toEqual([]);
  });
});

describe("CONTRIBUTING.md", () => {
  const text = read("CONTRIBUTING.md");

  it("names every folder", () => {
    const folders = readdirSync(root, { withFileTypes: true })
      .filter(entry => entry.isDirectory() && !/^(\.|node_modules$|dist$|reports$|coverage$)/.test(entry.name))
      .map(({ name }) => name);
    const provider = readdirSync(join(root, "provider"), { withFileTypes: true })
      .filter(entry => entry.isDirectory())
      .map(({ name }) => `provider/${name}`);
    expect([...folders, ...provider].filter(folder => !text.includes(`| \`${folder}/`))).toEqual([]);
  });
});

it("the index of decisions has a line for each page, with the page's title", () => {
  const folder = join(root, "docs", "decisions");
  const pages = readdirSync(folder).filter(name => name !== "README.md");
  const lines = pages.map(name => {
    const [, title] = /^# (.+)$/m.exec(readFileSync(join(folder, name), "utf8"));
    return `[${title}](${name})`;
  });
  const index = readFileSync(join(folder, "README.md"), "utf8");
  expect(lines.filter(line => !index.includes(line))).toEqual([]);
  expect([...index.matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, name]) => name).sort()).toEqual(pages.sort());
});
