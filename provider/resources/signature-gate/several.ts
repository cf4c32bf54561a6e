import { createHash } from "node:crypto";
import { isUnknown, type Value, type Values } from "../../schema/values.js";
import type { Failure } from "../resource.js";
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
  const reason = !Array.isArray(documentIds)
    ? "minimum: expected documentIds beside it, got none"
    : documentIds.length < minimum
      ? `minimum: expected ${documentIds.length} at most, as many as documentIds, got ${minimum}`
      : undefined;
  return reason === undefined ? [] : [{ property: "minimum", reason }];
}

const MOST_NAMED = 20;

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
  const waitingFor = satisfied ? [] : open.map(({ title, missing }) => `${title}: ${missing}`);
  const more = open.length > MOST_NAMED ? [`${open.length - MOST_NAMED} more`] : [];
  const count = needed === open.length ? `${needed} of ${total} documents` : `${needed} more of ${total} documents`;
  return {
    title: "the gate",
    satisfied,
    missing: satisfied ? "" : `${count}: ${[...waitingFor.slice(0, MOST_NAMED), ...more].join("; ")}`,
    deadline,
    satisfiedIds,
    outputs: {
      satisfied,
      satisfiedIds,
      pendingSigners: satisfied ? [] : [...new Set(open.flatMap(({ outputs }) => outputs.pendingSigners))],
      waitingFor,
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
