import { createHash } from "node:crypto";
import { CancelledError, LoginError, ServiceError, UnauthorizedError } from "../../client/errors.js";
import { counted, oneLine } from "../../core/text.js";
import { isUnknown, type Value, type Values } from "../../schema/values.js";
import { inParallel } from "../in-parallel.js";
import type { Call, Failure } from "../resource.js";
import { type Evaluation, timeText } from "./evaluation.js";

/** The documents of a list, each once; undefined where the resource is about a single one. */
export const listedIn = ({ documentIds }: Values): string[] | undefined =>
  Array.isArray(documentIds) ? [...new Set(documentIds.map(String))] : undefined;

/** Id of a resource that is about several documents; the list may change, the id doesn't. */
export const idOfSeveral = (documentIds: readonly string[]): string =>
  `documents-${createHash("sha256")
    .update([...documentIds].sort().join())
    .digest("hex")
    .slice(0, 16)}`;

/** Ids as state keeps them, whether given as numbers or as strings. */
export function withTextIds(news: Values): Values {
  const inputs = Object.fromEntries(Object.entries(news).filter(([, value]) => value !== null));
  const text = (id: Value): Value => (typeof id === "number" ? String(id) : id);
  if (inputs["documentId"] !== undefined) inputs["documentId"] = text(inputs["documentId"]);
  if (Array.isArray(inputs["documentIds"])) inputs["documentIds"] = inputs["documentIds"].map(text);
  return inputs;
}

/** What is wrong with the choice of documents, beyond their types. */
export function choiceFailures({ documentId, documentIds }: Values): Failure[] {
  if ((documentId === undefined) !== (documentIds === undefined)) return [];
  return [
    {
      property: "",
      reason: `documentId: expected either documentId or documentIds, got ${documentId === undefined ? "neither" : "both"}`,
    },
  ];
}

/** The order of ids, and an id twice, mean nothing. */
export const idsMeaning = (given: Value | undefined): string | undefined =>
  Array.isArray(given) ? [...new Set(given.map(String))].sort().join() : undefined;

export function minimumFailures({ documentIds, minimum }: Values): Failure[] {
  if (typeof minimum !== "number" || isUnknown(documentIds)) return [];
  const known = Array.isArray(documentIds) ? documentIds.filter(id => !isUnknown(id)) : [];
  const most = Array.isArray(documentIds) ? new Set(known.map(String)).size + documentIds.length - known.length : 0;
  const reason = !Array.isArray(documentIds)
    ? "minimum: expected documentIds beside it, got none"
    : most < minimum
      ? `minimum: expected ${most} at most, as many as documentIds, got ${minimum}`
      : undefined;
  return reason === undefined ? [] : [{ property: "minimum", reason }];
}

const MOST_NAMED = 20;
/** The output `missing` has them all. */
const MOST_IN_A_LINE = 3;
/** Documents of a list read at the same time; the client's own limit holds as well. */
const AT_ONCE = 16;

export interface Unread {
  readonly id: string;
  readonly why: string;
}

/**
 * Reads a list's documents, but for those in `done`, past those that can't be read, of which it warns once. Where nothing is
 * known of any, and where the account can't read at all, it fails.
 */
export async function readEach<T>(
  listed: readonly string[],
  done: ReadonlySet<string>,
  read: (id: string) => Promise<T>,
  call: Call,
): Promise<{ found: readonly T[]; unread: readonly Unread[] }> {
  const ids = listed.filter(id => !done.has(id));
  const found: T[] = [];
  const unread: Unread[] = [];
  let first: unknown;
  const results = await inParallel(AT_ONCE, ids, async (id): Promise<{ value: T } | undefined> => {
    try {
      return { value: await read(id) };
    } catch (error) {
      if (!(error instanceof ServiceError) || error instanceof CancelledError) throw error;
      first ??= error;
      unread.push({ id, why: error.message });
      return undefined;
    }
  });
  for (const result of results) if (result) found.push(result.value);
  const isAll = unread.length > 0 && unread.length === ids.length;
  const isRefused = first instanceof UnauthorizedError || first instanceof LoginError;
  if (isAll && (isRefused || ids.length === listed.length)) throw first;
  if (unread.length > 0) call.log.warn(unreadText(unread, ids.length));
  return { found, unread };
}

function unreadText(unread: readonly Unread[], of: number): string {
  const shown = unread.slice(0, MOST_NAMED).map(({ id, why }) => `  document ${id}: ${why}`);
  const more = unread.length > MOST_NAMED ? [`  and ${unread.length - MOST_NAMED} more`] : [];
  return [`${unread.length} of ${counted(of, "document")} couldn't be read:`, ...shown, ...more].join("\n");
}

/** A document of which nothing is known now: open, whatever it is that it lacks. */
export const unreadEvaluation = ({ id, why }: Unread, service: string): Evaluation => ({
  title: `document ${id}`,
  satisfied: false,
  satisfiedIds: [],
  missing: `an answer of the service (${oneLine(why)})`,
  deadline: undefined,
  outputs: { satisfied: false, satisfiedIds: [], pendingSigners: [], missing: [], service },
});

/** Several documents as one gate sees them: `done` were satisfied before and aren't among the `looked` at. */
export function together(
  done: readonly string[],
  looked: readonly Evaluation[],
  minimum: Value | undefined,
  service: string,
): Evaluation {
  const open = looked.filter(({ satisfied }) => !satisfied);
  const satisfiedIds = [...done, ...looked.filter(({ satisfied }) => satisfied).flatMap(each => each.satisfiedIds)];
  const total = satisfiedIds.length + open.length;
  const needed = Math.max(0, (typeof minimum === "number" ? minimum : total) - satisfiedIds.length);
  const satisfied = needed === 0;
  const deadline = satisfied ? undefined : lastChance(open, needed);
  const each = satisfied ? [] : open.map(({ title, missing }) => `${title}: ${missing}`);
  const more = open.length > MOST_IN_A_LINE ? [`and ${open.length - MOST_IN_A_LINE} more`] : [];
  const count =
    needed === open.length
      ? `${needed} of ${counted(total, "document")}`
      : `${needed} more of ${counted(total, "document")}`;
  return {
    title: "the gate",
    satisfied,
    missing: satisfied ? "" : `${count}: ${[...each.slice(0, MOST_IN_A_LINE), ...more].join("; ")}`,
    deadline,
    satisfiedIds,
    outputs: {
      satisfied,
      satisfiedIds,
      pendingSigners: satisfied ? [] : [...new Set(open.flatMap(({ outputs }) => outputs.pendingSigners))],
      missing: each,
      ...(deadline === undefined ? {} : { deadlineAt: timeText(deadline) }),
      service,
    },
  };
}

/** The moment from which too few documents are left that can still be done in time. */
function lastChance(open: readonly Evaluation[], needed: number): number | undefined {
  const deadlines = open.map(({ deadline }) => deadline ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b);
  const last = deadlines[open.length - needed];
  return last === undefined || last === Number.POSITIVE_INFINITY ? undefined : last;
}
