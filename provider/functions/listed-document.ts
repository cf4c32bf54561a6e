import { z } from "zod";
import { type Listing, provesAbsence, type Row } from "../client/completeness.js";
import type { ListedDocument, RequestOptions, Service } from "../client/service.js";
import { organization } from "../resources/document/declaration.js";
import { byId } from "../resources/document/document-state.js";
import { withoutMarker } from "../resources/document/marker.js";
import { isIn } from "../resources/document/place.js";
import { property } from "../schema/property.js";
import type { Place } from "./arguments.js";
import { present } from "./omit-nil.js";

export type Truncated = "no" | "unknown" | "yes";

/** The service shows neither pages nor an order, so whether a list is whole must be sayable, and so must that nobody knows. */
export const truncated = property(z.string(), {
  description:
    "Whether the service left documents out: `no` where its answer proves that it is whole, `yes` where another answer shows a document that is missing, `unknown` otherwise.",
});

/** `no` for an answer without rows, or with fewer than another answer of that list has had. */
export function isWhole(listing: Listing<Row>, longestSeen: number): boolean {
  return listing.received === 0 || provesAbsence(listing, { since: Number.NEGATIVE_INFINITY }, longestSeen);
}

export const listedFields = {
  documentId: property(z.string(), { description: "Id of the document." }),
  name: property(z.string(), { description: "Title of the document." }),
  description: property(z.string().optional(), { description: "Description of the document." }),
  status: property(z.string(), {
    description: "`unsigned`, `partially_signed` or `signed`; a value the service adds later is carried as it is.",
  }),
};

const listedDocument = property(
  z.object({
    ...listedFields,
    lastVersion: property(z.string().optional(), { description: "Number of the latest version." }),
    folderId: property(z.string().optional(), { description: "Id of the folder the document is in." }),
    organization: property(organization.optional(), { description: "The organization the document belongs to." }),
    ownerId: property(z.string().optional(), { description: "Id of the account that owns the document." }),
    ownerType: property(z.string().optional(), { description: "Kind of owner, such as `User`." }),
    createdAt: property(z.string().optional(), { description: "When the document was created." }),
    updatedAt: property(z.string().optional(), { description: "When the document last changed." }),
  }),
  { description: "A document in a list.", typeName: "ListedDocument" },
);

export const listedDocuments = z.object({
  documents: property(z.array(listedDocument), { description: "The documents, each once, in ascending order of id." }),
  truncated,
});

/** The documents of a place. */
export async function documentsIn(service: Service, place: Place, ask: RequestOptions): Promise<DocumentsIn> {
  const listing = await service.listDocuments(place, ask);
  const documents = listing.rows.filter(document => isIn(place, document)).sort((a, b) => byId(a.id, b.id));
  return { documents, truncated: isWhole(listing, service.longestSeen("documents")) ? "no" : "unknown" };
}

export interface DocumentsIn {
  readonly documents: readonly ListedDocument[];
  readonly truncated: Truncated;
}

export function listedRow<T extends { id: string; description?: string | null }>({ id, description, ...rest }: T) {
  return present({ documentId: id, description: withoutMarker(description ?? "") || null, ...rest });
}
