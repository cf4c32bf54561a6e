// What is measured: how many documents, how heavy, how slow the service.
import { createCipheriv } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const COUNTS = [1, 10, 100, 1000];
const SIZES = { "20 KB": 20_000, "150 KB": 150_000, "5 MB": 5_000_000 };
const LATENCIES = [0, 50];
const MOST_BYTES = 500_000_000;

/** The cell that the targets are about. */
export const KEY_CELL = { count: 100, size: 150_000, latency: 50 };

export const bytesOf = ({ count, size }) => count * size;
export const sizeName = size => Object.keys(SIZES).find(name => SIZES[name] === size) ?? `${size} bytes`;
export const cellName = ({ count, size, latency }) => `${count} × ${sizeName(size)}, ${latency} ms`;
/** On the command line: `100x150KB@50`. */
export const argumentOf = ({ count, size, latency }) => `${count}x${sizeName(size).replace(" ", "")}@${latency}`;
export const sameCell = (a, b) => a.count === b.count && a.size === b.size && a.latency === b.latency;

/** Every combination whose PDFs add up to at most 500 MB, the key cell first. */
export function matrix() {
  const cells = Object.values(SIZES).flatMap(size =>
    COUNTS.flatMap(count => LATENCIES.map(latency => ({ count, size, latency }))),
  );
  const fitting = cells.filter(cell => bytesOf(cell) <= MOST_BYTES);
  return [...fitting.filter(cell => sameCell(cell, KEY_CELL)), ...fitting.filter(cell => !sameCell(cell, KEY_CELL))];
}

export function parseCell(text) {
  const cell = matrix().find(one => argumentOf(one).toLowerCase() === text.toLowerCase());
  if (cell) return cell;
  throw new Error(`--cells: "${text}" is no cell; there are ${matrix().map(argumentOf).join(", ")}`);
}

/** Does some work for each of a list, so many at a time. */
export async function inTurns(list, atOnce, work) {
  const left = [...list];
  const one = async () => {
    while (left.length > 0) await work(left.shift());
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}

// ---- The contracts ----

// Bytes that don't compress, the same in every run, behind the magic that a PDF begins with.

/** Who signs them. */
export const INVITATIONS = [{ email: "ana@example.com", name: "Ana Torres" }];

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
