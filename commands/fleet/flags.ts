import { UsageError } from "../cli/flags/errors.js";
import { parseFlags, wholeNumber } from "../cli/flags/parse.js";
import { COMMANDS, flags, VERBS } from "./flag-table.js";

export type Verb = (typeof VERBS)[number];

const FORMATS = ["kubernetes", "github", "tables"] as const;
export type Format = (typeof FORMATS)[number];

export interface Flags {
  readonly wants: Verb | "help" | "version";
  readonly stacks: readonly string[];
  /** The fleet file. */
  readonly file: string;
  readonly expectMails: number | undefined;
  /** Whether this process works, too, where the data base is a shared one. */
  readonly work: boolean;
  /** Whether rows may move between the states of shards. */
  readonly move: boolean;
  readonly parallel: number | undefined;
  readonly board: string | undefined;
  readonly json: boolean;
  readonly format: Format | undefined;
  readonly source: string | undefined;
  readonly branch: string;
}

/** Which flags mean something to which command. */
const MEANT: Readonly<Record<string, readonly Verb[]>> = {
  "expect-mails": ["up"],
  move: ["up"],
  work: [...COMMANDS, "retry"],
  parallel: [...COMMANDS, "retry", "worker"],
  board: [...COMMANDS, "retry"],
  json: ["status"],
  kubernetes: ["export"],
  github: ["export"],
  tables: ["export"],
  source: ["export"],
  branch: ["export"],
};

export function readFlags(argv: readonly string[]): Flags {
  const { values, positionals } = parseFlags(argv, flags);
  const [verb, ...stacks] = positionals;
  const wants = values.help ? "help" : values.version ? "version" : verbOf(verb);
  for (const [flag, verbs] of Object.entries(MEANT)) {
    if (Object.hasOwn(values, flag) && !verbs.some(one => one === wants) && wants !== "help" && wants !== "version")
      throw new UsageError(`--${flag}: expected it with ${verbs.join(", ")}, got it with ${wants}`);
  }
  if (wants === "worker" && stacks.length > 0)
    throw new UsageError(`worker: expected no stacks, since it takes what comes, got ${stacks.join(", ")}`);
  const formats = FORMATS.filter(each => values[each]);
  if (wants === "export" && formats.length !== 1)
    throw new UsageError("export: expected one of --kubernetes, --github and --tables");
  if (wants === "export" && values.kubernetes && values.source === undefined)
    throw new UsageError("export: expected --source, the Git address of the program, got none");
  return {
    wants,
    stacks,
    file: values.file ?? "fleet.yaml",
    expectMails: whole("expect-mails", values["expect-mails"], 0),
    work: values.work ?? false,
    move: values.move ?? false,
    parallel: whole("parallel", values.parallel, 1),
    board: values.board,
    json: values.json ?? false,
    format: formats[0],
    source: values.source,
    branch: values.branch ?? "main",
  };
}

function verbOf(text: string | undefined): Verb {
  const verb = VERBS.find(one => one === text);
  if (verb !== undefined) return verb;
  throw new UsageError(`expected one of ${VERBS.join(", ")}, got ${text ?? "none"}`);
}

const whole = (flag: string, text: string | undefined, least: number): number | undefined =>
  text === undefined ? undefined : wholeNumber(flag, text, least);
