import { z } from "zod";
import { kindOf } from "../../../kit/changes.js";
import { type Preview, pathText, type Stored } from "../../../kit/check.js";
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
  type FileRead,
  hasParts,
  readBeside,
  readNothing,
  readRegularFile,
  withParts,
} from "../../../sdk/templates/parts.js";
import { type RenderRequest, type Source, sourceHash, sourceIn } from "../../../sdk/templates/source.js";
import { A_VARIABLE, isVariable, type VariableValue } from "../../../sdk/templates/variables.js";
import { sortedJson } from "../../core/same.js";
import { oneLine } from "../../core/text.js";
import { lineOf, oneOf } from "../../schema/types.js";
import { type Failure, unnamedFailure as failure } from "../resource.js";
import { assetIn, type FetchRemote, hashOf, markOf, pathOf } from "./asset-source.js";

// ---- Rendered templates ----

/** What renders templates. Its libraries are loaded by the first call. */
export interface TemplateRenderer {
  render(request: RenderRequest): Promise<{ readonly pdf: Uint8Array } | { readonly problems: readonly string[] }>;
  /** What can be said before anything is laid out. `unknown` are names of variables whose values come later. */
  problemsOf(request: RenderRequest, unknown: readonly string[]): Promise<readonly string[]>;
}

/** A rendered PDF and its SHA-256. */
type RenderResult = { readonly bytes: Uint8Array; readonly sha256: string } | { readonly problems: readonly string[] };

const LARGEST = 64 * 1024 * 1024;
/** A PDF is rendered to know its hash, and sent soon after. */
const RENDERED_AT_ONCE = 64;

/** The contents of template and font assets, for the life of the process, and what was rendered of them a moment ago. */
export class TemplateStore {
  readonly sources: KeptContents<Source>;
  /** The contents of fonts and other files. */
  readonly files: KeptContents<Uint8Array>;
  #last: Promise<unknown> = Promise.resolve();
  readonly #rendered = new Map<string, Promise<RenderResult>>();

  constructor(
    readonly renderer: TemplateRenderer,
    fetchRemote: FetchRemote,
  ) {
    this.sources = new KeptContents(fetchRemote, contentOfTemplate);
    this.files = new KeptContents(fetchRemote, bytes => ({ hash: hashOf(bytes), content: bytes, isWhole: true }));
  }

  /** Renders a request, or answers what rendered it a moment ago. */
  render(identity: string, request: RenderRequest): Promise<RenderResult> {
    const known = this.#rendered.get(identity);
    if (known) return known;
    // One after another: rendering takes the processor and not time, and several at once only take memory.
    const rendering = this.#last
      .then(() => this.renderer.render(request))
      .then(answer => ("problems" in answer ? answer : { bytes: answer.pdf, sha256: hashOf(answer.pdf) }));
    this.#last = rendering.catch(() => undefined);
    this.#rendered.set(identity, rendering);
    const oldest = this.#rendered.keys().next();
    if (this.#rendered.size > RENDERED_AT_ONCE && !oldest.done) this.#rendered.delete(oldest.value);
    return rendering;
  }
}

/** `hash`: what state keeps. `isWhole`: the file's own hash tells all of it. */
interface Content<C> {
  readonly hash: string;
  readonly content: C;
  readonly isWhole: boolean;
}

/** A template's hash is that of its normalized text, so that a checkout with other line endings is the same template. */
function contentOfTemplate(bytes: Uint8Array, given: Asset): Content<Source> | { readonly wrong: string } {
  if (bytes.length === 0) return { wrong: "expected a Markdown contract or a PDF form, got an empty file" };
  const own = sourceIn(bytes);
  if (!own) return { wrong: "expected a Markdown contract in UTF-8 or a PDF form, got something else" };
  const path = given.text === undefined ? pathOf(given) : undefined;
  const content = withParts(own, path === undefined ? readNothing : readBeside(path));
  // Its clauses may be others the next time, and they aren't in the file's hash.
  return { hash: sourceHash(content), content, isWhole: !hasParts(own) };
}

/** The contents of assets of one kind, by the hash that state keeps of each. */
class KeptContents<C> {
  readonly #contents = new Map<string, C>();
  /** What state keeps, by the hash of the file as it is. */
  readonly #hashes = new Map<string, string>();
  /** Thousands of rows share an asset, and are checked side by side. */
  readonly #keeping = new WeakMap<Asset, Promise<KeptAsset>>();

  constructor(
    private readonly fetchRemote: FetchRemote,
    private readonly contentOf: (bytes: Uint8Array, given: Asset) => Content<C> | { readonly wrong: string },
  ) {}

  get(hash: string): C | undefined {
    return this.#contents.get(hash);
  }

  /** Reads an asset, and answers the one that state keeps. */
  keep(given: Asset): Promise<KeptAsset> {
    const keeping = this.#keeping.get(given) ?? this.#keep(given);
    this.#keeping.set(given, keeping);
    return keeping;
  }

  async #keep(given: Asset): Promise<KeptAsset> {
    const known = given.hash === undefined ? undefined : this.#hashes.get(given.hash);
    if (known !== undefined) return { asset: assetFor(given, known) };
    const read = await this.#read(given);
    if ("wrong" in read) return read;
    const own = hashOf(read.bytes);
    if (given.hash !== undefined && given.hash !== own)
      return { wrong: "expected the same bytes twice, got a file that changed while it was being read" };
    const found = this.contentOf(read.bytes, given);
    if ("wrong" in found) return found;
    const { hash, content, isWhole } = found;
    // The same object for the same content: what was found out about it is remembered by it.
    if (!this.#contents.has(hash)) this.#contents.set(hash, content);
    if (isWhole) this.#hashes.set(own, hash);
    return { asset: assetFor(given, hash) };
  }

  async #read(given: Asset): Promise<FileRead> {
    if (given.text !== undefined) return { bytes: Buffer.from(given.text, "utf8") };
    const path = pathOf(given);
    if (path !== undefined) return readRegularFile(path, LARGEST);
    if (given.uri !== undefined) return this.fetchRemote(given.uri, LARGEST);
    return { wrong: "expected an asset with content, got an empty one" };
  }
}

type KeptAsset = { readonly asset: Asset } | { readonly wrong: string };

/** The engine may read a path again, so an asset keeps its path only where the file's own hash is the template's. */
const assetFor = (given: Asset, hash: string): Asset =>
  given.text === undefined && given.hash === hash ? given : new Asset({ hash });

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
  pageSize: property(oneOf(PAGE_SIZES).optional(), {
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

type TemplateInputs = Preview<Stored<z.infer<z.ZodObject<typeof templateInputs>>>>;
export const TEMPLATE_INPUTS = Object.keys(templateInputs) as (keyof typeof templateInputs)[];
/** Inputs that say how `template` is rendered. */
const TEMPLATE_OPTIONS = TEMPLATE_INPUTS.filter(name => name !== "template");

/**
 * Part of every template's identity, of which a set's state has hashes. It never changes, not even where a major version prints
 * other bytes: the inputs are the same, so an upgrade of this package alone mails nobody.
 */
const FORMAT = 1;

/** The PDF's inputs as state keeps them, and what is wrong with them. */
export interface PdfCheckResult {
  readonly inputs: Values;
  readonly failures: Failure[];
}

/** The template's inputs, and everything that is wrong with them and can be known without rendering. */
export async function checkTemplate(
  olds: Values | undefined,
  news: Values,
  store: TemplateStore,
  hidesValues: boolean,
): Promise<PdfCheckResult> {
  // Of fonts what isn't a list is reported by the declaration.
  const fonts = Array.isArray(news["fonts"]) ? news["fonts"] : [];
  const [template, ...others] = await Promise.all([
    checkAsset("template", news["template"] ?? null, olds, store.sources),
    ...fonts.map((font, index) => checkAsset(`fonts[${index}]`, font, olds, store.files)),
  ]);
  const failures = [template, ...others].flatMap(({ wrong }) => (wrong === undefined ? [] : [failure(wrong)]));
  if (failures.length > 0) return { inputs: {}, failures };
  const inputs: Values = { template: template.value };
  for (const name of TEMPLATE_OPTIONS) if (isGiven(news[name])) inputs[name] = news[name];
  if (others.length > 0) inputs["fonts"] = others.map(({ value }) => value);
  if (olds !== undefined && templateIdentity(olds) === templateIdentity(inputs)) return { inputs, failures };
  const request = requestFor(inputs, store);
  if (request === undefined) return { inputs, failures };
  const problems = await store.renderer.problemsOf(request, unknownVariables(inputs));
  const file = fileOf(news["template"]);
  return {
    inputs,
    failures: problems.map(problem => failure(`${file}${hidesValues ? withoutCharacters(problem) : problem}`)),
  };
}

/** A template's file before what is wrong with it. */
function fileOf(template: Value | undefined): string {
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

interface CheckedAsset {
  /** As state keeps it. */
  readonly value: Value;
  readonly wrong?: string;
}

async function checkAsset(
  name: string,
  given: Value,
  olds: Values | undefined,
  contents: KeptContents<unknown>,
): Promise<CheckedAsset> {
  const refused = (reason: string): CheckedAsset => ({ value: null, wrong: `${name}: ${reason}` });
  if (isUnknown(given)) return { value: given };
  const asset = assetIn(given);
  if ("wrong" in asset) return refused(asset.wrong);
  const { hash, text, path, uri } = asset;
  if (hash !== undefined && text === undefined && path === undefined && uri === undefined) {
    // From state, under `ignoreChanges`: no create can follow a Check with old inputs.
    if (olds !== undefined || contents.get(hash)) return { value: asset };
    return refused(`expected the file itself, got ${markOf(hash)}: creating the document needs its content`);
  }
  const kept = await contents.keep(asset);
  if (!("wrong" in kept)) return { value: kept.asset };
  // Under `ignoreChanges` the engine gives what state has: its file may say something else by now, or be gone.
  const inState = [olds?.[name.replace(/\[.*/, "")] ?? null].flat().map(hashIn);
  return hash !== undefined && inState.includes(hash) ? { value: asset } : refused(kept.wrong);
}

/** What tells one rendered PDF from another, without rendering it; undefined where there is no template. */
export function templateIdentity(inputs: TemplateInputs): string | Unknown | undefined {
  const { template, variables, fonts, pageSize, pageNumbers, title } = inputs;
  if (!isGiven(template)) return undefined;
  if (hasUnknown([template, variables, fonts, pageSize, pageNumbers, title])) return UNKNOWN;
  const content = [
    FORMAT,
    hashIn(template),
    sortedVariables(variables),
    (Array.isArray(fonts) ? fonts : []).map(hashIn),
    pageSize ?? "A4",
    pageNumbers ?? true,
    title ?? null,
  ];
  return `template:${hashOf(JSON.stringify(content))}`;
}

/** Which inputs make the PDF another one, or may once they are known: where `templateIdentity` differs, at least one. */
export function templateChanges(before: TemplateInputs, after: TemplateInputs) {
  return TEMPLATE_INPUTS.flatMap(name => {
    const change = (path: string, was: unknown, is: unknown) => {
      const isOpen = hasUnknown(is);
      if (!isOpen && sortedJson(was) === sortedJson(is)) return [];
      return [{ name, path, what: kindOf(was, is), ...(isOpen && { unknown: true }) }];
    };
    const was = before[name] ?? null;
    const is = after[name] ?? null;
    if (!isRecord(was) || !isRecord(is)) return change(name, byHash(was), byHash(is));
    const keys = [...new Set([...Object.keys(was), ...Object.keys(is)])];
    return keys.flatMap(key => change(pathText([name, key]), was[key] ?? null, is[key] ?? null));
  });
}

/** Assets are the same when their content is. */
function byHash(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(byHash);
  return value instanceof Asset ? (value.hash ?? null) : value;
}

/** What to render; undefined while the template isn't known, and where its content isn't at hand. */
export function requestFor(inputs: TemplateInputs, store: TemplateStore): RenderRequest | undefined {
  const { template, variables, fonts, pageSize, pageNumbers, title } = inputs;
  const source = store.sources.get(hashIn(template) ?? "");
  if (source === undefined || isUnknown(variables) || isUnknown(fonts)) return undefined;
  const given = Array.isArray(fonts) ? fonts : [];
  const files = given.flatMap((font, index) => {
    const bytes = store.files.get(hashIn(font) ?? "");
    return bytes ? [{ name: `fonts[${index}]`, bytes }] : [];
  });
  if (files.length < given.length) return undefined;
  const isGivenVariable = (entry: [string, unknown]): entry is [string, VariableValue] => isVariable(entry[1]);
  return {
    source,
    variables: Object.fromEntries(Object.entries(recordOf(variables)).filter(isGivenVariable)),
    fonts: files,
    pageSize: pageSize === "Letter" ? "Letter" : "A4",
    pageNumbers: pageNumbers !== false,
    title: typeof title === "string" ? title : undefined,
  };
}

const unknownVariables = ({ variables }: TemplateInputs): string[] =>
  Object.entries(recordOf(variables)).flatMap(([name, value]) => (hasUnknown(value) ? [name] : []));

const recordOf = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {});

const hashIn = (value: unknown): string | null => (value instanceof Asset ? (value.hash ?? null) : null);

const sortedVariables = (variables: unknown): (readonly [string, unknown])[] =>
  Object.entries(recordOf(variables))
    .map(([name, value]) => [name.normalize("NFC"), sortedValue(value)] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));

function sortedValue(value: unknown): unknown {
  if (typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.map(sortedValue);
  return isRecord(value) ? sortedVariables(value) : String(value).normalize("NFC");
}

/** A problem names the character that can't be printed, which may be one of a secret. */
const withoutCharacters = (problem: string): string => problem.replace(/U\+[0-9A-F]{4,6}( "[^"]*")?/gu, "a character");
