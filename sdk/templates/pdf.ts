import { EncryptedPDFError, PDFDocument } from "@cantoo/pdf-lib";
import { Recent } from "./latest.js";
import { TemplateProblemsError } from "./problems.js";

/** A new document without a date, an id or anything random. */
export async function emptyPdf(): Promise<PDFDocument> {
  return packingOnce(steady(await PDFDocument.create({ updateMetadata: false })));
}

export async function openPdf(bytes: Uint8Array): Promise<PDFDocument> {
  try {
    return steady(await PDFDocument.load(bytes, { updateMetadata: false, throwOnInvalidObject: true }));
  } catch (error) {
    const encrypted = error instanceof EncryptedPDFError;
    throw new TemplateProblemsError([
      `expected a PDF form without a password, got one that ${encrypted ? "is encrypted" : "can't be read as a PDF"}`,
    ]);
  }
}

export function savePdf(document: PDFDocument): Promise<Uint8Array> {
  return document.save({
    useObjectStreams: false,
    updateFieldAppearances: false,
    addDefaultPage: false,
    // It would wait a millisecond after every fifty.
    objectsPerTick: Number.POSITIVE_INFINITY,
  });
}

/** Fonts and images that were packed for a document before aren't packed again, as most rows of a set have the same. */
function packingOnce(document: PDFDocument): PDFDocument {
  const { context } = document;
  const pack = context.flateStream.bind(context);
  context.flateStream = (contents, about) => {
    const now = (): Uint8Array => pack(contents).getContents();
    const packed = typeof contents === "string" ? packedTexts.get(contents, now) : packedBytes(contents, now);
    return context.stream(packed, { ...about, Filter: "FlateDecode" });
  };
  return document;
}

const packedTexts = new Recent<Uint8Array>(32);
const packedArrays = new WeakMap<Uint8Array, Uint8Array>();

/** Of the same array, which nobody writes into. */
function packedBytes(bytes: Uint8Array, now: () => Uint8Array): Uint8Array {
  const packed = packedArrays.get(bytes) ?? now();
  packedArrays.set(bytes, packed);
  return packed;
}

/** The library's own suffixes come from `Math.sin`, whose last digits differ between machines. */
function steady(document: PDFDocument): PDFDocument {
  let count = 0;
  document.context.addRandomSuffix = prefix => `${prefix}-${++count}`;
  return document;
}
