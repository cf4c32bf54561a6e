// Programs from the Go module proxy, built like the engine is: what the bench measures against, and what the tests run.
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { alone, cacheDirectory } from "./cache.mjs";
import { ask } from "./child.mjs";
import { CURRENT, programsOf } from "./engine.mjs";
import { compileWithGo, once, removeDrafts, requireGo } from "./go.mjs";
import { orMissing, ScriptError, withProgress } from "./progress.mjs";

const TOFU = "github.com/opentofu/opentofu";
const RESTAPI = "github.com/Mastercard/terraform-provider-restapi";
const GATEWAY = "github.com/versity/versitygw";
const suffix = process.platform === "win32" ? ".exe" : "";

/** The rival that the bench measures against: OpenTofu with a generic REST provider. */
const PEERS = [
  {
    program: "tofu",
    package: `${TOFU}/cmd/tofu`,
    version: "1.12.6",
    require: { [TOFU]: "v1.12.6" },
    // Without it a release calls itself a development version.
    flags: `-X ${TOFU}/version.dev=no`,
    // Go honours only the main module's replacements, so OpenTofu's own has to be repeated here.
    replace: "github.com/hashicorp/hcl/v2 v2.20.1 => github.com/opentofu/hcl/v2 v2.20.2-0.20251021132045-587d123c2828",
    usually: "about 5 minutes, once",
  },
  {
    program: "terraform-provider-restapi",
    package: RESTAPI,
    version: "1.20.0",
    require: { [RESTAPI]: "v1.20.0" },
    usually: "about a minute, once",
  },
];

/** A real S3 server for the journal's tests: Versity's gateway over a folder. */
const S3_SERVER = [
  {
    program: "versitygw",
    package: `${GATEWAY}/cmd/versitygw`,
    version: "1.8.0",
    require: { [GATEWAY]: "v1.8.0" },
    usually: "about 2 minutes, once",
  },
];

const [{ require: engine, replace }] = programsOf(CURRENT);
const GO_PROVIDER = "github.com/pulumi/pulumi-go-provider";
const PROVIDERTEST = "github.com/pulumi/providertest";

const JAVA = "github.com/pulumi/pulumi-java/pkg";
/** The language host for Java: it writes the SDK, and runs programs on it. */
const JAVA_HOST = [
  {
    program: "pulumi-language-java",
    package: `${JAVA}/cmd/pulumi-language-java`,
    version: "1.21.2",
    require: { [JAVA]: "v1.21.2" },
    usually: "about 2 minutes, once",
  },
];

/** On the library that Pulumi's command provider is built on. */
const CURL_PROVIDER = {
  program: "pulumi-resource-curl",
  package: ".",
  version: "1.5.0",
  source: "scripts/bench/programs/curl-provider.go",
  require: { [GO_PROVIDER]: "v1.5.0", ...engine },
  replace,
  usually: "about 2 minutes, once",
};

/** Of sources of ours, with the engine's own modules: a build of the engine has compiled most of them. */
const CONFORMANCE = [
  {
    program: "pulumi-resource-notes",
    package: ".",
    version: "1.5.0",
    source: "test/conformance/go-provider/main.go",
    require: { [GO_PROVIDER]: "v1.5.0", ...engine },
    replace,
  },
  {
    program: "providertest",
    package: ".",
    version: "0.3.0",
    source: "test/conformance/providertest/resources_test.go",
    require: { [PROVIDERTEST]: "v0.3.0", ...engine },
    replace,
  },
];

/** `{ tofu, restapi, versions }` */
export async function bringPeers(options) {
  const [tofu, restapi] = await bring("peers", PEERS, options);
  return { tofu, restapi, versions: { opentofu: PEERS[0].version, restapi: PEERS[1].version } };
}

/** The rival that runs curl, for the root of a checkout. */
export async function bringCurlProvider(root, options) {
  const [program] = await bring("curl-provider", [withSource(root, CURL_PROVIDER)], options);
  return program;
}

/** What writes SDKs with the packages of an engine, from a source of ours. */
export async function bringSdkGenerator(root, { source, version }, options) {
  const require = Object.fromEntries(Object.keys(engine).map(module => [module, `v${version}`]));
  const recipe = { program: "sdkgen", package: ".", version, source, require, replace };
  const [program] = await bring("sdkgen", [withSource(root, recipe)], options);
  return program;
}

/** `{ program }`, or `{ missing }` with the reason: without it the rest is still worth testing. */
export const bringS3Server = options =>
  orMissing(async () => {
    const [program] = await bring("s3-server", S3_SERVER, options);
    return { program };
  });

/** `{ binDir }`, or `{ missing }` with the reason. */
export const bringJava = options =>
  orMissing(async () => {
    if (!(await ask("mvn", ["--version"]))) throw new ScriptError("Maven is not on PATH");
    const [program] = await bring("java", JAVA_HOST, options);
    return { binDir: dirname(program) };
  });

/** `{ notes, providertest }`, a provider and a test, or `{ missing }` with the reason. */
export const bringConformance = (root, options) =>
  orMissing(async () => {
    const programs = CONFORMANCE.map(recipe => withSource(root, recipe));
    const [notes, providertest] = await bring("conformance", programs, options);
    return { notes, providertest };
  });

/** A recipe with the text of its source, a file of the checkout. */
const withSource = (root, { source, ...recipe }) => ({
  ...recipe,
  source: { name: basename(source), text: readFileSync(join(root, source), "utf8") },
});

/** The programs' paths: they are built on the first call and found on the next. */
async function bring(folder, programs, { cache = cacheDirectory(), go = requireGo, compile = compileWithGo } = {}) {
  const recipes = programs.map(({ usually, ...recipe }) => recipe);
  const recipe = createHash("sha256").update(JSON.stringify(recipes)).digest("hex").slice(0, 8);
  const home = join(cache, folder, `built-${recipe}-${process.platform}-${process.arch}`);
  const bin = join(home, "bin");
  const paths = programs.map(({ program }) => join(bin, program + suffix));
  const areThere = () => paths.every(path => existsSync(path));
  if (areThere()) return paths;
  const [first] = programs;
  await alone(join(cache, folder, ".lock"), `building ${first.program}`, async () => {
    if (areThere()) return;
    await go({ program: first.program });
    await mkdir(bin, { recursive: true });
    await removeDrafts(home);
    for (const program of programs) {
      await once(bin, program.program + suffix, (output, draft) => {
        const what = `building ${program.program} ${program.version} from source`;
        return withProgress({ what, usually: program.usually }, detail => compile(program, output, draft, detail));
      });
    }
  });
  return paths;
}
