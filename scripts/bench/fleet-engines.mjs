// node --import tsx scripts/bench/fleet-engines.mjs [6x10] part …: fleets with real engines, real workers and a real Postgres, against
// the bench's service. Parts: kills, shards, sizes, share, sets, workers, idle. Each writes its figures into docs/bench/fleet.json and
// docs/bench/fleet.md; with other numbers of stacks and documents it is tried out, and printed.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { bringPeers } from "../setup/programs.mjs";
import { tell } from "../setup/progress.mjs";
import { ready, root } from "../setup.mjs";
import {
  documentsProgram,
  drain,
  FleetFolder,
  killFleets,
  setProgram,
  stackNames,
  startPostgres,
} from "./fleet-folder.mjs";
import { kills } from "./fleet-kills.mjs";
import { rivals } from "./fleet-rivals.mjs";
import { prepareKit } from "./kit.mjs";
import { childrenSeconds, killAll, secondsWithChildren, watch } from "./process-tree.mjs";
import { sum, time } from "./report/figures.mjs";
import { writeFleetFigures } from "./report/pages.mjs";
import { startService } from "./stand-in.mjs";
import { pdfFolder } from "./workload.mjs";

const SIZE = 20_000;
const WORKERS = 2;

/** A `pulumi` that is first on PATH, and notes how long each process of the engine ran. */
const script = (pulumi, log) => `#!/bin/sh
begin=$(date +%s%N)
'${pulumi}' "$@"
code=$?
echo "$begin $(date +%s%N)" >>'${log}'
exit $code
`;

/** Answers what sums the seconds up. */
function noteEngineTimes(fleet) {
  const folder = join(fleet.folder, "timed");
  const log = join(folder, "log");
  mkdirSync(folder);
  writeFileSync(join(folder, "pulumi"), script(fleet.kit.pulumi, log), { mode: 0o755 });
  fleet.env.PATH = [folder, fleet.env.PATH].join(delimiter);
  return () => {
    const lines = readFileSync(log, "utf8").trim().split("\n");
    return lines.reduce((sum, line) => {
      const [begin, end] = line.split(" ").map(Number);
      return sum + (end - begin) / 1e9;
    }, 0);
  };
}

/** A fleet with everything around it, taken away again at the end of `work`. */
async function withFleet({ kit, home }, { program = documentsProgram, ...wanted }, work) {
  const scene = { ...wanted, ...small, size: SIZE };
  const { stacks, count, latency } = scene;
  const folder = join(home, "fleet");
  mkdirSync(folder, { recursive: true });
  const pdfs = pdfFolder(join(home, "pdfs"), { count, size: SIZE });
  const service = await startService(latency);
  // Beside the others: whom it runs as reaches into nothing of ours.
  const data = mkdtempSync(join(tmpdir(), "docsign-fleets-postgres-"));
  const postgres = await startPostgres(root, data);
  try {
    const own = { kit, service, database: postgres.url, folder, stacks: stackNames(stacks) };
    const fleet = new FleetFolder({ ...own, program: program({ kit, pdfs, count }) });
    const load = loadavg()[0];
    const figures = await work({ fleet, service, postgres, pdfs, ...scene });
    return { ...scene, ...figures, load: { before: load, after: loadavg()[0] }, ...machine() };
  } finally {
    killFleets();
    killAll();
    await postgres.stop();
    await service.close();
    for (const path of [folder, data]) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  }
}

const machine = () => ({
  cores: availableParallelism(),
  node: process.versions.node,
  date: new Date().toISOString(),
});

/** One `up`; the seconds after which each stack was done. */
async function up(fleet, stacks = []) {
  const started = performance.now();
  const done = [];
  const run = fleet.start(["up", ...stacks], line => {
    if (/^s-\d+: ok/.test(line)) done.push((performance.now() - started) / 1000);
  });
  const code = await run.ended;
  if (code !== 0) throw new Error(`docsign fleet up ended with ${code}:\n${run.output}`);
  return { wall: (performance.now() - started) / 1000, done };
}

const killed = context => withFleet(context, { stacks: 100, count: 100, latency: 50 }, kills);

/** Seconds of the wall's that some work took, and of processors: what `spent` counts, which is what was started by now. */
async function timed(work, spent = childrenSeconds) {
  const [started, before] = [performance.now(), spent()];
  await work();
  return { wall: (performance.now() - started) / 1000, cpu: spent() - before };
}

/** Work with two workers, and others that take turns with them. `ups` times an `up` of these stacks. */
async function withCrew({ fleet }, others, work) {
  const crew = await fleet.crew(WORKERS);
  // The command that follows the run is one of our children, and the workers live on.
  const spent = () => sum(crew.map(({ child }) => secondsWithChildren(child.pid))) + childrenSeconds();
  try {
    return await work(stacks => timed(() => up(fleet, stacks), spent));
  } finally {
    await drain(crew);
    await others.close();
  }
}

const said = ({ wall, cpu }) => `${time(wall)} (processors ${time(cpu)})`;

/** By turns with a plain loop over the same stacks, and OpenTofu over two of them. */
const ROUNDS = 5;

const shards = ({ kit, home }) =>
  withFleet({ kit, home }, { stacks: 100, count: 100, latency: 50 }, async scene => {
    const { fleet, service, stacks, count } = scene;
    const database = await scene.postgres.another("loop");
    const others = await rivals({ kit, home: join(home, "fleet"), scene, database });
    const each = stacks / ROUNDS;
    const rounds = [];
    await withCrew(scene, others, async ups => {
      for (let round = 0; round < ROUNDS; round++) {
        const names = fleet.stacks.slice(round * each, (round + 1) * each);
        const own = await ups(names);
        const loop = await timed(await others.loop(names, WORKERS));
        const tofu = await timed(await others.tofu(WORKERS));
        rounds.push({ wall: own.wall, loop: loop.wall, tofu: tofu.wall, cpu: [own, loop, tofu].map(({ cpu }) => cpu) });
        tell(`shards, round ${round + 1}/${ROUNDS}: fleet ${said(own)}, loop ${said(loop)}, OpenTofu ${said(tofu)}`);
      }
    });
    const figures = await service.figures();
    return { workers: WORKERS, rounds, tofuStacks: WORKERS, ...figures, contracts: stacks * count };
  });

/** Stacks of 100 to 1,000 `Document`s by turns with OpenTofu, two at a time: from which size on one costs less. */
const SIZES = [
  [100, 4],
  [200, 4],
  [400, 4],
  [1000, 10],
];

async function sizes(context) {
  const rows = [];
  let machineNow;
  for (const [count, stacks] of SIZES) {
    const figures = await withFleet(context, { stacks, count, latency: 50 }, async scene => {
      const others = await rivals({ ...context, home: join(context.home, "fleet"), scene });
      const rounds = [];
      await withCrew(scene, others, async ups => {
        for (let nth = 0; nth < stacks; nth += WORKERS) {
          const own = await ups(scene.fleet.stacks.slice(nth, nth + WORKERS));
          const tofu = await timed(await others.tofu(WORKERS));
          rounds.push({ own, tofu });
          tell(`sizes, ${WORKERS} of ${count}: fleet ${said(own)}, OpenTofu ${said(tofu)}`);
        }
      });
      return { rounds, ...(await scene.service.figures()) };
    });
    const { rounds, requests, sent, names, load, size, ...rest } = figures;
    machineNow = rest;
    rows.push({ count, stacks, rounds, requests, sent, names, load, size });
  }
  const { latency, cores, node, date } = machineNow;
  return { rows, workers: WORKERS, latency, cores, node, date };
}

/** What of the workers' time none of the engine's processes runs, and whose the processor time is, the workers' start left out. */
const share = context =>
  withFleet(context, { stacks: 30, count: 100, latency: 50 }, async ({ fleet }) => {
    const engineSeconds = noteEngineTimes(fleet);
    const crew = await fleet.crew(WORKERS);
    const spent = () => sum(crew.map(({ child }) => secondsWithChildren(child.pid)));
    const before = spent();
    const watched = crew.map(({ child }) => watch(child));
    const { wall } = await up(fleet);
    const kinds = watched.map(kindsOf => kindsOf());
    const cpu = { all: spent() - before };
    for (const name of new Set(kinds.flatMap(Object.keys))) cpu[name] = sum(kinds.map(each => each[name]?.cpu ?? 0));
    cpu["cli.cjs"] -= before;
    const inEngines = engineSeconds();
    await drain(crew);
    tell(`share: ${time(wall)} with ${WORKERS} workers, ${time(inEngines)} in engines`);
    return { workers: WORKERS, wall, inEngines, cpu };
  });

const sets = context =>
  withFleet(
    context,
    { stacks: 10, count: 1000, latency: 50, program: setProgram },
    async ({ fleet, service, ...scene }) => {
      const crew = await fleet.crew(WORKERS);
      const { wall, done } = await up(fleet);
      await drain(crew);
      tell(`sets: ${time(wall)}`);
      const contracts = scene.stacks * scene.count;
      return { workers: WORKERS, wall, done, ...(await service.figures()), contracts };
    },
  );

/** One worker and two by turns, over as many stacks that nobody had before. */
const workersAt = (latency, each, turns) => context =>
  withFleet(context, { stacks: each * turns.length, count: 20, latency }, async ({ fleet, service }) => {
    const rounds = [];
    for (const [nth, many] of turns.entries()) {
      const crew = await fleet.crew(many);
      const { wall } = await up(fleet, fleet.stacks.slice(nth * each, (nth + 1) * each));
      await drain(crew);
      rounds.push({ workers: many, wall });
      tell(`workers: ${many} took ${time(wall)}`);
    }
    return { each, rounds, ...(await service.figures()) };
  });

/** On a machine that others use as well, 500 ms leave no processor idle. */
const workers = workersAt(500, 8, [1, 2, 1, 2, 1, 2]);
const idle = workersAt(1500, 4, [1, 2, 1, 2]);

const PARTS = { kills: killed, shards, sizes, share, sets, workers, idle };

const [first = "", ...more] = process.argv.slice(2);
const trial = /^(\d+)x(\d+)$/.exec(first);
const small = trial ? { stacks: Number(trial[1]), count: Number(trial[2]) } : {};
const parts = trial ? more : [first, ...more];
const { env, engine } = await ready({ dependencies: true, build: true, engine: "needed" });
const peers = parts.some(part => ["shards", "sizes"].includes(part)) ? await bringPeers() : { versions: {} };
const home = mkdtempSync(join(tmpdir(), "docsign-fleets-"));
process.once("exit", () => {
  killFleets();
  killAll();
  rmSync(home, { recursive: true, force: true, maxRetries: 3 });
});
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
const kit = await prepareKit({ root, home, engine, peers, env, typescript: false });
for (const part of parts) {
  const figures = await PARTS[part]({ kit, home });
  if (trial) process.stdout.write(`${JSON.stringify(figures, null, 1)}\n`);
  else await writeFleetFigures(part, figures);
}
process.exit(0);
