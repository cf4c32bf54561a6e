import type { Change } from "../../kit/changes.js";
import { property } from "../../kit/property.js";
import { isUnknown, type Unknown } from "../../kit/values.js";
import { isDay } from "../core/clock.js";
import { day, maybeText, span } from "../schema/types.js";
import { type Failure, unnamedFailure } from "./resource.js";

/*
 * A contract's terms: what state alone keeps of it. The service has no field for them, so a change is an update, mails nobody
 * and asks nothing.
 */

export const termInputs = {
  effectiveFrom: property(day.optional(), {
    description:
      "The day from which the contract holds, such as `2027-03-01`. The service knows nothing of it: it is kept in state, and a change mails no one.",
  }),
  expiresAt: property(day.optional(), {
    description:
      "The last day on which the contract holds, after `effectiveFrom`. The service knows nothing of it: it is kept in state, and a change mails no one.",
  }),
  renewBefore: property(span.optional(), {
    description:
      "How long before its end the contract is to be renewed, such as `30d`. Only with `expiresAt`. It is kept in state, and a change mails no one.",
  }),
};

export type Term = keyof typeof termInputs;
export const TERMS = Object.keys(termInputs) as Term[];

export const termOutputs = {
  effectiveFrom: maybeText("The day from which the contract holds, as the program says it."),
  expiresAt: maybeText(
    "The last day on which the contract holds, as the program says it: what a gate or a reminder may take.",
  ),
  renewBefore: maybeText("How long before its end the contract is to be renewed, as the program says it."),
} satisfies Record<Term, unknown>;

/** As inputs or state have them. */
type GivenTerms = { readonly [T in Term]?: string | Unknown | undefined };

/** The terms that are given and known. */
export const termsIn = (values: GivenTerms): { readonly [T in Term]?: string } =>
  Object.fromEntries(Object.entries(givenTerms(values)).filter(([, value]) => !isUnknown(value)));

/** The same, with those that aren't known yet. */
export const givenTerms = (values: GivenTerms): GivenTerms =>
  Object.fromEntries(TERMS.flatMap(term => (values[term] ? [[term, values[term]]] : [])));

export const withoutTerms = <T extends object>(values: T): Omit<T, Term> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !Object.hasOwn(termInputs, name))) as Omit<T, Term>;

/** What of the terms in state isn't what the program says. */
export function changedTerms(current: GivenTerms, news: GivenTerms): Change[] {
  return TERMS.flatMap(name => {
    const [was, is] = [current[name], news[name]];
    if (!isUnknown(is) && is === was) return [];
    return {
      name,
      path: name,
      what: was === undefined ? "add" : is === undefined ? "delete" : "update",
      replaces: false,
    };
  });
}

/** Whether state alone changes. */
export const isTermChange = ({ name }: Change): boolean => Object.hasOwn(termInputs, name);

/** What is wrong with terms that are right each by itself. Of secret ones it says no value. */
export function termFailures(inputs: GivenTerms, secrets: ReadonlySet<string> | undefined): Failure[] {
  const { effectiveFrom, expiresAt, renewBefore } = inputs;
  if (renewBefore !== undefined && expiresAt === undefined)
    return [unnamedFailure("renewBefore: expected `expiresAt` beside it, got none")];
  if (typeof effectiveFrom !== "string" || typeof expiresAt !== "string") return [];
  if (!isDay(effectiveFrom) || !isDay(expiresAt) || expiresAt > effectiveFrom) return [];
  const isSecret = secrets?.has("effectiveFrom") === true || secrets?.has("expiresAt") === true;
  const values = isSecret ? "" : `, ${effectiveFrom}, got ${expiresAt}`;
  return [unnamedFailure(`expiresAt: expected a day after effectiveFrom${values}`)];
}
