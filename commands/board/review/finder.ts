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
export class Finder {
  readonly #templates: Search<Source>;
  readonly #files: Search<Uint8Array>;
  readonly #pdfs: Search<Uint8Array>;

  constructor(version: Version) {
    this.#templates = new Search(version, /\.(md|markdown|pdf|txt)$/i, (bytes, beside) => {
      const own = sourceIn(bytes);
      if (own === undefined) return undefined;
      const source = withParts(own, beside);
      return { hash: sourceHash(source), content: source };
    });
    const asTheyAre = (bytes: Uint8Array) => ({
      hash: createHash("sha256").update(bytes).digest("hex"),
      content: bytes,
    });
    this.#files = new Search(version, /\.(csv|tsv|ttf|otf)$/i, asTheyAre);
    this.#pdfs = new Search(version, /\.pdf$/i, asTheyAre);
  }

  template(asset: Asset): Source | undefined {
    return this.#templates.find(asset);
  }

  /** A table or a font. */
  file(asset: Asset): Uint8Array | undefined {
    return this.#files.find(asset);
  }

  pdf(asset: Asset): Uint8Array | undefined {
    return this.#pdfs.find(asset);
  }
}

type Hashed<T> = { readonly hash: string; readonly content: T } | undefined;

class Search<T> {
  readonly #found = new Map<string, T>();
  readonly #seen = new Set<string>();
  #left = LARGEST_TOGETHER;

  constructor(
    private readonly version: Version,
    private readonly likely: RegExp,
    private readonly hashed: (bytes: Uint8Array, beside: ReadPart) => Hashed<T>,
  ) {}

  find({ hash, path }: Asset): T | undefined {
    for (const candidate of this.#found.has(hash) ? [] : this.#candidates(path)) {
      this.#look(candidate);
      if (this.#found.has(hash)) break;
    }
    return this.#found.get(hash);
  }

  #candidates(path: string | undefined): string[] {
    const name = path === undefined ? undefined : posix.basename(path.replaceAll("\\", "/"));
    const isNamed = (each: string) => posix.basename(each) === name;
    const { paths } = this.version;
    return [...paths.filter(isNamed), ...paths.filter(each => !isNamed(each) && this.likely.test(each))];
  }

  #look(path: string): void {
    if (this.#seen.has(path) || this.#seen.size >= MOST_FILES) return;
    this.#seen.add(path);
    const read = this.version.read(path, Math.min(LARGEST_FILE, this.#left));
    if ("wrong" in read) return;
    this.#left -= read.bytes.length;
    const hashed = this.hashed(read.bytes, this.version.beside(path));
    if (hashed && !this.#found.has(hashed.hash)) this.#found.set(hashed.hash, hashed.content);
  }
}
