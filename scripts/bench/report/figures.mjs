// What one contender did in one cell, over all its rounds.
import { median, spread } from "./statistics.mjs";

/** Undefined where the contender took no part. */
export function figuresOf(cell, key) {
  const rounds = cell.rounds.filter(({ contender }) => contender === key);
  if (rounds.length === 0) return undefined;
  const runs = phase => rounds.flatMap(({ phases }) => (phases[phase]?.status === "ok" ? [phases[phase]] : []));
  const all = rounds.flatMap(({ phases }) => Object.values(phases)).filter(({ status }) => status === "ok");
  return {
    wall: phase => spread(runs(phase).map(({ wall }) => wall)),
    cpu: phase => median(runs(phase).flatMap(({ cpu }) => (cpu === undefined ? [] : [cpu]))),
    /** Of what happened to a phase that has no figure: why. */
    problem: phase => {
      const bad = rounds.map(({ phases }) => phases[phase]).find(one => one && one.status !== "ok");
      return bad && words(bad);
    },
    requests: phase => {
      const counted = runs(phase).map(({ requests }) => Object.values(requests).reduce((sum, n) => sum + n, 0));
      return median(counted);
    },
    bytesIn: phase => median(runs(phase).map(({ bytesIn }) => bytesIn)),
    bytesOut: phase => median(runs(phase).map(({ bytesOut }) => bytesOut)),
    state: median(rounds.flatMap(({ state }) => (state === undefined ? [] : [state]))),
    /** The largest peak of each kind of process, in any phase. */
    processes: peaksOf(all),
    largest: largestOf(all),
  };
}

function words({ status, after, reason }) {
  if (status === "timed out") return `over ${after} s`;
  return reason === undefined ? status : `${status}: ${reason}`;
}

function peaksOf(runs) {
  const peaks = {};
  for (const { processes } of runs)
    for (const [name, { peak }] of Object.entries(processes)) peaks[name] = Math.max(peaks[name] ?? 0, peak);
  return peaks;
}

function largestOf(runs) {
  const all = Object.values(peaksOf(runs));
  return all.length === 0 ? undefined : Math.max(...all);
}
