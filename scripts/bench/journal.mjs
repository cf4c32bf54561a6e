// node --import tsx scripts/bench/journal.mjs [rounds]: what a journal in Postgres costs, behind a connection of 5 ms there and back,
// beside the local one. In turn, a stack of its own each time. Writes docs/bench/journal.json and its figures in docs/bench/journal.md.
import { mkdtempSync, rmSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { startPostgres } from "../../test/journal/support/postgres-server.ts";
import { startTcpProxy } from "../../test/journal/support/tcp-proxy.ts";
import { ready, root } from "../setup.mjs";
import { measureCell } from "./cell.mjs";
import { yaml } from "./contenders.mjs";
import { prepareKit } from "./kit.mjs";
import { figuresJson, median } from "./report/figures.mjs";
import { figuresIn, journalFigures } from "./report/pages.mjs";
import { KEY_CELL } from "./workload.mjs";

/** Each way. */
const DELAY_MS = 2;
const rounds = Number(process.argv[2] ?? 7);
const home = mkdtempSync(join(tmpdir(), "docsign-bench-"));
process.once("exit", () => rmSync(home, { recursive: true, force: true, maxRetries: 3 }));

const { env, engine } = await ready({ dependencies: true, build: true, engine: "needed" });
const kit = await prepareKit({ root, home, engine, peers: { versions: {} }, env, typescript: false });
await using server = await startPostgres();
await using proxy = await startTcpProxy(server.port);
proxy.delay = DELAY_MS;
const url = server.urlAt(proxy.port);

const program = yaml(({ plugin }) => plugin);
const local = { key: "local", title: "local", ...program };
const remote = {
  ...program,
  key: "postgres",
  title: "Postgres",
  async open(context) {
    await server.run("drop schema if exists docsign cascade");
    return program.open({ ...context, kit: { ...kit, env: { ...kit.env, DOCSIGN_JOURNAL: url } } });
  },
};

const { load, rounds: measured } = await measureCell({
  cell: KEY_CELL,
  contenders: [local, remote],
  repeats: rounds,
  limitMs: 300_000,
  kit,
  home,
  only: ["up", "preview"],
});
const of = (key, phase) =>
  measured.filter(({ contender }) => contender === key).map(({ phases }) => phases[phase].wall ?? Number.NaN);
const phases = Object.fromEntries(
  ["up", "preview"].map(phase => {
    const [here, there] = [of("local", phase), of("postgres", phase)];
    return [phase, { local: here, postgres: there, ratio: median(here.map((wall, nth) => there[nth] / wall)) }];
  }),
);
const results = {
  ...KEY_CELL,
  rounds,
  roundTripMs: await roundTrip(),
  phases,
  load,
  cores: availableParallelism(),
  node: process.versions.node,
};
await writeFile(join(root, "docs", "bench", "journal.json"), figuresJson(results));
const page = join(root, "docs", "bench", "journal.md");
await writeFile(page, figuresIn(await readFile(page, "utf8"), journalFigures(results), "journal"));
process.stdout.write(`${journalFigures(results)}\n`);

async function roundTrip() {
  const sql = postgres(url, { max: 1 });
  const took = [];
  try {
    for (let nth = 0; nth < 21; nth++) {
      const started = performance.now();
      await sql.unsafe("select 1");
      took.push(performance.now() - started);
    }
  } finally {
    await sql.end();
  }
  return median(took.slice(1));
}
