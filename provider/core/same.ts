import { isRecord } from "../../kit/records.js";

/**
 * Is it the same? Whatever is compared is compared by one of these, on every machine. Journal and state hold hashes of
 * them: one that answers otherwise makes every document another one.
 */

/** The same for two texts that people can't tell apart: in another Unicode form, or with other spaces. */
export const canonicalText = (text: string): string => text.normalize("NFC").replace(/\s+/gu, " ").trim();

/** The same for two keys of a set that differ in case or Unicode form alone: an address is the same person's in any. */
export const identityOf = (key: string): string => key.normalize("NFC").toLowerCase();

/** An address without what copying leaves at its ends: white space, and characters that show nothing. */
export const tidyAddress = (given: string): string => given.replace(/^[\s\p{Cf}]+|(?<![\s\p{Cf}])[\s\p{Cf}]+$/gu, "");

/** The same for each way of writing an address. */
export const addressOf = (email: string | null | undefined): string => identityOf(tidyAddress(email ?? ""));

/** The same for a value's keys in any order. `shown`: what stands for a value inside. */
export const sortedJson = (value: unknown, replace: (inner: unknown) => unknown = inner => inner): string =>
  JSON.stringify(value, (_, given: unknown) => {
    const inner = replace(given);
    return isRecord(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner;
  }) ?? "";

/** A record without what isn't given: null is the same as nothing. */
export const withoutNulls = (inner: unknown): unknown =>
  isRecord(inner) ? Object.fromEntries(Object.entries(inner).filter(([, each]) => each !== null)) : inner;
