// `--help` of every script: answered before anything is done, and in one look. What comes after is the script's.
import { parseArgs } from "node:util";

/**
 * The flags a script was started with. `--help` prints the page and ends with 0; a flag it doesn't have ends with 2.
 *
 * @param {object} page
 * @param {string} page.name as in `npm run <name>`
 * @param {string} page.what one or two sentences
 * @param {Record<string, { type: "boolean" | "string", value?: string, help: string }>} [page.flags]
 * @param {string} [page.takes] the words it takes, such as `<version>`, which are then `words` beside the flags
 * @param {string} [page.rest] where all other arguments go; without it there may be none
 * @param {string[][]} [page.environment] variables, each with its meaning
 * @param {string[]} [page.examples]
 */
export function readFlags(page, argv = process.argv.slice(2)) {
  if (argv.includes("--help") || argv.includes("-h")) {
    process.stdout.write(helpPage(page));
    process.exit(0);
  }
  const options = Object.fromEntries(Object.entries(page.flags ?? {}).map(([name, { type }]) => [name, { type }]));
  if (page.rest) return parseArgs({ args: argv, options, strict: false }).values;
  try {
    const { values, positionals } = parseArgs({ args: argv, options, allowPositionals: page.takes !== undefined });
    return page.takes === undefined ? values : { ...values, words: positionals };
  } catch (error) {
    process.stderr.write(`${page.name}: ${reasonOf(error, argv, Object.keys(options))}\n${usage(page)}\n`);
    process.exit(2);
  }
}

export function helpPage(page) {
  const { what, flags = {}, rest, environment = [], examples = [] } = page;
  const options = [
    ...Object.entries(flags).map(([name, { value, help }]) => [`--${name}${value ? ` ${value}` : ""}`, help]),
    ["--help", "this page, and nothing else is done"],
  ];
  return `${[
    `${usage(page)}\n\n${what}`,
    section("Options", options),
    rest ? `Everything else goes to ${rest}.` : "",
    section("Environment", environment),
    examples.length > 0 ? `Examples\n${examples.map(example => `  ${example}`).join("\n")}` : "",
  ]
    .filter(Boolean)
    .join("\n\n")}\n`;
}

function usage({ name, takes, flags = {}, rest }) {
  const known = Object.entries(flags).map(([flag, { value }]) => `[--${flag}${value ? ` ${value}` : ""}]`);
  const more = [...(takes ? [takes] : []), ...known, ...(rest ? ["…"] : [])].join(" ");
  const command = name === "test" ? "npm test" : `npm run ${name}`;
  return `Usage: ${command}${more ? ` -- ${more}` : ""}`;
}

function section(title, rows) {
  if (rows.length === 0) return "";
  const width = Math.max(...rows.map(([left]) => left.length));
  return `${title}\n${rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join("\n")}`;
}

function reasonOf(error, argv, names) {
  const given = argv.find(argument => /^--?\w/.test(argument) && !names.includes(flagName(argument)));
  if (error.code !== "ERR_PARSE_ARGS_UNKNOWN_OPTION" || !given) return error.message;
  const meant = nearest(flagName(given), [...names, "help"]);
  return `it has no flag ${given}${meant ? `; did you mean --${meant}?` : ""}`;
}

const flagName = argument => argument.replace(/^-+/, "").replace(/=.*/, "");

/** The name that is at most two slips of the finger away. */
export function nearest(word, names) {
  const [best] = names.map(name => [distance(word, name), name]).sort(([a], [b]) => a - b);
  return best && best[0] <= 2 ? best[1] : undefined;
}

/** How many letters have to be put in, taken out or changed. */
function distance(one, other) {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [line, letter] of [...one].entries()) {
    const above = row;
    row = [line + 1];
    for (const [column, wanted] of [...other].entries())
      row.push(Math.min(above[column] + (letter === wanted ? 0 : 1), above[column + 1] + 1, row[column] + 1));
  }
  return row.at(-1);
}
