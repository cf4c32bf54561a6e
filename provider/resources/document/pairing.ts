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

const samePlace: Fit = (a, b) => samePerson(a, b) && typeof a?.["stage"] === "number" && a["stage"] === b?.["stage"];

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
  // One person in several stages fits several rows; a row gives way where another one suits it as well.
  const settle = (index: number, tried: Set<number>): boolean =>
    theirs.some((other, at) => {
      if (tried.has(at) || !best(program[index], other)) return false;
      tried.add(at);
      const holder = takenBy.get(at);
      if (holder !== undefined && !settle(holder, tried)) return false;
      takenBy.set(at, index);
      return true;
    });
  const settled = new Set([...program.keys()].filter(index => settle(index, new Set())));
  for (const suits of [samePlace, samePerson, (row: Row) => row !== undefined]) {
    for (const [index, row] of program.entries()) {
      if (settled.has(index)) continue;
      const at = theirs.findIndex((other, place) => !takenBy.has(place) && suits(row, other));
      if (at < 0) continue;
      takenBy.set(at, index);
      settled.add(index);
    }
  }
  const pairs: Row[] = program.map(() => undefined);
  for (const [at, index] of takenBy) pairs[index] = theirs[at];
  return [pairs, theirs.filter((_, at) => !takenBy.has(at))];
}
