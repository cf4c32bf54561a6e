import { createHash } from "node:crypto";
import {
  hasParts,
  type ReadPart,
  readBeside,
  readNothing,
  readRegularFile,
  withParts,
} from "../../../templates/parts.js";
import { type Source, sourceHash, sourceIn, withEndsOf } from "../../../templates/source.js";
import type { VariableValue } from "../../../templates/variables.js";
import { Asset } from "../../schema/values.js";
import { type FetchRemote, localPath } from "./asset-source.js";

/** Everything that a rendered PDF depends on. */
export interface RenderRequest {
  readonly source: Source;
  readonly variables: Readonly<Record<string, VariableValue>>;
  readonly fonts: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  readonly pageSize: "A4" | "Letter";
  readonly pageNumbers: boolean;
  readonly title: string | undefined;
}

/** What renders templates. Its libraries are loaded by the first call. */
export interface TemplateRenderer {
  render(request: RenderRequest): Promise<{ readonly pdf: Uint8Array } | { readonly problems: readonly string[] }>;
  /** What can be said before anything is laid out. `unknown` are names of variables whose values come later. */
  problemsOf(request: RenderRequest, unknown: readonly string[]): Promise<readonly string[]>;
}

export interface RenderedPdf {
  readonly bytes: Uint8Array;
  readonly sha256: string;
}

type Kept = { readonly asset: Asset } | { readonly wrong: string };

const LARGEST = 64 * 1024 * 1024;
/** A PDF is rendered to know its hash, and sent soon after. */
const RENDERED_AT_ONCE = 64;

/**
 * The contents of template and font assets, for the life of the process: state holds their hashes only. A template's hash
 * is that of its normalized text, so that a checkout with other line endings is the same template.
 */
export class TemplateStore {
  readonly #keptTemplates = new KeptAssets();
  readonly #keptFiles = new KeptAssets();
  readonly #sources = new Map<string, Source>();
  readonly #files = new Map<string, Uint8Array>();
  #last: Promise<unknown> = Promise.resolve();
  readonly #rendered = new Map<string, Promise<RenderedPdf | { readonly problems: readonly string[] }>>();

  constructor(
    readonly renderer: TemplateRenderer,
    private readonly fetchRemote: FetchRemote,
  ) {}

  source(hash: string): Source | undefined {
    return this.#sources.get(hash);
  }

  /** The content of a font or another file. */
  file(hash: string): Uint8Array | undefined {
    return this.#files.get(hash);
  }

  /** Reads a template, and answers the asset that state keeps. */
  keepTemplate(given: Asset): Promise<Kept> {
    return this.#keptTemplates.once(given, hashes =>
      this.#keep(given, hashes, bytes => {
        if (bytes.length === 0) return { wrong: "expected a Markdown contract or a PDF form, got an empty file" };
        const own = sourceIn(bytes);
        if (!own) return { wrong: "expected a Markdown contract in UTF-8 or a PDF form, got something else" };
        const source = withParts(own, partsOf(given));
        const hash = sourceHash(source);
        const before = this.#sources.get(hash);
        this.#sources.set(hash, before ? withEndsOf(before, source) : source);
        // Its clauses may be others the next time, and they aren't in the file's hash.
        return { hash, isWhole: !hasParts(own) };
      }),
    );
  }

  /** Reads a font or another file, and answers the asset that state keeps. */
  keepFile(given: Asset): Promise<Kept> {
    return this.#keptFiles.once(given, hashes =>
      this.#keep(given, hashes, bytes => {
        const hash = hashOf(bytes);
        this.#files.set(hash, this.#files.get(hash) ?? bytes);
        return { hash, isWhole: true };
      }),
    );
  }

  /** Renders a request, or answers what rendered it a moment ago. */
  render(identity: string, request: RenderRequest): Promise<RenderedPdf | { readonly problems: readonly string[] }> {
    const known = this.#rendered.get(identity);
    if (known) return known;
    const rendering = this.#inTurn(() => this.renderer.render(request)).then(answer =>
      "problems" in answer ? answer : { bytes: answer.pdf, sha256: hashOf(answer.pdf) },
    );
    this.#rendered.set(identity, rendering);
    const oldest = this.#rendered.keys().next();
    if (this.#rendered.size > RENDERED_AT_ONCE && !oldest.done) this.#rendered.delete(oldest.value);
    return rendering;
  }

  /** One after another: rendering takes the processor and not time, and several at once only take memory. */
  #inTurn<T>(render: () => Promise<T>): Promise<T> {
    const rendering = this.#last.then(render);
    this.#last = rendering.catch(() => undefined);
    return rendering;
  }

  async #keep(
    given: Asset,
    hashes: Map<string, string>,
    take: (bytes: Uint8Array) => { hash: string; isWhole: boolean } | { wrong: string },
  ): Promise<Kept> {
    const known = given.hash === undefined ? undefined : hashes.get(given.hash);
    if (known !== undefined) return { asset: assetFor(given, known) };
    const read = await this.#read(given);
    if ("wrong" in read) return read;
    const own = hashOf(read.bytes);
    if (given.hash !== undefined && given.hash !== own)
      return { wrong: "expected the same bytes twice, got a file that changed while it was being read" };
    const taken = take(read.bytes);
    if ("wrong" in taken) return taken;
    if (taken.isWhole) hashes.set(own, taken.hash);
    return { asset: assetFor(given, taken.hash) };
  }

  async #read(given: Asset): Promise<{ readonly bytes: Uint8Array } | { readonly wrong: string }> {
    if (given.text !== undefined) return { bytes: Buffer.from(given.text, "utf8") };
    const path = given.path ?? (given.uri === undefined ? undefined : localPath(given.uri));
    if (path !== undefined) return readRegularFile(path, LARGEST);
    if (given.uri !== undefined) return this.fetchRemote(given.uri, LARGEST);
    return { wrong: "expected an asset with content, got an empty one" };
  }
}

class KeptAssets {
  /** What state keeps, by the hash of the file as it is. */
  readonly #hashes = new Map<string, string>();
  /** Thousands of rows share an asset, and are checked side by side. */
  readonly #keeping = new WeakMap<Asset, Promise<Kept>>();

  once(given: Asset, keep: (hashes: Map<string, string>) => Promise<Kept>): Promise<Kept> {
    const keeping = this.#keeping.get(given) ?? keep(this.#hashes);
    this.#keeping.set(given, keeping);
    return keeping;
  }
}

/** The engine may read a path again, so an asset keeps its path only where the file's own hash is the template's. */
const assetFor = (given: Asset, hash: string): Asset =>
  given.text === undefined && given.hash === hash ? given : new Asset({ hash });

/** Where the clauses and images of a template lie. */
function partsOf({ path, uri, text }: Asset): ReadPart {
  const place = path ?? (uri === undefined ? undefined : localPath(uri));
  return place === undefined || text !== undefined ? readNothing : readBeside(place);
}

const hashOf = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex");
