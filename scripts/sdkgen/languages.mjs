// What makes of generated files a package its language can install, and how that package is compiled to be sure of it.
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ask, must } from "../setup/child.mjs";
import { CURRENT } from "../setup/engine.mjs";
import { goEnvironment } from "../setup/go.mjs";

const root = join(import.meta.dirname, "..", "..");

/** Maven Central gives a group to the GitHub organisation of this name. */
export const MAVEN_GROUP = "io.github.pulumi-docsign";

/** Both call the engine's own generators. Later releases of its packages don't hold the one for .NET. */
const GENERATOR = { source: "scripts/sdkgen/sdkgen.go", version: CURRENT };
const DOTNET_GENERATOR = { source: "scripts/sdkgen/dotnet.go", version: "3.130.0" };

/**
 * Per language: a generator for where no language host has one, `finish(directory, schema)` after
 * generating, and `compile(directory)` in a copy, which leaves files behind; it gives the program that is missing for it, if one is.
 */
export const LANGUAGES = {
  nodejs: { generator: GENERATOR, finish: compileTypeScript, compile: async () => undefined },
  python: { generator: GENERATOR, finish: async () => {}, compile: compilePython },
  go: { generator: GENERATOR, finish: becomeModule, compile: vetGo },
  java: { finish: becomeMavenProject, compile: compileJava },
  dotnet: { generator: DOTNET_GENERATOR, finish: async () => {}, compile: compileDotnet },
};

/** Leaves what Pulumi's own npm packages hold: JavaScript, its declarations and package.json. */
async function compileTypeScript(directory) {
  const sources = `${directory}-sources`;
  await cp(directory, sources, { recursive: true });
  await rm(directory, { recursive: true });
  const tsc = join(root, "node_modules", "typescript-7", "bin", "tsc");
  const options = ["--outDir", directory, "--rootDir", sources, "--sourceMap", "false", "--declarationMap", "false"];
  await must(process.execPath, [tsc, "-p", sources, ...options], { what: "compiling the SDK for nodejs" });
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
  await writeFile(
    join(directory, "go.mod"),
    `module ${module}\n\ngo 1.25\n\nrequire github.com/pulumi/pulumi/sdk/v3 v${CURRENT}\n`,
  );
}

/**
 * The generator writes a build for Gradle; Maven is what more machines have, and a repository of Maven's serves both. What the build
 * for Gradle adds when it runs is here already. No program starts without version.txt; `pulumi install` finds plugin.json in
 * com/pulumi alone, whatever the package.
 */
async function becomeMavenProject(directory, schema) {
  const { name, version, description, repository, pluginDownloadURL: server, language } = schema;
  const gradle = await readFile(join(directory, "build.gradle"), "utf8");
  const dependencies = [...gradle.matchAll(/implementation\("(.+):(.+):(.+)"\)/g)].map(
    ([, group, artifact, number]) =>
      `    <dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${number}</version></dependency>`,
  );
  for (const file of ["build.gradle", "settings.gradle"]) await rm(join(directory, file), { force: true });
  const pom = `<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>${MAVEN_GROUP}</groupId>
  <artifactId>${name}</artifactId>
  <version>${version}</version>
  <name>${name}</name>
  <description>${description.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</description>
  <url>${repository}</url>
  <licenses><license><name>Apache-2.0</name><url>https://www.apache.org/licenses/LICENSE-2.0.txt</url></license></licenses>
  <developers><developer><name>pulumi-docsign</name><url>${repository}</url></developer></developers>
  <scm><connection>scm:git:${repository}.git</connection><url>${repository}</url></scm>
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
  const resources = join(directory, "src", "main", "resources");
  const write = async (folder, file, text) => {
    await mkdir(join(resources, ...folder), { recursive: true });
    await writeFile(join(resources, ...folder, file), text);
  };
  await write([...language.java.basePackage.split("."), name], "version.txt", version);
  await write(["com", "pulumi", name], "plugin.json", JSON.stringify({ resource: true, name, version, server }));
}

async function compilePython(directory) {
  await must("python3", ["-m", "compileall", "-q", directory]);
}

async function vetGo(directory) {
  await must("go", ["vet", "./..."], { cwd: directory, env: goEnvironment() });
}

async function compileJava(directory) {
  if (!(await ask("mvn", ["--version"]))) return "mvn";
  await must("mvn", ["-q", "-B", "compile"], { cwd: directory });
}

async function compileDotnet(directory) {
  if (!(await ask("dotnet", ["--version"]))) return "dotnet";
  await must("dotnet", ["build", "--nologo", "-v", "quiet"], { cwd: directory });
}
