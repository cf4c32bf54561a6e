// A thousand documents beside OpenTofu.
import { cellName } from "../workload.mjs";
import { figuresOf } from "./figures.mjs";
import { bytes, range, ratio, table, time } from "./words.mjs";

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
  const { kills = [], load, date } = many;
  const sum = count => kills.reduce((all, kill) => all + count(kill), 0);
  return [
    "## A thousand documents",
    "",
    `${cellName(many)}, YAML, by turns. Without checkpoints: \`PULUMI_SKIP_CHECKPOINTS\`, with \`--parallel\` and \`docsign:maxConcurrency\`. × is the share of OpenTofu's time at as many at a time.`,
    `Measured ${date.slice(0, 10)}; load average ${load.before.toFixed(1)} before, ${load.after.toFixed(1)} after.`,
    "",
    table(["", "up", "×", "CPU, up", "requests, up", "no-op preview", "×", "state"], rows),
    "",
    ...(kills.length === 0
      ? []
      : [
          `Killed with \`kill -9\` in mid-run without checkpoints, then \`up\`, ${kills.length} times, after ${kills.map(({ before }) => before).join(", ")} creates: ${sum(({ documents, names }) => documents - names)} sent twice, ${sum(({ names }) => many.count - names)} missing, nobody asked.`,
          "",
        ]),
  ];
}
