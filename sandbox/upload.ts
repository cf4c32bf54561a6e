import { type Pdf, pdfOf } from "./documents.js";

const PREFIX = "data:application/pdf;base64,";

export interface Upload extends Pdf {
  problem: string | undefined;
}

/** The text of a request's body. */
export class RequestBody {
  #upload: Upload | undefined;

  constructor(readonly text: string) {}

  /** The PDF in its `base64_file`. Nothing if that isn't a PDF's data URI. It is decoded once: it may be large. */
  uploadFrom(dataUri: string): Upload | undefined {
    if (dataUri.startsWith(PREFIX)) this.#upload ??= decoded(dataUri.slice(PREFIX.length));
    return this.#upload;
  }
}

function decoded(base64: string): Upload {
  const bytes = Buffer.from(base64, "base64");
  return { ...pdfOf(bytes), problem: problemIn(base64, bytes) };
}

function problemIn(base64: string, bytes: Buffer): string | undefined {
  if (base64 === "") return "must not be empty";
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return "must be valid base64";
  return isPdf(bytes) ? undefined : "must hold a PDF";
}

export const isPdf = (bytes: Buffer): boolean => bytes.toString("latin1", 0, 5) === "%PDF-";
