// Workers killed at random, and the Postgres restarted twice, until every contract is out: what the service then has.
import { setTimeout as wait } from "node:timers/promises";
import { tell } from "../setup/progress.mjs";
import { drain, killGroup } from "./fleet-folder.mjs";
import { time } from "./report/figures.mjs";

const WORKERS = 2;
/** Seconds between two kills: one a minute at least. */
const BETWEEN = [15, 45];
/** After these shares of the contracts: first in order, then as after a crash. */
const RESTARTS = [1 / 3, 2 / 3];
/** Between a run that left stacks undone and the next. */
const PAUSE_MS = 20_000;
const MOST_RUNS = 20;

export async function kills({ fleet, service, postgres, stacks, count }) {
  const contracts = stacks * count;
  const crew = await fleet.crew(WORKERS);
  const began = performance.now();
  const since = () => (performance.now() - began) / 1000;
  const [killed, restarted, runs] = [[], [], []];
  const requests = {};
  const over = new AbortController();

  const look = async ask => {
    const { requests: added, ...answer } = await ask();
    for (const [kind, number] of Object.entries(added)) requests[kind] = (requests[kind] ?? 0) + number;
    return answer;
  };
  const killing = async () => {
    const [least, most] = BETWEEN;
    while (!over.signal.aborted) {
      await wait(1000 * (least + Math.random() * (most - least)), undefined, { signal: over.signal });
      const nth = Math.floor(Math.random() * crew.length);
      killGroup(crew[nth].child);
      await crew[nth].ended;
      killed.push(since());
      crew[nth] = await fleet.worker();
    }
  };
  const restarting = async () => {
    for (const [nth, share] of RESTARTS.entries()) {
      while ((await look(service.counts)).documents < share * contracts)
        await wait(500, undefined, { signal: over.signal });
      await postgres.restart(nth === 0);
      restarted.push(since());
      tell(`kills: Postgres restarted, ${killed.length} workers killed`);
    }
  };
  const byAbort = error => {
    if (error.name !== "AbortError") throw error;
  };
  const disturbing = Promise.all([killing().catch(byAbort), restarting().catch(byAbort)]);

  let code = 1;
  const follow = async () => {
    while (code !== 0 && runs.length < MOST_RUNS) {
      if (runs.length > 0) await wait(PAUSE_MS);
      const run = fleet.start([runs.length === 0 ? "up" : "retry"]);
      code = await run.ended;
      const reasons = run.output.split("\n").filter(line => /^ {2}s-\d+: /.test(line));
      runs.push({ code, at: since(), left: new Set(reasons.map(line => line.split(":")[0])).size, reasons });
      tell(`kills: run ${runs.length} ended with ${code} after ${time(since())}\n${run.output.slice(-1500)}`);
    }
  };
  try {
    await Promise.race([follow(), disturbing]);
  } finally {
    over.abort();
  }
  await disturbing;
  const wall = since();
  const { documents, names } = await look(service.names);
  const { running } = await fleet.json();
  await drain(crew);
  const held = fleet.documentsInState();
  return {
    ...{ workers: WORKERS, contracts, wall, code, requests, sent: documents, names },
    ...{ kills: killed, restarts: restarted, runs },
    ...{ leases: running.length, locks: fleet.locks(), inState: held.length, idsInState: new Set(held).size },
  };
}
