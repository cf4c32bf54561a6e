// What we set out to reach, as ratios of OpenTofu + restapi in the same run of the key cell.
import { KEY_CELL, sameCell } from "../workload.mjs";
import { figuresOf } from "./figures.mjs";

const RIVAL = "tofu";
const OURS = ["plugin-yaml", "plugin-ts", "sdk-ts"];

const TARGETS = [
  { figure: "up", most: [0.6, 1.2, 1.6], of: figures => figures.wall("up")?.median },
  { figure: "no-op preview", most: [0.25, 0.5, 0.7], of: figures => figures.wall("preview")?.median },
  { figure: "refresh", most: [0.35, 0.4, 0.5], of: figures => figures.wall("refresh")?.median },
  { figure: "state", most: [1 / 60, 1 / 60, 1 / 40], of: figures => figures.state },
  { figure: "peak memory, largest process", most: [0.6, 0.6, 0.7], of: figures => figures.largest },
];

/** `[{ figure, contender, target, measured, met }]`; `measured` is undefined where it wasn't. */
export function targetsOf(results) {
  const cell = results.cells.find(one => sameCell(one, KEY_CELL));
  const rival = cell && figuresOf(cell, RIVAL);
  if (!rival) return [];
  return TARGETS.flatMap(({ figure, most, of }) =>
    OURS.map((contender, i) => {
      const ours = figuresOf(cell, contender);
      const [mine, theirs] = [ours && of(ours), of(rival)];
      const measured = mine === undefined || theirs === undefined ? undefined : mine / theirs;
      return {
        figure,
        contender,
        target: most[i],
        measured,
        met: measured === undefined ? undefined : measured <= most[i],
      };
    }),
  );
}
