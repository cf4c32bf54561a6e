import { named, Refusal, type RefusalParts, type Remedy } from "../refusal.js";
import { NOT_REPLACED } from "../replace-guard.js";
import { bounded, messageOf } from "./row.js";

/** What is wrong with a row. */
export interface RowProblem {
  readonly key: string;
  readonly error: unknown;
}

interface Options {
  /** Whether `whenSigned: "keep"` would let the other rows go on. */
  readonly canKeep: boolean;
}

/** The rows' problems as one refusal: a line for each row, and what can be done once for all of them. */
export function refusalOf(headline: string, problems: readonly RowProblem[], { canKeep }: Options): RefusalParts {
  const causes = new Set(problems.map(({ error }) => (error instanceof Refusal ? error.parts.cause : undefined)));
  const [cause] = causes.size === 1 ? causes : [];
  return {
    cause,
    headline,
    details: bounded(problems.map(({ key, error }) => `${key}: ${lineOf(error, cause === undefined)}`)),
    remedies: remediesOf(problems, canKeep),
  };
}

function lineOf(error: unknown, withCause: boolean): string {
  if (!(error instanceof Refusal)) return onOneLine(messageOf(error).split("\n"));
  const { cause, headline, details = [] } = error.parts;
  const facts = headline.endsWith(NOT_REPLACED) ? headline.slice(0, -NOT_REPLACED.length) : headline.replace(/\.$/, "");
  return `${onOneLine([facts, ...details])}${withCause ? named(cause) : ""}`;
}

const onOneLine = (lines: readonly string[]): string =>
  lines
    .map(line => line.trim())
    .filter(line => line !== "")
    .join("; ");

function remediesOf(problems: readonly RowProblem[], canKeep: boolean): Remedy[] {
  const all = problems.flatMap(({ key, error }) =>
    error instanceof Refusal ? (error.parts.remedies ?? []).map(remedy => ({ key, remedy })) : [],
  );
  const forgets = all.flatMap(({ remedy }) => (remedy.kind === "forget" ? [remedy] : []));
  const forSet = ({ key, remedy }: (typeof all)[number]): readonly Remedy[] => {
    switch (remedy.kind) {
      case "take-back":
        return canKeep ? [PUT_BACK, KEEP] : [PUT_BACK];
      case "send-as-well":
        return [ANOTHER_KEY];
      case "remove-first":
        return [];
      case "state-delete":
        return [TAKE_OUT];
      case "import":
        return [{ ...remedy, row: key }];
      case "forget":
        return [{ ...remedy, token: each(forgets, "token").join(","), effect: each(forgets, "effect").join("; or ") }];
      default:
        return [remedy];
    }
  };
  // An import names one document as an example; anything else is the same for all rows, or it is said as often as it differs.
  const said = all
    .flatMap(forSet)
    .map(remedy => [remedy.kind === "import" ? "" : JSON.stringify(remedy), remedy] as const);
  return [...new Map(said.toReversed())].map(([, remedy]) => remedy).toReversed();
}

const each = <T, K extends keyof T>(items: readonly T[], name: K): T[K][] => [
  ...new Set(items.map(item => item[name])),
];

const advice = (text: string): Remedy => ({ kind: "advice", text });

const PUT_BACK = advice(
  "keep these documents: put their rows, and the `defaults` and the template they use, back as they were",
);
const KEEP = advice('keep them and replace the others: set whenSigned: "keep"');
const ANOTHER_KEY = advice(
  "send a changed contract as well: give its row another key, which makes it a new row. Its people are mailed and sign a second contract; the first leaves the set and stays at the service",
);
const TAKE_OUT = advice("let go of a document: take its row out of the set");
