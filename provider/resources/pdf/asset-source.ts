import { createHash, hash, randomUUID } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  openSync,
  read as readFd,
  readSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { excerpt } from "../../../kit/check.js";
import { Archive, Asset, type Value } from "../../../kit/values.js";
import type { FileRead } from "../../../sdk/templates/parts.js";
import type { Bytes } from "../../client/service.js";
import { makePrivateFolder } from "../../core/private-folder.js";
import { codeOf } from "../../core/text.js";
import { UserError } from "../resource.js";

// ---- Base64 ----

/** The one form of data URI the interface shows; parameters such as a charset are let through. */
const DATA_URI = /^data:application\/pdf(?:;[^,;]+)*;base64,/i;
const ALPHABET = /^[A-Za-z0-9+/]*={0,2}$/;

/** Base64 as programs give it: bare or as a data URI, with line breaks or without. Never echoes what it was given. */
export function decodePdf(text: string): FileRead {
  const refused = (wrong: string): FileRead => ({ wrong });
  if (text.startsWith("data:") && !DATA_URI.test(text))
    return refused("expected `data:application/pdf;base64,` and the PDF in base64, got a data URI of another kind");
  const base64 = text.replace(DATA_URI, "").replace(/\s+/g, "");
  if (base64 === "") return refused("expected the PDF in base64, got an empty text");
  if (base64.startsWith("%PDF-"))
    return refused("expected base64, got the PDF itself (or use `file` with an asset, which takes it as it is)");
  if (!ALPHABET.test(base64))
    return refused(
      "expected the PDF in base64, got something else (to give a file's path, use `file` with a file asset)",
    );
  if (base64.length % 4 === 1 || (base64.includes("=") && base64.length % 4 !== 0))
    return refused(`expected all of it, got base64 that is cut off (${base64.length} characters)`);
  return { bytes: Buffer.from(base64, "base64") };
}

/** As much of a file's beginning as identifies its type. */
const HEAD_BYTES = 64;

/** What is wrong with a file that begins like this, or undefined for a PDF. */
export function wrongWith(bytes: Uint8Array, size = bytes.length): string | undefined {
  if (size === 0) return "expected a PDF, got an empty file";
  const start = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString("latin1");
  if (start.startsWith("%PDF-")) return undefined;
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

// ---- Assets ----

/** Of three bytes each, as base64 takes them: nothing is left over to be copied. */
const CHUNK = 24 * 1024;
/** The engine has just read the file to hash it: asking another thread for its pieces takes longer than copying it. */
const SMALL = 256 * 1024;
const LARGEST_REMOTE = 256 * 1024 * 1024;

/** Fetches a remote asset, without any of our credentials. */
export type FetchRemote = (uri: string, largest: number) => Promise<FileRead>;

export const hashOf = (content: string | Uint8Array): string => hash("sha256", content, "hex");

/** What is wrong with the file at this path, or undefined for a PDF. Reads its first bytes only. */
export function wrongWithFile(path: string): string | undefined {
  let file: number;
  try {
    // A pipe would block an ordinary open until somebody writes to it.
    file = openSync(path, FOR_READING);
  } catch (error) {
    return `expected a readable PDF file, got a file asset that can't be opened (${codeOf(error)})`;
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return `expected a PDF file, got a file asset that is ${kindOf(stat)}`;
    const head = Buffer.alloc(HEAD_BYTES);
    const length = readSync(file, head, 0, head.length, 0);
    const wrong = wrongWith(head.subarray(0, length), stat.size);
    return wrong && `${wrong} (${excerpt(path)})`;
  } catch (error) {
    return `expected a readable PDF file, got a file asset that can't be read (${codeOf(error)})`;
  } finally {
    closeSync(file);
  }
}

/** The SHA-256 of a file, read in constant memory. */
export async function hashOfFile(path: string): Promise<string> {
  const digest = createHash("sha256");
  await pipeline(createReadStream(path, { fd: openSync(path, FOR_READING) }), digest);
  return digest.digest("hex");
}

/**
 * The bytes of a file asset, hashed on their way out. The end is held back until the hash is the one that was checked:
 * a file that changes between the check and the upload never becomes a document. A chunk is good until the next one.
 */
export function fileBytes(path: string, hash: string): Bytes {
  const { size } = statSync(path);
  accessSync(path, constants.R_OK);
  return { size, open: () => (size > SMALL ? verified(path, size, hash) : verifiedAtOnce(path, size, hash)) };
}

async function* verified(path: string, size: number, hash: string): AsyncIterable<Uint8Array> {
  const handle = await open(path, FOR_READING);
  try {
    const digest = createHash("sha256");
    let at = 0;
    let last: Uint8Array | undefined;
    // By turns, one filled while the other is held back: new ones would pile up until the next collection of garbage.
    let [buffer, other] = [Buffer.allocUnsafe(CHUNK), Buffer.allocUnsafe(CHUNK)];
    while (at < size) {
      [buffer, other] = [other, buffer];
      const { bytesRead } = await handle.read(buffer, 0, Math.min(CHUNK, size - at), at);
      if (bytesRead === 0) break;
      at += bytesRead;
      const chunk = buffer.subarray(0, bytesRead);
      digest.update(chunk);
      if (last) yield last;
      last = chunk;
    }
    if (at !== size || digest.digest("hex") !== hash) throw changed();
    if (last) yield last;
  } finally {
    await handle.close();
  }
}

async function* verifiedAtOnce(path: string, size: number, hash: string): AsyncIterable<Uint8Array> {
  const file = openSync(path, FOR_READING);
  const buffer = Buffer.allocUnsafe(size + 1);
  let bytesRead: number;
  try {
    bytesRead = readSync(file, buffer, 0, buffer.length, 0);
  } finally {
    closeSync(file);
  }
  const bytes = buffer.subarray(0, bytesRead);
  if (bytesRead !== size || hashOf(bytes) !== hash) throw changed();
  yield bytes;
}

const changed = (): UserError =>
  new UserError(
    "file: the PDF changed while it was being sent, so nothing was created. Run `pulumi up` again once it is at rest.",
  );

/** Fetches and checks a remote asset. */
export async function remoteBytes(asset: Asset, fetchRemote: FetchRemote): Promise<FileRead> {
  const fetched = await fetchRemote(asset.uri ?? "", LARGEST_REMOTE);
  if ("wrong" in fetched) return fetched;
  const wrong = wrongWith(fetched.bytes);
  if (wrong !== undefined) return { wrong };
  if (asset.hash !== undefined && asset.hash !== hashOf(fetched.bytes)) {
    return { wrong: "expected the same bytes twice, got a remote asset whose content changed while it was being read" };
  }
  return fetched;
}

/** Where an asset's file lies, by its path or a `file:` address; undefined of any other asset. */
export function pathOf({ path, uri }: Asset): string | undefined {
  if (path !== undefined || uri === undefined) return path;
  try {
    return new URL(uri).protocol === "file:" ? fileURLToPath(uri) : undefined;
  } catch {
    return undefined;
  }
}

/** Windows has no O_NONBLOCK, and no pipes among its files. */
const FOR_READING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

const kindOf = (stat: Stats): string =>
  stat.isDirectory() ? "a directory" : stat.isFIFO() ? "a pipe" : stat.isSocket() ? "a socket" : "a device";

/** The asset that a program gives, or what is wrong with what it gives instead. */
export function assetIn(given: Value, content: "file" | "PDF" | "CSV" = "file"): Asset | { readonly wrong: string } {
  if (given instanceof Asset) return given;
  if (given instanceof Archive) return { wrong: `expected an asset with one ${content}, got an archive` };
  return { wrong: `expected an asset${content === "CSV" ? " with a CSV" : ""}: a file, a string or a remote address` };
}

// ---- Held PDFs ----

const readAt = promisify(readFd);
const HASHED_AT_ONCE = 256 * 1024;

/**
 * The bytes of PDFs that reached Check as text, kept between Check and Create because state gets only their hash.
 * Shared by identical resources. In memory up to a budget; beyond it in private files that are unlinked while open
 * where the system allows it, so that nothing is left behind however the process ends.
 */
export class HeldPdfs {
  readonly #held = new Map<string, Bytes>();
  readonly #descriptors: number[] = [];
  readonly #leftovers: string[] = [];
  #inMemory = 0;

  constructor(
    private readonly folder: string,
    private readonly memoryBudget = 64 * 1024 * 1024,
  ) {}

  /** Keeps the bytes and answers their SHA-256. */
  hold(bytes: Uint8Array): string {
    const hash = hashOf(bytes);
    if (this.#held.has(hash)) return hash;
    const isInMemory = this.#inMemory + bytes.length <= this.memoryBudget;
    if (isInMemory) this.#inMemory += bytes.length;
    this.#held.set(hash, isInMemory ? bytesOf(bytes) : this.#spill(bytes));
    return hash;
  }

  get(hash: string): Bytes | undefined {
    return this.#held.get(hash);
  }

  close(): void {
    for (const descriptor of this.#descriptors.splice(0)) closeSync(descriptor);
    for (const path of this.#leftovers.splice(0)) rmSync(path, { force: true });
    this.#held.clear();
  }

  #spill(bytes: Uint8Array): Bytes {
    makePrivateFolder(this.folder);
    const path = join(this.folder, `${randomUUID()}.tmp`);
    const descriptor = openSync(path, "wx+", 0o600);
    this.#descriptors.push(descriptor);
    try {
      // Windows refuses to unlink an open file: there it goes when the process ends in order.
      rmSync(path);
    } catch {
      this.#leftovers.push(path);
    }
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
    return { size: bytes.length, open: () => fromDescriptor(descriptor, bytes.length) };
  }
}

/** Bytes in memory, to be sent. */
export const bytesOf = (bytes: Uint8Array): Bytes => ({ size: bytes.length, open: () => inChunks(bytes) });

async function* inChunks(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += HASHED_AT_ONCE) yield bytes.subarray(at, at + HASHED_AT_ONCE);
}

async function* fromDescriptor(descriptor: number, size: number): AsyncIterable<Uint8Array> {
  for (let at = 0; at < size; ) {
    const buffer = Buffer.allocUnsafe(Math.min(HASHED_AT_ONCE, size - at));
    const { bytesRead } = await readAt(descriptor, buffer, 0, buffer.length, at);
    if (bytesRead === 0) throw new Error("a held PDF became shorter than it was");
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
