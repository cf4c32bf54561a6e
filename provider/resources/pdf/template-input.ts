import { createHash, hash } from "node:crypto";
import { z } from "zod";
import type { Preview, Stored } from "../../../kit/check.js";
import { property } from "../../../kit/property.js";
import {
  Asset,
  hasUnknown,
  isGiven,
  isRecord,
  isUnknown,
  UNKNOWN,
  type Unknown,
  type Value,
  type Values,
} from "../../../kit/values.js";
import {
  hasParts,
  type ReadPart,
  readBeside,
  readNothing,
  readRegularFile,
  withParts,
} from "../../../sdk/templates/parts.js";
import { type Source, sourceHash, sourceIn } from "../../../sdk/templates/source.js";
import { A_VARIABLE, isVariable, type VariableValue } from "../../../sdk/templates/variables.js";
import { oneLine } from "../../core/text.js";
import { lineOf } from "../../schema/types.js";
import { type Failure, unnamedFailure as failure } from "../resource.js";
import { assetIn, type FetchRemote, localPath, markOf } from "./asset-source.js";

// ---- Rendered templates ----

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

interface RenderedPdf {
  readonly bytes: Uint8Array;
  readonly sha256: string;
}

type KeptAsset = { readonly asset: Asset } | { readonly wrong: string };

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
  keepTemplate(given: Asset): Promise<KeptAsset> {
    return this.#keptTemplates.once(given, hashes =>
      this.#keep(given, hashes, bytes => {
        if (bytes.length === 0) return { wrong: "expected a Markdown contract or a PDF form, got an empty file" };
        const own = sourceIn(bytes);
        if (!own) return { wrong: "expected a Markdown contract in UTF-8 or a PDF form, got something else" };
        const source = withParts(own, partsOf(given));
        const hash = sourceHash(source);
        // The same object for the same template: what was found out about it is remembered by it.
        this.#sources.set(hash, this.#sources.get(hash) ?? source);
        // Its clauses may be others the next time, and they aren't in the file's hash.
        return { hash, isWhole: !hasParts(own) };
      }),
    );
  }

  /** Reads a font or another file, and answers the asset that state keeps. */
  keepFile(given: Asset): Promise<KeptAsset> {
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
  ): Promise<KeptAsset> {
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
  readonly #keeping = new WeakMap<Asset, Promise<KeptAsset>>();

  once(given: Asset, keep: (hashes: Map<string, string>) => Promise<KeptAsset>): Promise<KeptAsset> {
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

// ---- The input ----

const PAGE_SIZES = ["A4", "Letter"] as const;

export const templateInputs = {
  template: property(z.instanceof(Asset, { error: "an asset: a file, a string or a remote address" }).optional(), {
    description:
      "A Markdown contract or a PDF form (AcroForm) as an asset, which the provider renders as the PDF. Give one of `file`, `base64File` and this. What changes the document is a change of the template, of `variables` or of an option: nothing is rendered to find that out, and state keeps no content.",
    replaces: true,
    asset: true,
    silent: true,
  }),
  variables: property(
    z
      .record(
        z.string(),
        z.unknown().refine(value => hasUnknown(value) || isVariable(value), {
          error: `${A_VARIABLE}: format numbers and dates yourself`,
        }),
        { error: "a map of texts" },
      )
      .optional(),
    {
      description:
        "Text for every `{{name}}` of a Markdown template, or for every field of a PDF form; a list for every `{{#each}}`, of texts or of texts by name; `true` or `false` where there is only an `{{#if}}`. A value is printed as it is: nothing in it is Markdown. A missing variable and one that the template doesn't use are errors at preview.",
      replaces: true,
      silent: true,
    },
  ),
  fonts: property(
    z
      .array(
        property(z.instanceof(Asset, { error: "an asset with a font" }), { description: "A font.", asset: true }),
        { error: "a list of assets with fonts" },
      )
      .optional(),
    {
      description:
        "TrueType or OpenType fonts for characters that the built-in fonts lack, in order of preference. Only with `template`.",
      replaces: true,
      silent: true,
    },
  ),
  pageSize: property(z.enum(PAGE_SIZES, { error: 'one of "A4", "Letter"' }).optional(), {
    description: "Page size of a Markdown template: `A4` (default) or `Letter`. Only with `template`.",
    typeName: "PageSizes",
    replaces: true,
  }),
  pageNumbers: property(z.boolean({ error: "true or false" }).optional(), {
    description: "Whether the pages of a Markdown template are numbered (default `true`). Only with `template`.",
    replaces: true,
  }),
  title: property(lineOf("a title").optional(), {
    description:
      "Title in the properties of the rendered PDF (default: the first heading of a Markdown template). Only with `template`; the document's own title is `name`.",
    replaces: true,
  }),
};

type TemplateInput = keyof typeof templateInputs;
type TemplateInputs = Preview<Stored<z.infer<z.ZodObject<typeof templateInputs>>>>;
export const TEMPLATE_INPUTS = Object.keys(templateInputs) as TemplateInput[];
/** Inputs that say how `template` is rendered. */
export const TEMPLATE_OPTIONS = TEMPLATE_INPUTS.filter(name => name !== "template");

/**
 * Part of every template's identity. It changes only with a major version of this package, together with the golden hash
 * in test/templates/same-bytes.test.ts: another number says that the same inputs may now be other bytes.
 */
const FORMAT = 1;

interface CheckedTemplate {
  readonly inputs: Values;
  readonly failures: Failure[];
}

interface CheckedAsset {
  readonly value: Value | undefined;
  readonly failures: Failure[];
}

/** The template's inputs as state keeps them, and everything that is wrong with them and can be known without rendering. */
export async function checkTemplate(
  olds: Values | undefined,
  news: Values,
  store: TemplateStore,
  hidesValues: boolean,
): Promise<CheckedTemplate> {
  const given = Object.fromEntries(
    TEMPLATE_OPTIONS.filter(name => isGiven(news[name])).map(name => [name, news[name]]),
  );
  const template = await checkAsset("template", news["template"] ?? null, olds, {
    isHeld: hash => store.source(hash) !== undefined,
    keep: asset => store.keepTemplate(asset),
  });
  const fonts = await checkFonts(news["fonts"], olds, store);
  const failures = [...template.failures, ...fonts.failures];
  if (template.value === undefined || failures.length > 0) return { inputs: {}, failures };
  const inputs: Values = {
    ...given,
    template: template.value,
    ...(fonts.value === undefined ? {} : { fonts: fonts.value }),
  };
  if (olds !== undefined && templateIdentity(olds) === templateIdentity(inputs)) return { inputs, failures };
  const request = requestFor(inputs, store);
  if (request === undefined) return { inputs, failures };
  const problems = await store.renderer.problemsOf(request, unknownVariables(inputs));
  const file = pathOf(news["template"]);
  return {
    inputs,
    failures: problems.map(problem => failure(`${file}${hidesValues ? withoutCharacters(problem) : problem}`)),
  };
}

/** A template's file before what is wrong with it. */
function pathOf(template: Value | undefined): string {
  const path = template instanceof Asset && template.text === undefined ? template.path : undefined;
  return path === undefined ? "" : `${oneLine(path).slice(0, LONGEST_PATH)}: `;
}

const LONGEST_PATH = 200;

/** Options without a template to apply to. */
export function strayOptions(news: Values): Failure[] {
  const stray = TEMPLATE_OPTIONS.filter(name => isGiven(news[name]));
  if (stray.length === 0) return [];
  return [failure(`${stray.join(", ")}: expected \`template\` beside ${stray.length === 1 ? "it" : "them"}, got none`)];
}

async function checkFonts(
  value: Value | undefined,
  olds: Values | undefined,
  store: TemplateStore,
): Promise<CheckedAsset> {
  // What isn't a list is reported by the declaration.
  if (!isGiven(value) || !Array.isArray(value)) return { value: isUnknown(value) ? UNKNOWN : undefined, failures: [] };
  const checked = await Promise.all(
    value.map((font, index) =>
      checkAsset(`fonts[${index}]`, font, olds, {
        isHeld: hash => store.file(hash) !== undefined,
        keep: asset => store.keepFile(asset),
      }),
    ),
  );
  return { value: checked.map(each => each.value ?? null), failures: checked.flatMap(each => each.failures) };
}

interface Contents {
  isHeld(hash: string): boolean;
  keep(asset: Asset): Promise<{ asset: Asset } | { wrong: string }>;
}

async function checkAsset(
  name: string,
  given: Value,
  olds: Values | undefined,
  { isHeld, keep }: Contents,
): Promise<CheckedAsset> {
  const property = name.replace(/\[.*/, "");
  const wrong = (reason: string) => ({ value: undefined, failures: [failure(`${name}: ${reason}`)] });
  if (isUnknown(given)) return { value: UNKNOWN, failures: [] };
  const asset = assetIn(given);
  if ("wrong" in asset) return wrong(asset.wrong);
  const { hash } = asset;
  const hasContent = asset.text !== undefined || asset.path !== undefined || asset.uri !== undefined;
  // From state, under `ignoreChanges`: no create can follow a Check with old inputs.
  if (!hasContent && hash !== undefined && (olds !== undefined || isHeld(hash))) return { value: asset, failures: [] };
  if (!hasContent && hash !== undefined) {
    return wrong(`expected the file itself, got ${markOf(hash)}: creating the document needs its content`);
  }
  const kept = await keep(asset);
  if (!("wrong" in kept)) return { value: kept.asset, failures: [] };
  // Under `ignoreChanges` the engine gives what state has: its file may say something else by now, or be gone.
  if (hash !== undefined && hashesIn(olds?.[property]).includes(hash)) return { value: asset, failures: [] };
  return wrong(kept.wrong);
}

/** What tells one rendered PDF from another, without rendering it; undefined where there is no template. */
export function templateIdentity(inputs: TemplateInputs): string | Unknown | undefined {
  const { template, variables, fonts, pageSize, pageNumbers, title } = inputs;
  if (!isGiven(template)) return undefined;
  const parts = [template, variables, fonts, pageSize, pageNumbers, title];
  const values = [...(isRecord(variables) ? Object.values(variables) : []), ...(Array.isArray(fonts) ? fonts : [])];
  if (parts.some(isUnknown) || values.some(hasUnknown)) return UNKNOWN;
  const content = [
    FORMAT,
    hashIn(template),
    sortedVariables(variables),
    (Array.isArray(fonts) ? fonts : []).map(hashIn),
    pageSize ?? "A4",
    pageNumbers ?? true,
    title ?? null,
  ];
  return `template:${hash("sha256", JSON.stringify(content), "hex")}`;
}

/** What to render; undefined while the template isn't known, and where its content isn't at hand. */
export function requestFor(inputs: TemplateInputs, store: TemplateStore): RenderRequest | undefined {
  const { template, variables, fonts, pageSize, pageNumbers, title } = inputs;
  const source = template instanceof Asset && template.hash !== undefined ? store.source(template.hash) : undefined;
  if (source === undefined || isUnknown(variables) || isUnknown(fonts)) return undefined;
  const files = (Array.isArray(fonts) ? fonts : []).map((font, index) => ({
    name: `fonts[${index}]`,
    bytes: store.file(hashIn(font) ?? ""),
  }));
  if (!files.every((file): file is { name: string; bytes: Uint8Array } => file.bytes !== undefined)) return undefined;
  return {
    source,
    variables: Object.fromEntries(
      Object.entries(isRecord(variables) ? variables : {}).filter((entry): entry is [string, VariableValue & Value] =>
        isVariable(entry[1]),
      ),
    ),
    fonts: files,
    pageSize: pageSize === "Letter" ? "Letter" : "A4",
    pageNumbers: pageNumbers !== false,
    title: typeof title === "string" ? title : undefined,
  };
}

const unknownVariables = ({ variables }: TemplateInputs): string[] =>
  Object.entries(isRecord(variables) ? variables : {}).flatMap(([name, value]) => (hasUnknown(value) ? [name] : []));

function hashesIn(value: Value | undefined): (string | null)[] {
  const values: Value[] = Array.isArray(value) ? value : [value ?? null];
  return values.map(hashIn);
}

const hashIn = (value: Value): string | null => (value instanceof Asset ? (value.hash ?? null) : null);

function sortedVariables(variables: unknown): (readonly [string, unknown])[] {
  return Object.entries(isRecord(variables) ? variables : {})
    .map(([name, value]) => [name.normalize("NFC"), sortedValue(value)] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

function sortedValue(value: unknown): unknown {
  if (typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.map(sortedValue);
  return isRecord(value)
    ? sortedVariables(value).map(([field, text]) => [field, text])
    : String(value).normalize("NFC");
}

/** A problem names the character that can't be printed, which may be one of a secret. */
const withoutCharacters = (problem: string): string => problem.replace(/U\+[0-9A-F]{4,6}( "[^"]*")?/gu, "a character");
