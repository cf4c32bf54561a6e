import { canonicalText } from "../../core/text.js";
import { isUnknown, type Value, type Values } from "../../schema/values.js";
import type { InvitationInput } from "./declaration.js";
import { addressOf } from "./document-state.js";

/** `message` is left out: it is used at creation only and can't be read back. */
export type Field = Exclude<keyof InvitationInput, "message">;

/** An input that an invitation gains doesn't compile before it is here. */
const FIELDS: Readonly<Record<Field, true>> = { email: true, name: true, allowedSignatureTypes: true, stage: true };
export const COMPARED = Object.keys(FIELDS) as Field[];

type Row = Values | undefined;
type Fit = (a: Row, b: Row) => boolean;

export function comparable(field: Field, value: Value | undefined): string | number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || value === "") return undefined;
  return field === "email" ? addressOf(value) : canonicalText(value);
}

export const samePerson: Fit = (a, b) =>
  a !== undefined && b !== undefined && comparable("email", a["email"]) === comparable("email", b["email"]);

export const sameRow: Fit = (a, b) => everyField(a, b, (one, other) => one === other);

/** The same in all that both say: the service fills in what a program leaves out, and keeps to itself some of what it says. */
export const agrees: Fit = (a, b) =>
  everyField(a, b, (one, other) => one === undefined || other === undefined || one === other);

function everyField(a: Row, b: Row, fits: (one: unknown, other: unknown) => boolean): boolean {
  return (
    samePerson(a, b) &&
    COMPARED.every(
      field => !isUnknown(a?.[field]) && fits(comparable(field, a?.[field]), comparable(field, b?.[field])),
    )
  );
}

/**
 * For each of the program's rows its counterpart, and the rows left over: as many as possible that fit best, then of
 * the same address and stage, then of the same address, then whatever is left.
 */
export function paired(program: readonly Row[], others: readonly Row[], best: Fit): [Row[], Values[]] {
  const theirs = others.filter(row => row !== undefined);
  const takenBy = new Map<number, number>();
  const ofPerson = Map.groupBy(theirs.keys(), at => personOf(theirs[at]));
  // One person in several stages fits several rows; a row gives way where another one suits it as well.
  const settle = (index: number, tried: Set<number>): boolean => {
    const fitting = (ofPerson.get(personOf(program[index])) ?? []).filter(at => best(program[index], theirs[at]));
    const given =
      fitting.find(at => !takenBy.has(at)) ??
      fitting.find(at => {
        if (tried.has(at)) return false;
        tried.add(at);
        const holder = takenBy.get(at);
        return holder !== undefined && settle(holder, tried);
      });
    if (given !== undefined) takenBy.set(given, index);
    return given !== undefined;
  };
  const settled = new Set([...program.keys()].filter(index => settle(index, new Set())));
  const backwards = [...theirs.keys()].reverse();
  for (const keyOf of [placeOf, personOf, () => "anybody"]) {
    // The first one last: what is taken off the end moves nothing.
    const left = Map.groupBy(backwards, at => keyOf(theirs[at]));
    for (const [index, row] of program.entries()) {
      const suiting = settled.has(index) || row === undefined ? undefined : left.get(keyOf(row));
      let at = suiting?.pop();
      while (at !== undefined && takenBy.has(at)) at = suiting?.pop();
      if (at === undefined) continue;
      takenBy.set(at, index);
      settled.add(index);
    }
  }
  const pairs: Row[] = program.map(() => undefined);
  for (const [at, index] of takenBy) pairs[index] = theirs[at];
  return [pairs, theirs.filter((_, at) => !takenBy.has(at))];
}

const personOf = (row: Row): unknown => comparable("email", row?.["email"]);

/** Rows without a stage have no place in common. */
const placeOf = (row: Row): unknown =>
  typeof row?.["stage"] === "number" ? `${row["stage"]} ${String(personOf(row))}` : row;
