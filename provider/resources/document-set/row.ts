import { CancelledError } from "../../client/errors.js";
import { commonCommand, quoted, Refusal, type Remedy, renderRefusal } from "../refusal.js";
import type { Call, Log } from "../resource.js";
import { identityOf } from "./rows.js";

/** Rows that are worked on at a time: somewhat more than there are creates and reads in flight, as a row waits for the journal, too. */
export const AT_ONCE = 20;
const MOST_PROBLEMS = 20;

/** What is wrong with a row. */
export interface RowProblem {
  readonly key: string;
  readonly error: unknown;
}

/** A row is a Document under the set's URN and its key. */
export const rowCall = (call: Call, key: string, log: Log = call.log): Call => ({
  ...call,
  log,
  urn: `${call.urn}#${identityOf(key)}`,
});

export const isSigned = (error: unknown): boolean => error instanceof Refusal && error.parts.cause === "replace-signed";

export const isCancelled = (error: unknown): boolean => error instanceof CancelledError;

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const bounded = (lines: readonly string[]): string[] =>
  lines.length <= MOST_PROBLEMS
    ? [...lines]
    : [...lines.slice(0, MOST_PROBLEMS), `and ${lines.length - MOST_PROBLEMS} more`];

/** The rows' problems one after another, and what can be done once for all of them. */
export function describeProblems(problems: readonly RowProblem[], setUrn: string): string[] {
  const lines = problems.map(({ key, error }) => {
    if (!(error instanceof Refusal)) return `${key}: ${messageOf(error)}`;
    const { remedies: _below, ...facts } = error.parts;
    return `${key}: ${renderRefusal(facts, () => "")}`;
  });
  const remedies = problems.flatMap(({ key, error }) =>
    error instanceof Refusal ? (error.parts.remedies ?? []).map(remedy => ({ key, remedy })) : [],
  );
  const shown = [...new Set(remedies.map(({ key, remedy }) => commandFor(setUrn, key, remedy, remedies)))];
  return [...bounded(lines), ...(shown.length > 0 ? ["What you can do:", ...shown.map(text => `  - ${text}`)] : [])];
}

interface RowRemedy {
  readonly key: string;
  readonly remedy: Remedy;
}

/** Commands are about resources, and a row isn't one. Those that differ in an id alone are one command. */
function commandFor(setUrn: string, key: string, remedy: Remedy, all: readonly RowRemedy[]): string {
  switch (remedy.kind) {
    case "import": {
      const first = all.find(each => each.remedy.kind === "import");
      const id = first?.remedy.kind === "import" ? first.remedy.id : remedy.id;
      return `to manage a document by itself, such as ${id}: take ${first?.key ?? key} out of the set, then pulumi import --generate-code=false docsign:index:Document NAME ${quoted(id)}`;
    }
    case "forget": {
      const alike = all.flatMap(each =>
        each.remedy.kind === "forget" && each.remedy.effect === remedy.effect ? [each.remedy.token] : [],
      );
      return commonCommand({ ...remedy, token: [...new Set(alike)].join(",") }, setUrn);
    }
    case "untaint":
      return `if the set was tainted: pulumi state untaint ${quoted(setUrn)}`;
    case "state-delete":
      return "to let go of a document: take its row out of the set";
    default:
      return commonCommand(remedy, setUrn);
  }
}
