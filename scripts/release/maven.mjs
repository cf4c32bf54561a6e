// node scripts/release/maven.mjs: the SDK for Java as a repository of Maven's has it, in dist/maven.
import { cp, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { MAVEN_GROUP } from "../sdkgen/languages.mjs";
import { must } from "../setup/child.mjs";

/** What Maven Central wants beside the jar. */
const SOURCES = "org.apache.maven.plugins:maven-source-plugin:3.3.1:jar-no-fork";
const JAVADOC = "org.apache.maven.plugins:maven-javadoc-plugin:3.11.2:jar";

/** Puts the jars and the pom into the folders of their group and version. */
export async function mavenPackage(sources, folder, options) {
  const build = await mkdtemp(join(tmpdir(), "docsign-maven-"));
  try {
    await cp(sources, build, { recursive: true });
    const args = ["--quiet", "--batch-mode", "-Ddoclint=none", "package", SOURCES, JAVADOC];
    await must("mvn", args, { ...options, cwd: build });
    const jars = (await readdir(join(build, "target"))).filter(name => name.endsWith(".jar"));
    const [, name, artifact, version] = jars.map(jar => /^((.+)-(\d+\.\d+\.\d+))\.jar$/.exec(jar)).find(Boolean);
    const target = join(folder, ...MAVEN_GROUP.split("."), artifact, version);
    await mkdir(target, { recursive: true });
    for (const jar of jars) await cp(join(build, "target", jar), join(target, jar));
    await cp(join(build, "pom.xml"), join(target, `${name}.pom`));
  } finally {
    await rm(build, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const dist = join(import.meta.dirname, "..", "..", "dist");
  await mavenPackage(join(dist, "sdks", "java"), join(dist, "maven"));
}
