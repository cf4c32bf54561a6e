import { randomBytes } from "node:crypto";
import { closeSync, createReadStream, openSync, readSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { CommandError, messageOf } from "./errors.js";

const MB = 1024 * 1024;
/** A settings file, or a table, is far smaller. */
const LARGEST_FILE_MB = 64;
/** So is a stack with its secrets: V8 has no longer texts than twice that. */
const LARGEST_STATE_MB = 256;
const PIECE = 64 * 1024;

/** Reads what a person names: a file or a pipe, and of neither more than is any use. A device may never end. */
export function readGiven(path: string): Buffer {
  const file = openSync(path, "r");
  try {
    const pieces: Buffer[] = [];
    let size = 0;
    for (;;) {
      const piece = Buffer.allocUnsafe(PIECE);
      const read = readSync(file, piece);
      if (read === 0) return Buffer.concat(pieces, size);
      size += read;
      if (size > LARGEST_FILE_MB * MB) throw tooLarge(LARGEST_FILE_MB);
      pieces.push(piece.subarray(0, read));
    }
  } finally {
    closeSync(file);
  }
}

/** The same of a stack's state, from a file or a stream, and what comes late keeps nobody from stopping. */
export async function readState(from: string | NodeJS.ReadableStream): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const chunk of typeof from === "string" ? createReadStream(from) : from) {
    const piece = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    size += piece.length;
    if (size > LARGEST_STATE_MB * MB) throw tooLarge(LARGEST_STATE_MB);
    pieces.push(piece);
  }
  return Buffer.concat(pieces, size).toString("utf8");
}

const tooLarge = (most: number): CommandError => new CommandError(`expected at most ${most} MB, got more`);

/** Writes a file as a whole or not at all, whoever reads it meanwhile and whenever this ends. `name` is what it is called where it can't be. */
export async function writeWhole(
  path: string,
  content: string | Uint8Array,
  { name = path, mode }: { readonly name?: string; readonly mode?: number } = {},
): Promise<void> {
  const draft = `${path}.${randomBytes(4).toString("hex")}.tmp`;
  try {
    await writeFile(draft, content, { flag: "wx", mode });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw unwritable(name, error);
  }
}

export async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true }).catch((error: unknown) => {
    throw unwritable(path, error);
  });
}

const unwritable = (name: string, error: unknown): CommandError =>
  new CommandError(`${name}: can't be written: ${messageOf(error)}`);
