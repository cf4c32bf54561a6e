import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { table } from "../../scripts/docgen/reference/markdown.js";
import type { IndependentService } from "../support/independent-service/index.js";
import { statusOf } from "../support/independent-service/records.js";
import type { Entry, Outcome } from "../support/simulated-engine.js";

/** What a command came to: for its user, and in the service's own books. */
export type Ending =
  | `[docsign/${string}]`
  | "an error"
  | "created"
  | "taken over"
  | "replaced"
  /** One more, while nobody holds the first one, or somebody has signed it. */
  | "second document"
  | "Diff refuses"
  | "Create refuses"
  | "Delete refuses"
  | "the engine refuses";

export interface Case<Setting> {
  readonly ends: Ending;
  play(at: Setting): Promise<Ending>;
}

/** Words of a page, and what proves them. */
export interface Cell<Setting> {
  readonly text: string;
  readonly cases: Readonly<Record<string, Case<Setting>>>;
}

export type Row<Setting> = readonly [what: string, ...(string | Cell<Setting>)[], Cell<Setting>];

interface Declared<Setting> {
  readonly page: string;
  readonly name: string;
  readonly head: readonly string[];
  readonly rows: readonly Row<Setting>[];
  /** Where each case is played. */
  readonly settings: Readonly<Record<string, Setting>>;
}

export interface Table {
  readonly page: string;
  readonly name: string;
  readonly text: string;
  readonly cells: readonly { readonly what: string; readonly text: string; readonly ends: readonly Ending[] }[];
  readonly plays: readonly { readonly title: string; readonly ends: Ending; run(): Promise<Ending> }[];
}

/** What words in a cell say about how it ends. */
const CLAIMS: readonly (readonly [RegExp, ...Ending[]])[] = [
  [/\*\*/, "second document"],
  [/\bsends only|\bcreates\b/, "created"],
  [/\btake[sn]? .*\b(over|back)\b|\bis kept and no one\b/, "taken over"],
  [/\breplaced\b/, "replaced"],
  [/\bdecided by the rows above\b/, "replaced", "[docsign/replace-signed]"],
  [/\bDiff asks\b/, "Diff refuses"],
  [/\bCreate asks\b/, "Create refuses"],
  [/\bDelete asks\b/, "Delete refuses"],
  [/\bthe engine stops\b/, "the engine refuses"],
  [/\bis an error\b/, "an error"],
];

export function claimsOf(text: string): Set<Ending> {
  const named = [...text.matchAll(/\[docsign\/[\w-]+\]/g)].map(([cause]) => cause as Ending);
  return new Set([...named, ...CLAIMS.flatMap(([words, ...endings]) => (words.test(text) ? endings : []))]);
}

export type Cases<Setting> = Readonly<Record<string, readonly [Ending, Case<Setting>["play"]]>>;

export const cell = <Setting>(text: string, cases: Cases<Setting>): Cell<Setting> => ({
  text,
  cases: Object.fromEntries(Object.entries(cases).map(([name, [ends, play]]) => [name, { ends, play }])),
});

export const causeIn = (error: string): Ending =>
  (/\[docsign\/[\w-]+\]/.exec(error)?.[0] as Ending | undefined) ?? "an error";

/** What only an engine shows: a test with an engine, by its file and title, that expects an error of this name. */
export const inEngine = (ends: Ending, file: string, title: string) =>
  [
    ends,
    async (): Promise<Ending> => {
      const source = readFileSync(join(import.meta.dirname, "..", `${file}.engine.test.ts`), "utf8");
      const found = source.split(/\n {2}(?:it|test)\b/).find(test => test.includes(`("${title}", async`));
      return causeIn(/ontain(?:s|ing)?\("(\[docsign.*?\])"\)/.exec(found ?? "")?.[1] ?? "");
    },
  ] as const;

/** How the work ends, by the service's books: a refusal sent nothing, and each document has mailed each signer once. */
export async function endingOf(
  { ledger }: IndependentService,
  held: () => readonly Entry[],
  work: () => Promise<Pick<Outcome, "error">>,
): Promise<Ending> {
  const posts = () => ledger.requests("createDocument").length;
  const before = posts();
  const { error } = await work();
  const sent = posts() - before;
  const made = ledger.documents().filter(({ madeBy }) => madeBy > 0);
  for (const { id, invitations } of made)
    expect(ledger.mails("invitation").filter(({ documentId }) => documentId === id)).toHaveLength(invitations.length);
  if (error !== undefined) {
    expect(sent, error).toBe(0);
    return causeIn(error);
  }
  const entries = held().filter(({ goal }) => goal.type === undefined);
  expect(made.map(({ id }) => id)).toEqual(expect.arrayContaining(entries.map(({ id }) => id)));
  expect(entries).not.toEqual([]);
  if (sent === 0) return "taken over";
  const superseded = new Set(entries.flatMap(({ outputs }) => outputs["supersedes"] as string[]));
  const lost = made
    .filter(({ id }) => !entries.some(entry => entry.id === id))
    .filter(document => !superseded.has(document.id) || statusOf(document) !== "unsigned");
  if (lost.length > 0) return "second document";
  return superseded.size > 0 ? "replaced" : "created";
}

const textOf = <Setting>(each: string | Cell<Setting>): string => (typeof each === "string" ? each : each.text);

export function tableOf<Setting>({ page, name, head, rows, settings }: Declared<Setting>): Table {
  const cells = rows.flatMap(([what, ...more]) =>
    more.flatMap(each => (typeof each === "string" ? [] : [{ what, ...each }])),
  );
  return {
    page,
    name,
    text: table(rows.map(row => Object.fromEntries(row.map((each, at) => [head[at] ?? "", textOf(each)])))),
    cells: cells.map(({ what, text, cases }) => ({ what, text, ends: Object.values(cases).map(({ ends }) => ends) })),
    plays: cells.flatMap(({ what, cases }) =>
      Object.entries(cases).flatMap(([nth, { ends, play }]) =>
        Object.entries(settings).map(([where, at]) => ({
          title: [what, nth, where].filter(words => words !== "").join(": "),
          ends,
          run: () => play(at),
        })),
      ),
    ),
  };
}

/** A page with these tables in their places. */
export function withTables(page: string, tables: readonly Table[]): string {
  return tables.reduce((text, each) => {
    const [begin, end] = [
      `<!-- ${each.name}: \`npm test -- test/doc-tables -u\` prints it -->`,
      `<!-- end of ${each.name} -->`,
    ];
    const [at, until] = [text.indexOf(begin), text.indexOf(end)];
    if (at < 0 || until < at) throw new Error(`no place for a table: ${each.page} needs the lines ${begin} and ${end}`);
    return `${text.slice(0, at)}${begin}\n\n${each.text}\n\n${text.slice(until)}`;
  }, page);
}
