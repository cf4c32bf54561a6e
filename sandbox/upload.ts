import { isRecord } from "../kit/records.js";
import { type Pdf, pdfOf } from "./documents.js";
import { jsonIn } from "./fields.js";

const PREFIX = "data:application/pdf;base64,";

export interface Upload extends Pdf {
  problem: string | undefined;
}

/** A request's body. */
export interface RequestBody {
  readonly text: string;
  /** Undefined where it isn't JSON. */
  readonly json: unknown;
  /** What `base64_file` is, where that is a PDF's data URI. */
  readonly upload: Upload | undefined;
}

/** May be large, so that it is parsed and decoded once, for the rules and for the history. */
export function bodyFrom(text: string): RequestBody {
  const json = jsonIn(text);
  const file = isRecord(json) ? json["base64_file"] : undefined;
  const isPdfUri = typeof file === "string" && file.startsWith(PREFIX);
  return { text, json, upload: isPdfUri ? uploadFrom(file.slice(PREFIX.length)) : undefined };
}

function uploadFrom(base64: string): Upload {
  const bytes = Buffer.from(base64, "base64");
  return { ...pdfOf(bytes), problem: problemIn(base64, bytes) };
}

function problemIn(base64: string, bytes: Buffer): string | undefined {
  if (base64 === "") return "must not be empty";
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return "must be valid base64";
  return isPdf(bytes) ? undefined : "must hold a PDF";
}

export const isPdf = (bytes: Buffer): boolean => bytes.toString("latin1", 0, 5) === "%PDF-";
