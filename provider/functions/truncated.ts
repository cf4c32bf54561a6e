import { z } from "zod";
import { type Listing, provesAbsenceSince, type Row } from "../client/completeness.js";
import { property } from "../schema/property.js";

export type Truncated = "no" | "unknown" | "yes";

/** The service shows neither pages nor an order, so whether a list is whole must be sayable, and so must that nobody knows. */
export const truncated = property(z.string(), {
  description:
    "Whether the service left documents out: `no` where its answer proves that it is whole, `yes` where another answer shows a document that is missing, `unknown` otherwise.",
});

/** `no` for an answer without rows, or with fewer than another answer of that list has had. */
export function isWhole(listing: Listing<Row>, longestSeen: number): boolean {
  return provesAbsenceSince(listing, Number.NEGATIVE_INFINITY, longestSeen);
}
