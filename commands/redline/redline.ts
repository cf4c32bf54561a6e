/** A part of a contract under one heading, as it is printed; what stands before the first heading has no title. */
export interface Clause {
  readonly title: string;
  readonly lines: readonly string[];
}

/** Words in a row; `BREAK` stands between two lines. */
export interface Run {
  readonly kind: "kept" | "removed" | "added";
  readonly words: readonly string[];
}

export interface ClauseRedline {
  readonly title: string;
  readonly kind: "kept" | "changed" | "removed" | "added";
  readonly runs: readonly Run[];
}

export interface Redline {
  readonly clauses: readonly ClauseRedline[];
  /** Comparisons that it took: at most `MOST_WORK`. */
  readonly work: number;
}

/** Between two lines. No word has white space in it. */
export const BREAK = "\n";

/** Comparisons for one contract. What they aren't enough for counts as changed as a whole. */
export const MOST_WORK = 4_000_000;
/** More changes than these in one clause, and nobody reads them word by word. */
const MOST_EDITS = 1_000;
/** Of two clauses with fewer words in common, one took the other's place. */
const LEAST_IN_COMMON = 1 / 3;

/** The words that a contract loses and gains. Clauses in order; kept and removed words are the old text, kept and added ones the new. */
export function redline(before: readonly Clause[], after: readonly Clause[], most = MOST_WORK): Redline {
  const budget = { left: most };
  const clauses = pairsOf(before, after, budget).map(pair => clauseRedline(pair, budget));
  return { clauses, work: most - budget.left };
}

export const wordsOf = ({ title, lines }: Clause): string[] =>
  [title, ...lines].flatMap((line, index) => {
    const words = line.split(/\s+/).filter(word => word !== "");
    return index === 0 ? words : [BREAK, ...words];
  });

interface Budget {
  left: number;
}

type Pair = { readonly before?: Clause; readonly after?: Clause };

/** Which clause became which: first those that stay, then those with the same title, then those in the same place. */
function pairsOf(before: readonly Clause[], after: readonly Clause[], budget: Budget): Pair[] {
  return gapsOf(before, after, clause => JSON.stringify(clause), budget).flatMap(same =>
    same.isKept ? inOrder(same) : gapsOf(same.before, same.after, untilTitle, budget).flatMap(inOrder),
  );
}

/** A title without its number, which changes with every clause put before it. No two neighbours take the same character. */
const untilTitle = ({ title }: Clause): string => title.replace(/^\D{0,12}\d[\d.]*(?:[):][.):]*)?\s+/, "");

function inOrder({ before, after }: Gap): Pair[] {
  return Array.from({ length: Math.max(before.length, after.length) }, (_, index) => ({
    ...(before[index] ? { before: before[index] } : {}),
    ...(after[index] ? { after: after[index] } : {}),
  }));
}

interface Gap {
  /** Whether the two sides are the same, one by one. */
  readonly isKept: boolean;
  readonly before: readonly Clause[];
  readonly after: readonly Clause[];
}

/** Both lists in pieces: those that are the same by `key`, and what is between them. */
function gapsOf(
  before: readonly Clause[],
  after: readonly Clause[],
  key: (clause: Clause) => string,
  budget: Budget,
): Gap[] {
  const gaps: Gap[] = [];
  for (const { kind, old, fresh } of piecesOf(before, after, key, budget)) {
    const isKept = kind === "kept";
    const last = gaps.at(-1)?.isKept === isKept ? gaps.pop() : undefined;
    gaps.push({ isKept, before: [...(last?.before ?? []), ...old], after: [...(last?.after ?? []), ...fresh] });
  }
  return gaps;
}

function clauseRedline({ before, after }: Pair, budget: Budget): ClauseRedline {
  const [old, fresh] = [before ? wordsOf(before) : [], after ? wordsOf(after) : []];
  const title = (after ?? before)?.title ?? "";
  if (!before || !after) return { title, kind: before ? "removed" : "added", runs: whole(old, fresh) };
  const pieces = piecesOf(old, fresh, word => word, budget);
  const runs = pieces.map(piece => ({ kind: piece.kind, words: piece.kind === "added" ? piece.fresh : piece.old }));
  const kept = runs.reduce((sum, { kind, words }) => sum + (kind === "kept" ? textOf(words) : 0), 0);
  if (runs.every(({ kind }) => kind === "kept")) return { title, kind: "kept", runs };
  const isAlike = kept >= LEAST_IN_COMMON * Math.max(textOf(old), textOf(fresh));
  return { title, kind: "changed", runs: isAlike ? runs : whole(old, fresh) };
}

const textOf = (words: readonly string[]): number => words.filter(word => word !== BREAK).length;

const whole = (old: readonly string[], fresh: readonly string[]): Run[] =>
  [
    { kind: "removed" as const, words: old },
    { kind: "added" as const, words: fresh },
  ].filter(({ words }) => words.length > 0);

/** The changes from one list to the other, with what they are about. */
function piecesOf<T>(before: readonly T[], after: readonly T[], key: (one: T) => string, budget: Budget) {
  let [from, to] = [0, 0];
  return changesOf(before.map(key), after.map(key), budget).map(({ kind, length }) => {
    const old = kind === "added" ? [] : before.slice(from, from + length);
    const fresh = kind === "removed" ? [] : after.slice(to, to + length);
    [from, to] = [from + old.length, to + fresh.length];
    return { kind, old, fresh };
  });
}

interface Change {
  readonly kind: Run["kind"];
  readonly length: number;
}

/** The shortest way from one list to the other, removals before additions; all of it changed where that is too much work. */
function changesOf(old: readonly string[], fresh: readonly string[], budget: Budget): Change[] {
  const shorter = Math.min(old.length, fresh.length);
  let start = 0;
  while (start < shorter && old[start] === fresh[start]) start++;
  let end = 0;
  while (end < shorter - start && old[old.length - 1 - end] === fresh[fresh.length - 1 - end]) end++;
  const [inner, other] = [old.slice(start, old.length - end), fresh.slice(start, fresh.length - end)];
  const middle = shortestWay(inner, other, budget) ?? [
    { kind: "removed" as const, length: inner.length },
    { kind: "added" as const, length: other.length },
  ];
  return joined([{ kind: "kept", length: start }, ...middle, { kind: "kept", length: end }]);
}

/** Neighbours of one kind as one; between two that are kept, removals come first. */
function joined(changes: readonly Change[]): Change[] {
  const all: Change[] = [];
  const waiting = { removed: 0, added: 0 };
  const settle = () => {
    for (const kind of ["removed", "added"] as const) {
      if (waiting[kind] > 0) all.push({ kind, length: waiting[kind] });
      waiting[kind] = 0;
    }
  };
  for (const { kind, length } of changes) {
    if (length === 0) continue;
    if (kind !== "kept") {
      waiting[kind] += length;
      continue;
    }
    settle();
    const last = all.at(-1);
    if (last?.kind === "kept") all[all.length - 1] = { kind, length: last.length + length };
    else all.push({ kind, length });
  }
  settle();
  return all;
}

/**
 * Eugene Myers' greedy search for the fewest removals and additions; undefined where there are more than `MOST_EDITS` of
 * them, or where they take more comparisons than are left.
 */
function shortestWay(old: readonly string[], fresh: readonly string[], budget: Budget): Change[] | undefined {
  const most = Math.min(MOST_EDITS, old.length + fresh.length);
  const reached = new Reached(most);
  const steps: Reached[] = [];
  for (let edits = 0; edits <= most; edits++) {
    steps.push(reached.copy(edits));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      if (budget.left-- <= 0) return spent(budget);
      const from = cameFrom(reached, diagonal, edits);
      let x = reached.at(from) + (from < diagonal ? 1 : 0);
      while (x < old.length && x - diagonal < fresh.length && old[x] === fresh[x - diagonal]) {
        if (budget.left-- <= 0) return spent(budget);
        x++;
      }
      reached.set(diagonal, x);
      if (x >= old.length && x - diagonal >= fresh.length) return wayBack(steps, old.length, fresh.length);
    }
  }
  return undefined;
}

function spent(budget: Budget): undefined {
  budget.left = 0;
}

/** How many words of the old list each diagonal has behind it. A diagonal is the words removed less those added. */
class Reached {
  constructor(
    private readonly most: number,
    private readonly positions = new Int32Array(2 * most + 3),
  ) {}

  at(diagonal: number): number {
    return this.positions[this.most + 1 + diagonal] ?? 0;
  }

  set(diagonal: number, position: number): void {
    this.positions[this.most + 1 + diagonal] = position;
  }

  /** As much of it as so many edits can have reached. */
  copy(edits: number): Reached {
    return new Reached(edits, this.positions.slice(this.most - edits, this.most + edits + 3));
  }
}

/** The diagonal that an edit leads from: the one that came further. */
const cameFrom = (reached: Reached, diagonal: number, edits: number): number =>
  diagonal === -edits || (diagonal !== edits && reached.at(diagonal - 1) < reached.at(diagonal + 1))
    ? diagonal + 1
    : diagonal - 1;

function wayBack(steps: readonly Reached[], oldLength: number, freshLength: number): Change[] {
  const changes: Change[] = [];
  let [x, y] = [oldLength, freshLength];
  for (let edits = steps.length - 1; edits > 0; edits--) {
    const reached = steps[edits];
    if (!reached) break;
    const from = cameFrom(reached, x - y, edits);
    const isRemoval = from < x - y;
    const before = reached.at(from);
    changes.push({ kind: "kept", length: x - before - (isRemoval ? 1 : 0) });
    changes.push({ kind: isRemoval ? "removed" : "added", length: 1 });
    [x, y] = [before, before - from];
  }
  return [...changes, { kind: "kept" as const, length: x }].reverse();
}
