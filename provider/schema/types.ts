import { z } from "zod";
import { property } from "../../kit/property.js";
import { isDay } from "../core/clock.js";
import { ID, tidyAddress } from "../core/same.js";

/**
 * Types the declarations share. Each message completes the sentence "expected …, got …".
 * Longest lengths are ours: the interface shows none, and an answer to a megabyte of title isn't worth finding out.
 */

const BIDI_CONTROLS = /[\u202A-\u202E\u2066-\u2069]/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is what this is for
const CONTROLS = /[\u0000-\u001F\u007F-\u009F\u2028\u2029]/u;

/** One line of text without anything that could forge another line or turn the reading direction. */
export const lineOf = (what: string) =>
  z
    .string({ error: what })
    .min(1, { error: `${what}, not an empty one` })
    .max(1000, { error: `${what} of at most 1000 characters` })
    .refine(text => !CONTROLS.test(text), { error: `${what} on one line, without control characters` })
    .refine(text => !BIDI_CONTROLS.test(text), { error: `${what} without characters that turn the reading direction` })
    .refine(text => text.isWellFormed(), { error: `${what} in well-formed Unicode (it has half a surrogate pair)` });

/** Whatever JSON can carry: the service decides what a title or a name may be. */
export const anyText = (what: string, longest: number) =>
  z
    .string({ error: what })
    .max(longest, { error: `${what} of at most ${longest} characters` })
    .refine(text => text.isWellFormed(), { error: `${what} in well-formed Unicode (it has half a surrogate pair)` });

/** Whether an address looks cut off, such as `ana@example`: mail rarely goes to a domain without a dot. */
export function lacksDomain(address: string): boolean {
  const domain = address.slice(address.lastIndexOf("@") + 1);
  return !domain.startsWith("[") && !/[^.]\.[^.]/.test(domain);
}

const LONGEST_ADDRESS = 1000;

/** Any form of address: only the service knows which it takes. */
export const emailAddress = z
  .string({ error: "an e-mail address such as ana@example.com" })
  .overwrite(tidyAddress)
  .max(LONGEST_ADDRESS, { error: `an e-mail address of at most ${LONGEST_ADDRESS} characters` })
  .refine(isAddress, { error: "an e-mail address such as ana@example.com" });

/** The same of one of thousands. */
export const isEmailAddress = (text: string): boolean => text.length <= LONGEST_ADDRESS && isAddress(tidyAddress(text));

function isAddress(text: string): boolean {
  return /^[^\s@][^@]*@[^@]*[^\s@]$/u.test(text) && !CONTROLS.test(text) && text.isWellFormed();
}

/** An id: digits, as a string or a number. State keeps the string. */
export const idInput = (what: string) => {
  const error = `${what}: digits such as "1234", as the service shows them (as a string when beyond 2^53)`;
  const digits = z.string({ error }).regex(ID, { error });
  const number = z.number({ error }).int({ error, abort: true }).positive({ error });
  return z.union([digits, number], { error }).transform(String);
};

export const oneOf = <const T extends readonly string[]>(options: T) =>
  z.enum(options, { error: `one of ${options.map(option => `"${option}"`).join(", ")}` });

const UNITS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** `30s`, `5m`, `24h`, `1h30m`; a bare number is seconds. Undefined where it's none of them. */
export function parseDuration(given: string | number): number | undefined {
  const text = String(given).trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000);
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g))
    total += Number(amount) * UNITS[unit as keyof typeof UNITS];
  return Number.isSafeInteger(Math.round(total)) ? Math.round(total) : undefined;
}

/** Of what is a duration. */
export const millisecondsOf = (given: string | number): number => parseDuration(given) ?? 0;

/** `1h30m`; days from two of them on. */
export function durationText(milliseconds: number): string {
  let rest = Math.round(milliseconds);
  let text = "";
  for (const [unit, size] of Object.entries(UNITS)) {
    const count = Math.floor(rest / size);
    if (count === 0 || (unit === "d" && count < 2)) continue;
    text += `${count}${unit}`;
    rest -= count * size;
  }
  return text || "0s";
}

export const duration = (what: string) =>
  z
    .union([z.string(), z.number()], { error: `${what}: a duration such as "30s", "5m" or "24h"` })
    .refine(given => parseDuration(given) !== undefined, {
      error: `${what}: a duration such as "30s", "5m" or "24h" (a bare number is seconds)`,
    });

const DAY = 'a day such as "2027-03-01"';
export const day = z.string({ error: DAY }).refine(isDay, { error: DAY });

const SPAN = 'a time such as "30d"';
export const isSpan = (given: string): boolean => /[a-z]$/.test(given) && (parseDuration(given) ?? 0) > 0;

/** A duration that says its unit. */
export const span = z.string({ error: SPAN }).refine(isSpan, { error: SPAN });

// ---- Outputs ----

export const text = (description: string) => property(z.string(), { description });
export const maybeText = (description: string) => property(z.string().optional(), { description });
export const textOrNull = (description: string) => property(z.string().nullable(), { description });
export const flag = (description: string) => property(z.boolean(), { description });
export const maybeFlag = (description: string) => property(z.boolean().optional(), { description });
export const listOf = <T extends z.ZodType>(item: T, description: string) => property(z.array(item), { description });
export const texts = (description: string) => listOf(z.string(), description);
/** A type with a name of its own in each SDK. */
export const objectType = <S extends z.ZodRawShape>(typeName: string, description: string, members: S) =>
  property(z.object(members), { typeName, description });
