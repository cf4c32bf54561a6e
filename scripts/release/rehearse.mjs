// npm run release -- --rehearse: what a release publishes goes to registries on this machine, and in empty homes that know
// no others of ours, the published page on installation is followed word by word, in each language.
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { startService } from "../demo/service.mjs";
import { ask, must } from "../setup/child.mjs";
import { ScriptError } from "../setup/progress.mjs";
import { ready, root } from "../setup.mjs";
import { becomeNext, copyOf, forgetModule, publish } from "./packages.mjs";
import { startRegistries } from "./registries.mjs";

const PAGE = "docs/installation-configuration.md";
/** Where the page's templates are, once they are published. */
const PUBLISHED = "https://github.com/pulumi-docsign/pulumi-docsign/tree/main";

const VENV = "venv";
/** By the page's heading: whether it takes Node on PATH. */
const LANGUAGES = { YAML: false, TypeScript: true, Python: false, Go: false, Java: false };

/** Publishes this version and one after it, and follows the page with both; `say` is told each step. */
export async function rehearse(say) {
  const tools = await ready({
    dependencies: true,
    build: true,
    engine: "needed",
    python: true,
    sdks: true,
    java: true,
  });
  for (const { missing } of [tools.python, tools.sdks]) if (missing) throw new ScriptError(missing);
  const folder = await mkdtemp(join(tmpdir(), "docsign rehearsal-"));
  const modules = await ask("go", ["env", "GOMODCACHE"], { timeout: 0 });
  const upstream = await ask("npm", ["config", "get", "registry"], { timeout: 0 });
  if (!upstream) throw new ScriptError("`npm config get registry` names no registry, and dependencies come from there");
  try {
    await using registries = await startRegistries(join(folder, "registries"), upstream);
    const publisher = await home(join(folder, "publisher"), registries, tools, process.env.PATH.split(delimiter));
    await writeFile(
      publisher.npm_config_userconfig,
      `${registries.url.slice("http:".length)}/npm/:_authToken=rehearsal\n`,
    );
    const python = join(tools.python.binDir, "python");
    const give = checkout =>
      publish(checkout, registries, { python, needs: tools.python.needs, java: tools.java, env: publisher });

    const copy = await copyOf(root, join(folder, "copy"));
    say("publish this version");
    const versions = [await give(copy)];
    const languages = [];
    await using _ = { [Symbol.asyncDispose]: () => Promise.all(languages.map(each => each.service?.stop())) };
    const rehearsed = Object.keys(LANGUAGES).filter(name => name !== "Java" || !tools.java.missing);
    for (const name of rehearsed) {
      await forgetModule(modules);
      const rehearsal = new Rehearsal(name, say);
      languages.push(rehearsal);
      await rehearsal.begin({ folder, registries, tools });
    }
    say("publish the next version");
    await becomeNext(copy);
    versions.push(await give(copy));
    for (const each of languages) await each.goOn(versions[1]);
    return await report(registries, versions, languages, tools.java.missing);
  } finally {
    await forgetModule(modules);
    await rm(folder, { recursive: true, force: true });
  }
}

/** One language's way, from an empty home to a signed contract, and to the next version. */
class Rehearsal {
  steps = [];

  async begin({ folder, registries, tools }) {
    const own = join(folder, this.name);
    const path = LANGUAGES[this.name]
      ? [dirname(tools.node), await everythingBut(/^(node|pulumi.*)$/, own)]
      : [await everythingBut(/^(node|npm|npx|corepack|pulumi.*)$/, own)];
    this.cwd = join(own, "my contracts");
    const pythons = [join(this.cwd, VENV, "bin"), await realPython(tools.python.binDir)];
    this.env = await home(own, registries, tools, [...pythons, ...path]);
    await mkdir(this.cwd);
    this.service = await startSandbox(own, registries, tools);
    Object.assign(this.env, { DOCSIGN_BASE_URL: this.service.url, DOCSIGN_API_KEY: this.service.apiKey });
    await this.#first();
  }

  constructor(name, say) {
    this.name = name;
    this.say = say;
  }

  async #first() {
    const [before, after] = await commandsBelow("A first contract");
    for (const command of (await commandsBelow(this.name)).flat()) await this.run(command);
    await this.#installAsHostsDo();
    for (const command of before) await this.run(command);
    this.expect("mailed", await this.#mailed(), ["ana@example.com"]);
    const { documentId } = await this.#outputs();
    for (const who of ["ana@example.com", "bob@example.org"])
      await this.service.act("sign", { documentId: Number(documentId), who });
    await this.service.act("certify", { documentId: Number(documentId) });
    for (const command of after) await this.run(command);
    const outputs = await this.#outputs();
    this.expect("status", outputs.status, "signed");
    const certificate = await this.service.download(outputs.btcCertificate);
    this.expect("certificate's answer", certificate.status, 200);
    this.documentId = documentId;
  }

  /** The host that set-up builds from source is older than the engine: it installs nothing, and takes the first Python on PATH. */
  async #installAsHostsDo() {
    if (this.name !== "Python" || existsSync(join(this.cwd, VENV))) return;
    for (const command of [`python3 -m venv ${VENV}`, `${VENV}/bin/pip install --quiet -r requirements.txt`])
      await this.run(command);
  }

  /** The next version finds what the first one made; then all of it is taken down. */
  async goOn(version) {
    const lines = (await commandsBelow("Upgrading")).flat().filter(line => line.endsWith(`# ${this.name}`));
    for (const line of lines) await this.run(line.replace(/\d+\.\d+\.\d+/, version));
    await this.run("pulumi up --yes");
    this.expect("mailed", await this.#mailed(), ["ana@example.com", "bob@example.org"]);
    this.expect("document", (await this.#outputs()).documentId, this.documentId);
    // A program in YAML names no version: it takes the newest that is installed.
    const { deployment } = await this.#json("export");
    const used = deployment.resources.find(({ type }) => type === "pulumi:providers:docsign");
    if (this.name !== "YAML") this.expect("the provider's version", used?.inputs.version, version);
    await this.run("pulumi destroy --yes --remove");
    await this.run("pulumi plugin rm --all --yes");
  }

  async run(command) {
    const began = performance.now();
    this.say(`${this.name}: ${command}`);
    const text = await must("sh", ["-c", this.#asAnswered(command)], { cwd: this.cwd, env: this.env });
    this.steps.push({ command, seconds: (performance.now() - began) / 1000 });
    return text;
  }

  /** With what a person is asked, and the folder that will be behind the address. */
  #asAnswered(command) {
    if (!command.startsWith("pulumi new ")) return command;
    const { url, apiKey } = this.service;
    const answers = `--yes --name my-contracts --stack dev -c docsign:baseUrl=${url} -c docsign:apiKey=${apiKey}`;
    return `${command.replace(`${PUBLISHED}/`, `${root}/`)} ${answers}`;
  }

  #outputs = () => this.#json("output", "--json");

  async #json(...args) {
    return JSON.parse(await ask("pulumi", ["stack", ...args], { cwd: this.cwd, env: this.env, timeout: 0 }));
  }

  async #mailed() {
    return (await this.service.see("mails")).map(({ to }) => to);
  }

  expect(what, actual, expected) {
    const [is, should] = [actual, expected].map(value => JSON.stringify(value));
    if (is !== should) throw new ScriptError(`${this.name}: ${what}: expected ${should}, got ${is}`);
  }
}

/** The sandbox of the published npm package, as the page on it says. */
async function startSandbox(folder, registries, tools) {
  const project = join(folder, "sandbox");
  // npm installs into the nearest folder above that has packages, so this one gets a place for them.
  await mkdir(join(project, "node_modules"), { recursive: true });
  const env = await home(join(folder, "sandbox home"), registries, tools, [
    dirname(tools.node),
    ...process.env.PATH.split(delimiter),
  ]);
  await must("npm", ["install", "--loglevel=error", "pulumi-docsign"], { cwd: project, env });
  return startService({ root: join(project, "node_modules", "pulumi-docsign"), node: tools.node, keep: false });
}

/** An environment in which nothing was ever installed, and our packages come from these registries alone. */
async function home(folder, { url }, { engine, java }, path) {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(DOCSIGN|PULUMI|VITEST|NODE_OPTIONS|npm_|VIRTUAL_ENV|PIP_NO_INDEX)/.test(name),
  );
  const state = join(folder, "state");
  await mkdir(state, { recursive: true });
  await mkdir(join(folder, ".m2"), { recursive: true });
  await writeFile(join(folder, ".m2", "settings.xml"), mavenSettings(url));
  const proxy = await ask("go", ["env", "GOPROXY"], { timeout: 0 });
  const caches = JSON.parse(await ask("go", ["env", "-json", "GOMODCACHE", "GOCACHE"], { timeout: 0 }));
  return {
    ...Object.fromEntries(kept),
    ...caches,
    HOME: folder,
    PATH: [engine.binDir, java.binDir, ...path].filter(Boolean).join(delimiter),
    // Java asks the system for the home, whatever HOME says.
    JDK_JAVA_OPTIONS: `"-Duser.home=${folder}"`,
    PULUMI_BACKEND_URL: `file://${state}`,
    PULUMI_CONFIG_PASSPHRASE: "",
    PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES: `docsign=${url}/plugins`,
    PULUMI_SKIP_CONFIRMATIONS: "true",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PIP_EXTRA_INDEX_URL: `${url}/simple/`,
    GOPROXY: `${url}/modules,${proxy}`,
    GONOSUMDB: "github.com/pulumi-docsign",
    GOFLAGS: "",
    npm_config_registry: `${url}/npm/`,
    npm_config_userconfig: join(folder, ".npmrc"),
    NO_COLOR: "1",
  };
}

const mavenSettings = url => `<settings>
  <profiles>
    <profile>
      <id>rehearsal</id>
      <repositories><repository><id>rehearsal</id><url>${url}/maven</url></repository></repositories>
    </profile>
  </profiles>
  <activeProfiles><activeProfile>rehearsal</activeProfile></activeProfiles>
</settings>
`;

/** Not one that looks itself up on PATH. */
const realPython = async binDir =>
  dirname(await must(join(binDir, "python"), ["-c", "import os, sys; print(os.path.realpath(sys._base_executable))"]));

/** A folder with all that PATH has, but for programs of these names. */
async function everythingBut(names, folder) {
  const bin = join(folder, "bin");
  await mkdir(bin, { recursive: true });
  for (const directory of process.env.PATH.split(delimiter))
    for (const name of await readdir(directory).catch(() => []))
      if (!names.test(name)) await symlink(join(directory, name), join(bin, name)).catch(() => undefined);
  return bin;
}

/** The page's shell commands below a heading, block by block. */
async function commandsBelow(heading) {
  const page = await readFile(join(root, PAGE), "utf8");
  const [, section] = page.split(new RegExp(`^#+ ${heading}$`, "m"));
  if (section === undefined) throw new ScriptError(`${PAGE} has no heading "${heading}"`);
  const [text] = section.split(/^#+ /m);
  return [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block.trim().split("\n"));
}

/** Sizes, times, what came from where, and the licences of what is bundled or brought. */
async function report({ folder, taken }, versions, languages, withoutJava) {
  const files = await Promise.all(
    [...taken].sort().map(async ([path, times]) => ({ path, times, bytes: (await stat(join(folder, path))).size })),
  );
  const table = (head, rows) =>
    [head, head.map(() => "---"), ...rows].map(cells => `| ${cells.join(" | ")} |`).join("\n");
  const megabytes = bytes => `${(bytes / 1_000_000).toFixed(2)} MB`;
  return `# Rehearsal of ${versions.join(", then ")}

## What was installed

${table(
  ["file", "size", "times taken"],
  files.map(({ path, times, bytes }) => [path, megabytes(bytes), times]),
)}

## What was run

${languages
  .map(
    ({ name, steps }) =>
      `### ${name}\n\n${table(
        ["command", "seconds"],
        steps.map(({ command, seconds }) => [`\`${command}\``, seconds.toFixed(1)]),
      )}`,
  )
  .join("\n\n")}${withoutJava ? `\n\nNot in Java: ${withoutJava}` : ""}

## Licences

${table(["licence", "packages"], await licences())}
`;
}

/** Of what npm installs with the package, and of what the plugin's and the sandbox's bundles name in their source maps. */
async function licences() {
  const { packages } = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8"));
  const bundled = new Set();
  const dist = join(root, "dist");
  for (const name of await readdir(dist, { recursive: true })) {
    if (!name.endsWith(".cjs.map")) continue;
    const { sources } = JSON.parse(await readFile(join(dist, name), "utf8"));
    for (const source of sources) bundled.add(/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(source)?.[0]);
  }
  const by = new Map();
  for (const [path, { dev, license = "none stated", link }] of Object.entries(packages))
    if (path !== "" && !link && (!dev || bundled.has(path)))
      by.set(license, [...(by.get(license) ?? []), path.replace(/^.*node_modules\//, "")]);
  return [...by].sort().map(([license, names]) => [license, [...new Set(names)].sort().join(", ")]);
}
