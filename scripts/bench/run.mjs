// The whole bench: sets up, measures what was asked for, writes after every step, and leaves nothing running.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { arch, availableParallelism, cpus, platform, tmpdir, totalmem } from "node:os";
import { join, relative } from "node:path";
import { must } from "../setup/child.mjs";
import { bringCurlProvider, bringPeers } from "../setup/programs.mjs";
import { exitWith, ScriptError, tell } from "../setup/progress.mjs";
import { measureCell } from "./cell.mjs";
import { CONTENDERS, contender } from "./contenders.mjs";
import { prepareKit } from "./kit.mjs";
import { repeatsOf, SECTIONS } from "./options.mjs";
import { killAll, onLinux } from "./process-tree.mjs";
import { chartOf } from "./report/chart.mjs";
import { figuresJson } from "./report/figures.mjs";
import { lossesIn, regressionsOf, regressionText } from "./report/regressions.mjs";
import { resultsText } from "./report/results.mjs";
import { sameCell } from "./workload.mjs";

export async function runBench({ options, root, env, engine, node }) {
  const out = options.out ?? (options.quick ? undefined : join(root, "docs", "bench"));
  const committed = readResults(join(root, "docs", "bench"));
  const results = out ? readResults(out) : { cells: [] };
  if (options.render) {
    if (results.cells.length === 0)
      exitWith(new ScriptError(`${join(out, "results.json")} has nothing measured in it`));
    return write(results, out);
  }

  const home = mkdtempSync(join(tmpdir(), "docsign-bench-"));
  const clean = () => {
    killAll();
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  };
  process.once("exit", clean);
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.once(signal, () => {
      tell("stopped; what is written stays, nothing is left running");
      process.exit(signal === "SIGINT" ? 130 : 143);
    });
  }
  try {
    await measureAll({ options, root, env, engine, node, home, results, save: () => out && write(results, out) });
    if (!out) process.stdout.write(resultsText(results));
    const wrong = [...regressionsOf(committed, results).map(regressionText), ...lossesIn(results)];
    for (const each of wrong) tell(each);
    if (wrong.length > 0) process.exitCode = 1;
  } catch (error) {
    exitWith(error);
  }
}

async function measureAll({ options, root, env, engine, node, home, results, save }) {
  const contenders = CONTENDERS.filter(({ key }) => options.only.includes(key));
  const measuresAny = (...sections) => sections.some(one => options.sections.includes(one));
  const peers = measuresAny("cells", "many") ? await bringPeers() : { versions: {} };
  if (measuresAny("cells") && options.only.includes("curl")) peers.curl = await bringCurlProvider(root);
  const typescript = measuresAny("cells", "scale");
  if (typescript) await forTypeScript(root, node);
  const kit = await prepareKit({ root, home, engine, peers, env, typescript });
  results.machine = describeMachine({ root, engine, peers });
  if (!onLinux) tell("processor time and memory can be read on Linux only; here there is time alone");
  const context = { kit, home, root, results, options, save };

  if (measuresAny("cells")) {
    await warmUp(contenders, context);
    await measureCells(contenders, context);
  }
  for (const section of SECTIONS.slice(1)) {
    if (!options.sections.includes(section)) continue;
    const { [section]: work } = await import(`./${section}.mjs`);
    results[section] = await work(context);
    save();
  }
}

/** Fills the caches that a user's machine has filled since the first day: the engine's, V8's, the file system's. */
async function warmUp(contenders, { kit, home, options }) {
  const cell = { count: 1, size: 20_000, latency: 0 };
  tell("a round that doesn't count, to fill caches");
  const { rounds } = await measureCell({
    cell,
    contenders,
    repeats: 1,
    limitMs: options.limitMs,
    kit,
    home,
    only: ["preview"],
    quiet: true,
  });
  for (const { contender: key, phases } of rounds) {
    const bad = Object.entries(phases).find(([, { status }]) => status !== "ok");
    if (bad) throw new ScriptError(`${contender(key).title}: ${bad[0]} ${bad[1].status}: ${bad[1].reason ?? ""}`);
  }
}

async function measureCells(contenders, { kit, home, options, results, save }) {
  for (const cell of options.cells) {
    const given = ({ key }) => hopeless(results.cells, cell, key, options.limitMs);
    const repeats = repeatsOf(options, cell);
    const measured = await measureCell({ cell, contenders, repeats, limitMs: options.limitMs, kit, home, given });
    results.cells = [...results.cells.filter(one => !sameCell(one, cell)), measured];
    save();
  }
}

/** Who took too long over fewer documents of this size isn't kept waiting for. */
function hopeless(cells, { count, size, latency }, key, limitMs) {
  const smaller = cells.find(
    one =>
      one.size === size &&
      one.latency === latency &&
      one.count < count &&
      one.rounds.some(({ contender: who, phases }) => who === key && (phases.up?.after ?? 0) >= limitMs / 1000),
  );
  return smaller && `timed out with ${smaller.count} documents`;
}

/** What TypeScript programs need besides a build: the generated SDK, and the declarations. */
async function forTypeScript(root, node) {
  const steps = [["sdks.mjs"]];
  if (!existsSync(join(root, "dist", "types"))) steps.unshift(["build.mjs", "--types"]);
  for (const [script, ...args] of steps) {
    await must(node, [join(root, "scripts", script), ...args], { cwd: root });
  }
}

function readResults(out) {
  try {
    return JSON.parse(readFileSync(join(out, "results.json"), "utf8"));
  } catch (error) {
    if (error.code === "ENOENT") return { cells: [] };
    throw new ScriptError(`${join(out, "results.json")} can't be read: ${error.message}; move it away to start afresh`);
  }
}

function write(results, out) {
  mkdirSync(out, { recursive: true });
  const text = figuresJson(results);
  // Of what is written: a figure may be rounded twice.
  const written = JSON.parse(text);
  writeFileSync(join(out, "results.json"), text);
  writeFileSync(join(out, "results.md"), resultsText(written));
  const chart = chartOf(written);
  if (chart) writeFileSync(join(out, "chart.svg"), chart);
  tell(`written to ${relative(process.cwd(), out) || "."}`);
}

/** The machine, as far as it explains figures: nothing that says which one it is. */
function describeMachine({ root, engine, peers }) {
  const version = name => JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8")).version;
  return {
    system: `${platform()} ${arch()}`,
    processor: cpus()[0]?.model.trim() || "unknown",
    cores: availableParallelism(),
    memoryGB: Math.round(totalmem() / 1024 ** 3),
    versions: {
      node: process.versions.node,
      pulumi: engine.version,
      "@pulumi/pulumi": version("@pulumi/pulumi"),
      typescript: version("typescript"),
      undici: version("undici"),
      ...peers.versions,
      "pulumi-docsign": JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version,
    },
  };
}
