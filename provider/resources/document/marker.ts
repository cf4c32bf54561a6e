import { createHash } from "node:crypto";

const MARKER = /^\[docsign:([0-9a-f]{12})\]$/;
const LENGTH = "[docsign:]".length + 12;

/** A token that any machine computes alike for the same resource and content, and that reveals nothing of either. */
export const markerOf = (urn: string, fingerprint: string): string =>
  createHash("sha256").update(`${urn}\n${fingerprint}`).digest("hex").slice(0, 12);

export const withMarker = (description: string, marker: string): string =>
  `${description}${description === "" ? "" : "\n"}[docsign:${marker}]`;

export const withoutMarker = (description: string): string =>
  markerIn(description) === undefined ? description : description.trimEnd().slice(0, -LENGTH).trimEnd();

/** Whatever somebody wrote into a description, reading its end takes no time. */
export const markerIn = (description: string | null): string | undefined =>
  MARKER.exec((description ?? "").trimEnd().slice(-LENGTH))?.[1];
