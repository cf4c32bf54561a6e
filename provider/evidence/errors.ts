/** Evidence that isn't what it should be, or can't be had. No file was written under its name. */
export class EvidenceError extends Error {
  override readonly name = "EvidenceError";
}
