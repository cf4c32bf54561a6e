// Whether we are slower beside the rival than what is committed says, by more than the noise that both measured.
import { cellName, sameCell } from "../workload.mjs";
import { keyCellOf, median } from "./figures.mjs";

/** Each table: where its rounds are, whom it compares with whom, and in what. */
const TABLES = [
  {
    cells: results => results.cells,
    rival: "tofu",
    rivalName: "OpenTofu",
    ours: ["plugin-yaml", "plugin-ts", "sdk-ts"],
    phases: ["up", "preview", "refresh"],
  },
  {
    cells: results => results.set?.cells ?? [],
    rival: "loop",
    rivalName: "the bare loop",
    ours: ["set-pdfs", "set-table"],
    phases: ["up"],
  },
  ...[10, 32].map(many => ({
    cells: results => (results.many ? [results.many] : []),
    rival: `tofu-${many}`,
    rivalName: "OpenTofu",
    ours: many === 10 ? ["default", "without-10"] : ["without-32"],
    phases: ["up", "preview"],
  })),
];
/** One round shows no noise, and no machine is quieter than this. */
const LEAST_NOISE = 0.05;
/** On a busy machine the wall's time is noise, and the processor's is not. */
const MEASURES = { wall: "time", cpu: "processor time" };
const BAD = ["failed", "timed out"];

/** `[{ cell, contender, phase, measure, rival, was, is, noise }]`: ratios of the rival's time, for cells that both have. What failed has no `is`. */
export const regressionsOf = (committed, results) => TABLES.flatMap(table => regressionsIn(table, committed, results));

/** What the books say after a kill, where they don't have each document once. */
export const lossesIn = ({ many: { count, kills = [] } = {} }) =>
  kills
    .filter(({ documents, names }) => documents !== count || names !== count)
    .map(
      ({ contender, before, documents, names }) =>
        `${contender}, killed after ${before} creates: expected ${count} documents, got ${documents} with ${names} names`,
    );

function regressionsIn({ cells, rival, rivalName, ours, phases }, committed, results) {
  const found = [];
  for (const cell of cells(results)) {
    const before = cells(committed).find(one => sameCell(one, cell));
    if (!before) continue;
    const each = ours.flatMap(contender =>
      phases.flatMap(phase => Object.keys(MEASURES).map(measure => ({ rival, contender, phase, measure }))),
    );
    for (const compared of each) {
      const { contender, phase, measure } = compared;
      const [was, is] = [ratiosOf(before, compared), ratiosOf(cell, compared)];
      if (was.length === 0) continue;
      const about = { cell: cellName(cell), contender, phase, measure, rival: rivalName, was: median(was) };
      if (cell.rounds.some(one => one.contender === contender && BAD.includes(one.phases[phase]?.status))) {
        if (measure === "wall") found.push(about);
        continue;
      }
      if (is.length === 0) continue;
      const noise = Math.max(noiseIn(cells(committed), compared, was), noiseIn(cells(results), compared, is));
      if (median(is) > median(was) * (1 + noise)) found.push({ ...about, is: median(is), noise });
    }
  }
  return found;
}

export const regressionText = ({ cell, contender, phase, measure, rival, was, is, noise }) =>
  is === undefined
    ? `${cell}: ${phase} of ${contender} failed; ${was.toFixed(2)} of ${rival}'s time is committed`
    : `${cell}: ${phase} of ${contender} takes ${is.toFixed(2)} of ${rival}'s ${MEASURES[measure]}; ${was.toFixed(2)} is committed, and the noise is ${Math.round(noise * 100)} %`;

/** Ours and the rival's ran one after the other in each round. */
function ratiosOf({ rounds }, { rival, contender, phase, measure }) {
  const timeOf = (who, round) => {
    const one = rounds.find(each => each.contender === who && each.round === round)?.phases[phase];
    return one?.status === "ok" ? one[measure] : undefined;
  };
  return [...new Set(rounds.map(({ round }) => round))].flatMap(round => {
    const [mine, theirs] = [timeOf(contender, round), timeOf(rival, round)];
    return mine === undefined || theirs === undefined ? [] : [mine / theirs];
  });
}

/** How far a round strays from the median; where there is one round alone, how far those of the key cell do. */
function noiseIn(cells, compared, ratios) {
  const key = keyCellOf({ cells });
  const shown = ratios.length > 1 || !key ? ratios : ratiosOf(key, compared);
  const middle = median(shown) ?? 1;
  return Math.max(LEAST_NOISE, ...shown.map(ratio => Math.abs(ratio / middle - 1)));
}
