// A thousand documents beside OpenTofu.
import { MANY } from "../many.mjs";
import { cellName } from "../workload.mjs";
import { bytes, figuresOf, measuredText, range, ratio, sum, table, time } from "./figures.mjs";

/** Whom each is compared with. */
const RIVALS = { default: "tofu-10", "without-10": "tofu-10", "without-32": "tofu-32" };

export function manyText(many) {
  if (!many) return [];
  const rows = MANY.filter(({ key }) => figuresOf(many, key)).map(({ key, title }) => {
    const [mine, theirs] = [key, RIVALS[key]].map(each => figuresOf(many, each));
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
  return [
    "## A thousand documents",
    "",
    `${cellName(many)}, YAML, by turns. Without checkpoints: \`PULUMI_SKIP_CHECKPOINTS\`, with \`--parallel\` and \`docsign:maxConcurrency\`. × is the share of OpenTofu's time at as many at a time.`,
    measuredText(many),
    "",
    table(["", "up", "×", "CPU, up", "requests, up", "no-op preview", "×", "state"], rows),
    "",
    ...killsText(many),
  ];
}

/** Each a `kill -9` in mid-run, then an `up` that went well: a failed one ends the bench. */
function killsText({ kills = [], count }) {
  const lines = MANY.flatMap(({ key, title }) => {
    const own = kills.filter(({ contender }) => contender === key);
    const after = own.map(({ before }) => before).join(", ");
    const twice = sum(own.map(({ documents, names }) => documents - names));
    const missing = sum(own.map(({ names }) => count - names));
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
