// What grows with the number of documents, and what a user can do about it. Each row is one `pulumi up`, and a preview
// after it.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { tell } from "../setup/progress.mjs";
import { typescript, yaml } from "./contenders.mjs";
import { measure } from "./process-tree.mjs";
import { median, time } from "./report/figures.mjs";
import { startService } from "./stand-in.mjs";
import { pdfFolder } from "./workload.mjs";

const idle = yaml(kit => kit.idle);
const program = (name, more) => typescript(name, { plugin: kit => kit.plugin, ...more });
const PARALLEL = ["--parallel", "32"];
const NO_BACKUPS = { PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS: "true" };

/** What isn't said is {@link USUAL}. */
const ROWS = [
  { key: "100", title: "100 documents", count: 100, repeats: 3 },
  { key: "1000", title: "1000 documents" },
  { key: "idle-100", title: "100 documents, engine alone", way: idle, count: 100, repeats: 3 },
  { key: "idle-1000", title: "1000 documents, engine alone", way: idle },
  { key: "shards", title: "1000 documents in 10 stacks, one after another", count: 100, stacks: 10 },
  { key: "parallel", title: "1000 documents, `--parallel 32`", args: PARALLEL },
  {
    key: "no-backups",
    title: "1000 documents, `PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS=true`",
    env: NO_BACKUPS,
  },
  { key: "both", title: "1000 documents, both", args: PARALLEL, env: NO_BACKUPS },
  ...[
    { key: "file", title: "`file`, 100 PDFs of 150 KB, TypeScript compiled", way: program("plugin"), size: 150_000 },
    {
      key: "base64",
      title: "`base64File`, 100 PDFs of 150 KB, TypeScript compiled",
      way: program("plugin-base64"),
      size: 150_000,
    },
    { key: "ts-node", title: "TypeScript by ts-node, 100 documents", way: program("plugin", { compiled: false }) },
    {
      key: "transpile-only",
      title: "TypeScript by ts-node, `PULUMI_NODEJS_TRANSPILE_ONLY=true`",
      way: program("plugin", { compiled: false, env: { PULUMI_NODEJS_TRANSPILE_ONLY: "true" } }),
    },
    {
      key: "traces",
      title: "TypeScript compiled, `NODE_OPTIONS=--stack-trace-limit=1`",
      way: program("plugin", { env: { NODE_OPTIONS: "--stack-trace-limit=1" } }),
    },
    { key: "compiled", title: "TypeScript compiled, `typescript: false`", way: program("plugin") },
  ].map(row => ({ ...row, count: 100 })),
];
const LATENCY = 50;
const USUAL = { way: yaml(kit => kit.plugin), count: 1000, stacks: 1, size: 20_000, args: [], env: {}, repeats: 1 };

export async function scale({ kit, home, options, results, save }) {
  const rows = [];
  for (const given of ROWS) {
    const row = { ...USUAL, ...given };
    const runs = [];
    for (let i = 0; i < row.repeats; i++) runs.push(await runRow(row, kit, home, options.limitMs));
    const problem = runs.find(run => run.problem)?.problem;
    const middle = name => median(runs.map(run => run[name]).filter(value => value !== undefined));
    const figures = problem
      ? { problem }
      : Object.fromEntries(["up", "preview", "cpu", "state", "peak"].map(name => [name, middle(name)]));
    rows.push({ key: row.key, title: row.title, documents: row.count * row.stacks, ...figures });
    results.scale = { rows };
    save();
    tell(`scale, ${row.title}: ${problem ?? `up ${time(figures.up)}, preview ${time(figures.preview)}`}`);
  }
  return { rows };
}

/** Stacks one after another add up. */
async function runRow({ way, count, stacks, size, args, env }, kit, home, limitMs) {
  const cell = { count, size, latency: LATENCY };
  const pdfs = pdfFolder(join(home, "pdfs"), cell);
  const service = await startService(cell.latency);
  const sum = { up: 0, preview: 0, cpu: 0, state: 0, peak: 0 };
  const folder = join(home, "scale");
  try {
    for (let i = 0; i < stacks; i++) {
      mkdirSync(folder, { recursive: true });
      const stack = await way.open({ kit, service, pdfs, cell, folder });
      for (const phase of ["up", "preview"]) {
        const base = stack.command(phase);
        const options = { cwd: base.cwd, env: { ...base.env, ...env }, limitMs };
        const ran = await measure(base.command, [...base.args, ...args], options);
        if (!ran.ok) return { problem: ran.timedOut ? `over ${limitMs / 1000} s` : "failed" };
        sum[phase] += ran.wall;
        if (phase === "preview") continue;
        sum.cpu += ran.cpu ?? 0;
        sum.peak = Math.max(sum.peak, ran.processes.pulumi?.peak ?? 0);
        sum.state += stack.stateBytes();
      }
      rmSync(folder, { recursive: true, force: true });
    }
    return sum;
  } finally {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
