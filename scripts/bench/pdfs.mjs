// The contracts: bytes that don't compress, the same in every run, behind the magic that a PDF begins with.
import { createCipheriv } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const HEAD = Buffer.from("%PDF-1.7\n");
const TAIL = Buffer.from("\n%%EOF\n");

export function pdf(size, seed) {
  const key = Buffer.alloc(16, "docsign bench");
  const counter = Buffer.alloc(16);
  counter.writeUInt32BE(seed);
  const noise = createCipheriv("aes-128-ctr", key, counter).update(Buffer.alloc(size - HEAD.length - TAIL.length));
  return Buffer.concat([HEAD, noise, TAIL]);
}

/** A folder with `0.pdf` to `<count - 1>.pdf`; what is there already stays. */
export function pdfFolder(home, { count, size }) {
  const folder = join(home, String(size));
  mkdirSync(folder, { recursive: true });
  for (let i = 0; i < count; i++) {
    const path = join(folder, `${i}.pdf`);
    if (!existsSync(path)) writeFileSync(path, pdf(size, i));
  }
  return {
    folder,
    /** Somebody edits one contract. */
    change: () => writeFileSync(join(folder, "0.pdf"), pdf(size, 1_000_000)),
    restore: () => writeFileSync(join(folder, "0.pdf"), pdf(size, 0)),
  };
}
