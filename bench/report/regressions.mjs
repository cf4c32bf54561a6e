// Whether we are slower beside the rival than what is committed says, by more than the noise that both measured.
import { cellName, KEY_CELL, sameCell } from "../workload.mjs";
import { median } from "./statistics.mjs";

const RIVAL = "tofu";
const OURS = ["plugin-yaml", "plugin-ts", "sdk-ts"];
const PHASES = ["up", "preview", "refresh"];
/** One round shows no noise, and no machine is quieter than this. */
const LEAST_NOISE = 0.05;

/** `[{ cell, contender, phase, was, is, noise }]`: ratios of the rival's time, for cells that both have. */
export function regressionsOf(committed, results) {
  const found = [];
  for (const cell of results.cells) {
    const before = committed.cells.find(one => sameCell(one, cell));
    if (!before) continue;
    for (const contender of OURS)
      for (const phase of PHASES) {
        const [was, is] = [ratiosOf(before, contender, phase), ratiosOf(cell, contender, phase)];
        if (was.length === 0 || is.length === 0) continue;
        const noise = Math.max(noiseIn(committed, contender, phase, was), noiseIn(results, contender, phase, is));
        if (median(is) > median(was) * (1 + noise))
          found.push({ cell: cellName(cell), contender, phase, was: median(was), is: median(is), noise });
      }
  }
  return found;
}

export const regressionText = ({ cell, contender, phase, was, is, noise }) =>
  `${cell}: ${phase} of ${contender} takes ${is.toFixed(2)} of OpenTofu's time; ${was.toFixed(2)} is committed, and the noise is ${Math.round(noise * 100)} %`;

/** Ours and the rival's ran one after the other in each round. */
function ratiosOf({ rounds }, contender, phase) {
  const wallOf = (who, round) => {
    const one = rounds.find(each => each.contender === who && each.round === round)?.phases[phase];
    return one?.status === "ok" ? one.wall : undefined;
  };
  return [...new Set(rounds.map(({ round }) => round))].flatMap(round => {
    const [mine, theirs] = [wallOf(contender, round), wallOf(RIVAL, round)];
    return mine === undefined || theirs === undefined ? [] : [mine / theirs];
  });
}

/** How far a round strays from the median; where there is one round alone, how far those of the key cell do. */
function noiseIn({ cells }, contender, phase, ratios) {
  const key = cells.find(one => sameCell(one, KEY_CELL));
  const shown = ratios.length > 1 || !key ? ratios : ratiosOf(key, contender, phase);
  const middle = median(shown) ?? 1;
  return Math.max(LEAST_NOISE, ...shown.map(ratio => Math.abs(ratio / middle - 1)));
}
