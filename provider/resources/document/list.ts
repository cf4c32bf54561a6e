import { z } from "zod";
import { property } from "../../../kit/property.js";
import { byId } from "../../client/bodies.js";
import { isIn } from "../../client/lists.js";
import { idInput } from "../../schema/types.js";
import type { Context } from "../context.js";
import { type Call, type ListArguments, type ListPage, UserError } from "../resource.js";

/* Which documents there are: what a list can be narrowed to, and Document's List. */

/** Where to look for documents: left out, everywhere the key can see. */
export const filterArguments = {
  folderId: property(idInput("a folder's id").optional(), { description: "Only documents in this folder." }),
  organizationId: property(idInput("an organization's id").optional(), {
    description: "Only documents of this organization.",
  }),
};

export const documentListInputs = z.object(filterArguments);

/** What a list of documents can't show; logged with every list. */
export const LIST_NOTE =
  "the service doesn't show whether its list is complete: a document that isn't listed may exist all the same";

/** A token names the last document of a page, so a document sent meanwhile neither repeats nor hides a row. */
const TOKEN = /^after:([1-9]\d{0,19})$/;

/** The documents of a folder or organization, in ascending order of id. Only reads. */
export async function listDocuments(
  context: Context,
  call: Call,
  { query, token, limit }: Omit<ListArguments, "query"> & { readonly query: z.infer<typeof documentListInputs> },
): Promise<ListPage> {
  const after = lastOf(token);
  const { rows } = await context.service().listDocuments(query, { signal: call.signal });
  // As a warning: the CLI writes those to stderr, and the list alone to stdout.
  if (after === undefined) call.log.warn(LIST_NOTE);
  const byIds = new Map(rows.filter(row => isIn(query, row)).map(row => [row.id, row]));
  const rest = [...byIds.values()]
    .sort((a, b) => byId(a.id, b.id))
    .filter(({ id }) => after === undefined || byId(id, after) > 0);
  const page = limit > 0 ? rest.slice(0, limit) : rest;
  const last = page.at(-1);
  return {
    found: page.map(({ id, name }) => ({ id, name })),
    next: last !== undefined && page.length < rest.length ? `after:${last.id}` : "",
  };
}

function lastOf(token: string): string | undefined {
  if (token === "") return undefined;
  const [, id] = TOKEN.exec(token) ?? [];
  if (id !== undefined) return id;
  throw new UserError(`expected a continuation token of this provider, got ${JSON.stringify(token)}`);
}
