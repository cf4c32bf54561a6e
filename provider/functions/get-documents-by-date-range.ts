import { z } from "zod";
import { type FunctionDeclaration, property } from "../../kit/property.js";
import type { Call, Failure } from "../resources/resource.js";
import { type DateRange, daysIn, documentsInRange, listedFields, listedRow, truncated } from "./documents-in-range.js";
import { placeArguments, placeFrom, readFunction, STATUSES, statusArgument } from "./read-function.js";

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

export const getDocumentsByDateRange = readFunction(declaration, {
  contradictions: ({ fromDate, toDate, splitDays }, call) => wrongRange({ fromDate, toDate }, splitDays, call),

  async answer(service, { fromDate, toDate, status, splitDays, ...args }, ask) {
    const place = placeFrom(args);
    const statuses = status === undefined ? STATUSES : [status];
    const found = await documentsInRange(service, { range: { fromDate, toDate }, statuses, place, splitDays }, ask);
    return { documents: found.documents.map(listedRow), truncated: found.truncated };
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
