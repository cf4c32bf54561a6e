import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Clause, MOST_WORK, type Redline, redline, wordsOf } from "../../commands/redline/redline.js";
import "../support/properties.js";

const clause = (title: string, ...lines: string[]): Clause => ({ title, lines });

/** `~old~ *new*`, a clause in each line. */
const shown = ({ clauses }: Redline): string[] =>
  clauses.map(({ kind, runs }) =>
    [
      `${kind}:`,
      ...runs.map(run => {
        const text = run.words.join(" ").replaceAll("\n", "/");
        return run.kind === "removed" ? `~${text}~` : run.kind === "added" ? `*${text}*` : text;
      }),
    ].join(" "),
  );

describe("a redline", () => {
  const rent = clause("2. Rent", "The rent is 900 euros a month.");
  test.each<[string, Clause[], Clause[], string[]]>([
    ["of the same text has no change", [rent], [rent], ["kept: 2. Rent / The rent is 900 euros a month."]],
    [
      "has single words",
      [rent],
      [clause("2. Rent", "The rent is 950 euros a month, in advance.")],
      ["changed: 2. Rent / The rent is ~900~ *950* euros a ~month.~ *month, in advance.*"],
    ],
    [
      "has a new clause as added, and the next one by its title whatever its number",
      [rent],
      [clause("2. Deposit", "None."), clause("3. Rent", "The rent is 900 euros a month.")],
      ["added: *2. Deposit / None.*", "changed: ~2.~ *3.* Rent / The rent is 900 euros a month."],
    ],
    [
      "has a clause that goes as removed",
      [clause("1. Term", "One year."), rent],
      [rent],
      ["removed: ~1. Term / One year.~", "kept: 2. Rent / The rent is 900 euros a month."],
    ],
    [
      "pairs clauses by their place where the title is another",
      [clause("Price", "It is ten euros in all.")],
      [clause("Fee", "It is ten euros in all.")],
      ["changed: ~Price~ *Fee* / It is ten euros in all."],
    ],
    [
      "doesn't mix two texts with little in common",
      [clause("", "The tenant pays for all repairs.")],
      [clause("", "Nobody pays a cent.")],
      ["changed: ~/ The tenant pays for all repairs.~ */ Nobody pays a cent.*"],
    ],
    [
      "has lines that are joined",
      [clause("", "a b c", "d e")],
      [clause("", "a b c d e")],
      ["changed: / a b c ~/~ d e"],
    ],
    ["of nothing is empty", [], [], []],
  ])("%s", (_, before, after, expected) => {
    expect(shown(redline(before, after))).toEqual(expected);
  });

  const words = fc.array(fc.constantFrom("a", "b", "c", "d", "e"), { maxLength: 30 }).map(all => all.join(" "));
  const clauses = fc.array(
    fc.record({ title: fc.constantFrom("", "1. One", "2. One", "Two"), lines: fc.array(words, { maxLength: 3 }) }),
    { maxLength: 6 },
  );

  test("holds every word: kept and removed ones are the old text, kept and added ones the new", () => {
    fc.assert(
      fc.property(clauses, clauses, fc.constantFrom(MOST_WORK, 0, 7, 50), (before, after, most) => {
        const made = redline(before, after, most);
        const runs = made.clauses.flatMap(one => one.runs);
        const without = (kind: string) => runs.filter(run => run.kind !== kind).flatMap(run => run.words);
        expect(without("added")).toEqual(before.flatMap(wordsOf));
        expect(without("removed")).toEqual(after.flatMap(wordsOf));
        expect(made.work).toBeLessThanOrEqual(most);
      }),
    );
  });

  test("is the shortest one of a clause, against the longest common part by the book", () => {
    fc.assert(
      fc.property(words, words, (old, fresh) => {
        const [before, after] = [clause("", `x y z x y z ${old}`), clause("", `x y z x y z ${fresh}`)];
        const [only] = redline([before], [after]).clauses;
        const kept = only?.runs.flatMap(run => (run.kind === "kept" ? run.words : [])) ?? [];
        fc.pre(only?.kind === "kept" || kept.length > 0);
        expect(kept).toHaveLength(longestCommon(wordsOf(before), wordsOf(after)));
      }),
    );
  });
});

function longestCommon(old: readonly string[], fresh: readonly string[]): number {
  let row = new Array<number>(fresh.length + 1).fill(0);
  for (const word of old) {
    const next = [0];
    for (const [index, other] of fresh.entries())
      next.push(word === other ? (row[index] ?? 0) + 1 : Math.max(row[index + 1] ?? 0, next[index] ?? 0));
    row = next;
  }
  return row.at(-1) ?? 0;
}

describe("the work of a redline is bounded", () => {
  const many = (count: number, word: (index: number) => string) => Array.from({ length: count }, (_, at) => word(at));

  test("one clause of 100,000 other words counts as changed as a whole", () => {
    const made = redline(
      [clause("Terms", many(100_000, at => `a${at}`).join(" "))],
      [clause("Terms", many(100_000, at => `b${at}`).join(" "))],
    );
    // As many comparisons as 1,000 edits take, and none beyond.
    expect(made.work).toBeLessThan(600_000);
    expect(made.clauses.map(one => one.runs.map(run => [run.kind, run.words.length]))).toEqual([
      [
        ["removed", 100_002],
        ["added", 100_002],
      ],
    ]);
  });

  test("a thousand such clauses take no more than all that is allowed, and one word in a long text little", () => {
    const contract = (letter: string) =>
      many(1_000, at => `${at}`).map(at => clause(`Clause ${at}`, many(1_000, word => `${letter}${word}`).join(" ")));
    expect(redline(contract("a"), contract("b")).work).toBeLessThanOrEqual(MOST_WORK);
    const long = many(100_000, at => `w${at % 100}`);
    const made = redline([clause("", long.join(" "))], [clause("", long.with(50_000, "other").join(" "))]);
    expect(made.work).toBeLessThan(50);
    expect(made.clauses[0]?.kind).toBe("changed");
  });

  test("200,000 headings are compared, and titles that are almost numbers are read once", () => {
    const headings = many(200_000, at => `${at}`).map(at => clause(at));
    expect(redline(headings, headings).clauses).toHaveLength(200_000);
    const numbered = (end: string) => many(40, at => `1${".".repeat(50_000)}${at}${end}`).map(title => clause(title));
    expect(redline(numbered("a"), numbered("b")).clauses).toHaveLength(40);
  });
});
