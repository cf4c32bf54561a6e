// The generated SDKs, and what programs in Go are compiled from: brought once, so that tests ask no network for anything.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask, run } from "./child.mjs";
import { buildAndCount } from "./go.mjs";
import { withProgress } from "./progress.mjs";

const LANGUAGES = ["nodejs", "python", "go"];
const SDK = join("github.com", "pulumi", "pulumi", "sdk");

/** `{}`, or `{ missing }` with the reason: without Go the rest is still worth testing. */
export async function bringSdks(root) {
  const [version, modules] = [await ask("go", ["version"]), await ask("go", ["env", "GOMODCACHE"])];
  if (!version) return { missing: "Go is not on PATH" };
  // Loaded here, because it isn't for the old Node that set-up starts under.
  const { bringSdk, readSchema } = await import("../sdkgen/generate.mjs");
  const schema = await readSchema();
  for (const language of LANGUAGES) await bringSdk(language, schema);
  const program = join(root, "examples", "quickstart-go");
  const done = join(root, "dist", "sdks", ".compiled");
  const wanted = await stampOf(program, `${version} ${modules}`);
  const known = existsSync(join(modules, SDK)) && (await readFile(done, "utf8").catch(() => undefined));
  if (known === wanted) return {};
  const missing = await warm(program);
  if (missing === undefined) await writeFile(done, wanted);
  return missing === undefined ? {} : { missing };
}

async function stampOf(program, machine) {
  const hash = createHash("sha256").update(machine);
  for (const name of ["go.mod", "go.sum", "../../dist/sdks/.stamp-go"])
    hash.update(await readFile(join(program, name)));
  return hash.digest("hex");
}

/** Fetches and compiles what the program needs; whatever else is written in Go here needs no more. */
async function warm(program) {
  const folder = await mkdtemp(join(tmpdir(), "docsign-go-"));
  const env = { ...process.env, GOWORK: "off", GOFLAGS: "" };
  try {
    const fetched = await fetchModules(program, env);
    if (fetched) return fetched;
    const options = { cwd: program, env };
    const args = ["build", "-v", "-o", join(folder, "program"), "."];
    const built = await withProgress({ what: "compiling Pulumi's SDK for Go" }, detail =>
      buildAndCount(args, ".", options, detail),
    );
    if (built.code !== 0) return `the Go quick start can't be compiled: ${built.last.at(-1)}`;
    const vetted = await withProgress({ what: "checking Pulumi's SDK for Go, as `go vet` does" }, () =>
      run("go", ["vet", "."], options),
    );
    return vetted.code === 0 ? undefined : `go vet fails: ${vetted.last.at(-1)}`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** All modules of the program's go.sum: a program in the docs may need one that the quick start doesn't. */
async function fetchModules(cwd, env) {
  const total = (await ask("go", ["list", "-m", "all"], { cwd, env, timeout: 0 }))?.split("\n").length;
  let count = 0;
  const { code, last } = await withProgress({ what: "fetching Go modules" }, detail =>
    run("go", ["mod", "download", "-json"], {
      cwd,
      env,
      onLine: line => {
        if (line === "}") detail(`${++count} of ${total ?? "some"} modules`);
      },
    }),
  );
  return code === 0
    ? undefined
    : `Go modules can't be fetched: ${last.find(line => /Error/.test(line)) ?? last.at(-1)}`;
}
