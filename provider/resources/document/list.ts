import type { ListedDocument } from "../../client/service.js";
import { problemsOf } from "../../schema/check.js";
import type { Context } from "../context.js";
import { type Call, type ListArguments, type ListPage, UserError } from "../resource.js";
import { byId } from "./document-state.js";
import { documentListInputs, isIn, placeFrom } from "./place.js";

/** What a list of documents can't show; logged with every list. */
export const LIST_NOTE =
  "the service doesn't show whether its list is complete: a document that isn't listed may exist all the same";

/** A token names the last document of a page, so a document sent meanwhile neither repeats nor hides a row. */
const TOKEN = /^after:([1-9]\d{0,19})$/;

/** The documents of a folder or organization, in ascending order of id. Only reads. */
export async function listDocuments(context: Context, call: Call, args: ListArguments): Promise<ListPage> {
  const place = placeOf(args, call);
  const after = lastOf(args.token);
  const { rows } = await context.service().listDocuments(place, { signal: call.signal });
  // As a warning: the CLI writes those to stderr, and the list alone to stdout.
  if (after === undefined) call.log.warn(LIST_NOTE);
  const byIds = new Map(rows.filter(row => isIn(place, row)).map(row => [row.id, row]));
  const rest = [...byIds.values()]
    .sort((a, b) => byId(a.id, b.id))
    .filter(({ id }) => after === undefined || byId(id, after) > 0);
  return pageOf(rest, args.limit);
}

function placeOf({ query }: ListArguments, { secrets }: Call) {
  const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== null));
  const problems = problemsOf(documentListInputs, given, { secrets });
  if (problems.length > 0) throw new UserError(problems.map(({ reason }) => reason).join("\n"));
  return placeFrom(documentListInputs.parse(given));
}

function lastOf(token: string): string | undefined {
  if (token === "") return undefined;
  const [, id] = TOKEN.exec(token) ?? [];
  if (id === undefined)
    throw new UserError(`expected a continuation token of this provider, got ${JSON.stringify(token)}`);
  return id;
}

function pageOf(rows: readonly ListedDocument[], limit: number): ListPage {
  const page = limit > 0 ? rows.slice(0, limit) : rows;
  const last = page.at(-1);
  return {
    found: page.map(({ id, name }) => ({ id, name })),
    next: last !== undefined && page.length < rows.length ? `after:${last.id}` : "",
  };
}
