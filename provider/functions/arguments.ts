import { z } from "zod";
import { property } from "../schema/property.js";
import { idInput } from "../schema/types.js";

export { idText, type Place, placeArguments, placeFrom } from "../resources/document/place.js";

export const documentIdArgument = property(idInput("a document's id"), { description: "Id of the document." });

/** In the order a document goes through them. */
export const STATUSES = ["unsigned", "partially_signed", "signed"] as const;

export const statusArgument = property(
  z.enum(STATUSES, { error: `one of ${STATUSES.map(status => `"${status}"`).join(", ")}` }).optional(),
  { description: "Only documents in this status. Left out, those in any.", typeName: "DocumentStatus" },
);
