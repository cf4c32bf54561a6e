import { createHash } from "node:crypto";
import { posix } from "node:path";
import { type ReadPart, withParts } from "../../../sdk/templates/parts.js";
import { type Source, sourceHash, sourceIn } from "../../../sdk/templates/source.js";
import type { Version } from "./repository.js";

/** A file that state has by its hash. */
export interface Asset {
  readonly hash: string;
  readonly path: string | undefined;
}

const LARGEST_FILE = 64 * 1024 * 1024;
const LARGEST_TOGETHER = 256 * 1024 * 1024;
const MOST_FILES = 2_000;

/** Finds files by what state has of them: a hash, and of some a path. Each file is read once, likely ones first. */
export function finderIn(version: Version) {
  const asTheyAre = (bytes: Uint8Array) => ({
    hash: createHash("sha256").update(bytes).digest("hex"),
    content: bytes,
  });
  return {
    template: search<Source>(version, /\.(md|markdown|pdf|txt)$/i, (bytes, beside) => {
      const own = sourceIn(bytes);
      const source = own && withParts(own, beside);
      return source && { hash: sourceHash(source), content: source };
    }),
    /** A table or a font. */
    file: search(version, /\.(csv|tsv|ttf|otf)$/i, asTheyAre),
    pdf: search(version, /\.pdf$/i, asTheyAre),
  };
}

export type Finder = ReturnType<typeof finderIn>;

function search<T>(
  version: Version,
  likely: RegExp,
  hashed: (bytes: Uint8Array, beside: ReadPart) => { readonly hash: string; readonly content: T } | undefined,
): (asset: Asset) => T | undefined {
  const found = new Map<string, T>();
  const seen = new Set<string>();
  let left = LARGEST_TOGETHER;
  const candidates = (path: string | undefined): string[] => {
    const name = path === undefined ? undefined : posix.basename(path.replaceAll("\\", "/"));
    const isNamed = (each: string) => posix.basename(each) === name;
    const { paths } = version;
    return [...paths.filter(isNamed), ...paths.filter(each => !isNamed(each) && likely.test(each))];
  };
  const look = (path: string): void => {
    if (seen.has(path) || seen.size >= MOST_FILES) return;
    seen.add(path);
    const read = version.read(path, Math.min(LARGEST_FILE, left));
    if ("wrong" in read) return;
    left -= read.bytes.length;
    const one = hashed(read.bytes, version.beside(path));
    if (one && !found.has(one.hash)) found.set(one.hash, one.content);
  };
  return ({ hash, path }) => {
    for (const candidate of found.has(hash) ? [] : candidates(path)) {
      look(candidate);
      if (found.has(hash)) break;
    }
    return found.get(hash);
  };
}
