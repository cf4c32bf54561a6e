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
import { inParallel } from "../resources/in-parallel.js";
import { type Place, STATUSES } from "./arguments.js";
import { type DateRange, joined, splitRange, widened } from "./date-range.js";
import { documentsIn, isWhole, type Truncated } from "./listed-document.js";

const PARTS_AT_A_TIME = 4;

export interface Wanted {
  readonly range: DateRange;
  readonly statuses: readonly DocumentStatusFilter[];
  readonly place: Place;
  /** Days to ask for at a time; left out, all of them. */
  readonly splitDays?: number | undefined;
}

/** The documents that were created in a range of days and are in one of the statuses, each once, in ascending order of id. */
export async function documentsInRange(
  service: Service,
  { range, statuses, place, splitDays }: Wanted,
  ask: RequestOptions,
): Promise<{ documents: DatedDocument[]; truncated: Truncated }> {
  const whole = widened(range);
  const parts = splitDays === undefined ? [whole] : joined(splitRange(whole, splitDays));
  const listings = await inParallel(PARTS_AT_A_TIME, parts, part => listingsOf(service, part, statuses, place, ask));
  const folder = place.folderId === undefined ? undefined : await documentsIn(service, pick(place), ask);
  const inRange = (document: { createdAt: string | null }): boolean => isWithin(document.createdAt, range);
  const isOfStatus = ({ status }: { status: string }): boolean =>
    statuses.length === STATUSES.length || statuses.some(each => each === status);
  const wanted = (document: DatedDocument): boolean =>
    inRange(document) &&
    isOfStatus(document) &&
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
    documents: documents.filter(({ id }) => here?.has(id) ?? true),
    truncated: missing ? "yes" : proven ? "no" : "unknown",
  };
}

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
