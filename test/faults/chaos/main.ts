import { parseArgs } from "node:util";
import type { Figures, Lived } from "./run.js";
import { live, shrink } from "./run.js";
import { type Circumstances, scriptOf } from "./script.js";
import { stores } from "./store.js";

/** Of a hundred lives and more, at services that the interface allows. */
const MOST_STUCK = 0.05;

/**
 * What the interface doesn't leave open: it shows that a document is read by its id (4.4), and which statuses one has (3).
 * Nothing is sent twice there either; who is asked is counted apart.
 */
const SHOWN_OTHERWISE = new Set([
  "GET: 404 always",
  "GET: 403 always",
  "GET: another document's body",
  "lists: without unknown statuses",
  "words: an unknown status before signing",
]);

interface Ended extends Pick<Lived, "left" | "acted"> {
  readonly seed: number;
  /** The interface allows its service. */
  readonly isAllowed: boolean;
}

/** It ended with an error, whatever people did. */
const isStuck = ({ left, isAllowed }: Ended): boolean => isAllowed && left.length > 0;

/** A person acted, or would have to. */
const isAsked = ({ left, acted }: Ended): boolean => left.length + acted.length > 0;

/** npm run chaos -- --seed N --runs 1000: so many lives, each from its own seed, counting up from N. */
export async function main(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      seed: { type: "string", default: "1" },
      runs: { type: "string", default: "1000" },
      plain: { type: "boolean" },
      "thrown-away": { type: "boolean" },
      dynamic: { type: "boolean" },
      "skip-checkpoints": { type: "boolean" },
      tomorrow: { type: "boolean" },
      journal: { type: "string" },
      verbose: { type: "boolean" },
    },
  });
  const first = Number(values.seed);
  const runs = Number(values.runs);
  if (!Number.isSafeInteger(first) || !Number.isSafeInteger(runs) || runs < 1 || !isJournal(values.journal)) {
    process.stderr.write(
      "usage: npm run chaos -- --seed N --runs N [--plain] [--thrown-away] [--dynamic] [--skip-checkpoints] [--tomorrow] [--journal postgres|s3] [--verbose]\n",
    );
    return 2;
  }
  const circumstances = {
    dialects: !values.plain,
    thrownAway: values["thrown-away"] ?? false,
    dynamic: values.dynamic ?? false,
    skipCheckpoints: values["skip-checkpoints"] ?? false,
    tomorrow: values.tomorrow ?? false,
    journal: values.journal,
  };
  await using store = values.journal && values.journal !== "local" ? await stores[values.journal]() : undefined;
  const started = Date.now();
  const total: Record<keyof Figures, number> = {
    commands: 0,
    blows: 0,
    requests: 0,
    faults: 0,
    documents: 0,
    folders: 0,
    mails: 0,
  };
  const lives: Ended[] = [];
  const kinds: Record<string, number> = {};
  const failed: number[] = [];
  for (let nth = 0; nth < runs; nth++) {
    const script = scriptOf(first + nth, circumstances);
    const { violations, figures, story, left, acted } = await live(script, { store });
    lives.push({ seed: first + nth, left, acted, isAllowed: !script.dialect.some(name => SHOWN_OTHERWISE.has(name)) });
    if (left.length + acted.length > 0 && values.verbose)
      process.stdout.write(
        `seed ${first + nth}: ${script.mixed} ${JSON.stringify(script.policy)} ${JSON.stringify(script.dialect)}\n${story.join("\n")}\n`,
      );
    for (const key of Object.keys(total) as (keyof Figures)[]) total[key] += figures[key];
    if ((nth + 1) % 100 === 0) process.stderr.write(`${nth + 1} of ${runs} runs\n`);
    if (violations.length === 0) continue;
    failed.push(first + nth);
    for (const { kind, what } of violations) {
      kinds[kind] = (kinds[kind] ?? 0) + 1;
      process.stdout.write(`seed ${first + nth}: ${kind}: ${what}\n`);
    }
    if (values.verbose) process.stdout.write(`${story.join("\n")}\n`);
  }
  const count = (kind: string) => kinds[kind] ?? 0;
  process.stdout.write(
    [
      `${runs} runs from seed ${first}: ${total.commands} commands, ${total.requests} requests, ${total.faults} faults, ${total.blows} kills and cancels`,
      `the service made ${total.documents} documents and ${total.folders} folders, and sent ${total.mails} mails`,
      `${count("duplicate")} duplicates, ${count("loss")} losses, ${count("wrong deletion from state")} wrong deletions from state, ${count("replaced though not unsigned")} replaced though not unsigned, ${count("state is wrong")} wrong states, ${count("stuck")} stuck`,
      ...peopleIn(lives),
      `${((Date.now() - started) / 1000).toFixed(1)} s\n`,
    ].join("\n"),
  );
  const [worst] = failed;
  if (worst === undefined) return runs >= 100 && lives.filter(isStuck).length > MOST_STUCK * runs ? 1 : 0;
  const script = scriptOf(worst, circumstances);
  const { violations } = await live(script, { store });
  if (violations[0]) {
    const least = await shrink(script, violations[0].kind, { store });
    const { story, violations: found } = await live(least, { store });
    process.stdout.write(`seed ${worst}, shrunk from ${script.steps.length} to ${least.steps.length} steps:\n`);
    process.stdout.write(
      `${JSON.stringify({ mixed: least.mixed, dialect: least.dialect, thrownAway: least.thrownAway, dynamic: least.dynamic, skipCheckpoints: least.skipCheckpoints, tomorrow: least.tomorrow, journal: least.journal, lag: least.lag, policy: least.policy })}\n${story.join("\n")}\n`,
    );
    for (const { kind, what } of found) process.stdout.write(`${kind}: ${what}\n`);
  }
  return 1;
}

function peopleIn(all: readonly Ended[]): string[] {
  const place = (words: string, lives: readonly Ended[]) => {
    const asked = lives.filter(isAsked);
    const share = ((100 * asked.length) / Math.max(1, lives.length)).toFixed(1);
    const stuck = lives.filter(isStuck).length;
    const seeds = new Map<string, number[]>();
    for (const { seed, left, acted } of asked)
      for (const why of new Set([...left, ...acted])) seeds.set(why, [...(seeds.get(why) ?? []), seed]);
    return [
      `${words}: ${lives.length} lives, ${lives.length - asked.length} went on by themselves, ${asked.length - stuck} after a person acted, ${stuck} ended with an error: ${share} % left to people`,
      ...[...seeds]
        .sort(([, a], [, b]) => b.length - a.length)
        .map(([why, at]) => `  ${why}: ${at.length} (seeds ${at.slice(0, 8).join(", ")}${at.length > 8 ? " …" : ""})`),
    ];
  };
  return [
    ...place("at all services", all),
    ...place(
      "at those that the interface allows",
      all.filter(({ isAllowed }) => isAllowed),
    ),
    ...place(
      "at those that answer otherwise than it shows",
      all.filter(({ isAllowed }) => !isAllowed),
    ),
  ];
}

function isJournal(name: string | undefined): name is Circumstances["journal"] {
  return name === undefined || name === "local" || name in stores;
}

process.exit(await main(process.argv.slice(2)));
