import { z } from "zod";
import { property } from "../../kit/property.js";
import { present } from "../../kit/records.js";
import { byId, DOCUMENT_STATUSES, dateOfTimestamp } from "../client/bodies.js";
import { isIn, provesAbsence } from "../client/lists.js";
import type {
  DatedDocument,
  DocumentFilter,
  DocumentStatusFilter,
  ListedDocument,
  ListItem,
  Listing,
  RequestOptions,
  Service,
} from "../client/service.js";
import { DAY_MS, dateOf } from "../core/clock.js";
import { inParallel } from "../core/turns.js";
import { withoutMarker } from "../resources/document/content.js";
import { organization } from "../resources/document/declaration.js";
import { filterArguments } from "../resources/document/list.js";
import type { Call, Failure } from "../resources/resource.js";
import { idInput, listOf, maybeText, objectType, text } from "../schema/types.js";
import { readFunction, statusArgument } from "./read-function.js";

// ---- Days ----

/** Days from one calendar date to another, both included. */
export interface DateRange {
  readonly fromDate: string;
  readonly toDate: string;
}

const dayOf = (date: string): number => Date.parse(date) / DAY_MS;
const dateAt = (day: number): string => dateOf(day * DAY_MS);

export const daysIn = ({ fromDate, toDate }: DateRange): number => dayOf(toDate) - dayOf(fromDate) + 1;

/** A day more on both sides: `to_date` may be exclusive, and the service's days may begin at other hours than its timestamps say. */
const widened = ({ fromDate, toDate }: DateRange): DateRange => ({
  fromDate: dateAt(Math.max(dayOf("0000-01-01"), dayOf(fromDate) - 1)),
  toDate: dateAt(Math.min(dayOf("9999-12-31"), dayOf(toDate) + 1)),
});

/** Consecutive ranges of at most `days` days that cover each day of the whole one exactly once. */
export function splitRange(whole: DateRange, days: number): DateRange[] {
  const last = dayOf(whole.toDate);
  const parts: DateRange[] = [];
  for (let first = dayOf(whole.fromDate); first <= last; first += days) {
    parts.push({ fromDate: dateAt(first), toDate: dateAt(Math.min(first + days - 1, last)) });
  }
  return parts;
}

/**
 * The parts as the service is asked for them: each up to the first day of the next. The interface doesn't show whether
 * `to_date` itself is included; this way no day between two parts is lost if it isn't, and merging drops what comes twice.
 */
export function joined(parts: readonly DateRange[]): DateRange[] {
  return parts.map(({ fromDate, toDate }, index) => ({ fromDate, toDate: parts[index + 1]?.fromDate ?? toDate }));
}

// ---- Lists ----

export type Truncated = "no" | "unknown" | "yes";

/** The service shows neither pages nor an order, so whether a list is whole must be sayable, and so must that nobody knows. */
const truncated = text(
  "Whether the service left documents out: `no` where its answer proves that it is whole, `yes` where another answer shows a document that is missing, `unknown` otherwise.",
);

/** `no` for an answer without rows, or with fewer than another answer of that list has had. */
function isWhole(listing: Listing<ListItem>, longestList: number): boolean {
  return listing.received === 0 || provesAbsence(listing, { since: Number.NEGATIVE_INFINITY }, longestList);
}

const listedFields = {
  documentId: text("Id of the document."),
  name: text("Title of the document."),
  description: maybeText("Description of the document."),
  status: text("`unsigned`, `partially_signed` or `signed`; a value the service adds later is carried as it is."),
};

const listedDocument = objectType("ListedDocument", "A document in a list.", {
  ...listedFields,
  lastVersion: maybeText("Number of the latest version."),
  folderId: maybeText("Id of the folder the document is in."),
  organization: property(organization.optional(), { description: "The organization the document belongs to." }),
  ownerId: maybeText("Id of the account that owns the document."),
  ownerType: maybeText("Kind of owner, such as `User`."),
  createdAt: maybeText("When the document was created."),
  updatedAt: maybeText("When the document last changed."),
});

const listedDocuments = z.object({
  documents: listOf(listedDocument, "The documents, each once, in ascending order of id."),
  truncated,
});

/** The documents that a filter lets through. */
export async function documentsIn(
  service: Service,
  filter: DocumentFilter,
  options: RequestOptions,
): Promise<{ documents: readonly ListedDocument[]; truncated: Truncated }> {
  const listing = await service.listDocuments(filter, options);
  const documents = listing.rows.filter(document => isIn(filter, document)).sort((a, b) => byId(a.id, b.id));
  return { documents, truncated: isWhole(listing, service.longestList("documents")) ? "no" : "unknown" };
}

function listedRow<T extends { id: string; description?: string | null }>({ id, description, ...rest }: T) {
  return present({ documentId: id, description: withoutMarker(description ?? "") || null, ...rest });
}

const PARTS_AT_A_TIME = 4;

interface RangeQuery {
  readonly range: DateRange;
  readonly statuses: readonly DocumentStatusFilter[];
  readonly filter: DocumentFilter;
  /** Days to ask for at a time; left out, all of them. */
  readonly splitDays?: number | undefined;
}

/** The documents that were created in a range of days and are in one of the statuses, each once, in ascending order of id. */
export async function documentsInRange(
  service: Service,
  { range, statuses, filter, splitDays }: RangeQuery,
  options: RequestOptions,
): Promise<{ documents: DatedDocument[]; truncated: Truncated }> {
  const { folderId, organizationId } = filter;
  const whole = widened(range);
  const parts = splitDays === undefined ? [whole] : joined(splitRange(whole, splitDays));
  const listings = await inParallel(PARTS_AT_A_TIME, parts, async part => {
    const ofPart: Listing<DatedDocument>[] = [];
    // In the order a document goes through them: what moves on meanwhile comes twice, not never.
    for (const status of statuses)
      ofPart.push(await service.listDocumentsByDateRange({ ...part, status, ...filter }, options));
    return ofPart;
  });
  const folder = folderId === undefined ? undefined : await documentsIn(service, { folderId }, options);
  /** By the calendar date at the service's own offset; undefined where the timestamp can't be read. */
  const isInRange = ({ createdAt }: { createdAt: string | null }): boolean | undefined => {
    const date = dateOfTimestamp(createdAt);
    return date === undefined ? undefined : range.fromDate <= date && date <= range.toDate;
  };
  const isOfStatus = ({ status }: { status: string }): boolean => statuses.some(each => each === status);
  const isAnyStatus = statuses.length === DOCUMENT_STATUSES.length;
  const isOfOrganization = (id: string | null | undefined): boolean =>
    organizationId === undefined || id === organizationId;
  const documents = merged(listings.flat().flatMap(({ rows }) => rows)).filter(
    document =>
      // A timestamp that can't be read is no reason to lose a document.
      isInRange(document) !== false &&
      (isAnyStatus || isOfStatus(document)) &&
      isOfOrganization(document.organizationId),
  );
  const listedIds = new Set(documents.map(({ id }) => id));
  const idsInFolder = folder && new Set(folder.documents.map(({ id }) => id));
  // In the folder's own list, and the list by date should have it.
  const isMissing = folder?.documents.some(
    document =>
      isOfStatus(document) &&
      isInRange(document) === true &&
      isOfOrganization(document.organization?.id) &&
      !listedIds.has(document.id),
  );
  const isProven =
    folder?.truncated !== "unknown" &&
    listings.flat().every(listing => isWhole(listing, service.longestList("documentsByDateRange")));
  return {
    documents: documents.filter(({ id }) => idsInFolder?.has(id) ?? true),
    truncated: isMissing ? "yes" : isProven ? "no" : "unknown",
  };
}

/** Each document once, as the status furthest on shows it; in ascending order of id. */
function merged(documents: readonly DatedDocument[]): DatedDocument[] {
  const order: readonly string[] = DOCUMENT_STATUSES;
  const byProgress = [...documents].sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
  const each = new Map(byProgress.map(document => [document.id, document]));
  return [...each.values()].sort((a, b) => byId(a.id, b.id));
}

// ---- getDocuments ----

export const getDocuments = readFunction({
  token: "docsign:index:getDocuments",
  description: `The documents the key can see, of one folder or organization where asked for. The service doesn't show whether its list
is cut into pages: \`truncated\` says what is known of that.`,
  inputs: z.object({ ...filterArguments, status: statusArgument }),
  outputs: listedDocuments,
  async read(service, { status, ...args }, options) {
    const { documents, truncated } = await documentsIn(service, args, options);
    const wanted = documents.filter(document => status === undefined || document.status === status);
    return { documents: wanted.map(listedRow), truncated };
  },
});

// ---- getUnmanagedDocuments ----

export const getUnmanagedDocuments = readFunction({
  token: "docsign:index:getUnmanagedDocuments",
  description: `The documents that nobody manages: those the service lists, without those in \`managedIds\`. A function can't see state, so
the program says what it manages: its documents' \`documentId\`, and their \`supersedes\` where replaced ones count as managed.`,
  inputs: z.object({
    managedIds: property(z.array(idInput("a document's id"), { error: "a list of documents' ids" }), {
      description: "Ids of the documents to leave out.",
    }),
    supersededIds: property(z.array(idInput("a document's id"), { error: "a list of documents' ids" }).optional(), {
      description: "Ids of documents that managed ones replaced (their `supersedes`), to leave out as well.",
    }),
    ...filterArguments,
  }),
  outputs: listedDocuments,
  async read(service, { managedIds, supersededIds = [], ...args }, options) {
    const managed = new Set([...managedIds, ...supersededIds]);
    const { documents, truncated } = await documentsIn(service, args, options);
    return { documents: documents.filter(({ id }) => !managed.has(id)).map(listedRow), truncated };
  },
});

// ---- getDocumentsByDateRange ----

const date = z.iso.date({ error: 'a calendar date such as "2026-01-31"' });
const days = { error: "a whole number of days from 1 up" };

const datedDocument = objectType("DatedDocument", "A document in a list by date.", {
  ...listedFields,
  createdAt: maybeText("When the document was created."),
  unsignedLastVersionUrl: maybeText("Address of the latest version's original PDF."),
  signedLastVersionUrl: maybeText("Address of the latest version's signed PDF."),
  lastVersionSignedEndedAt: maybeText("When signing of the latest version ended."),
  organizationId: maybeText("Id of the organization the document belongs to."),
  organizationName: maybeText("Name of that organization."),
  createdById: maybeText("Id of the user who created the document."),
  createdByName: maybeText("Name of that user."),
  createdByEmail: maybeText("Address of that user."),
});

const MOST_PARTS = 500;

export const getDocumentsByDateRange = readFunction({
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
    ...filterArguments,
    splitDays: property(z.number(days).int(days).min(1, days).optional(), {
      description:
        "Ask for this many days at a time and merge the answers, for ranges whose answer is too large or too slow in one piece. Left out, the range is asked for as a whole.",
    }),
  }),
  outputs: z.object({
    documents: listOf(datedDocument, "The documents, each once, in ascending order of id."),
    truncated,
  }),
  contradictions: ({ fromDate, toDate, splitDays }, call) => wrongRange({ fromDate, toDate }, splitDays, call),
  async read(service, { fromDate, toDate, status, splitDays, ...args }, options) {
    const statuses = status === undefined ? DOCUMENT_STATUSES : [status];
    const query = { range: { fromDate, toDate }, statuses, filter: args, splitDays };
    const { documents, truncated } = await documentsInRange(service, query, options);
    return { documents: documents.map(listedRow), truncated };
  },
});

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
