/** The one form of data URI the interface shows; parameters such as a charset are let through. */
const DATA_URI = /^data:application\/pdf(?:;[^,;]+)*;base64,/i;
const ALPHABET = /^[A-Za-z0-9+/]*={0,2}$/;

export type Decoded = { readonly bytes: Uint8Array } | { readonly wrong: string };

/** Base64 as programs give it: bare or as a data URI, with line breaks or without. Never echoes what it was given. */
export function decodePdf(text: string): Decoded {
  if (text.startsWith("data:") && !DATA_URI.test(text)) {
    return { wrong: "given a data URI of another kind; wanted `data:application/pdf;base64,` and the PDF in base64" };
  }
  const base64 = text.replace(DATA_URI, "").replace(/\s+/g, "");
  if (base64 === "") return { wrong: "given an empty text; wanted the PDF in base64" };
  if (base64.startsWith("%PDF-")) {
    return {
      wrong: "given the PDF itself; wanted it in base64 (or use `file` with an asset, which takes it as it is)",
    };
  }
  if (!ALPHABET.test(base64)) {
    return {
      wrong:
        "given something that isn't base64; wanted the PDF in base64 (to give a file's path, use `file` with a file asset)",
    };
  }
  if (base64.length % 4 === 1 || (base64.includes("=") && base64.length % 4 !== 0)) {
    return { wrong: `given base64 that is cut off (${base64.length} characters); wanted all of it` };
  }
  return { bytes: Buffer.from(base64, "base64") };
}

const MAGIC = "%PDF-";
/** As much of a file's beginning as tells what it is. */
export const HEAD_BYTES = 64;

/** What is wrong with a file that begins like this, or null for a PDF. */
export function wrongWith(head: Uint8Array, size: number): string | null {
  if (size === 0) return "given an empty file; wanted a PDF";
  const start = Buffer.from(head).toString("latin1", 0, HEAD_BYTES);
  if (start.startsWith(MAGIC)) return null;
  if (start.startsWith("version https://git-lfs.github.com/spec/"))
    return "expected a PDF, got a Git LFS pointer to it: run `git lfs pull`";
  if (/^[\s\u00ef\u00bb\u00bf]*<(?:!doctype|html|\?xml|head|body|!--)/i.test(start))
    return `expected a PDF, got ${size} bytes that look like a web page: the address may want a sign-in, or the download failed`;
  return `given ${size} bytes that don't begin with %PDF-; wanted a PDF`;
}

const MARK = /^sha256:([0-9a-f]{64})$/;

/** What state keeps instead of a PDF. */
export const markOf = (hash: string): string => `sha256:${hash}`;

/** The hash in a mark; undefined for anything else. */
export const hashInMark = (text: unknown): string | undefined =>
  typeof text === "string" ? MARK.exec(text)?.[1] : undefined;
