// What makes of generated files a package its language can install, and how that package is compiled to be sure of it.
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ask, run } from "../setup/child.mjs";
import { ScriptError } from "../setup/errors.mjs";
import { goEnvironment } from "../setup/go.mjs";

const here = import.meta.dirname;
const root = join(here, "..", "..");

/**
 * Per language: the Go module with its generator, `finish(directory, schema)` after generating, and `compile(directory)`
 * in a copy, which leaves files behind; it gives the program that is missing for it, if one is.
 */
export const LANGUAGES = {
  nodejs: { generator: here, finish: compileTypeScript, compile: async () => undefined },
  python: { generator: here, finish: async () => {}, compile: compilePython },
  go: { generator: here, finish: becomeModule, compile: vetGo },
  java: { generator: join(here, "java"), finish: addPom, compile: compileJava },
  dotnet: { generator: join(here, "dotnet"), finish: async () => {}, compile: compileDotnet },
};

/** Leaves what Pulumi's own npm packages hold: JavaScript, its declarations and package.json. */
async function compileTypeScript(directory) {
  const sources = `${directory}-sources`;
  await cp(directory, sources, { recursive: true });
  await rm(directory, { recursive: true });
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const options = ["--outDir", directory, "--rootDir", sources, "--sourceMap", "false", "--declarationMap", "false"];
  await must("compiling the SDK for nodejs", process.execPath, [tsc, "-p", sources, ...options]);
  // npm would install a linked folder's development dependencies too, and nothing is left to build. The engine would
  // install the plugin for every program that has the package, with dynamic resources alone too: resources name it as well.
  const { scripts, devDependencies, pulumi, ...manifest } = JSON.parse(
    await readFile(join(sources, "package.json"), "utf8"),
  );
  const finished = { ...manifest, main: "index.js", types: "index.d.ts" };
  await writeFile(join(directory, "package.json"), `${JSON.stringify(finished, null, 2)}\n`);
  await rm(sources, { recursive: true });
}

async function becomeModule(directory, { language }) {
  const module = language.go.importBasePath.replace(/\/[^/]+$/, "");
  const mod = await readFile(join(here, "go.mod"), "utf8");
  const [, version] = /pulumi\/pkg\/v3 (v\S+)/.exec(mod) ?? [];
  await writeFile(
    join(directory, "go.mod"),
    `module ${module}\n\ngo 1.25\n\nrequire github.com/pulumi/pulumi/sdk/v3 ${version}\n`,
  );
}

/** The generator writes a build for Gradle; Maven is what more machines have. */
async function addPom(directory, { version }) {
  const gradle = await readFile(join(directory, "build.gradle"), "utf8");
  const [, group] = /groupId = "(.+)"/.exec(gradle);
  const [, artifact] = /artifactId = "(.+)"/.exec(gradle);
  const dependencies = [...gradle.matchAll(/implementation\("(.+):(.+):(.+)"\)/g)].map(
    ([, g, a, v]) =>
      `    <dependency><groupId>${g}</groupId><artifactId>${a}</artifactId><version>${v}</version></dependency>`,
  );
  const pom = `<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>${group}</groupId>
  <artifactId>${artifact}</artifactId>
  <version>${version}</version>
  <properties>
    <maven.compiler.source>11</maven.compiler.source>
    <maven.compiler.target>11</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
${dependencies.join("\n")}
  </dependencies>
</project>
`;
  await writeFile(join(directory, "pom.xml"), pom);
}

async function compilePython(directory) {
  await must("compiling the SDK for python", "python3", ["-m", "compileall", "-q", directory]);
}

async function vetGo(directory) {
  await must("checking the SDK for go", "go", ["vet", "./..."], { cwd: directory, env: goEnvironment() });
}

async function compileJava(directory) {
  if (!(await ask("mvn", ["--version"]))) return "mvn";
  await must("compiling the SDK for java", "mvn", ["-q", "-B", "compile"], { cwd: directory });
}

async function compileDotnet(directory) {
  if (!(await ask("dotnet", ["--version"]))) return "dotnet";
  await must("compiling the SDK for dotnet", "dotnet", ["build", "--nologo", "-v", "quiet"], { cwd: directory });
}

export async function must(what, command, args, options) {
  const { code, last } = await run(command, args, options).catch(error => ({ code: 1, last: [error.message] }));
  if (code !== 0) throw new ScriptError(`${what} failed:\n${last.join("\n")}`);
}
