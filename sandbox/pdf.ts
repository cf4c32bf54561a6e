/** Real PDFs, small enough to read: one page, one standard font, the given lines. */

export interface PdfOptions {
  /** Pad the file to exactly this many bytes, if it is smaller. */
  byteLength?: number;
}

export function makePdf(lines: readonly string[], options: PdfOptions = {}): Buffer {
  const slim = assemble(lines, 0);
  const missing = (options.byteLength ?? 0) - slim.length;
  if (missing <= 0) return slim;
  const padded = assemble(lines, missing);
  // A longer file has longer offsets in its tables: take that growth back.
  return assemble(lines, missing - (padded.length - slim.length - missing));
}

function assemble(lines: readonly string[], padding: number): Buffer {
  const text = lines.map(line => `(${escaped(line)}) Tj T*`).join("\n");
  const stream = `BT /F1 12 Tf 72 770 Td 16 TL\n${text}\nET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let head = "%PDF-1.7\n";
  const offsets = objects.map((object, index) => {
    const offset = head.length;
    head += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const filler = padding > 1 ? `%${".".repeat(padding - 2)}\n` : "\n".repeat(padding);
  const xref = offsets.map(offset => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  const tail = `xref\n0 ${size}\n0000000000 65535 f \n${xref}trailer\n<< /Size ${size} /Root 1 0 R >>\n`;
  return Buffer.from(`${head}${filler}${tail}startxref\n${head.length + filler.length}\n%%EOF\n`, "latin1");
}

function escaped(line: string): string {
  return line.replace(/[^\x20-\x7e]/g, "?").replace(/[\\()]/g, "\\$&");
}

/** What signing appends to a PDF: comment lines before a repeated end marker, so readers still open the file. */
export function signatureStamp(original: string, signatures: readonly string[]): string {
  const lines = signatures.map(line => `% ${escaped(line)}\n`).join("");
  return `\n% signed at the sandbox, original sha256 ${original}\n${lines}`;
}

export function signedPdf(original: Buffer, stamp: string): Buffer {
  const end = original.toString("latin1", Math.max(0, original.length - 1024)).match(/startxref\s+(\d+)\s+%%EOF\s*$/);
  const trailer = end ? `startxref\n${end[1]}\n%%EOF\n` : "%%EOF\n";
  return Buffer.concat([original, Buffer.from(stamp + trailer, "latin1")]);
}
