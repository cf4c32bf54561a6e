import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openProject } from "../sdk/support/project.js";
import { run } from "../support/engine/child.js";
import { environment, machine, missingEngine, root } from "../support/engine/found.js";

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

/** All platforms' take minutes and 700 MB; the workflow makes them. */
const made = () => must(process.execPath, [join(root, "scripts", "archives.mjs"), "--here"]);
const mine = archive(process.platform === "win32" ? "windows" : process.platform, goArch);

describe("the plugin's archive for this machine", () => {
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "docsign archives-"));
    await made();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("has the name the engine asks for, and its sum", () => {
    const file = mine.slice(archives.length + 1);
    expect(readdirSync(archives).sort()).toEqual(["SHA256SUMS", file]);
    const sum = createHash("sha256").update(readFileSync(mine)).digest("hex");
    expect(readFileSync(join(archives, "SHA256SUMS"), "utf8")).toBe(`${sum}  ${file}\n`);
  });

  it("is the same bytes when it is made again", async () => {
    const before = readFileSync(join(archives, "SHA256SUMS"), "utf8");
    await made();
    expect(readFileSync(join(archives, "SHA256SUMS"), "utf8")).toBe(before);
  });

  it.skipIf(missingEngine)("sends, reads and guards a contract, installed as users install it", async () => {
    const said = await must(process.execPath, [join(root, "scripts", "packaging", "smoke.mjs")]);
    expect(said).toContain("ok  status: signed\n");
    expect(said).toContain("ok  a changed contract is refused: true\n");
  });

  it("holds one executable and licenses, and nothing of the machine that made them", async () => {
    const listed = await must("tar", ["--numeric-owner", "-tvzf", mine]);
    const rows = listed
      .trimEnd()
      .split("\n")
      .map(row => row.trim().split(/\s+/));
    expect(rows.map(([mode, owner, , day, , name]) => [mode, owner, day, name].join(" "))).toEqual([
      "-rw-r--r-- 0/0 1970-01-01 LICENSE",
      "-rw-r--r-- 0/0 1970-01-01 licenses/constancia.txt",
      "-rw-r--r-- 0/0 1970-01-01 licenses/fonts.txt",
      "-rw-r--r-- 0/0 1970-01-01 licenses/http.txt",
      "-rw-r--r-- 0/0 1970-01-01 licenses/node.txt",
      "-rw-r--r-- 0/0 1970-01-01 licenses/s3.txt",
      "-rwxr-xr-x 0/0 1970-01-01 pulumi-resource-docsign",
    ]);
  });

  it("runs with nothing on PATH, from a folder with a space", async () => {
    await must("tar", ["-xzf", mine, "-C", folder]);
    const answer = await run(join(folder, "pulumi-resource-docsign"), ["--version"], {
      cwd: folder,
      env: { PATH: folder },
    });
    expect(answer).toEqual({ code: 0, stdout: `pulumi-resource-docsign ${version}\n`, stderr: "" });
  });

  describe.skipIf(missingEngine)(`with an engine ${missingEngine ?? ""}`, () => {
    it("installs with `pulumi plugin install --file`, and runs a program without Node on PATH, a template and its fonts too", async () => {
      const program = readFileSync(join(root, "examples/quickstart/Pulumi.yaml"), "utf8");
      const rendered = `resources:
  rendered:
    type: docsign:Document
    properties:
      name: Rendered
      invitations: [{ email: ana@example.com }]
      template: { "fn::stringAsset": "# Contract\\n\\nBetween {{company}} and Ana." }
      variables: { company: Acme }`;
      await using project = await openProject({
        files: {
          "Pulumi.yaml": program.replace(/^plugins:\n(?: .*\n)+/m, "").replace(/^resources:/m, rendered),
          "contracts/nda.pdf": readFileSync(join(root, "examples/quickstart/contracts/nda.pdf")),
        },
      });
      project.set("PATH", machine.engine);
      await project.pulumi("plugin", "install", "resource", "docsign", version, "--file", mine);
      const { stdout } = await project.pulumi("plugin", "ls", "--json");
      expect(JSON.parse(stdout)).toEqual([expect.objectContaining({ name: "docsign", kind: "resource", version })]);

      await project.up();
      expect(
        project.service.ledger
          .documents()
          .map(({ name }) => name)
          .sort(),
      ).toEqual(["Mutual NDA", "Rendered"]);
      expect(project.mails()).toBe(3);
      expect((await project.resource("nda")).type).toBe("docsign:index:Document");
      await project.pulumi("preview", "--expect-no-changes");
      await project.pulumi("destroy", "--yes", "--skip-preview");
      expect(project.service.ledger.documentCount()).toBe(2);
    });
  });
});
