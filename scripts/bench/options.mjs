import { readFlags } from "../setup/usage.mjs";
import { KEY_CELL, matrix, parseCell } from "./workload.mjs";

export const SECTIONS = ["cells", "startup", "memory", "scale", "profile", "set", "many"];

const PAGE = {
  name: "bench",
  what: `Measures this provider beside its peers, the same work against the same service, and writes docs/bench/:
results.json (raw figures), results.md (tables) and chart.svg. The first run builds OpenTofu from source.`,
  flags: {
    quick: {
      type: "boolean",
      help: "two minutes: the cell of the targets once, start-up, memory; writes nothing but a table on the screen, unless --out says where",
    },
    sections: { type: "string", value: "LIST", help: `of ${SECTIONS.join(",")}; all of them unless given` },
    cells: { type: "string", value: "LIST", help: "such as 100x150KB@50,10x5MB@0; every cell unless given" },
    only: { type: "string", value: "LIST", help: "contenders, by the names that --list shows" },
    repeats: {
      type: "string",
      value: "N",
      help: "rounds in each cell, default 3 (cells of 1000 documents: 1, unless given)",
    },
    rows: {
      type: "string",
      value: "N",
      help: "documents in the tables set and many, default 1000: fewer to try them out; give --out as well",
    },
    limit: { type: "string", value: "SECONDS", help: "for one command of one contender, default 300" },
    out: {
      type: "string",
      value: "DIR",
      help: "where to write, default docs/bench; figures of cells not measured now stay as they are there",
    },
    render: { type: "boolean", help: "only writes the tables and the chart again, from results.json" },
    list: { type: "boolean", help: "says what there is to choose from" },
  },
};

/** What the command line asks for. Throws an Error whose message says what to do. */
export function readOptions(argv, contenders) {
  const values = readFlags(PAGE, argv);
  const { quick } = values;
  const keys = contenders.map(({ key }) => key);
  const only =
    values.only === undefined ? keys.filter(key => !quick || !LEFT_OUT.includes(key)) : list("only", values.only, keys);
  return {
    ...values,
    sections: values.sections ? list("sections", values.sections, SECTIONS) : quick ? SECTIONS.slice(0, 3) : SECTIONS,
    cells: values.cells ? values.cells.split(",").map(parseCell) : quick ? [KEY_CELL] : matrix(),
    only,
    repeats: values.repeats === undefined ? (quick ? 1 : undefined) : whole("repeats", values.repeats),
    rows: values.rows === undefined ? 1000 : whole("rows", values.rows),
    limitMs: 1000 * (values.limit === undefined ? 300 : whole("limit", values.limit)),
  };
}

/** Too long for two minutes, and no target is about them. */
const LEFT_OUT = [
  "naive",
  "curl",
  "plugin-ts-node",
  "sdk-ts-node",
  "idle-ts",
  "idle-dynamic",
  "waiting-ts",
  "waiting-dynamic",
];

export const repeatsOf = (options, cell) => options.repeats ?? (cell.count >= 1000 ? 1 : 3);

function list(flag, text, known) {
  const words = text.split(",").map(word => word.trim());
  const wrong = words.find(word => !known.includes(word));
  if (wrong !== undefined) throw new Error(`--${flag}: there is no "${wrong}"; there are ${known.join(", ")}`);
  return words;
}

function whole(flag, text) {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new Error(`--${flag}: "${text}" is no whole number from 1`);
}
