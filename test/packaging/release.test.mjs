import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readFragments, section } from "../../scripts/release/changelog.mjs";
import { versionPattern, writtenByHand } from "../../scripts/release/version.mjs";

const root = join(import.meta.dirname, "..", "..");

const env = {
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  HOME: tmpdir(),
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_AUTHOR_NAME: "Release",
  GIT_AUTHOR_EMAIL: "release@example.com",
  GIT_COMMITTER_NAME: "Release",
  GIT_COMMITTER_EMAIL: "release@example.com",
};

/** A package in a repository of its own, with our release script and steps that only say they were taken. */
function repository({ version = "0.1.0", tags = [`v${version}`], files = {} } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "docsign-release-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (path, text) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const read = path => readFileSync(join(folder, path), "utf8");
  const git = (...args) => execFileSync("git", args, { cwd: folder, env, encoding: "utf8" }).trim();
  for (const path of ["release.mjs", "release", "setup"])
    cpSync(join(root, "scripts", path), join(folder, "scripts", path), { recursive: true });
  const steps = ["schema", "sdks", "archives", "record", "release", "check", "test"];
  const scripts = Object.fromEntries(steps.map(step => [step, `node step.mjs ${step}`]));
  const manifest = { name: "pulumi-docsign", version, dependencies: { other: "^0.1.0" }, scripts };
  write("package.json", `${JSON.stringify(manifest, null, 2)}\n`);
  const packages = { "": { name: "pulumi-docsign", version }, "node_modules/other": { version: "0.1.0" } };
  write("package-lock.json", `${JSON.stringify({ name: "pulumi-docsign", version, packages }, null, 2)}\n`);
  write(
    "step.mjs",
    `import { appendFileSync, existsSync, readFileSync } from "node:fs";
     const { version } = JSON.parse(readFileSync("package.json", "utf8"));
     appendFileSync("steps.txt", process.argv.slice(2).join(" ") + " " + version + "\\n");
     if (existsSync("fail-" + process.argv[2])) process.exit(1);`,
  );
  write("README.md", "pulumi plugin install resource docsign 0.1.0\nnode 0.1.0\n");
  write("docs/install.md", "npm install pulumi-docsign-0.1.0.tgz\n");
  write("docs/decisions/old.md", "docsign 0.1.0 did so\n");
  write("examples/x/package.json", '{ "dependencies": { "pulumi-docsign": "^0.1.0" } }\n');
  write("CHANGELOG.md", "# Changelog\n\nEach release.\n\n## 0.1.0 (2026-01-01)\n\n### New\n\n- All of it.\n");
  write("changes/README.md", "# Changes\n");
  for (const [path, text] of Object.entries(files)) write(path, text);
  git("init", "--quiet", "--initial-branch", "main");
  git("add", "--all");
  git("commit", "--quiet", "--message", "Before");
  for (const tag of tags) git("tag", tag);
  const release = (...args) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/release.mjs", ...args], {
      cwd: folder,
      env,
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  };
  const tagged = () => git("tag", "--list").split("\n").filter(Boolean);
  return { folder, write, read, git, release, tagged };
}

const FIX = { "changes/fix-empty-name.md": "A folder with an empty name is refused.\n" };
const FEATURE = { "changes/feature-more.md": "More of it:\nand more.\n" };
const BREAKING = { "changes/breaking-less.md": "Less of it. Take `x` out of programs first.\n" };
const today = () => new Date().toISOString().slice(0, 10);

describe("npm run release", () => {
  it("bumps every place, writes the changelog, takes the steps, commits and tags", () => {
    const { release, read, git, tagged, folder } = repository({ files: { ...FIX, ...FEATURE, ...BREAKING } });
    const { status, stdout } = release("minor");
    expect(stdout).toMatch(/\nv0\.2\.0 is committed and tagged\. To publish it: git push --follow-tags\n$/);
    expect(status).toBe(0);
    expect(JSON.parse(read("package.json"))).toMatchObject({ version: "0.2.0", dependencies: { other: "^0.1.0" } });
    expect(JSON.parse(read("package-lock.json"))).toEqual({
      name: "pulumi-docsign",
      version: "0.2.0",
      packages: { "": { name: "pulumi-docsign", version: "0.2.0" }, "node_modules/other": { version: "0.1.0" } },
    });
    expect(read("README.md")).toBe("pulumi plugin install resource docsign 0.2.0\nnode 0.1.0\n");
    expect(read("docs/install.md")).toBe("npm install pulumi-docsign-0.2.0.tgz\n");
    expect(read("docs/decisions/old.md")).toBe("docsign 0.1.0 did so\n");
    expect(read("examples/x/package.json")).toContain('"pulumi-docsign": "^0.2.0"');
    expect(read("CHANGELOG.md")).toBe(`# Changelog

Each release.

## 0.2.0 (${today()})

### What to do before you upgrade

- Less of it. Take \`x\` out of programs first.

### New

- More of it:
  and more.

### Fixed

- A folder with an empty name is refused.

## 0.1.0 (2026-01-01)

### New

- All of it.
`);
    expect(readdirSync(join(folder, "changes"))).toEqual(["README.md"]);
    expect(read("steps.txt").trim().split("\n")).toEqual(
      ["schema", "sdks", "archives", "record", "release --rehearse", "check", "test --all"].map(
        step => `${step} 0.2.0`,
      ),
    );
    expect(git("status", "--porcelain")).toBe("");
    expect(git("log", "--format=%s")).toBe("Release 0.2.0\nBefore");
    expect(git("rev-parse", "v0.2.0^{commit}")).toBe(git("rev-parse", "HEAD"));
    expect(tagged()).toEqual(["v0.1.0", "v0.2.0"]);
  });

  it("releases the version that package.json has, when that one isn't out", () => {
    const { release, read, tagged } = repository({ tags: [], files: FEATURE });
    expect(release("0.1.0", "--no-tests").status).toBe(0);
    expect(tagged()).toEqual(["v0.1.0"]);
    expect(read("steps.txt")).not.toContain("test");
  });

  it("says in a dry run what would happen, and changes nothing", () => {
    const { release, git, tagged, folder } = repository({ files: FIX });
    const { status, stdout } = release("0.1.1", "--dry-run");
    expect(stdout).toBe(`0.1.0 → 0.1.1, and nothing was changed: this is a dry run

would write   package.json
              package-lock.json
              README.md
              docs/install.md
              examples/x/package.json
              CHANGELOG.md
would remove  changes/fix-empty-name.md
would run     npm run schema
              npm run sdks
              npm run archives
              npm run record
              npm run release -- --rehearse
              npm run check
              npm run test -- --all
would commit  Release 0.1.1
would tag     v0.1.1

## 0.1.1 (${today()})

### Fixed

- A folder with an empty name is refused.
`);
    expect(status).toBe(0);
    expect([git("status", "--porcelain"), tagged(), existsSync(join(folder, "steps.txt"))]).toEqual([
      "",
      ["v0.1.0"],
      false,
    ]);
  });

  it.each([
    ["no version", { files: FIX }, [], "which release? say major, minor, patch, or a version such as 1.2.3"],
    [
      "no such version",
      { files: FIX },
      ["huge"],
      '"huge" is no version: say major, minor, patch, or three numbers such as 1.2.3',
    ],
    ["a lower version", { files: FIX }, ["0.0.9"], "0.0.9 is lower than the version in package.json, 0.1.0"],
    ["a version that is out", { files: FIX }, ["0.1.0"], "0.1.0 is out already; the next one is higher"],
    [
      "a tag that is taken",
      { files: FIX, tags: ["v0.1.0", "v0.2.0"] },
      ["minor"],
      "the tag v0.2.0 exists already; delete it or release another version",
    ],
    ["nothing to release", {}, ["minor"], "changes/ has no fragments, so there is nothing to release"],
    [
      "too small a step below 1.0.0",
      { files: BREAKING },
      ["patch"],
      "changes/breaking-less.md needs 0.2.0 or higher after 0.1.0; 0.1.1 is not enough for it",
    ],
    [
      "too small a step for what breaks",
      { version: "1.2.0", files: BREAKING },
      ["minor"],
      "changes/breaking-less.md needs 2.0.0 or higher after 1.2.0; 1.3.0 is not enough for it",
    ],
    [
      "too small a step for a feature",
      { version: "1.2.0", files: FEATURE },
      ["patch"],
      "changes/feature-more.md needs 1.3.0 or higher after 1.2.0; 1.2.1 is not enough for it",
    ],
    [
      "a fragment of no kind",
      { files: { "changes/more.md": "More.\n" } },
      ["minor"],
      "changes/more.md: a fragment's name is its kind and a few words, such as fix-empty-folder-name.md",
    ],
    [
      "an empty fragment",
      { files: { "changes/fix-it.md": "\n" } },
      ["minor"],
      "changes/fix-it.md: a fragment is a sentence or more, without headings or a list of its own",
    ],
  ])("refuses %s", (_, options, args, why) => {
    const { release, git, tagged } = repository(options);
    const before = tagged();
    expect(release(...args)).toEqual({ status: 1, stdout: "", stderr: `release: ${why}\n` });
    expect([git("status", "--porcelain"), tagged()]).toEqual(["", before]);
  });

  it("refuses a tree with changes, and names them", () => {
    const { release, write } = repository({ files: FIX });
    write("README.md", "changed\n");
    expect(release("patch").stderr).toBe(
      "release: the working tree has changes; commit or stash them first:\n M README.md\n",
    );
  });

  it("tags nothing when a step fails, and says how to have everything as it was", () => {
    const { release, git, tagged } = repository({ files: { ...FIX, "fail-check": "" } });
    const { status, stderr } = release("patch");
    expect(status).toBe(1);
    expect(stderr).toContain(
      `release: npm run check failed\nNothing was tagged. To have everything as it was: git reset --quiet --hard ${git("rev-parse", "--short", "HEAD")} `,
    );
    const way = /as it was: (.*)\n$/.exec(stderr)?.[1] ?? "";
    execFileSync("/bin/sh", ["-c", way], { cwd: git("rev-parse", "--show-toplevel"), env });
    expect([git("status", "--porcelain"), git("log", "--format=%s"), tagged()]).toEqual(["", "Before", ["v0.1.0"]]);
  });
});

it("every change that waits for a release can be released", async () => {
  const fragments = await readFragments(root);
  expect(section("9.9.9", "2026-01-01", fragments)).toContain("## 9.9.9 (2026-01-01)\n");
});

it("the version is the same wherever it stands", async () => {
  const json = path => JSON.parse(readFileSync(join(root, path), "utf8"));
  const { version } = json("package.json");
  const lock = json("package-lock.json");
  expect([lock.version, lock.packages[""].version, json("schema.json").version]).toEqual([version, version, version]);
  const others = (await writtenByHand(root)).flatMap(path =>
    [...readFileSync(join(root, path), "utf8").matchAll(versionPattern())]
      .filter(match => match[2] !== version)
      .map(match => `${path}: ${match[0]}`),
  );
  expect(others).toEqual([]);
});
