import { CancelledError } from "../../client/errors.js";
import { commonCommand, quoted, Refusal, type RenderRemedy, renderRefusal } from "../refusal.js";
import type { Call, Log } from "../resource.js";
import { identityOf } from "./rows.js";

/** Rows that are worked on at a time. */
export const AT_ONCE = 8;
const MOST_PROBLEMS = 20;
const MOST_REMEDIES = 8;

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
  const remedies = new Set<string>();
  const lines = problems.map(({ key, error }) => {
    if (!(error instanceof Refusal)) return `${key}: ${messageOf(error)}`;
    for (const remedy of error.parts.remedies ?? []) remedies.add(rowCommands(setUrn, key)(remedy));
    const { remedies: _once, ...facts } = error.parts;
    return `${key}: ${renderRefusal(facts, commonRemedy)}`;
  });
  const shown = [...remedies].slice(0, MOST_REMEDIES).map(remedy => `  - ${remedy}`);
  return [...bounded(lines), ...(shown.length > 0 ? ["What you can do:", ...shown] : [])];
}

/** Commands are about resources, and a row isn't one. */
const rowCommands =
  (setUrn: string, key: string): RenderRemedy =>
  remedy => {
    switch (remedy.kind) {
      case "import":
        return `to manage document ${remedy.id} by itself: take ${key} out of the set, then pulumi import --generate-code=false docsign:index:Document NAME ${quoted(remedy.id)}`;
      case "untaint":
        return `if the set was tainted: pulumi state untaint ${quoted(setUrn)}`;
      case "state-delete":
        return `to let go of it: take ${key} out of the set`;
      default:
        return commonCommand(remedy);
    }
  };

const commonRemedy: RenderRemedy = () => "";
