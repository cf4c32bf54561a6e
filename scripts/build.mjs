// npm run build: bundles into dist/. `--types` adds the declarations (tsc, slower), which a packed package needs.

import { existsSync } from "node:fs";
import { copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, posix, relative } from "node:path";
import { wantedStamp, withBuildLock } from "./setup/build.mjs";
import { must } from "./setup/child.mjs";
import { OLDEST_NODE } from "./setup/node.mjs";
import { exitWith, ScriptError } from "./setup/progress.mjs";
import { readFlags } from "./setup/usage.mjs";
import { atLeast } from "./setup/version.mjs";
import { ready, root } from "./setup.mjs";

const dist = join(root, "dist");
/** Where esbuild and what is bundled are installed: `prepare` has a folder of its own for a clone without them. */
const packages = process.env.DOCSIGN_BUNDLER ?? join(root, "node_modules");

const PULUMI = ["@pulumi/pulumi", "@pulumi/pulumi/*"];

/**
 * What is bundled, and what a bundle leaves to its user's node_modules. `lazily`: what it imports when it is first used stays
 * in its own bundle.
 */
const BUNDLES = [
  // Started for every preview and every `up`: fewer bytes are read and kept sooner.
  { entry: "provider/main.ts", out: "plugin.cjs", brief: true, map: true, checked: true, lazily: true },
  { entry: "scripts/bundling/undici.cjs", out: "http.cjs", brief: true },
  { entry: "provider/resources/journal/postgres-table.ts", out: "journal/postgres.cjs", brief: true },
  { entry: "provider/limits/postgres-limit.ts", out: "journal/limit.cjs", brief: true },
  { entry: "provider/resources/journal/s3-log.ts", out: "journal/s3.cjs", brief: true },
  // What lives in a process of Pulumi's has no map: its SDK maps the stack of any error there, and reading a map of a
  // megabyte takes a third of a second.
  // Both stay beside the user's own Pulumi SDK; the heavy half is loaded by the light one when it is needed.
  { entry: "sdk/index.ts", out: "sdk/index.cjs", external: PULUMI, lazily: true },
  { entry: "sdk/runtime.ts", out: "sdk/runtime.cjs", external: PULUMI, lazily: true },
  { entry: "sdk/templates/index.ts", out: "templates/index.cjs", external: ["@pulumi/pulumi"], lazily: true },
  // What renders templates, with its libraries: read by the first template, and never without one.
  { entry: "sdk/templates/render.ts", out: "templates/render.cjs", brief: true },
  { entry: "sdk/templates/render-thread.ts", out: "templates/render-thread.cjs", brief: true, lazily: true },
  // What reads constancias, with its libraries: read by the first one, and never without one.
  { entry: "provider/evidence/constancia.ts", out: "evidence/constancia.cjs", brief: true },
  { entry: "sdk/evidence/index.ts", out: "evidence/index.cjs", external: PULUMI, lazily: true },
  { entry: "commands/cli/main.ts", out: "docsign/cli.cjs", external: PULUMI, lazily: true },
  { entry: "commands/gate-status/cli.ts", out: "gate-status/cli.cjs" },
  { entry: "commands/watch/cli.ts", out: "watch/cli.cjs", external: PULUMI, lazily: true },
  { entry: "sdk/policy/index.ts", out: "policy/index.cjs", external: [...PULUMI, "@pulumi/policy"] },
  { entry: "sdk/policy/start.ts", out: "policy/pack.cjs", external: [...PULUMI, "@pulumi/policy"] },
  { entry: "sandbox/page/browser/main.ts", out: "ui/sandbox.js", browser: true },
  { entry: "commands/board/browser/main.ts", out: "ui/board.js", browser: true },
  { entry: "commands/ui/style/index.css", out: "ui/style.css", browser: true },
  { entry: "commands/board/index.ts", out: "board/index.cjs", external: [...PULUMI, "zod"] },
  // What reads PDFs, in a thread of its own.
  { entry: "commands/redline/pdf-worker.mts", out: "redline/pdf-worker.cjs", brief: true },
  { entry: "commands/board/cli.ts", out: "board/cli.cjs", external: [...PULUMI, "zod"], lazily: true },
  // The Postgres clients and the job engine are bundled; what brings a Postgres along is the user's to install.
  { entry: "commands/fleet/index.ts", out: "fleet/index.cjs", external: ["zod"] },
  { entry: "commands/fleet/cli.ts", out: "fleet/cli.cjs", external: ["pg-native"], brief: true },
  // A package of its own, and a judge of any provider: it shares nothing with ours.
  { entry: "conformance/main.ts", out: "conformance/cli.cjs" },
  { entry: "sandbox/index.ts", out: "sandbox/index.cjs", map: true },
  { entry: "sandbox/cli.ts", out: "sandbox/cli.cjs", map: true },
];

/** gRPC asks for it in services that the plugin doesn't offer. */
const NEVER_CALLED = ["@grpc/proto-loader"];

const FONTS = [
  "DejaVuSansCondensed",
  "DejaVuSerifCondensed",
  "DejaVuSerifCondensed-Bold",
  "DejaVuSerifCondensed-BoldItalic",
  "DejaVuSerifCondensed-Italic",
];
const FOR_NODE = { platform: "node", target: "node22", format: "cjs" };
/** Browsers of 2024 and later. The board's is put into its page, so every byte counts. */
const FOR_BROWSERS = {
  platform: "browser",
  target: ["chrome123", "firefox121", "safari17.5"],
  format: "esm",
  minify: true,
};

async function build({ types }) {
  const bundler = createRequire(join(packages, "package.json"));
  const { build: bundle } = bundler("esbuild");
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const check = await nodeCheck();
  // Taken before the sources are read: what changes meanwhile is built next time.
  const stamp = await wantedStamp(root);
  const draft = join(dist, `.draft-${process.pid}`);
  await mkdir(draft, { recursive: true });
  try {
    await Promise.all(
      BUNDLES.filter(({ entry }) => existsSync(join(root, entry))).map(
        ({ entry, out, external = [], lazily, brief, map, checked, browser }) =>
          bundle({
            absWorkingDir: root,
            entryPoints: [entry],
            outfile: join(draft, out),
            bundle: true,
            ...(browser ? FOR_BROWSERS : FOR_NODE),
            ...(map ? { sourcemap: "linked", sourcesContent: false } : {}),
            legalComments: browser ? "none" : "linked",
            define: { DOCSIGN_VERSION: JSON.stringify(version) },
            external: [...external, ...NEVER_CALLED],
            ...(checked ? { banner: { js: check } } : {}),
            ...(brief ? { minifyWhitespace: true, minifySyntax: true } : {}),
            plugins: [...(lazily ? [anotherBundle(out)] : []), smaller],
            ...(lazily ? { supported: { "dynamic-import": false } } : {}),
            nodePaths: [packages],
            logLevel: "silent",
          }),
      ),
    );
    await copyFonts(join(draft, "templates", "fonts"));
    if (types) await declare(draft);
    await swapIn(draft, types);
  } catch (error) {
    // esbuild's message has a line for each mistake in the sources; its own stack says nothing to anyone here.
    throw Array.isArray(error.errors) ? new ScriptError(error.message) : error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  // Dot files tell of this machine, and are no part of the package.
  await writeFile(join(dist, ".npmignore"), ".*\n");
  // What the launcher keeps of earlier bundles.
  await rm(join(dist, ".compile-cache"), { recursive: true, force: true });
  // `npm install` builds under any Node: the launcher then looks for a newer one by itself.
  if (atLeast(process.versions.node, OLDEST_NODE)) await writeFile(join(dist, ".node-path"), `${process.execPath}\n`);
  else await rm(join(dist, ".node-path"), { force: true });
  // An older YAML host keeps the schema of an earlier build here and would go on using it.
  await rm(join(root, "schema-docsign.json"), { force: true });
  await writeFile(join(dist, ".stamp"), stamp);
}

/** The plugin says itself, whoever starts it, that a Node is too old. */
async function nodeCheck() {
  const check = await readFile(join(root, "scripts", "bundling", "oldest-node.cjs"), "utf8");
  return `"use strict";\n(function () {\n${check}})();`;
}

/** Templates print with these alone, so the others of the package stay behind. */
async function copyFonts(folder) {
  const from = join(packages, "dejavu-fonts-ttf");
  await mkdir(folder, { recursive: true });
  for (const name of FONTS) await copyFile(join(from, "ttf", `${name}.ttf`), join(folder, `${name}.ttf`));
  await copyFile(join(from, "LICENSE"), join(folder, "LICENSE"));
}

/** Of two libraries, what is used of them. */
const smaller = {
  name: "smaller",
  setup(build) {
    const bundling = name => ({ path: join(root, "scripts", "bundling", name) });
    build.onResolve({ filter: /^undici$/ }, () => bundling("undici.cjs"));
    build.onResolve({ filter: /^\.\.\/locales\/index\.js$/ }, () => bundling("zod-locales.mjs"));
  },
};

/** An `import()` of another entry becomes a `require` of its bundle, made when it is called. */
const anotherBundle = out => ({
  name: "another-bundle",
  setup(build) {
    build.onResolve({ filter: /./ }, async ({ kind, path, ...from }) => {
      if (kind !== "dynamic-import") return undefined;
      const found = await build.resolve(path, { kind: "import-statement", ...from });
      const other = BUNDLES.find(({ entry }) => join(root, entry) === found.path);
      if (!other) return undefined;
      const way = posix.relative(posix.dirname(out), other.out);
      return { path: way.startsWith("../") ? way : `./${way}`, external: true };
    });
  },
});

async function declare(draft) {
  const tsc = join(root, "node_modules", "typescript-7", "bin", "tsc");
  const args = [tsc, "-p", "tsconfig.build.json", "--outDir", join(draft, "types")];
  await must(process.execPath, args, { cwd: root, what: "writing the declarations" });
  // What no importer sees: the rules behind both front ends. State alone asks for the runtime, and only for its provider.
  for (const path of await readdir(join(draft, "types"), { recursive: true })) {
    const hidden = /^(provider|sdk.dynamic)\b.*\.d\.ts$/.test(path) && !/^provider.evidence.types\.d\.ts$/.test(path);
    if (hidden) await rm(join(draft, "types", path));
  }
  await writeFile(join(draft, "types", "sdk", "runtime.d.ts"), "export declare const provider: object;\n");
}

/** Renames every new file over its old one: who runs an old one keeps it, and at no moment is one missing. */
async function swapIn(draft, types) {
  const made = await files(draft);
  for (const path of made) {
    await mkdir(dirname(join(dist, path)), { recursive: true });
    await rename(join(draft, path), join(dist, path));
  }
  const kept = new Set(made);
  for (const path of await files(dist)) {
    const ours = /^(\.|sdks\/|archives\/)/.test(path) || (!types && path.startsWith("types/"));
    if (!ours && !kept.has(path)) await rm(join(dist, path), { force: true });
  }
}

async function files(directory) {
  const names = await readdir(directory, { recursive: true });
  const found = await Promise.all(
    names.map(async name => ((await stat(join(directory, name)).catch(() => undefined))?.isFile() ? [name] : [])),
  );
  return found.flat().map(name => relative(directory, join(directory, name)).replaceAll("\\", "/"));
}

const { types = false, locked } = readFlags({
  name: "build",
  what: "Bundles the plugin, the SDK and the sandbox into dist/.",
  flags: {
    types: { type: "boolean", help: "the type declarations, too, which a packed package needs (slower)" },
    locked: { type: "boolean", help: "whoever starts it holds the lock already, as set-up does" },
  },
  examples: ["npm run build", "npm run build -- --types"],
});
try {
  if (locked) await build({ types });
  else {
    await ready({ dependencies: true });
    await withBuildLock(root, () => build({ types }));
    process.stdout.write("dist/ is built\n");
  }
} catch (error) {
  exitWith(error);
}
