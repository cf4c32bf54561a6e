import { z } from "zod";
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
import type { Call, Failure } from "../resources/resource.js";
import { type FunctionDeclaration, property } from "../schema/property.js";
import { type Place, placeArguments, placeFrom, STATUSES, statusArgument } from "./arguments.js";
import { type DateRange, daysIn, joined, splitRange, widened } from "./date-range.js";
import { documentsIn, isWhole, listedFields, listedRow, truncated } from "./listed-document.js";
import { readFunction } from "./read-function.js";

const date = z.iso.date({ error: 'a calendar date such as "2026-01-31"' });
const days = { error: "a whole number of days from 1 up" };

const datedDocument = property(
  z.object({
    ...listedFields,
    createdAt: property(z.string().optional(), { description: "When the document was created." }),
    unsignedLastVersionUrl: property(z.string().optional(), {
      description: "Address of the latest version's original PDF.",
    }),
    signedLastVersionUrl: property(z.string().optional(), {
      description: "Address of the latest version's signed PDF.",
    }),
    lastVersionSignedEndedAt: property(z.string().optional(), {
      description: "When signing of the latest version ended.",
    }),
    organizationId: property(z.string().optional(), { description: "Id of the organization the document belongs to." }),
    organizationName: property(z.string().optional(), { description: "Name of that organization." }),
    createdById: property(z.string().optional(), { description: "Id of the user who created the document." }),
    createdByName: property(z.string().optional(), { description: "Name of that user." }),
    createdByEmail: property(z.string().optional(), { description: "Address of that user." }),
  }),
  { description: "A document in a list by date.", typeName: "DatedDocument" },
);

const declaration = {
  token: "docsign:index:getDocumentsByDateRange",
  description: `The documents of a range of days, in one status or in any.

The service answers for one status at a time: with \`status\` left out it is asked for each of the three. It is asked for a day
more on both sides, and its rows are filtered by the date in their \`createdAt\`, at the offset given there. It doesn't show how it
names the folder and organization filters of this list, and its rows don't show their folder, so the answer is filtered
here: by \`organizationId\` on what the rows say, by \`folderId\` on the folder's own list, which is read as well.`,
  inputs: z.object({
    fromDate: property(date, { description: "First day, `YYYY-MM-DD`." }),
    toDate: property(date, { description: "Last day, `YYYY-MM-DD`: the same as `fromDate` or later." }),
    status: statusArgument,
    ...placeArguments,
    splitDays: property(z.number(days).int(days).min(1, days).optional(), {
      description:
        "Ask for this many days at a time and merge the answers, for ranges whose answer is too large or too slow in one piece. Left out, the range is asked for as a whole.",
    }),
  }),
  outputs: z.object({
    documents: property(z.array(datedDocument), {
      description: "The documents, each once, in ascending order of id.",
    }),
    truncated,
  }),
} satisfies FunctionDeclaration;

const MOST_PARTS = 500;
const PARTS_AT_A_TIME = 4;

export const getDocumentsByDateRange = readFunction(declaration, {
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
      documents: documents.filter(({ id }) => here?.has(id) ?? true).map(listedRow),
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
    const isSecret = secrets.has("fromDate") || secrets.has("toDate");
    const values = isSecret ? "" : `, ${range.fromDate}, got ${range.toDate}`;
    return [{ property: "toDate", reason: `toDate: expected a date not before fromDate${values}` }];
  }
  if (splitDays === undefined || days / splitDays <= MOST_PARTS) return [];
  const reason = `splitDays: expected ${Math.ceil(days / MOST_PARTS)} days or more, got ${splitDays}, which splits the range into ${Math.ceil(days / splitDays)} parts (${MOST_PARTS} at most)`;
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
