import { z } from "zod";
import { property } from "../schema/property.js";
import { idInput } from "../schema/types.js";

export const documentIdArgument = property(idInput("a document's id"), { description: "Id of the document." });

/** Where to look: left out, everywhere the key can see. */
export const placeArguments = {
  folderId: property(idInput("a folder's id").optional(), { description: "Only documents in this folder." }),
  organizationId: property(idInput("an organization's id").optional(), {
    description: "Only documents of this organization.",
  }),
};

/** In the order a document goes through them. */
export const STATUSES = ["unsigned", "partially_signed", "signed"] as const;

export const statusArgument = property(
  z.enum(STATUSES, { error: `one of ${STATUSES.map(status => `"${status}"`).join(", ")}` }).optional(),
  { description: "Only documents in this status. Left out, those in any.", typeName: "DocumentStatus" },
);

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
