// The figures of docs/bench/fleet.md and journal.md, from the JSON beside them.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { figuresJson, median, ratio, sum, table, time } from "./figures.mjs";

const grouped = count => String(count).replace(/\B(?=(\d{3})+$)/g, ",");

const TEXTS = {
  kills: killsText,
  shards: shardsText,
  sizes: sizesText,
  share: shareText,
  sets: setsText,
  workers: workersText,
  idle: workersText,
  simulation: simulationText,
};

export const fleetFigures = results =>
  Object.entries(TEXTS)
    .flatMap(([part, text]) => (results[part] ? [text(results[part])] : []))
    .join("\n\n");

const onMachine = ({ cores, load, node }) =>
  `${cores} cores that others used as well (load ${load.before.toFixed(1)} to ${load.after.toFixed(1)}), Node ${node}`;
const posts = ({ requests }) => grouped(requests["POST /v1/documents"]);
const atService = figures =>
  `${posts(figures)} creates at the service, ${grouped(figures.sent)} documents with ${grouped(figures.names)} names`;
const size = bytes => `${bytes / 1000} KB`;

function killsText(figures) {
  const { stacks, count, contracts, kills, restarts, runs, wall, workers, latency } = figures;
  const twice = figures.sent - figures.names;
  const rows = [
    ["sent twice", grouped(twice)],
    ["missing at the service", grouped(contracts - figures.names)],
    ["missing in the stacks' states", grouped(contracts - figures.idsInState)],
    ["locks left in the back end", grouped(figures.locks)],
    ["leases left in the queue", grouped(figures.leases)],
    ["time for all", time(wall)],
  ];
  return `**Workers killed.** Measured (\`scripts/bench/fleet-engines.mjs kills\`): ${grouped(contracts)} contracts of ${size(figures.size)} in ${stacks} stacks of ${count} \`Document\`s, a service that takes ${latency} ms, ${workers} workers with real engines, one stack each at a time. ${kills.length} times a worker's process group was killed with \`kill -9\` and another started, every ${time(wall / kills.length)} on average; Postgres was restarted ${restarts.length} times, once in order and once as after a crash. ${runs.length === 1 ? "One `up` brought all of it out" : `One \`up\`, and ${runs.length - 1} \`retry\` brought all of it out`}. ${atService(figures)}; ${onMachine(figures)}.

${table(["", "measured"], rows)}`;
}

const perContract = (seconds, number) => `${((1000 * seconds) / number).toFixed(1)} ms`;

function shardsText(figures) {
  const { rounds, stacks, count, contracts, workers, latency, tofuStacks } = figures;
  const each = stacks / rounds.length;
  const [fleet, loop, tofu] = ["wall", "loop", "tofu"].map(name => sum(rounds.map(round => round[name])));
  const numbers = [each * count, each * count, tofuStacks * count];
  const rows = rounds.map(({ wall, loop, tofu, cpu }, nth) => [
    `${grouped(nth * each * count)} to ${grouped((nth + 1) * each * count)}`,
    ...[wall, loop, tofu, ...cpu].map((seconds, column) => perContract(seconds, numbers[column % 3])),
  ]);
  const times = [fleet, loop, tofu, ...[0, 1, 2].map(column => sum(rounds.map(({ cpu }) => cpu[column])))];
  const all = ["all", ...times.map((seconds, column) => perContract(seconds, rounds.length * numbers[column % 3]))];
  return `**Many stacks.** Measured (\`scripts/bench/fleet-engines.mjs shards\`): ${grouped(contracts)} contracts of ${size(figures.size)} in ${stacks} stacks of ${count} \`Document\`s, a service that takes ${latency} ms, ${workers} workers, one stack each at a time: ${time(fleet)}. By turns with a plain loop of \`pulumi stack init\` and \`pulumi up\` over the same stacks, ${workers} at a time, with a journal in Postgres too and a service of its own; and with OpenTofu and a REST provider over ${rounds.length * tofuStacks} of these shards, ${tofuStacks} at a time. The rounds swing with what the others did. ${atService(figures)}; ${onMachine(figures)}.

${table(["contracts", "fleet, for each contract", "loop of `pulumi up`", "OpenTofu", "processor time of the fleet", "of the loop", "of OpenTofu"], [...rows, all])}`;
}

function sizesText({ rows, workers, latency, ...machine }) {
  const lines = rows.map(({ count, stacks, rounds }) => {
    const spent = (tool, what) => perContract(sum(rounds.map(round => round[tool][what])), stacks * count);
    const tools = ["own", "tofu"];
    return [
      grouped(count),
      grouped(stacks * count),
      ...["cpu", "wall"].flatMap(what => tools.map(tool => spent(tool, what))),
    ];
  });
  const bytesEach = size(rows[0].size);
  const load = { before: rows[0].load.before, after: rows.at(-1).load.after };
  const once = rows.every(({ stacks, count, sent, names }) => sent === stacks * count && names === sent);
  return `**Size of a stack.** Measured (\`scripts/bench/fleet-engines.mjs sizes\`): ${grouped(sum(rows.map(({ stacks, count }) => stacks * count)))} contracts of ${bytesEach}, a service that takes ${latency} ms, ${workers} workers, one stack each at a time; by turns with OpenTofu and a REST provider over as many stacks of the same size, ${workers} at a time, with a service of its own. The fleet makes its stacks; \`tofu init\` isn't counted, nor is Postgres. ${once ? "Each contract was sent once" : "NOT EACH CONTRACT WAS SENT ONCE"}; ${onMachine({ ...machine, load })}.

${table(["`Document`s in a stack", "contracts", "processor time of the fleet, for each contract", "of OpenTofu", "time of the fleet", "of OpenTofu"], lines)}`;
}

const PARTS = [
  ["plugin", "the plugin: the engine's, and the one that YAML's host starts for its schema"],
  ["pulumi", "the engine: `pulumi stack select --create`, then `pulumi up`"],
  ["pulumi-language-yaml", "YAML's host"],
  ["cli.cjs", "the worker"],
];

function shareText({ stacks, count, workers, wall, inEngines, cpu, latency, ...machine }) {
  const share = 1 - inEngines / (workers * wall);
  const rest = cpu.all - sum(PARTS.map(([name]) => cpu[name]));
  const rows = [
    ...PARTS.map(([name, title]) => [title, cpu[name]]),
    ["shells, and what ended unseen", rest],
    ["all", cpu.all],
  ];
  const parts = table(
    ["", "processor time for each stack"],
    rows.map(([title, spent]) => [title, time(spent / stacks)]),
  );
  return `**Orchestration.** Measured (\`scripts/bench/fleet-engines.mjs share\`): ${stacks} stacks of ${count} \`Document\`s, a service that takes ${latency} ms, ${workers} workers, one stack each at a time: ${time(wall)} from the start of the \`up\` to its end. ${(100 * share).toFixed(1)} % of the workers' time was spent in none of the engine's processes: at the start and the end, between stacks, and in what a worker does around an engine; ${onMachine(machine)}.

${parts}`;
}

function setsText(figures) {
  const { stacks, count, contracts, workers, wall, latency } = figures;
  return `**Sets.** Measured (\`scripts/bench/fleet-engines.mjs sets\`): ${grouped(contracts)} contracts of ${size(figures.size)} in ${stacks} stacks of one \`DocumentSet\` of ${grouped(count)}, a service that takes ${latency} ms, ${workers} workers, one stack each at a time: ${time(wall)}, ${((1000 * wall) / contracts).toFixed(1)} ms for each contract. ${atService(figures)}; ${onMachine(figures)}.`;
}

function workersText(figures) {
  const { rounds, each, count, latency } = figures;
  const of = many => rounds.filter(({ workers }) => workers === many).map(({ wall }) => wall);
  const [one, two] = [of(1), of(2)];
  const faster = median(one.map((wall, nth) => wall / two[nth]));
  return `**Twice the workers.** Measured (\`scripts/bench/fleet-engines.mjs workers idle\`): ${each} stacks of ${count} \`Document\`s, a service that takes ${latency} ms; by turns with one worker (${one.map(time).join(", ")}) and with two (${two.map(time).join(", ")}): ${faster.toFixed(2)} times as fast, the median. ${onMachine(figures)}.`;
}

function simulationText({ stacks, documents, sent, requests, parts, ...machine }) {
  const chosen = [parts[0], parts[Math.floor(parts.length / 2)], parts.at(-1)];
  const rows = chosen.map(({ contracts, msPerContract, memoryMB }) => [
    `${grouped(contracts)} contracts`,
    `${msPerContract.toFixed(1)} ms`,
    `${Math.round(memoryMB)} MB`,
  ]);
  return `**By simulation.** Measured (\`scripts/bench/fleet.mjs\`): ${grouped(stacks * documents)} contracts in ${grouped(stacks)} stacks of ${grouped(documents)}, one worker, one stack at a time, an engine that is played, the real queue, journal and client, a service that answers at once; ${onMachine(machine)}. ${grouped(sent)} documents at the service, ${posts({ requests })} creates.

${table(["after", "time for each contract", "memory in use by the worker, and the provider in it"], rows)}`;
}

/** A page with these figures between its marks. */
export function figuresIn(page, figures, name = "fleet") {
  const [begin, end] = [`<!-- ${name}-figures -->`, `<!-- /${name}-figures -->`];
  const [before, rest] = page.split(begin);
  return `${before}${begin}\n${figures}\n${end}${rest.split(end)[1]}`;
}

// ---- The journal ----

/** At most so many times the local journal. */
const TARGETS = { up: 1.15, preview: 1.05 };
const TITLES = { up: "`up`", preview: "the first preview after it, nothing changed" };

export function journalFigures({ count, latency, rounds, roundTripMs, phases, ...machine }) {
  const rows = Object.entries(phases).map(
    ([phase, { local, postgres, ratio: measured }]) =>
      `| ${TITLES[phase]} | ${time(median(local))} | ${time(median(postgres))} | ${ratio(measured)} | ${TARGETS[phase]} |`,
  );
  return `Measured (\`scripts/bench/journal.mjs\`): ${count} documents, a service that takes ${latency} ms, Postgres behind a proxy, ${roundTripMs.toFixed(1)} ms there and back; ${rounds} rounds in turn, medians, the ratio of each round's two; ${onMachine(machine)}.

| | local | Postgres | ratio | at most |
|---|---|---|---|---|
${rows.join("\n")}`;
}

// ---- Written ----

const docs = join(import.meta.dirname, "..", "..", "..", "docs");

/** Puts one part's figures into fleet.json and fleet.md. */
export async function writeFleetFigures(part, figures) {
  const path = join(docs, "bench", "fleet.json");
  const results = { ...JSON.parse(await readFile(path, "utf8")), [part]: figures };
  const written = figuresJson(results);
  await writeFile(path, written);
  const page = join(docs, "bench", "fleet.md");
  // Of what is written: a figure may be rounded twice.
  const text = fleetFigures(JSON.parse(written));
  await writeFile(page, figuresIn(await readFile(page, "utf8"), text));
  process.stdout.write(`${text}\n`);
}
