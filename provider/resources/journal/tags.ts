import type { Entry, EntryOf, RemindersRow } from "./entry.js";
import { contentName, invitationName, stackOf, tokenIn } from "./names.js";

/** What a line is about, for a log that isn't read whole. */
export interface Tags {
  /** Whose lines it comes after. */
  readonly stacks: readonly string[];
  /**
   * Ids it changes, what a person lets go of with it, and the content it begins: it comes after all lines that named them,
   * of any stack.
   */
  readonly ids: readonly string[];
  /** What another stack may ask for: these, and contents. */
  readonly keys: readonly string[];
}

export function tagsOf(line: Entry): Tags {
  switch (line.op) {
    case "begin":
      return tags([line.urn], line.knows ? contentOf(line) : [], [line.token, ...(line.knows ? [] : contentOf(line))]);
    case "hint":
    case "resolve":
    case "withdraw":
    case "reminded":
    case "unremind":
      return tags([line.urn], []);
    case "remind":
      return tags([line.urn], invitationsOf(line));
    case "claim":
    case "show":
      return tags([line.urn], [tokenIn(line)], contentOf(line));
    case "replace":
    case "release":
      return tags([line.urn], [tokenIn(line)]);
    case "forget":
      return tags([], line.tokens);
    case "snapshot":
      return allOf([
        ...line.attempts.map(row => tags([row.urn], [], [row.token, contentName(row.service, row.fingerprint)])),
        ...line.owned.map(row => tags([row.urn], [tokenIn(row)], contentOf(row))),
        ...line.reminders.map(row => tags([row.urn], [], invitationsOf(row))),
      ]);
  }
}

export const allOf = (all: readonly Tags[]): Tags => ({
  stacks: distinct(all.flatMap(({ stacks }) => stacks)),
  ids: distinct(all.flatMap(({ ids }) => ids)),
  keys: distinct(all.flatMap(({ keys }) => keys)),
});

/** What each of these stacks holds, as a snapshot of its own: what linked them is history. */
export function snapshotsOf(all: EntryOf<"snapshot">, stacks: readonly string[]): EntryOf<"snapshot">[] {
  const attempts = byStack(all.attempts);
  const owned = byStack(all.owned);
  const reminders = byStack(all.reminders);
  return stacks.map(stack => ({
    ...all,
    stacks: [stack],
    attempts: attempts.get(stack) ?? [],
    owned: owned.get(stack) ?? [],
    reminders: reminders.get(stack) ?? [],
  }));
}

const tags = (urns: readonly string[], ids: readonly string[], more: readonly string[] = []): Tags => ({
  stacks: urns.map(stackOf),
  ids,
  keys: [...ids, ...more],
});

const contentOf = ({ service, fingerprint }: { service: string; fingerprint?: string | undefined }): string[] =>
  fingerprint === undefined ? [] : [contentName(service, fingerprint)];

const invitationsOf = ({ service, rows }: RemindersRow): string[] =>
  rows.map(({ invitationId }) => invitationName(service, invitationId));

const byStack = <Row extends { readonly urn: string }>(rows: readonly Row[]): Map<string, Row[]> =>
  Map.groupBy(rows, ({ urn }) => stackOf(urn));

const distinct = (names: readonly string[]): string[] => [...new Set(names)];
