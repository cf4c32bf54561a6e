import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openProject } from "../sdk/support/project.js";
import { run } from "../support/engine/child.js";
import { environment, missingEngine, root } from "../support/engine/found.js";

const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
const archives = join(root, "dist", "archives");
const archive = (os: string, arch = "amd64"): string =>
  join(archives, `pulumi-resource-docsign-v${version}-${os}-${arch}.tar.gz`);
const goArch = process.arch === "x64" ? "amd64" : process.arch;

const must = async (command: string, args: string[], cwd = root): Promise<string> => {
  const { code, stdout, stderr } = await run(command, args, { cwd, env: environment() });
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`);
  return stdout;
};

describe("the plugin's archives", () => {
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "docsign-archives-"));
    await must(process.execPath, [join(root, "scripts", "archives.mjs")]);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("are one for each platform the engine asks for, under the names it asks for, with their sums", () => {
    const names = ["darwin", "linux", "windows"].flatMap(os => ["amd64", "arm64"].map(arch => archive(os, arch)));
    const files = names.map(name => name.slice(archives.length + 1));
    expect(readdirSync(archives).sort()).toEqual(["SHA256SUMS", ...files]);
    const sums = readFileSync(join(archives, "SHA256SUMS"), "utf8").trimEnd().split("\n").sort();
    const wanted = names.map((path, at) => {
      const sum = createHash("sha256").update(readFileSync(path)).digest("hex");
      return `${sum}  ${files[at]}`;
    });
    expect(sums).toEqual(wanted.sort());
  });

  it("are the same bytes when they are made again", async () => {
    const before = readFileSync(join(archives, "SHA256SUMS"), "utf8");
    await must(process.execPath, [join(root, "scripts", "archives.mjs")]);
    expect(readFileSync(join(archives, "SHA256SUMS"), "utf8")).toBe(before);
  });

  it.each([
    ["linux", "pulumi-resource-docsign"],
    ["darwin", "pulumi-resource-docsign"],
    ["windows", "pulumi-resource-docsign.cmd"],
  ])("hold for %s what runs, and nothing of the machine that made them", async (os, launcher) => {
    const listed = await must("tar", ["--numeric-owner", "-tvzf", archive(os)]);
    const rows = listed
      .trimEnd()
      .split("\n")
      .map(row => row.trim().split(/\s+/));
    expect(rows.map(([mode, owner, , day, , name]) => [mode, owner, day, name].join(" "))).toEqual([
      "-rw-r--r-- 0/0 1970-01-01 LICENSE",
      "-rw-r--r-- 0/0 1970-01-01 dist/evidence/constancia.cjs",
      "-rw-r--r-- 0/0 1970-01-01 dist/evidence/constancia.cjs.LEGAL.txt",
      "-rw-r--r-- 0/0 1970-01-01 dist/http.cjs",
      "-rw-r--r-- 0/0 1970-01-01 dist/http.cjs.LEGAL.txt",
      "-rw-r--r-- 0/0 1970-01-01 dist/journal/limit.cjs",
      "-rw-r--r-- 0/0 1970-01-01 dist/journal/postgres.cjs",
      "-rw-r--r-- 0/0 1970-01-01 dist/journal/s3.cjs",
      "-rw-r--r-- 0/0 1970-01-01 dist/journal/s3.cjs.LEGAL.txt",
      "-rw-r--r-- 0/0 1970-01-01 dist/plugin.cjs",
      "-rw-r--r-- 0/0 1970-01-01 dist/templates/fonts/DejaVuSansCondensed.ttf",
      "-rw-r--r-- 0/0 1970-01-01 dist/templates/fonts/DejaVuSerifCondensed-Bold.ttf",
      "-rw-r--r-- 0/0 1970-01-01 dist/templates/fonts/DejaVuSerifCondensed-BoldItalic.ttf",
      "-rw-r--r-- 0/0 1970-01-01 dist/templates/fonts/DejaVuSerifCondensed-Italic.ttf",
      "-rw-r--r-- 0/0 1970-01-01 dist/templates/fonts/DejaVuSerifCondensed.ttf",
      "-rw-r--r-- 0/0 1970-01-01 dist/templates/fonts/LICENSE",
      "-rw-r--r-- 0/0 1970-01-01 dist/templates/render.cjs",
      `-rwxr-xr-x 0/0 1970-01-01 ${launcher}`,
      "-rw-r--r-- 0/0 1970-01-01 schema.json",
      "-rw-r--r-- 0/0 1970-01-01 start.cjs",
    ]);
  });

  it("give Windows lines that end as Windows wants them", async () => {
    const text = await must("tar", ["-xzOf", archive("windows"), "pulumi-resource-docsign.cmd"]);
    expect(text.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
  });

  it("say in one line that there is no Node, or that it is too old", async () => {
    await must("tar", ["-xzf", archive("linux"), "-C", folder]);
    const launcher = join(folder, "pulumi-resource-docsign");
    const bare = mkdtempSync(join(folder, "path-"));
    const env = { PATH: bare };
    const without = await run("/bin/sh", [launcher], { cwd: folder, env });
    expect(without).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "pulumi-resource-docsign: Node 22.19 or newer is needed, and there is no 'node' on PATH; install one from nodejs.org\n",
    });
    const older = `Object.defineProperty(process.versions, "node", { value: "20.20.2" });
      Object.defineProperty(process, "version", { value: "v20.20.2" });`;
    writeFileSync(join(bare, "older.cjs"), older);
    writeFileSync(
      join(bare, "node"),
      `#!/bin/sh\nexec "${process.execPath}" --require "${join(bare, "older.cjs")}" "$@"\n`,
      { mode: 0o755 },
    );
    const old = await run("/bin/sh", [launcher], { cwd: folder, env });
    expect(old).toEqual({
      code: 1,
      stdout: "",
      stderr: `pulumi-resource-docsign: Node 22.19 or newer is needed; 'node' on PATH is v20.20.2 (${process.execPath}); install a newer one from nodejs.org\n`,
    });
  });

  describe.skipIf(missingEngine)(`with an engine ${missingEngine ?? ""}`, () => {
    it("install with `pulumi plugin install --file`, and a program that names no path runs on them", async () => {
      const program = readFileSync(join(root, "examples/quickstart/Pulumi.yaml"), "utf8");
      await using project = await openProject({
        files: {
          "Pulumi.yaml": program.replace(/^plugins:\n(?: .*\n)+/m, ""),
          "contracts/nda.pdf": readFileSync(join(root, "examples/quickstart/contracts/nda.pdf")),
        },
      });
      const file = archive(process.platform === "darwin" ? "darwin" : "linux", goArch);
      await project.pulumi("plugin", "install", "resource", "docsign", version, "--file", file);
      const { stdout } = await project.pulumi("plugin", "ls", "--json");
      expect(JSON.parse(stdout)).toEqual([expect.objectContaining({ name: "docsign", kind: "resource", version })]);

      await project.up();
      expect(project.service.ledger.documents().map(({ name }) => name)).toEqual(["Mutual NDA"]);
      expect(project.mails()).toBe(2);
      expect((await project.resource("nda")).type).toBe("docsign:index:Document");
      await project.pulumi("preview", "--expect-no-changes");
      await project.pulumi("destroy", "--yes", "--skip-preview");
      expect(project.service.ledger.documentCount()).toBe(1);
    });
  });
});
