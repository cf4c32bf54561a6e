/** The one form of data URI the interface shows; parameters such as a charset are let through. */
const DATA_URI = /^data:application\/pdf(?:;[^,;]+)*;base64,/i;
const ALPHABET = /^[A-Za-z0-9+/]*={0,2}$/;

export type Decoded = { readonly bytes: Uint8Array } | { readonly wrong: string };

/** Base64 as programs give it: bare or as a data URI, with line breaks or without. Never echoes what it was given. */
export function decodePdf(text: string): Decoded {
  if (text.startsWith("data:") && !DATA_URI.test(text)) {
    return { wrong: "expected `data:application/pdf;base64,` and the PDF in base64, got a data URI of another kind" };
  }
  const base64 = text.replace(DATA_URI, "").replace(/\s+/g, "");
  if (base64 === "") return { wrong: "expected the PDF in base64, got an empty text" };
  if (base64.startsWith("%PDF-")) {
    return {
      wrong: "expected base64, got the PDF itself (or use `file` with an asset, which takes it as it is)",
    };
  }
  if (!ALPHABET.test(base64)) {
    return {
      wrong: "expected the PDF in base64, got something else (to give a file's path, use `file` with a file asset)",
    };
  }
  if (base64.length % 4 === 1 || (base64.includes("=") && base64.length % 4 !== 0)) {
    return { wrong: `expected all of it, got base64 that is cut off (${base64.length} characters)` };
  }
  return { bytes: Buffer.from(base64, "base64") };
}

const MAGIC = "%PDF-";
/** As much of a file's beginning as identifies its type. */
export const HEAD_BYTES = 64;

/** What is wrong with a file that begins like this, or null for a PDF. */
export function wrongWith(head: Uint8Array, size: number): string | null {
  if (size === 0) return "expected a PDF, got an empty file";
  const start = Buffer.from(head).toString("latin1", 0, HEAD_BYTES);
  if (start.startsWith(MAGIC)) return null;
  if (start.startsWith("version https://git-lfs.github.com/spec/"))
    return "expected a PDF, got a Git LFS pointer to it: run `git lfs pull`";
  if (/^[\s\u00ef\u00bb\u00bf]*<(?:!doctype|html|\?xml|head|body|!--)/i.test(start))
    return `expected a PDF, got ${size} bytes that look like a web page: the address may want a sign-in, or the download failed`;
  return `expected a PDF, got ${size} bytes that don't begin with %PDF-`;
}

const MARK = /^sha256:([0-9a-f]{64})$/;

/** What state keeps instead of a PDF. */
export const markOf = (hash: string): string => `sha256:${hash}`;

/** The hash in a mark; undefined for anything else. */
export const hashInMark = (text: unknown): string | undefined =>
  typeof text === "string" ? MARK.exec(text)?.[1] : undefined;
