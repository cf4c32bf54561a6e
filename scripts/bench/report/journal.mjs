// The figures of docs/bench/journal.md, from docs/bench/journal.json.
import { median } from "./statistics.mjs";
import { ratio, time } from "./words.mjs";

/** At most so many times the local journal. */
const TARGETS = { up: 1.15, preview: 1.05 };
const TITLES = { up: "`up`", preview: "the first preview after it, nothing changed" };

export function journalFigures({ count, latency, rounds, roundTripMs, phases, load, cores, node }) {
  const rows = Object.entries(phases).map(
    ([phase, { local, postgres, ratio: measured }]) =>
      `| ${TITLES[phase]} | ${time(median(local))} | ${time(median(postgres))} | ${ratio(measured)} | ${TARGETS[phase]} |`,
  );
  return `Measured (\`scripts/bench/journal.mjs\`): ${count} documents, a service that takes ${latency} ms, Postgres behind a proxy, ${roundTripMs.toFixed(1)} ms there and back; ${rounds} rounds in turn, medians, the ratio of each round's two; ${cores} cores that others used as well (load ${load.before.toFixed(1)} to ${load.after.toFixed(1)}), Node ${node}.

| | local | Postgres | ratio | at most |
|---|---|---|---|---|
${rows.join("\n")}`;
}
