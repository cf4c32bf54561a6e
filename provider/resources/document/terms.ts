import { parseDuration } from "../../schema/types.js";
import { isUnknown, type Value, type Values } from "../../schema/values.js";
import { type Failure, type PropertyChange, unnamedFailure } from "../resource.js";

/** What state alone keeps of a contract: the service has no field for it, so a change mails nobody and asks nothing. */
export const TERMS = ["effectiveFrom", "expiresAt", "renewBefore"] as const;
export type Term = (typeof TERMS)[number];
export type Terms = { readonly [T in Term]?: string };

export const DAY = 'a day such as "2027-03-01"';
export const SPAN = 'a time such as "30d"';

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** A day of the calendar that there is. */
export function isDay(given: string): boolean {
  const time = DATE.test(given) ? Date.parse(given) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(given);
}

export const isSpan = (given: string): boolean => /[a-z]$/.test(given) && (parseDuration(given) ?? 0) > 0;

/** The terms that are given and known. */
export const termsIn = (values: Values): Terms =>
  Object.fromEntries(
    TERMS.flatMap(term => {
      const value = values[term];
      return typeof value === "string" ? [[term, value]] : [];
    }),
  );

/** The same, with those that aren't known yet. */
export const givenTerms = (values: Values): Values =>
  Object.fromEntries(TERMS.flatMap(term => (values[term] ? [[term, values[term]]] : [])));

export const withoutTerms = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !TERMS.some(term => term === name)));

/** What of the terms in state isn't what the program says. An update, and never a replacement. */
export function changedTerms(held: object, news: Values): Partial<Record<Term, PropertyChange>> {
  const changes: Partial<Record<Term, PropertyChange>> = {};
  for (const term of TERMS) {
    const was = (held as Values)[term] ?? null;
    const is = news[term] ?? null;
    if (!isUnknown(is) && is === was) continue;
    changes[term] = was === null ? "add" : is === null ? "delete" : "update";
  }
  return changes;
}

/** What is wrong with terms that are right each by itself. Of secret ones it says no value. */
export function termFailures(inputs: Values, secrets: ReadonlySet<string> | undefined): Failure[] {
  const { effectiveFrom, expiresAt, renewBefore } = inputs;
  const isGiven = (value: Value | undefined): boolean => value !== undefined && value !== null;
  if (isGiven(renewBefore) && !isGiven(expiresAt))
    return [unnamedFailure("renewBefore: expected `expiresAt` beside it, got none")];
  if (typeof effectiveFrom !== "string" || typeof expiresAt !== "string") return [];
  if (!isDay(effectiveFrom) || !isDay(expiresAt) || expiresAt > effectiveFrom) return [];
  const isSecret = secrets?.has("effectiveFrom") === true || secrets?.has("expiresAt") === true;
  const values = isSecret ? "" : `, ${effectiveFrom}, got ${expiresAt}`;
  return [unnamedFailure(`expiresAt: expected a day after effectiveFrom${values}`)];
}
