// A thousand documents beside OpenTofu.
import { cellName } from "../workload.mjs";
import { bytes, figuresOf, range, ratio, table, time } from "./figures.mjs";

const ROWS = [
  ["default", "our plugin, as it is", "tofu-10"],
  ["without-10", "our plugin, without checkpoints, 10 at a time", "tofu-10"],
  ["tofu-10", "OpenTofu + restapi, 10 at a time"],
  ["without-32", "our plugin, without checkpoints, 32 at a time", "tofu-32"],
  ["tofu-32", "OpenTofu + restapi, 32 at a time"],
];

export function manyText(many) {
  if (!many) return [];
  const rows = ROWS.filter(([key]) => figuresOf(many, key)).map(([key, title, rival]) => {
    const [mine, theirs] = [figuresOf(many, key), figuresOf(many, rival)];
    const beside = phase =>
      mine.wall(phase) && theirs?.wall(phase) ? ratio(mine.wall(phase).median / theirs.wall(phase).median) : "–";
    return [
      title,
      range(mine.wall("up")) ?? mine.problem("up"),
      beside("up"),
      time(mine.cpu("up")),
      mine.requests("up") ?? "–",
      range(mine.wall("preview")) ?? mine.problem("preview"),
      beside("preview"),
      bytes(mine.state),
    ];
  });
  const { load, date } = many;
  return [
    "## A thousand documents",
    "",
    `${cellName(many)}, YAML, by turns. Without checkpoints: \`PULUMI_SKIP_CHECKPOINTS\`, with \`--parallel\` and \`docsign:maxConcurrency\`. × is the share of OpenTofu's time at as many at a time.`,
    `Measured ${date.slice(0, 10)}; load average ${load.before.toFixed(1)} before, ${load.after.toFixed(1)} after.`,
    "",
    table(["", "up", "×", "CPU, up", "requests, up", "no-op preview", "×", "state"], rows),
    "",
    ...killsText(many),
  ];
}

/** Each a `kill -9` in mid-run, then an `up` that went well: a failed one ends the bench. */
function killsText({ kills = [], count }) {
  const lines = ROWS.flatMap(([key, title]) => {
    const own = kills.filter(({ contender }) => contender === key);
    const sum = each => own.reduce((all, kill) => all + each(kill), 0);
    const after = own.map(({ before }) => before).join(", ");
    const [twice, missing] = [sum(({ documents, names }) => documents - names), sum(({ names }) => count - names)];
    return own.length === 0 ? [] : [[title, own.length, after, twice, missing]];
  });
  if (lines.length === 0) return [];
  return [
    "Killed with `kill -9` in mid-run, then `up`, which asked nobody:",
    "",
    table(["", "kills", "after so many creates", "sent twice", "missing"], lines),
    "",
  ];
}
