import { z } from "zod";
import type { Preview, Stored } from "../../../kit/check.js";
import { property } from "../../../kit/property.js";
import { Asset, isGiven, isUnknown, UNKNOWN, type Unknown, type Value, type Values } from "../../../kit/values.js";
import type { Bytes } from "../../client/service.js";
import { unnamedFailure as failure, UserError } from "../resource.js";
import {
  assetIn,
  bytesOf,
  decodePdf,
  type FetchRemote,
  fileBytes,
  type HeldPdfs,
  hashInMark,
  hashOf,
  hashOfFile,
  markOf,
  pathOf,
  remoteBytes,
  wrongWith,
  wrongWithFile,
} from "./asset-source.js";
import {
  checkTemplate,
  type PdfCheckResult,
  requestFor,
  strayOptions,
  type TemplateStore,
  templateIdentity,
  templateInputs,
} from "./template-input.js";

// ---- Sources ----

/** The PDF of a document's checked inputs. */
interface PdfSource {
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

/** What Diff compares: the same identity is the same PDF, and nothing is rendered to know it. Undefined where there is none. */
export const pdfIdentityOf = (inputs: PdfInputs): string | Unknown | undefined =>
  templateIdentity(inputs) ?? pdfHashOf(inputs);

/** The PDF of checked inputs; undefined while it isn't known, and where there is none. */
export function pdfSourceOf(inputs: PdfInputs, sources: PdfSources): PdfSource | undefined {
  const template = templateIdentity(inputs);
  const identity = template ?? pdfHashOf(inputs);
  if (identity === undefined || isUnknown(identity)) return undefined;
  if (template === undefined)
    return { sha256: async () => identity, open: async () => givenBytes(inputs, identity, sources) };
  const rendered = async () => {
    const request = requestFor(inputs, sources.templates);
    if (request === undefined)
      throw new UserError("the content of `template` or `fonts` is no longer at hand. Run `pulumi up` again.");
    const answer = await sources.templates.render(identity, request);
    if (!("problems" in answer)) return answer;
    throw new UserError(["the template can't be rendered:", ...answer.problems.map(line => `  - ${line}`)].join("\n"));
  };
  return {
    sha256: async () => (await rendered()).sha256,
    open: async () => bytesOf((await rendered()).bytes),
  };
}

/** Its SHA-256; undefined where it isn't known, and where it can't be rendered here: a Diff of a refresh is shown hashes without contents. */
export async function sha256AtHand(inputs: PdfInputs, sources: PdfSources): Promise<string | undefined> {
  const isAtHand = templateIdentity(inputs) === undefined || requestFor(inputs, sources.templates) !== undefined;
  return isAtHand ? pdfSourceOf(inputs, sources)?.sha256() : undefined;
}

/** The bytes of checked inputs, to be sent. */
function givenBytes(inputs: PdfInputs, hash: string, { held }: PdfSources): Bytes {
  const path = inputs.file instanceof Asset ? pathOf(inputs.file) : undefined;
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
export const isContent = (name: string): name is (typeof CONTENTS)[number] =>
  (CONTENTS as readonly string[]).includes(name);
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

const kept = (inputs: Values): PdfCheckResult => ({ inputs, failures: [] });
const wrong = (reason: string): PdfCheckResult => ({ inputs: {}, failures: [failure(reason)] });

/** The PDF's inputs as state will keep them, and what is wrong with them. Bytes are kept only where a create can follow. */
export async function checkPdf(
  olds: Values | undefined,
  news: Values,
  sources: PdfSources,
  secrets: ReadonlySet<string> = new Set(),
): Promise<PdfCheckResult> {
  const { file, base64File } = news;
  const ways = PDF_WAYS.filter(name => isGiven(news[name]));
  if (ways.length > 1) return wrong(severalGiven(olds, ways, base64File));
  const [way] = ways;
  if (way === "template") return checkTemplate(olds, news, sources.templates, secrets.has("variables"));
  const { inputs, failures } = isGiven(file)
    ? await checkFile(olds, file, sources)
    : isGiven(base64File)
      ? checkBase64(olds, base64File, sources)
      : missingPdf(olds);
  return { inputs, failures: [...failures, ...strayOptions(news)] };
}

function missingPdf(olds: Values | undefined): PdfCheckResult {
  if (PDF_WAYS.some(name => isGiven(olds?.[name])))
    return wrong(
      `the PDF is missing: the program gives none of \`file\`, \`base64File\` and \`template\`, and the document has one. If only one of \`file\` and \`base64File\` is ignored, ignore both: ${IGNORE_BOTH}`,
    );
  // Imported while the service kept the PDF to itself. No create can follow a Check with old inputs.
  if (olds !== undefined) return kept({});
  return wrong(
    "the PDF is missing: give `file` (an asset), `base64File` (its text in base64) or `template` (Markdown or a PDF form)",
  );
}

function severalGiven(olds: Values | undefined, ways: readonly string[], base64File: Value | undefined): string {
  if (olds !== undefined && !ways.includes("template") && hashInMark(base64File) !== undefined)
    return `\`base64File\` is ignored and \`file\` isn't, so both reach the provider. Ignore both: ${IGNORE_BOTH}. \`pulumi do … patch\` can't change a document's PDF: create a new document`;
  const given = ways.map(way => `\`${way}\``).join(" and ");
  const ignored = `. If one of them is ignored, ignore all: ignoreChanges: [${ways.map(way => JSON.stringify(way)).join(", ")}]`;
  return `expected one of \`file\`, \`base64File\` and \`template\`, got ${given}${olds === undefined ? "" : ignored}`;
}

function checkBase64(olds: Values | undefined, given: Value, { held }: PdfSources): PdfCheckResult {
  if (isUnknown(given)) return kept({ base64File: UNKNOWN });
  const text = String(given);
  const marked = hashInMark(text);
  if (marked !== undefined)
    return olds !== undefined || held.get(marked)
      ? kept({ base64File: text })
      : wrong(hashIsNoPdf("base64File", marked));
  const decoded = decodePdf(text);
  if ("wrong" in decoded) return wrong(`base64File: ${decoded.wrong}`);
  const problem = wrongWith(decoded.bytes);
  if (problem !== undefined) return wrong(`base64File: ${problem}`);
  return kept({ base64File: markOf(hashAndHold(olds, decoded.bytes, held)) });
}

async function checkFile(olds: Values | undefined, given: Value, sources: PdfSources): Promise<PdfCheckResult> {
  const { held, fetchRemote, checkedFiles } = sources;
  const refused = (reason: string) => wrong(`file: ${reason}`);
  if (isUnknown(given)) return kept({ file: UNKNOWN });
  const file = assetIn(given, "PDF");
  if ("wrong" in file) return refused(file.wrong);
  if (file.text !== undefined) {
    const bytes = Buffer.from(file.text, "utf8");
    const problem = wrongWith(bytes);
    return problem === undefined
      ? kept({ file: new Asset({ hash: hashAndHold(olds, bytes, held) }) })
      : refused(problem);
  }
  const path = pathOf(file);
  const isUnchanged = olds !== undefined && file.hash !== undefined && file.hash === pdfHashOf(olds);
  if (isUnchanged && (path !== undefined || file.uri !== undefined)) return kept({ file });
  if (path !== undefined) {
    const look = async () => {
      const problem = wrongWithFile(path);
      if (problem !== undefined) return refused(problem);
      return kept({ file: file.hash === undefined ? new Asset({ ...file, hash: await hashOfFile(path) }) : file });
    };
    const known = checkedFiles?.get(file) ?? look();
    checkedFiles?.set(file, known);
    return known;
  }
  if (file.uri !== undefined) {
    const fetched = await remoteBytes(file, fetchRemote);
    if ("wrong" in fetched) return refused(fetched.wrong);
    return kept({ file: new Asset({ uri: file.uri, hash: hashAndHold(olds, fetched.bytes, held) }) });
  }
  if (file.hash === undefined) return refused("expected one with a PDF, got an empty asset");
  return olds !== undefined || held.get(file.hash) ? kept({ file }) : wrong(hashIsNoPdf("file", file.hash));
}

const hashIsNoPdf = (name: string, hash: string): string =>
  `${name}: given ${markOf(hash)}, and a hash is not a PDF. Creating the document needs the PDF itself`;

/** Only a Check without old inputs can be followed by a create, so only then are bytes worth keeping. */
const hashAndHold = (olds: Values | undefined, bytes: Uint8Array, held: HeldPdfs): string =>
  olds === undefined ? held.hold(bytes) : hashOf(bytes);
