import { counted, statusInWords } from "../../core/text.js";
import { type Facts, sumOf } from "../../schema/facts.js";
import { factsOf, named, Refusal, type RefusalParts, type Remedy } from "../refusal.js";
import { NOT_REPLACED } from "../replace-guard.js";
import type { Call } from "../resource.js";
import { bounded, kindOf, messageOf, otherRows, protectsSigned } from "./row.js";
import type { SetState } from "./set-state.js";

/** What is wrong with a row. */
export interface RowProblem {
  readonly key: string;
  readonly error: unknown;
}

interface Options {
  /** Whether `whenSigned: "keep"` would let the other rows go on. */
  readonly canKeep: boolean;
  /** Whether machines were told already. */
  readonly said?: boolean;
}

/** Rows whose documents are protected, each for its own reason. Otherwise the first of a cause stands for all: the engine prints an error three times. */
const MOST_EXPLAINED = 3;

/** The rows' problems as one refusal: what is wrong by cause, and what can be done once for all rows. `--debug` shows every row. */
export function refusalOf(
  call: Call,
  headline: string,
  problems: readonly RowProblem[],
  { canKeep, said = false }: Options,
): Refusal {
  const causes = new Set(problems.map(({ error }) => (error instanceof Refusal ? error.parts.cause : undefined)));
  const [cause] = causes.size === 1 ? causes : [];
  const alike = new Map<string, (RowProblem & { readonly line: string })[]>();
  for (const { key, error } of problems) {
    const kind = error instanceof Refusal ? `[${error.parts.cause}]` : kindOf(messageOf(error));
    const line = `${key}: ${lineOf(error, cause === undefined)}`;
    const rows = alike.get(kind) ?? [];
    rows.push({ key, error, line });
    alike.set(kind, rows);
  }
  const details = [...alike.values()].flatMap(rows => {
    const shown = rows.length <= MOST_EXPLAINED && rows.every(({ error }) => protectsSigned(error)) ? rows.length : 1;
    const lines = rows.slice(0, shown).map(({ line }) => line);
    return shown === rows.length ? lines : [...lines, otherRows(rows.slice(shown).map(({ key }) => key))];
  });
  const all = [...alike.values()].flat();
  if (details.length < all.length) call.log.debug(all.map(({ line }) => line).join("\n"));
  const remedies = remediesOf(problems, canKeep);
  return new Refusal(
    { cause, headline, details: bounded(details), remedies, facts: said ? {} : factsOfRows(problems) },
    call.urn,
  );
}

/** All rows are gone from the program at once: more often a file that came out empty than a wish. */
export function emptied({ rows }: SetState, property: string): RefusalParts {
  const signed = [...rows.values()].filter(({ status }) => status !== "unsigned").length;
  return {
    cause: "emptied-set",
    headline: `\`${property}\` has no rows, and the set holds ${counted(rows.size, "document")}${signed > 0 ? `, ${signed} of them signed, in part at least` : ""}. Nothing was changed.`,
    details: bounded([...rows].map(([key, row]) => `${key}: document ${row.documentId}, ${statusInWords(row.status)}`)),
    remedies: [
      advice("put the rows back"),
      advice(
        "let go of all of them on purpose: set allowEmpty: true, or take the set out of the program. The documents stay at the service",
      ),
    ],
  };
}

/** What machines are told of rows that may not be sent. */
export const factsOfRows = (problems: readonly RowProblem[]): Facts =>
  sumOf(problems.map(({ error }) => factsOf(error) ?? { refused: 1 }));

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
  const adopts = all.flatMap(({ remedy }) => (remedy.kind === "adopt" ? [remedy] : []));
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
      case "adopt":
        return [{ ...remedy, id: each(adopts, "id").join(",") }];
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
