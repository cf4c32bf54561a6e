import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { ENGINES } from "./connection.js";
import { draft, noFixture, readFixture, UsageError } from "./fixture.js";
import { LEVELS } from "./law.js";
import { replay } from "./replay.js";
import { badge, junit, lawsPage, terminal } from "./report.js";
import { run, schemaFrom, worst } from "./run.js";
import { targetOf } from "./start.js";

const HELP = `usage: pulumi-provider-conformance [options] [--] PROVIDER [ARGUMENTS …]

Tries on a Pulumi provider what the engine expects of it. PROVIDER is a program, a folder with a PulumiPlugin.yaml, or
the port of one that is running.

  --fixture FILE       what may be created, updated and replaced, in JSON; without it: what needs none
  --law NAME           only this law; may be repeated
  --engine NAME        only by the rules of the newest or the oldest engine
  --seed TEXT          names in the run are made of it; printed by each run
  --patience SECONDS   how long to wait for what has to come soon: the answer to Cancel, the end of a process (20)
  --level LEVEL        ends with 1 where a law of this level or a stricter one fails: must, should (default), could
  --json FILE          writes the report, with the calls of each failure
  --junit FILE         writes it in JUnit's form
  --badge              prints one line instead of the table
  --replay FILE        sends the calls of a report's failures again, and prints them
  --draft              prints a fixture file to begin with, made of the provider's schema
  --list               prints the laws
  --help               this page
`;

async function command(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      fixture: { type: "string" },
      law: { type: "string", multiple: true, default: [] },
      engine: { type: "string", multiple: true, default: [] },
      seed: { type: "string" },
      patience: { type: "string", default: "20" },
      level: { type: "string", default: "should" },
      json: { type: "string" },
      junit: { type: "string" },
      badge: { type: "boolean", default: false },
      replay: { type: "string" },
      draft: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  if (values.list) {
    process.stdout.write(lawsPage());
    return 0;
  }
  const level = (LEVELS as readonly string[]).indexOf(values.level);
  if (level < 0) throw new UsageError(`expected must, should or could as --level, got ${values.level}`);
  const patience = Number(values.patience);
  if (!(patience > 0)) throw new UsageError(`expected seconds as --patience, got ${values.patience}`);
  for (const name of values.engine)
    if (!(ENGINES as readonly string[]).includes(name))
      throw new UsageError(`expected newest or oldest as --engine, got ${name}`);
  const fixture = values.fixture === undefined ? noFixture() : readFixture(values.fixture);
  const words = positionals.length > 0 ? positionals : (fixture.provider ?? []);
  if (words.length === 0)
    throw new UsageError("expected a provider: a program, a folder or a port. `--help` says more");
  const target = targetOf(words);
  if (values.draft) {
    process.stdout.write(draft(await schemaFrom(target)));
    return 0;
  }
  if (values.replay !== undefined) {
    await replay({ target, fixture }, values.replay, line => process.stdout.write(`${line}\n`));
    return 0;
  }
  const isTerminal = process.stderr.isTTY === true;
  const report = await run({
    target,
    fixture,
    laws: values.law,
    engines: values.engine,
    soonMs: patience * 1000,
    ...(values.seed === undefined ? {} : { seed: values.seed }),
    onResult: ({ law, subject, outcome }) => {
      if (isTerminal) process.stderr.write(`\r\u001b[K${outcome} ${law} ${subject ?? ""}`);
    },
  });
  if (isTerminal) process.stderr.write("\r\u001b[K");
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, undefined, 1)}\n`);
  if (values.junit !== undefined) writeFileSync(values.junit, junit(report));
  process.stdout.write(values.badge ? `${badge(report)}\n` : terminal(report));
  if (report.results.length === 0) return 2;
  const broken = worst(report);
  return broken !== undefined && LEVELS.indexOf(broken) <= level ? 1 : 0;
}

function failed(error: unknown): number {
  const { message, stack, code } = error as Error & { code?: string };
  const isUsage = error instanceof UsageError || code?.startsWith("ERR_PARSE_ARGS") === true;
  process.stderr.write(`pulumi-provider-conformance: ${isUsage ? message : `this is a bug: ${stack}`}\n`);
  return isUsage ? 2 : 70;
}

void command(process.argv.slice(2))
  .catch(failed)
  .then(code => {
    process.exitCode = code;
  });
