// What every contender starts from: a copy of the build, so that a rebuild meanwhile changes nothing, and an
// environment that knows nothing of this machine's own settings.
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { must } from "../setup/child.mjs";

const programs = fileURLToPath(new URL("programs", import.meta.url));

/** Everything in the folder `home`. Without `typescript`, programs in TypeScript can't be had. */
export async function prepareKit({ root, home, engine, peers, env, typescript = true }) {
  const product = copyProduct(root, join(home, "product"));
  const idle = await buildIdlePlugin(root, join(home, "idle-plugin"));
  const own = {
    ...withoutOurs(env),
    PULUMI_CONFIG_PASSPHRASE: "",
    PULUMI_HOME: join(home, "pulumi-home"),
    PULUMI_SKIP_UPDATE_CHECK: "true",
    DOCSIGN_API_KEY: "bench",
    CHECKPOINT_DISABLE: "1",
    BENCH_SCHEMA: join(root, "schema.json"),
  };
  mkdirSync(own.PULUMI_HOME, { recursive: true });
  const compiled = typescript ? await compilePrograms(root, home, product) : "";
  return {
    env: own,
    node: process.execPath,
    pulumi: engine.pulumi,
    plugin: join(product, "bin"),
    idle,
    peers,
    programs,
    product,
    nodeModules: join(compiled, "node_modules"),
    /** For programs that are JavaScript already. */
    plainPath: [...plainHost(engine, join(home, "plain-host")), own.PATH].join(delimiter),
    /** The text of a program, as written and as compiled. */
    source: name => readFileSync(join(programs, `${name}.ts`), "utf8"),
    compiled: name => readFileSync(join(compiled, "js", `${name}.js`), "utf8"),
  };
}

function copyProduct(root, product) {
  const skipped = /[\\/](\.compile-cache|\.draft-[^\\/]*)$/;
  for (const part of ["dist", "bin", "schema.json", "package.json"])
    cpSync(join(root, part), join(product, part), { recursive: true, filter: path => !skipped.test(path) });
  symlinkSync(join(root, "node_modules"), join(product, "node_modules"));
  return product;
}

/**
 * `typescript: false` in Pulumi.yaml keeps ts-node away from compiled programs. The older host that is built from source
 * doesn't see it, as engines now say it in a way newer than the host; it has a flag for it.
 */
function plainHost({ from, binDir }, folder) {
  if (from !== "build") return [];
  mkdirSync(folder);
  const host = "pulumi-language-nodejs";
  writeFileSync(join(folder, host), `#!/bin/sh\nexec "${join(binDir, host)}" -typescript=false "$@"\n`, {
    mode: 0o755,
  });
  return [folder];
}

async function buildIdlePlugin(root, folder) {
  const { build } = await import("esbuild");
  const outfile = join(folder, "idle-plugin.cjs");
  await build({
    entryPoints: [join(programs, "idle-plugin.mjs")],
    absWorkingDir: root,
    outfile,
    bundle: true,
    platform: "node",
    format: "cjs",
    logLevel: "silent",
  });
  // The name is what the engine looks for: to it, this is our plugin.
  writeFileSync(
    join(folder, "pulumi-resource-docsign"),
    `#!/bin/sh\nNODE_COMPILE_CACHE="${folder}/cache" exec "${process.execPath}" "${outfile}" "$@"\n`,
    { mode: 0o755 },
  );
  return folder;
}

async function compilePrograms(root, home, product) {
  const folder = join(home, "programs");
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@pulumi"), { recursive: true });
  mkdirSync(join(modules, "@types"), { recursive: true });
  for (const name of ["@pulumi/pulumi", "@types/node", "typescript"])
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  symlinkSync(product, join(modules, "pulumi-docsign"));
  cpSync(programs, folder, { recursive: true, filter: path => !/\.(tf|mjs|go)$/.test(path) });
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(TSCONFIG));
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const args = [tsc, "-p", folder, "--outDir", join(folder, "js")];
  await must(process.execPath, args, { cwd: folder, what: "compiling the bench's programs" });
  return folder;
}

/** What `pulumi new typescript` writes. */
export const TSCONFIG = {
  compilerOptions: {
    strict: true,
    outDir: "bin",
    target: "es2020",
    module: "commonjs",
    moduleResolution: "node",
    sourceMap: true,
    experimentalDecorators: true,
    pretty: true,
    noFallthroughCasesInSwitch: true,
    noImplicitReturns: true,
    forceConsistentCasingInFileNames: true,
    ignoreDeprecations: "6.0",
    skipLibCheck: true,
    types: ["node"],
  },
};

function withoutOurs(env) {
  const foreign = Object.entries(env).filter(
    ([name]) => !/^(DOCSIGN|PULUMI|TF_|NODE_OPTIONS|NODE_COMPILE_CACHE|npm_)/.test(name),
  );
  return Object.fromEntries(foreign);
}
