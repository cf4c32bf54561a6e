import { createHash } from "node:crypto";
import { z } from "zod";
import type { Preview, Stored } from "../../../kit/check.js";
import { property } from "../../../kit/property.js";
import {
  Archive,
  Asset,
  isGiven,
  isUnknown,
  UNKNOWN,
  type Unknown,
  type Value,
  type Values,
} from "../../../kit/values.js";
import type { Bytes } from "../../client/service.js";
import { type Failure, UserError } from "../resource.js";
import {
  decodePdf,
  type FetchRemote,
  fileBytes,
  HEAD_BYTES,
  type HeldPdfs,
  hashInMark,
  hashOfFile,
  localPath,
  markOf,
  remoteBytes,
  wrongWith,
  wrongWithFile,
} from "./asset-source.js";
import {
  checkTemplate,
  requestFor,
  strayOptions,
  type TemplateStore,
  templateIdentity,
  templateInputs,
} from "./template-input.js";

// ---- Sources ----

/** The PDF of a document's checked inputs. */
interface PdfSource {
  /** What Diff compares: the same identity is the same PDF. Nothing is rendered to know it. */
  readonly identity: string;
  /** The SHA-256 of the PDF. A template is rendered for it. */
  sha256(): Promise<string>;
  /** The PDF, to be sent. */
  open(): Promise<Bytes>;
}

/** The PDF's hash where it was given as a file or in base64; undefined where it is rendered or missing. */
export function pdfHashOf(inputs: PdfInputs): string | Unknown | undefined {
  const { file, base64File } = inputs;
  if (isUnknown(file) || isUnknown(base64File)) return UNKNOWN;
  if (file instanceof Asset) return file.hash;
  return hashInMark(base64File);
}

/** The identity of the PDF in checked inputs; undefined where there is none. */
export const pdfIdentityOf = (inputs: PdfInputs): string | Unknown | undefined =>
  templateIdentity(inputs) ?? pdfHashOf(inputs);

/** The PDF of checked inputs; undefined while it isn't known, and where there is none. */
export function pdfSourceOf(inputs: PdfInputs, sources: PdfSources): PdfSource | undefined {
  const identity = pdfIdentityOf(inputs);
  if (typeof identity !== "string") return undefined;
  if (templateIdentity(inputs) === undefined) {
    return { identity, sha256: async () => identity, open: async () => givenBytes(inputs, identity, sources) };
  }
  const rendered = async () => {
    const request = requestFor(inputs, sources.templates);
    if (request === undefined) {
      throw new UserError("the content of `template` or `fonts` is no longer at hand. Run `pulumi up` again.");
    }
    const answer = await sources.templates.render(identity, request);
    if ("problems" in answer) {
      throw new UserError(
        ["the template can't be rendered:", ...answer.problems.map(line => `  - ${line}`)].join("\n"),
      );
    }
    return answer;
  };
  return {
    identity,
    sha256: async () => (await rendered()).sha256,
    open: async () => {
      const { bytes } = await rendered();
      return { size: bytes.length, open: () => whole(bytes) };
    },
  };
}

/** Whether a document's PDF can be rendered or read here: a Diff of a refresh is shown hashes without contents. */
export const isAtHand = (inputs: PdfInputs, { templates }: PdfSources): boolean =>
  templateIdentity(inputs) === undefined || requestFor(inputs, templates) !== undefined;

async function* whole(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

/** The bytes of checked inputs, to be sent. */
function givenBytes(inputs: PdfInputs, hash: string, { held }: PdfSources): Bytes {
  const asset = inputs.file instanceof Asset ? inputs.file : undefined;
  const path = asset?.path ?? (asset?.uri === undefined ? undefined : localPath(asset.uri));
  const bytes = path === undefined ? held.get(hash) : fileBytes(path, hash);
  if (!bytes)
    throw new UserError(
      `the PDF ${markOf(hash)} is no longer at hand, so nothing was created. Run \`pulumi up\` again.`,
    );
  return bytes;
}

// ---- The input ----

export interface PdfSources {
  readonly held: HeldPdfs;
  readonly fetchRemote: FetchRemote;
  readonly templates: TemplateStore;
  /** Rows of a set share an asset: what was found out about its file is true of all of them. */
  readonly checkedFiles?: Map<Asset, Promise<PdfCheckResult>>;
}

export const PDF_WAYS = ["file", "base64File", "template"] as const;
/** Inputs that hold what is in a file, and that `checkPdf` checks whole. */
export const CONTENTS = [...PDF_WAYS, "fonts"] as const;
export const isContent = (name: string): boolean => (CONTENTS as readonly string[]).includes(name);
/** Inputs that the PDF is made of. Their checked values are those that `checkPdf` answers. */
export const pdfInputs = {
  file: property(z.instanceof(Asset, { error: "an asset: a file, a string or a remote address" }).optional(), {
    description:
      "The PDF as an asset. Give one of this, `base64File` and `template`. Its content never enters state: two PDFs are the same when their SHA-256 is.",
    replaces: true,
    asset: true,
    silent: true,
  }),
  base64File: property(
    z.string({ error: "the PDF in base64, with or without `data:application/pdf;base64,` before it" }).optional(),
    {
      description:
        "The PDF in base64, as a data URI (`data:application/pdf;base64,…`) or bare. Give one of this, `file` and `template`. State keeps `sha256:<hex>` instead.",
      replaces: true,
      silent: true,
    },
  ),
  ...templateInputs,
};
export type PdfInput = keyof typeof pdfInputs;
export const PDF_INPUTS = Object.keys(pdfInputs) as PdfInput[];
export const isPdfInput = (name: string): name is PdfInput => (PDF_INPUTS as readonly string[]).includes(name);
type PdfInputs = Preview<Stored<z.infer<z.ZodObject<typeof pdfInputs>>>>;

const IGNORE_BOTH = 'ignoreChanges: ["file", "base64File"]';

/** The engine prints a failing property's whole value, so these name theirs in the reason alone. */
const failure = (reason: string): Failure => ({ property: "", reason });

interface PdfCheckResult {
  readonly inputs: Values;
  readonly failures: Failure[];
}

/** The PDF's inputs as state will keep them, and what is wrong with them. Bytes are kept only where a create can follow. */
export async function checkPdf(
  olds: Values | undefined,
  news: Values,
  sources: PdfSources,
  secrets: ReadonlySet<string> = new Set(),
): Promise<PdfCheckResult> {
  const { file, base64File, template } = news;
  const ways = PDF_WAYS.filter(name => isGiven(news[name]));
  if (ways.length > 1) return { inputs: {}, failures: [severalGiven(olds, ways, base64File)] };
  if (isGiven(template)) return checkTemplate(olds, news, sources.templates, secrets.has("variables"));
  const stray = strayOptions(news);
  if (isGiven(file)) return withFailures(await checkFile(olds, file, sources), stray);
  if (isGiven(base64File)) return withFailures(await checkBase64(olds, base64File, sources), stray);
  const hadOne = PDF_WAYS.some(name => isGiven(olds?.[name]));
  // Imported while the service kept the PDF to itself. No create can follow a Check with old inputs.
  if (olds !== undefined && !hadOne) return { inputs: {}, failures: stray };
  return {
    inputs: {},
    failures: [
      failure(
        hadOne
          ? `the PDF is missing: the program gives none of \`file\`, \`base64File\` and \`template\`, and the document has one. If only one of \`file\` and \`base64File\` is ignored, ignore both: ${IGNORE_BOTH}`
          : "the PDF is missing: give `file` (an asset), `base64File` (its text in base64) or `template` (Markdown or a PDF form)",
      ),
      ...stray,
    ],
  };
}

const withFailures = ({ inputs, failures }: PdfCheckResult, more: Failure[]): PdfCheckResult => ({
  inputs,
  failures: [...failures, ...more],
});

function severalGiven(olds: Values | undefined, ways: readonly string[], base64File: Value | undefined): Failure {
  const onlyOneIgnored = olds !== undefined && !ways.includes("template") && hashInMark(base64File) !== undefined;
  if (onlyOneIgnored) {
    return failure(
      `\`base64File\` is ignored and \`file\` isn't, so both reach the provider. Ignore both: ${IGNORE_BOTH}. \`pulumi do … patch\` can't change a document's PDF: create a new document`,
    );
  }
  const given = ways.map(way => `\`${way}\``).join(" and ");
  const ignored = `. If one of them is ignored, ignore all: ignoreChanges: [${ways.map(way => JSON.stringify(way)).join(", ")}]`;
  return failure(
    `expected one of \`file\`, \`base64File\` and \`template\`, got ${given}${olds === undefined ? "" : ignored}`,
  );
}

async function checkBase64(olds: Values | undefined, given: Value, { held }: PdfSources): Promise<PdfCheckResult> {
  if (isUnknown(given)) return { inputs: { base64File: UNKNOWN }, failures: [] };
  const text = String(given);
  const marked = hashInMark(text);
  if (marked !== undefined) {
    if (olds !== undefined || held.get(marked)) return { inputs: { base64File: text }, failures: [] };
    return { inputs: {}, failures: [failure(hashIsNoPdf("base64File", marked))] };
  }
  const decoded = decodePdf(text);
  if ("wrong" in decoded) return { inputs: {}, failures: [failure(`base64File: ${decoded.wrong}`)] };
  const wrong = wrongWith(decoded.bytes.subarray(0, HEAD_BYTES), decoded.bytes.length);
  if (wrong !== null) return { inputs: {}, failures: [failure(`base64File: ${wrong}`)] };
  return { inputs: { base64File: markOf(hashAndHold(olds, decoded.bytes, held)) }, failures: [] };
}

async function checkFile(olds: Values | undefined, given: Value, sources: PdfSources): Promise<PdfCheckResult> {
  const wrong = (reason: string): PdfCheckResult => ({ inputs: {}, failures: [failure(`file: ${reason}`)] });
  const kept = (asset: Asset): PdfCheckResult => ({ inputs: { file: asset }, failures: [] });
  if (isUnknown(given)) return { inputs: { file: UNKNOWN }, failures: [] };
  if (given instanceof Archive) return wrong("expected an asset with one PDF, got an archive");
  if (!(given instanceof Asset)) return wrong("expected an asset: a file, a string or a remote address");

  if (given.text !== undefined) {
    const bytes = Buffer.from(given.text, "utf8");
    const problem = wrongWith(bytes.subarray(0, HEAD_BYTES), bytes.length);
    return problem === null ? kept(new Asset({ hash: hashAndHold(olds, bytes, sources.held) })) : wrong(problem);
  }
  const unchanged = olds !== undefined && given.hash !== undefined && given.hash === pdfHashOf(olds);
  const path = given.path ?? (given.uri === undefined ? undefined : localPath(given.uri));
  if (path !== undefined) {
    if (unchanged) return kept(given);
    const look = async () => {
      const problem = wrongWithFile(path);
      if (problem !== null) return wrong(problem);
      return kept(given.hash === undefined ? new Asset({ ...given, hash: await hashOfFile(path) }) : given);
    };
    const known = sources.checkedFiles?.get(given) ?? look();
    sources.checkedFiles?.set(given, known);
    return known;
  }
  if (given.uri !== undefined) {
    if (unchanged) return kept(given);
    const fetched = await remoteBytes(given, sources.fetchRemote);
    if ("wrong" in fetched) return wrong(fetched.wrong);
    return kept(new Asset({ uri: given.uri, hash: hashAndHold(olds, fetched.bytes, sources.held) }));
  }
  if (given.hash === undefined) return wrong("expected one with a PDF, got an empty asset");
  if (olds !== undefined || sources.held.get(given.hash)) return kept(given);
  return { inputs: {}, failures: [failure(hashIsNoPdf("file", given.hash))] };
}

const hashIsNoPdf = (name: string, hash: string): string =>
  `${name}: given ${markOf(hash)}, and a hash is not a PDF. Creating the document needs the PDF itself`;

/** Only a Check without old inputs can be followed by a create, so only then are bytes worth keeping. */
function hashAndHold(olds: Values | undefined, bytes: Uint8Array, held: HeldPdfs): string {
  return olds === undefined ? held.hold(bytes) : createHash("sha256").update(bytes).digest("hex");
}
