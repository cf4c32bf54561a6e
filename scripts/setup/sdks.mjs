// The generated SDKs, and what programs in Go are compiled from: brought once, so that tests ask no network for anything.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask, run } from "./child.mjs";
import { buildAndCount } from "./go.mjs";
import { orMissing, ScriptError, withProgress } from "./progress.mjs";

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
  return orMissing(async () => {
    await warm(program);
    await writeFile(done, wanted);
    return {};
  });
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
  const options = { cwd: program, env: { ...process.env, GOWORK: "off", GOFLAGS: "" } };
  const step = async (what, failure, work) => {
    const { code, last } = await withProgress({ what }, work);
    if (code !== 0) throw new ScriptError(`${failure}: ${last.find(line => /"Error"/.test(line)) ?? last.at(-1)}`);
  };
  try {
    // All modules of the program's go.sum: a program in the docs may need one that the quick start doesn't.
    const total = (await ask("go", ["list", "-m", "all"], { ...options, timeout: 0 }))?.split("\n").length ?? "some";
    let count = 0;
    await step("fetching Go modules", "Go modules can't be fetched", detail => {
      const onLine = line => line === "}" && detail(`${++count} of ${total} modules`);
      return run("go", ["mod", "download", "-json"], { ...options, onLine });
    });
    const args = ["build", "-v", "-o", join(folder, "program"), "."];
    await step("compiling Pulumi's SDK for Go", "the Go quick start can't be compiled", detail =>
      buildAndCount(args, ".", options, detail),
    );
    await step("checking Pulumi's SDK for Go, as `go vet` does", "go vet fails", () =>
      run("go", ["vet", "."], options),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
