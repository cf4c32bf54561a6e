import type { DatedDocument, DocumentStatusFilter, RequestOptions, Service } from "../client/service.js";
import { byId } from "../resources/document/document-state.js";
import { withoutMarker } from "../resources/document/marker.js";
import type { Call, Failure } from "../resources/resource.js";
import { type Place, placeFrom } from "./arguments.js";
import { type DateRange, daysIn, joined, splitRange } from "./date-range.js";
import { getDocumentsByDateRangeDeclaration, STATUSES } from "./get-documents-by-date-range-declaration.js";
import { inParallel } from "./in-parallel.js";
import { documentsIn } from "./listed-document.js";
import { present } from "./omit-nil.js";
import { readFunction } from "./read-function.js";

const MOST_PARTS = 500;
const PARTS_AT_A_TIME = 4;

export const getDocumentsByDateRange = readFunction(getDocumentsByDateRangeDeclaration, {
  contradictions: ({ fromDate, toDate, splitDays }, call) => wrongRange({ fromDate, toDate }, splitDays, call),

  async answer(service, { fromDate, toDate, status, splitDays, ...args }, ask) {
    const whole = { fromDate, toDate };
    const parts = splitDays === undefined ? [whole] : joined(splitRange(whole, splitDays));
    const place = placeFrom(args);
    const statuses = status === undefined ? STATUSES : [status];
    const found = await inParallel(PARTS_AT_A_TIME, parts, part => documentsOf(service, part, statuses, place, ask));
    const here = await placeTest(service, place, ask);
    const documents = merged(found.flat()).filter(
      document => here(document) && (status ?? document.status) === document.status,
    );
    return { documents: documents.map(datedRow) };
  },
});

function wrongRange(range: DateRange, splitDays: number | undefined, { secrets }: Call): Failure[] {
  const days = daysIn(range);
  if (days < 1) {
    const given = secrets.has("fromDate") || secrets.has("toDate") ? "" : `given ${range.toDate}; `;
    const start = given === "" ? "fromDate" : `fromDate, ${range.fromDate}`;
    return [{ property: "toDate", reason: `toDate: ${given}wanted a date not before ${start}` }];
  }
  if (splitDays === undefined || days / splitDays <= MOST_PARTS) return [];
  const reason = `splitDays: would split the range into ${Math.ceil(days / splitDays)} parts; wanted at most ${MOST_PARTS}, so ${Math.ceil(days / MOST_PARTS)} days or more`;
  return [{ property: "splitDays", reason }];
}

/** One status after the other, in the order a document goes through them: what moves on meanwhile comes twice, not never. */
async function documentsOf(
  service: Service,
  range: DateRange,
  statuses: readonly DocumentStatusFilter[],
  place: Place,
  ask: RequestOptions,
): Promise<DatedDocument[]> {
  const documents: DatedDocument[] = [];
  for (const status of statuses) {
    const { rows } = await service.listDocumentsByDateRange({ ...range, status, ...place }, ask);
    documents.push(...rows);
  }
  return documents;
}

/** Each document once, as the status furthest on shows it; in ascending order of id. */
function merged(documents: readonly DatedDocument[]): DatedDocument[] {
  const order: readonly string[] = STATUSES;
  const byProgress = [...documents].sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
  const each = new Map(byProgress.map(document => [document.id, document]));
  return [...each.values()].sort((a, b) => byId(a.id, b.id));
}

async function placeTest(service: Service, { folderId, organizationId }: Place, ask: RequestOptions) {
  const inFolder =
    folderId === undefined ? undefined : new Set((await documentsIn(service, { folderId }, ask)).map(({ id }) => id));
  return (document: DatedDocument): boolean =>
    (inFolder?.has(document.id) ?? true) &&
    (organizationId === undefined || document.organizationId === organizationId);
}

function datedRow({ id, description, ...rest }: DatedDocument) {
  return present({ documentId: id, description: withoutMarker(description ?? "") || null, ...rest });
}
