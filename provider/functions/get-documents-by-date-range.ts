import type { Listing } from "../client/completeness.js";
import type {
  DatedDocument,
  DocumentStatusFilter,
  ListedDocument,
  RequestOptions,
  Service,
} from "../client/service.js";
import { dateOfTimestamp } from "../client/timestamps.js";
import { byId } from "../resources/document/document-state.js";
import { withoutMarker } from "../resources/document/marker.js";
import { inParallel } from "../resources/in-parallel.js";
import type { Call, Failure } from "../resources/resource.js";
import { type Place, placeFrom, STATUSES } from "./arguments.js";
import { type DateRange, daysIn, joined, splitRange, widened } from "./date-range.js";
import { getDocumentsByDateRangeDeclaration } from "./get-documents-by-date-range-declaration.js";
import { documentsIn } from "./listed-document.js";
import { present } from "./omit-nil.js";
import { readFunction } from "./read-function.js";
import { isWhole } from "./truncated.js";

const MOST_PARTS = 500;
const PARTS_AT_A_TIME = 4;

export const getDocumentsByDateRange = readFunction(getDocumentsByDateRangeDeclaration, {
  contradictions: ({ fromDate, toDate, splitDays }, call) => wrongRange({ fromDate, toDate }, splitDays, call),

  async answer(service, { fromDate, toDate, status, splitDays, ...args }, ask) {
    const whole = widened({ fromDate, toDate });
    const parts = splitDays === undefined ? [whole] : joined(splitRange(whole, splitDays));
    const place = placeFrom(args);
    const statuses = status === undefined ? STATUSES : [status];
    const listings = await inParallel(PARTS_AT_A_TIME, parts, part => listingsOf(service, part, statuses, place, ask));
    const folder = place.folderId === undefined ? undefined : await documentsIn(service, pick(place), ask);
    const inRange = (document: { createdAt: string | null }): boolean =>
      isWithin(document.createdAt, { fromDate, toDate });
    const wanted = (document: DatedDocument): boolean =>
      inRange(document) &&
      (status ?? document.status) === document.status &&
      (place.organizationId === undefined || document.organizationId === place.organizationId);
    const documents = merged(listings.flat().flatMap(({ rows }) => rows)).filter(wanted);
    const shown = new Set(documents.map(({ id }) => id));
    const here = folder && new Set(folder.documents.map(({ id }) => id));
    const missing = folder?.documents.some(
      document => statuses.some(each => each === document.status) && isMissing(document, shown, inRange, place),
    );
    const proven =
      folder?.truncated !== "unknown" &&
      listings.flat().every(listing => isWhole(listing, service.longestSeen("documentsByDateRange")));
    return {
      documents: documents.filter(({ id }) => here?.has(id) ?? true).map(datedRow),
      truncated: missing ? "yes" : proven ? "no" : "unknown",
    };
  },
});

const pick = ({ folderId }: Place): Place => (folderId === undefined ? {} : { folderId });

/** By the calendar date at the service's own offset. A timestamp that can't be read is no reason to lose a document. */
function isWithin(createdAt: string | null, { fromDate, toDate }: DateRange): boolean {
  const date = dateOfTimestamp(createdAt);
  return date === undefined || (fromDate <= date && date <= toDate);
}

/** A document that the folder's own list has, and that the list by date should have. */
const isMissing = (
  document: ListedDocument,
  shown: ReadonlySet<string>,
  inRange: (document: ListedDocument) => boolean,
  { organizationId }: Place,
): boolean =>
  dateOfTimestamp(document.createdAt) !== undefined &&
  inRange(document) &&
  (organizationId === undefined || document.organization?.id === organizationId) &&
  !shown.has(document.id);

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
async function listingsOf(
  service: Service,
  range: DateRange,
  statuses: readonly DocumentStatusFilter[],
  place: Place,
  ask: RequestOptions,
): Promise<Listing<DatedDocument>[]> {
  const listings: Listing<DatedDocument>[] = [];
  for (const status of statuses) {
    listings.push(await service.listDocumentsByDateRange({ ...range, status, ...place }, ask));
  }
  return listings;
}

/** Each document once, as the status furthest on shows it; in ascending order of id. */
function merged(documents: readonly DatedDocument[]): DatedDocument[] {
  const order: readonly string[] = STATUSES;
  const byProgress = [...documents].sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
  const each = new Map(byProgress.map(document => [document.id, document]));
  return [...each.values()].sort((a, b) => byId(a.id, b.id));
}

function datedRow({ id, description, ...rest }: DatedDocument) {
  return present({ documentId: id, description: withoutMarker(description ?? "") || null, ...rest });
}
