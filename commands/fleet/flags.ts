import { parseFlags, UsageError, wholeNumber } from "../cli/flags.js";

export const COMMANDS = ["preview", "up", "refresh", "destroy"] as const;
export const VERBS = [...COMMANDS, "status", "cancel", "retry", "worker", "export"] as const;

export const flags = {
  file: { type: "string", short: "f" },
  "expect-mails": { type: "string" },
  work: { type: "boolean" },
  move: { type: "boolean" },
  parallel: { type: "string" },
  board: { type: "string" },
  json: { type: "boolean" },
  kubernetes: { type: "boolean" },
  github: { type: "boolean" },
  tables: { type: "boolean" },
  source: { type: "string" },
  branch: { type: "string" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const;

const FORMATS = ["kubernetes", "github", "tables"] as const;

export type Flags = Readonly<ReturnType<typeof readFlags>>;

/** Which flags mean something to which command. */
const MEANT: Readonly<Record<string, readonly (typeof VERBS)[number][]>> = {
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

export function readFlags(argv: readonly string[]) {
  const { values, positionals } = parseFlags(argv, flags);
  const [verb, ...stacks] = positionals;
  const wants = values.help ? "help" : values.version ? "version" : VERBS.find(one => one === verb);
  if (wants === undefined) throw new UsageError(`expected one of ${VERBS.join(", ")}, got ${verb ?? "none"}`);
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
    /** The fleet file. */
    file: values.file ?? "fleet.yaml",
    expectMails: whole("expect-mails", values["expect-mails"], 0),
    /** Whether this process works, too, where the data base is a shared one. */
    work: values.work ?? false,
    /** Whether rows may move between the states of shards. */
    move: values.move ?? false,
    parallel: whole("parallel", values.parallel, 1),
    board: values.board,
    json: values.json ?? false,
    format: formats[0],
    source: values.source,
    branch: values.branch ?? "main",
  };
}

const whole = (flag: string, text: string | undefined, least: number): number | undefined =>
  text === undefined ? undefined : wholeNumber(flag, text, least);

export const usage = "Usage: docsign fleet COMMAND [STACK …] [--file fleet.yaml]   (--help shows more)";

export const help = `Runs one program over many stacks, on one machine or on many.

Usage: docsign fleet COMMAND [STACK …] [options]

Commands
  preview          says of every stack what an up would do, and how many mails it would send
  up               brings every stack to what the program says
  refresh          reads what the service holds into every stack's state
  destroy          lets go of every stack's resources
  status           the last run, and what runs now
  cancel           takes stacks out of the queue, and asks those that run to stop
  retry            runs the stacks of the last run again that didn't go well
  worker           takes stacks from the queue until it is stopped; Ctrl-C drains it
  export           the same fleet for another scheduler

Options
  --file FILE, -f    the fleet file (default fleet.yaml)
  --expect-mails N   up: previews first, and begins only if N mails would be sent
  --move             up: moves contracts between the states of shards after their number grew; mails nobody
  --work             works in this process, too, while it follows a run
  --parallel N       stacks at a time in this process, instead of what the fleet file says
  --board FILE       writes the board's page over all stacks at the end of a run
  --json             status as JSON
  --kubernetes       export: objects of the Pulumi Kubernetes Operator; with --source and --branch
  --github           export: a GitHub Actions workflow with a job for each stack
  --tables           export: writes each shard's rows to a file in the program's folder, as a worker does
  --version          the version
  --help, -h         this page

Environment
  DOCSIGN_FLEET_DATABASE   postgres://… that the workers share. Without it this command starts a Postgres of its own
                           on this machine, and works in this process.
  DOCSIGN_FLEET_DIR        folder of that Postgres

Exit codes
  0    every stack went well
  1    a stack failed or was cancelled, or the run wasn't begun
  2    a flag is wrong
  10   stacks wait for signatures, and nothing else is wrong
`;
