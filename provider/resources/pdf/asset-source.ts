import { createHash } from "node:crypto";
import { accessSync, closeSync, constants, createReadStream, fstatSync, openSync, readSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import type { Bytes } from "../../client/service.js";
import { excerpt } from "../../schema/check.js";
import { Archive, Asset, type Value } from "../../schema/values.js";
import { UserError } from "../resource.js";
import { HEAD_BYTES, wrongWith } from "./base64.js";

/** Of three bytes each, as base64 takes them: nothing is left over to be copied. */
const CHUNK = 24 * 1024;
/** The engine has just read the file to hash it: asking another thread for its pieces takes longer than copying it. */
const SMALL = 256 * 1024;
const LARGEST_REMOTE = 256 * 1024 * 1024;

export type Fetched = { readonly bytes: Uint8Array } | { readonly wrong: string };
/** Fetches a remote asset, without any of our credentials. */
export type FetchRemote = (uri: string, largest: number) => Promise<Fetched>;

/** What is wrong with the file at this path, or null for a PDF. Reads its first bytes only. */
export function wrongWithFile(path: string): string | null {
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
  if (bytesRead !== size || createHash("sha256").update(bytes).digest("hex") !== hash) throw changed();
  yield bytes;
}

const changed = (): UserError =>
  new UserError(
    "file: the PDF changed while it was being sent, so nothing was created. Run `pulumi up` again once it is at rest.",
  );

/** Fetches and checks a remote asset. */
export async function remoteBytes(asset: Asset, fetchRemote: FetchRemote): Promise<Fetched> {
  const uri = asset.uri ?? "";
  const fetched = await fetchRemote(uri, LARGEST_REMOTE);
  if ("wrong" in fetched) return fetched;
  const wrong = wrongWith(fetched.bytes.subarray(0, HEAD_BYTES), fetched.bytes.length);
  if (wrong !== null) return { wrong };
  const hash = createHash("sha256").update(fetched.bytes).digest("hex");
  if (asset.hash !== undefined && asset.hash !== hash) {
    return { wrong: "expected the same bytes twice, got a remote asset whose content changed while it was being read" };
  }
  return fetched;
}

/** The local path of a `file:` address; undefined for any other. */
export function localPath(uri: string): string | undefined {
  try {
    return new URL(uri).protocol === "file:" ? fileURLToPath(uri) : undefined;
  } catch {
    return undefined;
  }
}

/** Windows has no O_NONBLOCK, and no pipes among its files. */
const FOR_READING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? "error");

const kindOf = (stat: { isDirectory(): boolean; isFIFO(): boolean; isSocket(): boolean }): string =>
  stat.isDirectory() ? "a directory" : stat.isFIFO() ? "a pipe" : stat.isSocket() ? "a socket" : "a device";

/** The asset that a program gives, or what it gives instead. */
export function assetIn(given: Value, content = "file"): Asset | { readonly wrong: string } {
  if (given instanceof Archive) return { wrong: `expected an asset with one ${content}, got an archive` };
  if (given instanceof Asset) return given;
  return {
    wrong: `expected an asset${content === "file" ? "" : ` with a ${content}`}: a file, a string or a remote address`,
  };
}
