import { quote } from "../core/text.js";
import { InvalidArgumentError } from "./errors.js";

/** `new URL("/v1/documents/" + id)` walks `../`: nothing else may meet an address. */
export const ID = /^[1-9][0-9]{0,19}$/;

/** Ids in ascending order: digits compared as numbers, of any length. */
export const byId = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);

/** An id as a string of digits, or an error that says what was given. */
export function parseId(value: unknown, what = "id"): string {
  if (typeof value === "number" && Number.isSafeInteger(value) && value > 0) return String(value);
  if (typeof value === "string" && ID.test(value)) return value;
  if (typeof value === "number") {
    throw new InvalidArgumentError(
      `${what} must be a positive whole number, got ${value}; write numbers above ${Number.MAX_SAFE_INTEGER} as a string`,
    );
  }
  throw new InvalidArgumentError(
    typeof value === "string"
      ? `${what} must be 1 to 20 digits not starting with 0, got ${quote(value)}`
      : `${what} must be a string of digits, got ${value === null ? "null" : typeof value}`,
  );
}
