import type { PDFDocument } from "@cantoo/pdf-lib";
import type { Libraries } from "./libraries.js";
import { TemplateProblemsError } from "./problems.js";

/** A new document without a date, an id or anything random. */
export async function emptyPdf(libraries: Libraries): Promise<PDFDocument> {
  return steady(await libraries.pdfLib.PDFDocument.create({ updateMetadata: false }));
}

export async function openPdf(libraries: Libraries, bytes: Uint8Array): Promise<PDFDocument> {
  try {
    return steady(
      await libraries.pdfLib.PDFDocument.load(bytes, { updateMetadata: false, throwOnInvalidObject: true }),
    );
  } catch (error) {
    const encrypted = error instanceof libraries.pdfLib.EncryptedPDFError;
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

/** The library's own suffixes come from `Math.sin`, whose last digits differ between machines. */
function steady(document: PDFDocument): PDFDocument {
  let count = 0;
  document.context.addRandomSuffix = prefix => `${prefix}-${++count}`;
  return document;
}
