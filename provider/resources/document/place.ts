import { z } from "zod";
import { property } from "../../schema/property.js";
import { idInput } from "../../schema/types.js";

/** Where to look for documents: left out, everywhere the key can see. */
export const placeArguments = {
  folderId: property(idInput("a folder's id").optional(), { description: "Only documents in this folder." }),
  organizationId: property(idInput("an organization's id").optional(), {
    description: "Only documents of this organization.",
  }),
};

export const documentListInputs = z.object(placeArguments);

/** An id as the client takes it. */
export const idText = (given: string | number): string => String(given);

export interface Place {
  folderId?: string;
  organizationId?: string;
}

export function placeFrom(args: {
  folderId?: string | number | undefined;
  organizationId?: string | number | undefined;
}): Place {
  const place: Place = {};
  if (args.folderId !== undefined) place.folderId = idText(args.folderId);
  if (args.organizationId !== undefined) place.organizationId = idText(args.organizationId);
  return place;
}

interface Placed {
  readonly folderId: string | null;
  readonly organization: { readonly id: string } | null;
}

/** The service filters its list, and what it answers is filtered again: a filter it ignores must not widen a list. */
export const isIn = ({ folderId, organizationId }: Place, document: Placed): boolean =>
  (folderId === undefined || document.folderId === folderId) &&
  (organizationId === undefined || document.organization?.id === organizationId);
