import type * as z from "zod";
import { isRecord } from "../core/records.js";
import { id } from "./bodies.js";
import { RefusedError, UnreadableAnswerError } from "./errors.js";
import { type RequestInfo, readJson } from "./status-errors.js";
import type { Answer } from "./transport.js";

/** What's inside `{ok, payload}`, read with the given schema. */
export function payloadOf<T extends z.ZodType>(answer: Answer, asking: RequestInfo, schema: T): z.output<T> {
  const body = readJson(answer, asking);
  if (!isRecord(body) || !("payload" in body || body["ok"] === false)) {
    throw new UnreadableAnswerError(`${asking.asked} answered ${answer.status} without the {ok, payload} envelope`);
  }
  if (body["ok"] === false) throw notOk(answer, asking);
  const parsed = schema.safeParse(body["payload"]);
  if (parsed.success) return parsed.data;
  throw new UnreadableAnswerError(`${asking.asked} answered ${answer.status} ${readIssue(parsed.error, ["payload"])}`);
}

/** What of a body can't be read, by its place. */
export function readIssue(error: z.ZodError, place: readonly (string | number)[]): string {
  return `with a body that can't be read: ${issues(error, place)}`;
}

export function notOk(answer: Answer, asking: RequestInfo): RefusedError {
  const words = asking.redactor.excerpt(answer.text);
  return new RefusedError(
    `${asking.asked} answered ${answer.status} but not ok (${words}): the service refuses this request`,
    answer.status,
  );
}

/** Where a create's answer may hide what was made, nearest first. The interface doesn't show that answer. */
export function candidates(body: unknown): unknown[] {
  const inner = isRecord(body) ? [body["payload"], body] : [];
  return inner.flatMap(value => (isRecord(value) ? [value["document"], value["folder"], value] : [value]));
}

/** The id in a create's answer, wherever it is. */
export function createdId(answer: Answer, body: unknown, kind: "document" | "folder"): string | undefined {
  for (const value of candidates(body)) {
    const found = isRecord(value) ? (readId(value["id"]) ?? readId(value[`${kind}_id`])) : readId(value);
    if (found !== undefined) return found;
  }
  return readId(new RegExp(`/${kind}s/([0-9]+)/?$`).exec(answer.headers["location"] ?? "")?.[1]);
}

function readId(value: unknown): string | undefined {
  return id.safeParse(value).data;
}

function issues(error: z.ZodError, place: readonly (string | number)[]): string {
  const said = error.issues
    .slice(0, 3)
    .map(issue => `${[...place, ...issue.path].map(String).join(".")}: ${issue.message}`);
  const more = error.issues.length - said.length;
  return said.join("; ") + (more > 0 ? `; ${more} more` : "");
}
