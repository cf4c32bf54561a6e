import { closeSync, constants, existsSync, fstatSync, openSync, readSync, realpathSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { referencesIn } from "./language/references.js";
import { type Part, type Source, textIn } from "./source.js";

export type FileRead = { readonly bytes: Uint8Array } | { readonly wrong: string };
/** Reads a file by its path from the template's folder. */
export type ReadPart = (path: string, largest: number) => FileRead;

const LARGEST_CLAUSE = 1_000_000;
const LARGEST_IMAGE = 2 * 1024 * 1024;
const MOST_PARTS = 200;
const LARGEST_TOGETHER = 16 * 1024 * 1024;

/** A template with the clauses and images that it names. What can't be read is noted, and refused where it is used. */
export function withParts(source: Source, read: ReadPart): Source {
  if (source.kind === "form") return source;
  const parts = new Map<string, Part>();
  const texts: { path: string; text: string }[] = [{ path: "", text: source.text }];
  let left = LARGEST_TOGETHER;
  const take = (path: string, largest: number): FileRead => {
    if (parts.size >= MOST_PARTS) return { wrong: `expected at most ${MOST_PARTS} clauses and images, got more` };
    const found = read(path, largest);
    if ("wrong" in found) return found;
    left -= found.bytes.length;
    return left < 0 ? { wrong: `expected clauses and images of at most ${LARGEST_TOGETHER} bytes, got more` } : found;
  };
  for (let next = texts.pop(); next; next = texts.pop()) {
    const { clauses, images } = referencesIn(next.text, next.path);
    for (const path of clauses) {
      if (parts.has(path)) continue;
      const part = clauseFrom(take(path, LARGEST_CLAUSE));
      if (parts.size < MOST_PARTS) parts.set(path, part);
      if (part.kind === "clause") texts.push({ path, text: part.text });
    }
    for (const path of images) {
      if (parts.has(path) || parts.size >= MOST_PARTS) continue;
      const found = take(path, LARGEST_IMAGE);
      parts.set(path, "wrong" in found ? missing(found.wrong) : { kind: "image", bytes: found.bytes });
    }
  }
  return parts.size === 0 ? source : { ...source, parts };
}

/** Whether a template names other files. */
export const hasParts = (source: Source): boolean => {
  if (source.kind === "form") return false;
  const { clauses, images } = referencesIn(source.text, "");
  return clauses.length + images.length > 0;
};

function clauseFrom(found: FileRead): Part {
  if ("wrong" in found) return missing(found.wrong);
  const text = textIn(found.bytes);
  return text === undefined ? missing("expected a clause in UTF-8, got something else") : { kind: "clause", text };
}

const missing = (reason: string): Part => ({ kind: "missing", reason });

/** For a template that isn't a file. */
export const readNothing: ReadPart = () => ({
  wrong: "expected a template that is a file, as clauses and images lie beside it; got its text",
});

/** Reads beside a template's file, inside the folder of its project: the nearest one with a Pulumi.yaml, else its own. */
export function readBeside(template: string): ReadPart {
  const folder = dirname(resolve(template));
  const root = projectOf(folder);
  return (path, largest) => {
    const file = join(folder, path);
    if (!isInside(file, root)) return { wrong: OUTSIDE };
    try {
      // A link may lead anywhere.
      if (!isInside(realpathSync(file), realpathSync(root))) return { wrong: OUTSIDE };
    } catch (error) {
      return { wrong: `can't be read (${codeOf(error)})` };
    }
    return readRegularFile(file, largest);
  };
}

const OUTSIDE = "expected a file inside the project's folder, got one outside";

const isInside = (path: string, root: string): boolean => path.startsWith(root.endsWith(sep) ? root : root + sep);

function projectOf(folder: string): string {
  for (let here = folder; ; here = dirname(here)) {
    if (["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"].some(name => existsSync(join(here, name)))) return here;
    if (dirname(here) === here) return folder;
  }
}

/** A file's bytes, and never more than `largest`: no pipe, no device, nothing that grows while it is read. */
export function readRegularFile(path: string, largest: number): FileRead {
  let file: number;
  try {
    // A pipe would block an ordinary open until somebody writes to it. Windows has neither the flag nor pipes among its files.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    return { wrong: `expected a readable file, got one that can't be opened (${codeOf(error)})` };
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return { wrong: "expected a file, got something else at that path" };
    if (stat.size > largest) return { wrong: `expected a file of at most ${largest} bytes, got ${stat.size}` };
    const bytes = Buffer.alloc(stat.size);
    let length = 0;
    for (let more = 1; more > 0 && length < bytes.length; length += more)
      more = readSync(file, bytes, length, bytes.length - length, null);
    return { bytes: bytes.subarray(0, length) };
  } catch (error) {
    return { wrong: `expected a readable file, got one that can't be read (${codeOf(error)})` };
  } finally {
    closeSync(file);
  }
}

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? "error");
