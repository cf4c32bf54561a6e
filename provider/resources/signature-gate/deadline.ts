import { parseTimestamp } from "../../client/timestamps.js";
import { parseDuration } from "../../schema/types.js";
import { isUnknown, type Value, type Values } from "../../schema/values.js";
import { type Failure, UserError } from "../resource.js";

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

/** The last moment of a contract's last day, or of the time before it in which it isn't to be renewed yet. */
export function endOf(
  { expiresAt, renewBefore }: Values,
  { createdAt }: { readonly createdAt: string | null },
): number | undefined {
  if (typeof expiresAt !== "string") return undefined;
  const end = parseTimestamp(`${expiresAt}T23:59:59.999${offsetOf(createdAt)}`);
  const sooner = typeof renewBefore === "string" ? (parseDuration(renewBefore) ?? 0) : 0;
  return end === undefined ? undefined : end - sooner;
}

/** What is wrong with the end that a gate is given, beyond its type. */
export function endFailures({ until, expiresAt, renewBefore, documentId }: Values): Failure[] {
  const failure = (property: string, reason: string): Failure[] => [{ property, reason: `${property}: ${reason}` }];
  if (until === "expiresAt" && expiresAt === undefined)
    return failure("expiresAt", "expected the contract's last day beside `until: expiresAt`, got none");
  if (until === "expiresAt" && documentId === undefined)
    return failure("documentId", "expected one document beside `until: expiresAt`, got `documentIds`");
  const extra = expiresAt !== undefined ? "expiresAt" : renewBefore !== undefined ? "renewBefore" : undefined;
  if (until === "expiresAt" || isUnknown(until) || extra === undefined) return [];
  return failure(extra, "expected `until: expiresAt` beside it, got another");
}

const offsetOf = (createdAt: string | null): string =>
  parseTimestamp(createdAt) === undefined
    ? "Z"
    : (/(?:Z|[+-]\d{2}:?\d{2})$/i.exec(createdAt?.trim() ?? "")?.[0] ?? "Z");
