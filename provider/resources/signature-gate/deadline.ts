import { parseTimestamp } from "../../client/timestamps.js";
import { parseDuration } from "../../schema/types.js";
import type { Value } from "../../schema/values.js";
import { UserError } from "../resource.js";

const DATE = /^\d{4}-\d{2}-\d{2}$/;

export const isDeadline = (given: string): boolean =>
  (DATE.test(given) && parseTimestamp(`${given}T00:00:00Z`) !== undefined) ||
  parseTimestamp(given) !== undefined ||
  (/[a-z]$/.test(given) && (parseDuration(given) ?? 0) > 0);

/** When a gate stops waiting, in milliseconds: the end of that day at the service's own offset, that moment, or so long after the document's creation. */
export function deadlineOf(
  given: Value | undefined,
  document: { readonly id: string; readonly createdAt: string | null },
): number | undefined {
  if (typeof given !== "string") return undefined;
  if (DATE.test(given)) return parseTimestamp(`${given}T23:59:59.999${offsetOf(document.createdAt)}`);
  const moment = parseTimestamp(given);
  if (moment !== undefined) return moment;
  const createdAt = parseTimestamp(document.createdAt);
  if (createdAt === undefined) {
    throw new UserError(
      `deadline: the service doesn't say when document ${document.id} was created; expected a date, got ${given}`,
    );
  }
  return createdAt + (parseDuration(given) ?? 0);
}

const offsetOf = (createdAt: string | null): string =>
  parseTimestamp(createdAt) === undefined
    ? "Z"
    : (/(?:Z|[+-]\d{2}:?\d{2})$/i.exec(createdAt?.trim() ?? "")?.[0] ?? "Z");
