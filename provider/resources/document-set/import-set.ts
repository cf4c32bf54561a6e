import { isRecord, type Values } from "../../schema/values.js";
import type { Context } from "../context.js";
import { needsKey } from "../document/certificates-key.js";
import type { DocumentResource } from "../document/document.js";
import { byId } from "../document/document-state.js";
import { LIST_NOTE } from "../document/list.js";
import { isIn } from "../document/place.js";
import { inParallel } from "../in-parallel.js";
import { type Call, UserError } from "../resource.js";
import { AT_ONCE, bounded, rowCall } from "./row.js";
import { RowLog } from "./row-log.js";
import { identityOf } from "./rows.js";
import { certificateIn, outputsOf, ownOf, type RowState, rowStateOf } from "./set-state.js";

const FIELDS = ["id", "name", "description", "email"] as const;
type Field = (typeof FIELDS)[number];

const WANTED =
  "`folder/<id>` or `documents/<id>,<id>` (keyed by id), with `/name`, `/description` or `/email` (the first person invited) after it to be keyed by that";

interface Imported {
  readonly key: string;
  readonly inputs: Values;
  readonly row: RowState;
}

/** The documents of a folder, or those named, as a set, keyed by their id or by a field. Only reads. */
export async function importSet(
  context: Context,
  documents: DocumentResource,
  call: Call,
  id: string,
): Promise<{ inputs: Values; outputs: Values }> {
  const { place, field } = placeIn(id);
  const service = context.service();
  const ids = [...new Set("ids" in place ? place.ids : await listed(context, call, place))].sort(byId);
  const log = new RowLog(call.log);
  const found = await inParallel(AT_ONCE, ids, async (document): Promise<Imported> => {
    const own = rowCall(call, document, log.of(document));
    const read = await documents.readRow(own, { id: document, inputs: undefined, outputs: undefined });
    return {
      key: keyOf(document, read.inputs, field),
      inputs: read.inputs,
      row: rowStateOf(read.outputs, { ...ownOf(read.inputs), imported: true }, read.signingStage),
    };
  });
  log.flush();
  const mistakes = mistakesIn(found, field);
  if (mistakes.length > 0) throw new UserError(mistakes.join("\n"));
  for (const { key, row } of found) {
    const scope = { service: service.origin, urn: rowCall(call, key).urn };
    await context.journal.show(scope, row.documentId, { supersedes: [], imported: true });
  }
  const rows = new Map(found.map(({ key, row }) => [key, row]));
  const needKey = await needsKey(service, certificateIn(rows), { signal: call.signal });
  return {
    inputs: { documents: Object.fromEntries(found.map(({ key, inputs }) => [key, inputs])) },
    outputs: outputsOf({ rows, forgotten: 0, drift: [], needKey, service: service.origin }),
  };
}

async function listed(context: Context, { log, signal }: Call, place: { folderId: string }): Promise<string[]> {
  const { rows } = await context.service().listDocuments(place, { signal });
  const ids = rows.filter(row => isIn(place, row)).map(row => row.id);
  if (ids.length === 0) throw new UserError(`expected documents in folder ${place.folderId}, got an empty list`);
  log.warn(LIST_NOTE);
  return ids;
}

type Place = { readonly folderId: string } | { readonly ids: readonly string[] };

const ID = /^[1-9]\d{0,18}$/;

function placeIn(id: string): { place: Place; field: Field } {
  const [kind, ids = "", field = "id", ...more] = id.split("/");
  const known = FIELDS.find(name => name === field);
  const all = ids.split(",");
  const isFolder = kind === "folder" && all.length === 1;
  if ((!isFolder && kind !== "documents") || !all.every(each => ID.test(each)) || !known || more.length > 0)
    throw new UserError(`expected ${WANTED}, got ${JSON.stringify(id.slice(0, 60))}`);
  return { place: isFolder ? { folderId: ids } : { ids: all }, field: known };
}

function keyOf(id: string, inputs: Values, field: Field): string {
  const { invitations } = inputs;
  const [first] = Array.isArray(invitations) ? invitations : [];
  const email = isRecord(first) ? first["email"] : undefined;
  const value = { id, name: inputs["name"], description: inputs["description"], email }[field];
  return typeof value === "string" ? value.trim() : "";
}

function mistakesIn(found: readonly Imported[], field: Field): string[] {
  const byKey = Map.groupBy(found, ({ key }) => identityOf(key));
  const wrong = [...byKey].flatMap(([key, same]) => {
    const ids = same.map(({ row }) => row.documentId);
    if (key === "") return [`${ids.map(id => `document ${id}`).join(", ")}: expected a ${field}, got none`];
    if (ids.length > 1) return [`${JSON.stringify(key)} is the ${field} of documents ${ids.join(", ")}`];
    return [];
  });
  return wrong.length === 0
    ? []
    : [
        "expected each document under a key of its own:",
        ...bounded(wrong),
        "Leave out the field, which keys them by id.",
      ];
}
