// What we set out to reach, as ratios of OpenTofu + restapi in the same run of the key cell.
import { KEY_CELL, sameCell } from "../workload.mjs";
import { figuresOf } from "./figures.mjs";

const RIVAL = "tofu";
const OURS = ["plugin-yaml", "plugin-ts", "sdk-ts"];
/** The same program with a provider that only waits for the service: none of its time is the provider's own. */
const FLOORS = ["waiting-yaml", "waiting-ts", "waiting-dynamic"];

const TARGETS = [
  { figure: "up", most: [0.6, 1.2, 1.6], of: figures => figures.wall("up")?.median },
  { figure: "no-op preview", most: [0.25, 0.5, 0.7], of: figures => figures.wall("preview")?.median },
  { figure: "refresh", most: [0.35, 0.4, 0.5], of: figures => figures.wall("refresh")?.median },
  { figure: "state", most: [1 / 60, 1 / 60, 1 / 40], of: figures => figures.state },
  { figure: "peak memory, largest process", most: [0.6, 0.6, 0.7], of: figures => figures.largest },
];

/** `[{ figure, contender, target, measured, floor, met }]`; undefined is what wasn't measured. */
export function targetsOf(results) {
  const cell = results.cells.find(one => sameCell(one, KEY_CELL));
  const rival = cell && figuresOf(cell, RIVAL);
  if (!rival) return [];
  return TARGETS.flatMap(({ figure, most, of }) =>
    OURS.map((contender, i) => {
      const ours = figuresOf(cell, contender);
      const alone = figuresOf(cell, FLOORS[i]);
      const [mine, floor, theirs] = [ours && of(ours), alone && of(alone), of(rival)];
      const against = value => (value === undefined || theirs === undefined ? undefined : value / theirs);
      const measured = against(mine);
      return {
        figure,
        contender,
        target: most[i],
        measured,
        floor: against(floor),
        met: measured === undefined ? undefined : measured <= most[i],
      };
    }),
  );
}
