import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "../support/engine/child.js";
import { environment, root } from "../support/engine/found.js";
import { missingFor } from "../support/engine/languages.js";
import { copySdk } from "../support/engine/sdks.js";

/** That programs run on them is in test/engine: the same life of a contract in each language. */

const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
const REPOSITORY = "https://github.com/pulumi-docsign/pulumi-docsign";
const missing = missingFor("go");
const { DOCSIGN_TEST_JAVA, DOCSIGN_TEST_JAVA_MISSING } = process.env;
const missingJava = DOCSIGN_TEST_JAVA ? undefined : (DOCSIGN_TEST_JAVA_MISSING ?? "without a language host");

describe.skipIf(missing)(`the generated SDKs as packages ${missing ?? ""}`, () => {
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "docsign-sdks-"));
    for (const language of ["nodejs", "python", "go"] as const) copySdk(language, join(folder, language));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const must = async (command: string, args: string[], cwd: string): Promise<string> => {
    const { code, stdout, stderr } = await run(command, args, { cwd, env: environment() });
    if (code !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`);
    return stdout;
  };

  it("each carry a README that says how to get the plugin", () => {
    for (const language of ["nodejs", "python", "go"]) {
      expect(readFileSync(join(folder, language, "README.md"), "utf8")).toContain(
        `pulumi plugin install resource docsign ${version} --file pulumi-resource-docsign-v${version}-<os>-<arch>.tar.gz`,
      );
    }
  });

  it("Node: JavaScript and its types, with nothing to build, and a strict program compiles against it", async () => {
    const sdk = join(folder, "nodejs");
    expect(JSON.parse(readFileSync(join(sdk, "package.json"), "utf8"))).toEqual({
      name: "pulumi-docsign",
      version,
      description: expect.any(String),
      keywords: expect.any(Array),
      license: "Apache-2.0",
      homepage: REPOSITORY,
      repository: REPOSITORY,
      dependencies: { "@pulumi/pulumi": expect.stringMatching(/^\^3\./) },
      main: "index.js",
      types: "index.d.ts",
    });
    const files = readdirSync(sdk, { recursive: true, encoding: "utf8" });
    expect(
      files.filter(name => /\.[^/]+$/.test(name) && !/(\.js|\.d\.ts|README\.md|package\.json)$/.test(name)),
    ).toEqual([]);
    const program = join(folder, "program");
    const modules = join(program, "node_modules");
    mkdirSync(join(modules, "@types"), { recursive: true });
    for (const name of ["@pulumi", "@types/node"]) symlinkSync(join(root, "node_modules", name), join(modules, name));
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    symlinkSync(sdk, join(modules, "pulumi-docsign"));
    writeFileSync(
      join(program, "index.ts"),
      `import * as docsign from "pulumi-docsign";
       const nda = new docsign.Document("nda", { name: "NDA", base64File: "", invitations: [{ email: "ana@example.com" }] });
       export const status: import("@pulumi/pulumi").Output<string> = nda.status;
       // @ts-expect-error
       new docsign.Folder("unnamed", {});`,
    );
    const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--types", "node", "--skipLibCheck", "index.ts"];
    await must(process.execPath, [tsc, ...options], program);
  });

  it("Go: a module named as the schema says, asking for the engine's SDK and no more", () => {
    expect(readFileSync(join(folder, "go", "go.mod"), "utf8")).toMatch(
      /^module github\.com\/pulumi-docsign\/pulumi-docsign\/sdk\/go\n\ngo 1\.25\n\nrequire github\.com\/pulumi\/pulumi\/sdk\/v3 v3\.\d+\.\d+\n$/,
    );
    expect(readdirSync(join(folder, "go")).sort()).toEqual([".gitattributes", "README.md", "docsign", "go.mod"]);
  });

  it("Python: a project pip knows by name, version and README", () => {
    const project = readFileSync(join(folder, "python", "pyproject.toml"), "utf8");
    for (const line of ['name = "pulumi_docsign"', `version = "${version}"`, 'readme = "README.md"'])
      expect(project).toContain(`\n  ${line}\n`);
  });
});

describe.skipIf(missingJava)(`the SDK for Java ${missingJava ?? ""}`, () => {
  it("is a project for Maven, with the files that programs and the engine read at run time", async () => {
    const generate = [join(root, "scripts", "sdks.mjs"), "java"];
    const { code, stdout, stderr } = await run(process.execPath, generate, { cwd: root, env: environment() });
    expect(code, stdout + stderr).toBe(0);
    const sdk = join(root, "dist", "sdks", "java");
    expect(readdirSync(sdk).sort()).toEqual([".gitattributes", "README.md", "pom.xml", "src"]);
    const pom = readFileSync(join(sdk, "pom.xml"), "utf8");
    expect(pom).toContain(
      `  <groupId>io.github.pulumi-docsign</groupId>\n  <artifactId>docsign</artifactId>\n  <version>${version}</version>\n`,
    );
    expect(pom).toMatch(/<dependency><groupId>com\.pulumi<\/groupId><artifactId>pulumi<\/artifactId>/);
    // Without the first every program ends at once, and without the second `pulumi install` brings no plugin.
    const resource = (path: string) => readFileSync(join(sdk, "src", "main", "resources", "com", path), "utf8");
    expect(resource("pulumidocsign/docsign/version.txt")).toBe(version);
    expect(JSON.parse(resource("pulumi/docsign/plugin.json"))).toEqual({
      resource: true,
      name: "docsign",
      version,
      server: "github://api.github.com/pulumi-docsign/pulumi-docsign",
    });
  });
});
