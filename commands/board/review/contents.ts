import { bareRecord } from "../../../kit/records.js";
import { isRecord } from "../../../kit/values.js";
import { identityOf } from "../../../provider/core/same.js";
import { atOnce } from "../../../provider/core/turns.js";
import { rowsOfDocuments, rowsOfTable, type SetRow } from "../../../provider/resources/document-set/rows.js";
import { readTable } from "../../../provider/resources/document-set/table.js";
import { hashInMark } from "../../../provider/resources/pdf/asset-source.js";
import { isVariable, type VariableValue } from "../../../sdk/templates/variables.js";
import { readPdf } from "../../redline/pdf.js";
import type { Clause } from "../../redline/redline.js";
import { isHidden, SECRET, UNKNOWN } from "../preview.js";
import type { Asset, Finder } from "./finder.js";

export type Inputs = Readonly<Record<string, unknown>>;

interface Printed {
  readonly pdf: Uint8Array;
  readonly pages: number | undefined;
}

/** What a contract says, and its PDF where every value in it is known. */
export interface Content {
  readonly clauses: readonly Clause[];
  readonly printed: Printed | undefined;
  /** The PDF form that it was filled into. */
  readonly form?: Uint8Array;
  /** Pages without text. */
  readonly silent?: readonly number[];
}

export type ContentResult = Content | { readonly wrong: string; readonly printed?: Printed };

const LATER = "(not known yet)";

/** Renders what a Document's inputs say, from the files that a version of the repository has. */
export async function contentOf(inputs: Inputs, finder: Finder, where: string): Promise<ContentResult> {
  const { template, fonts = [], pageSize, pageNumbers, title } = inputs;
  const isGiven = ["template", "file", "base64File"].some(name => (inputs[name] ?? null) !== null);
  if (isHidden(inputs) || !isGiven) return { wrong: "its content isn't known yet, or is secret" };
  if (template === undefined || template === null) return contentOfPdf(inputs, finder, where);
  const asset = assetIn(template);
  if (asset === undefined) return { wrong: "its template isn't known yet, or is secret" };
  const source = finder.template(asset);
  if (source === undefined)
    return { wrong: `its template (sha256 ${asset.hash.slice(0, 12)}…) is no file of ${where}` };
  const files = (Array.isArray(fonts) ? fonts : [fonts]).map((font: unknown, index) => {
    const own = assetIn(font);
    return { name: `fonts[${index}]`, bytes: own && finder.file(own) };
  });
  const isWhole = (file: (typeof files)[number]): file is { name: string; bytes: Uint8Array } =>
    file.bytes !== undefined;
  if (!files.every(isWhole)) return { wrong: `one of its fonts is no file of ${where}` };
  const variables = variablesIn(inputs["variables"]);
  if (variables.wrong !== undefined) return { wrong: variables.wrong };
  const request = {
    ...{ source, variables: variables.values, fonts: files },
    ...{ pageSize: pageSize === "Letter" ? ("Letter" as const) : ("A4" as const), pageNumbers: pageNumbers !== false },
    title: typeof title === "string" && !isHidden(title) ? title : undefined,
  };
  // A bundle of its own, with its libraries and fonts: it is loaded where something is rendered.
  const { printedText, render } = await import("../../../sdk/templates/render.js");
  const text = await printedText(request);
  if ("problems" in text) return { wrong: `it can't be rendered: ${text.problems.slice(0, 3).join("; ")}` };
  const isKnown = !variables.isHidden && ![pageSize, pageNumbers, title].some(isHidden);
  const printed = isKnown ? await render(request) : undefined;
  if (printed && "problems" in printed)
    return { wrong: `it can't be rendered: ${printed.problems.slice(0, 3).join("; ")}` };
  return { clauses: text.clauses, printed, ...(source.kind === "form" ? { form: source.bytes } : {}) };
}

/** State has a PDF by its hash alone, whichever way it was given. */
async function contentOfPdf({ file, base64File }: Inputs, finder: Finder, where: string): Promise<ContentResult> {
  const asset = assetIn(file) ?? assetInText(base64File);
  if (asset === undefined) return { wrong: "its PDF isn't known yet, or is secret" };
  const pdf = finder.pdf(asset);
  if (pdf === undefined) return { wrong: `its PDF (sha256 ${asset.hash.slice(0, 12)}…) is no file of ${where}` };
  return pdfContent(pdf);
}

export async function pdfContent(pdf: Uint8Array): Promise<ContentResult> {
  const read = await readPdf(pdf);
  const printed = { pdf, pages: read.pages };
  if ("wrong" in read) return { wrong: `the text of its PDF can't be read: ${read.wrong}`, printed };
  return { clauses: read.clauses, printed, silent: read.silent };
}

/** What a contract's text is made of, to tell two apart without rendering them. */
export function identityOfText({ template, fonts, file, ...inputs }: Inputs): string {
  const { variables, base64File, pageSize, pageNumbers, title } = inputs;
  const others = [sorted(variables), base64File, pageSize ?? "A4", pageNumbers ?? true, title ?? null];
  return JSON.stringify([...[template, fonts, file].map(hashesIn), others]);
}

export const templateHash = ({ template }: Inputs): string | undefined => assetIn(template)?.hash;

const hashesIn = (value: unknown): (string | null)[] =>
  (Array.isArray(value) ? value : [value]).map(each => assetIn(each)?.hash ?? null);

const sorted = (value: unknown): unknown =>
  isRecord(value) ? Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)) : (value ?? null);

function assetInText(value: unknown): Asset | undefined {
  const hash = typeof value === "string" ? hashInMark(value) : undefined;
  return hash === undefined ? undefined : { hash, path: undefined };
}

function assetIn(value: unknown): Asset | undefined {
  if (!isRecord(value)) return undefined;
  const { hash, path } = value;
  return typeof hash === "string" && /^[0-9a-f]{64}$/.test(hash)
    ? { hash, path: typeof path === "string" ? path : undefined }
    : undefined;
}

function variablesIn(given: unknown) {
  if (given === undefined || given === null) return { values: {}, isHidden: false };
  if (!isRecord(given) || isHidden(given)) return { wrong: "its variables aren't known yet, or are secret" };
  let hidden = false;
  const open = (value: unknown): unknown => {
    if (isHidden(value)) hidden = true;
    if (value === UNKNOWN) return LATER;
    if (isHidden(value)) return SECRET;
    if (Array.isArray(value)) return value.map(open);
    return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, open(one)])) : value;
  };
  const values = bareRecord<VariableValue>();
  for (const [name, value] of Object.entries(given)) {
    const shown = open(value);
    if (!isVariable(shown)) return { wrong: `its variable ${name} is nothing that a template takes` };
    values[name] = shown;
  }
  return { values, isHidden: hidden };
}

// ---- Rows of a set ----

/** A row of a set, before and after. */
export interface Pair {
  readonly key: string;
  readonly before: Inputs | undefined;
  readonly after: Inputs;
}

export interface Sides {
  readonly before: Finder;
  readonly after: Finder;
  readonly base: string;
}

type RowsResult = { readonly rows: readonly SetRow[] } | { readonly wrong: string };

/** The rows that a set would have, each with what it was. `withoutOld`: also where that can't be told. */
export function rowsOf(before: Inputs | undefined, after: Inputs, sides: Sides, withoutOld: boolean) {
  const fresh = rowsIn(after, sides.after, "this folder");
  if ("wrong" in fresh) return fresh;
  const old: RowsResult = before ? rowsIn(before, sides.before, sides.base) : { rows: [] };
  const wrongBefore = "wrong" in old ? old.wrong : undefined;
  if (wrongBefore !== undefined && !withoutOld) return { wrong: wrongBefore };
  const rows = "rows" in old ? old.rows : [];
  const known = new Map(rows.map(({ key, inputs }) => [identityOf(key), inputs]));
  const pairs = fresh.rows.map(({ key, inputs }) => ({ key, before: known.get(identityOf(key)), after: inputs }));
  return { pairs, wrongBefore };
}

function rowsIn(inputs: Inputs, finder: Finder, where: string): RowsResult {
  const { table, key, defaults = {} } = inputs;
  // A dynamic set's rows have a name of their own: `RENAMED` in sdk/front-end.ts.
  const documents = inputs["documentRows"] ?? inputs["documents"];
  if (!isRecord(defaults) || isHidden(defaults)) return { wrong: "its defaults aren't known yet, or are secret" };
  if (isRecord(documents) && !isHidden(documents)) return rowsOfDocuments(documents, defaults);
  const asset = assetIn(table);
  if (asset === undefined || typeof key !== "string") return { wrong: "its rows aren't known yet, or are secret" };
  const bytes = finder.file(asset);
  const read = bytes && readTable(bytes);
  if (!read || "mistakes" in read) return { wrong: `its table is no file of ${where}` };
  return atOnce(rowsOfTable(read.table, key, defaults));
}
