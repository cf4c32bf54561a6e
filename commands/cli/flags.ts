import { randomBytes } from "node:crypto";
import { closeSync, createReadStream, openSync, readSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { type ParseArgsConfig, parseArgs } from "node:util";
import { escapeText, messageOf, nearest, withoutHostCommands } from "../../kit/text.js";

export { messageOf };

// ---- Errors ----

/** What failed, for the person at the command line. */
export class CommandError extends Error {}

/** The command line is wrong. */
export class UsageError extends CommandError {
  /** What was given may be anything: it stays on its line, and short. */
  constructor(message = "") {
    super(escapeText(message.slice(0, 500)));
  }
}

// ---- Flags ----

export type Flags = NonNullable<ParseArgsConfig["options"]>;

/** The flags and arguments of a command line, in which an unknown flag is a UsageError. */
export function parseFlags<T extends Flags>(argv: readonly string[], options: T) {
  try {
    return parseArgs({ args: [...argv], strict: true, allowPositionals: true, options });
  } catch (error) {
    const { tokens } = parseArgs({ args: [...argv], strict: false, tokens: true, options });
    const unknown = tokens.find(token => token.kind === "option" && !Object.hasOwn(options, token.name));
    // Node's first sentence says what is wrong with a flag that there is.
    if (unknown?.kind !== "option") throw new UsageError(messageOf(error).split(/\.(?:\s|$)/)[0]);
    const { name, rawName } = unknown;
    const meant = rawName.startsWith("--") ? nearest(name, Object.keys(options)) : undefined;
    throw new UsageError(`there is no flag ${rawName}${meant === undefined ? "" : `; did you mean --${meant}?`}`);
  }
}

export function wholeNumber(flag: string, text: string, least: number, most?: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= (most ?? value)) return value;
  throw new UsageError(`--${flag}: expected a whole number from ${least} ${most ? `to ${most}` : "on"}, got ${text}`);
}

// ---- The terminal ----

/** What a command writes to its terminal. Who reads the beginning and goes away, as `head -1` does, isn't a reason to end. */
export function terminal() {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  return {
    out: (text: string) => void process.stdout.write(withoutHostCommands(text)),
    err: (text: string) => void process.stderr.write(withoutHostCommands(text)),
  };
}

export const STOPPING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Aborted by Ctrl-C, and by what else asks a process to end. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of STOPPING) process.on(signal, () => stop.abort());
  return stop.signal;
}

// ---- Files ----

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

export const unwritable = (name: string, error: unknown): CommandError =>
  new CommandError(`${name}: can't be written: ${messageOf(error)}`);
