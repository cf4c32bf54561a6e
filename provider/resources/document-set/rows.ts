import { z } from "zod";
import { given, previewed, problemsOf } from "../../../kit/check.js";
import { SIGNATURE } from "../../../kit/codec.js";
import type { Shape } from "../../../kit/property.js";
import { own, trimmed } from "../../../kit/records.js";
import { textsOf } from "../../../kit/schema.js";
import { Asset, isGiven, isRecord, isUnknown, type Value, type Values } from "../../../kit/values.js";
import { identityOf, sortedJson, withoutNulls } from "../../core/same.js";
import { byKey, firstFew, MOST_NAMED } from "../../core/text.js";
import { inParallel, Turns } from "../../core/turns.js";
import { isEmailAddress } from "../../schema/types.js";
import { checkDocument } from "../document/check.js";
import { type CheckedInputs, documentInputs, inputsIn } from "../document/declaration.js";
import { assetIn, hashInMark } from "../pdf/asset-source.js";
import { CONTENTS, checkPdf, isContent, isPdfInput, PDF_INPUTS, PDF_WAYS, type PdfSources } from "../pdf/pdf-input.js";
import type { PdfCheckResult } from "../pdf/template-input.js";
import { invitation } from "../people.js";
import { type Call, type Failure, unnamedFailure as failure } from "../resource.js";
import { documentSetInputs, hidesRows } from "./declaration.js";
import { MOST_ROWS, type ReadTable, readTableByTurns, type Table, type TableRow } from "./table.js";

/**
 * A set's rows as the program gives them: read from `documents` or from a table, each checked as a Document (`checkSet`), and
 * remembered from one call of the engine to the next (`CheckedSets`).
 */

/** Each row's checked inputs by key. */
export type RowInputs = ReadonlyMap<string, CheckedInputs>;
/** What state has of a row, by its key; undefined where it isn't known to have the row. */
export type KnownRows = (key: string) => CheckedInputs | undefined;

/** Rows that are worked on at a time: somewhat more than there are creates and reads in flight, as a row waits for the journal, too. */
export const AT_ONCE = 20;

// ---- Check ----

interface CheckedSet {
  /** As state keeps them: contents are hashes. */
  readonly inputs: Values;
  readonly failures: Failure[];
  /** About rows that state isn't known to have: of a changed table it isn't. */
  readonly warnings: readonly string[];
  /** Undefined while they aren't known. */
  readonly rows: RowInputs | undefined;
  readonly known: KnownRows;
  /** The input that the rows are in. */
  readonly property: "documents" | "table";
  /** It has no rows, and nothing allows that. */
  readonly isEmptied: boolean;
  readonly keepsSigned: boolean;
}

/** Without those that are checked row by row. */
const plainInputs = documentSetInputs.omit({ documents: true, defaults: true });

const MOST_MISTAKES = 50;

type SetCheckArgs = { olds: Values | undefined; given: Values; signal?: AbortSignal | undefined };

/** Everything wrong with a set at once; `olds` are its inputs in state. Nothing is asked of the service. */
export async function checkSet(
  { olds, given: program, secrets, lostKeys, signal }: SetCheckArgs & Pick<Call, "secrets" | "lostKeys">,
  pdfs: PdfSources,
): Promise<CheckedSet> {
  const news = given(program);
  const { documents: _documents, defaults: _defaults, ...plain } = news;
  const { allowEmpty, whenSigned } = previewed(plainInputs, plain);
  const turns = new Turns(signal);
  const table = await keptTable(news["table"], olds?.["table"], pdfs, turns);
  const made = await rowsIn(news, table.read, turns);
  const failures = [
    ...problemsOf(plainInputs, plain).filter(({ name }) => name !== "table"),
    ...failuresOf(made?.mistakes ?? [], made?.prefix),
    ...lostKeyMistakes(made?.rows ?? [], lostKeys).map(failure),
    ...(table.wrong === undefined ? [] : [failure(`table: ${table.wrong}`)]),
  ];
  const inputs: Values = { ...news, ...(table.asset && { table: table.asset }) };
  const changed = changedOfTable(olds ?? {}, inputs);
  // Of a table state keeps the hash only: of another one its rows aren't known.
  const isKnown = olds?.["table"] === undefined || !changed.includes("table");
  const isSame = olds?.["table"] !== undefined && changed.length === 0;
  const inState = isSame ? made : isKnown ? await rowsIn(olds ?? {}, table.read, turns) : undefined;
  const stateOf = new Map(inState?.rows.map(row => [identityOf(row.key), row] as const));
  const unknown = {
    warnings: [],
    rows: undefined,
    known: (key: string) => {
      const row = stateOf.get(identityOf(key));
      return row && inputsIn(row.inputs);
    },
    property: news["table"] === undefined ? "documents" : "table",
    isEmptied: false,
    keepsSigned: whenSigned === "keep",
  } as const;
  if (olds && table.isIgnored) {
    const ignoring = await ignoringTable(olds, inputs, pdfs);
    return { ...unknown, ...ignoring, failures: [...failures, ...ignoring.failures] };
  }
  if (failures.length > 0 || !made) return { ...unknown, inputs, failures };

  const rowSecrets = hidesRows(secrets) ? new Set(Object.keys(documentInputs.shape)) : new Set<string>();
  const sharing = { ...pdfs, checkedFiles: new Map() };
  // By row: few have any.
  const wrong: LocatedReason[][] = [];
  const odd: LocatedReason[][] = [];
  const checkedByKey = await inParallel(
    AT_ONCE,
    made.rows,
    async ({ key, location, inputs: news }, index) => {
      const before = stateOf.get(identityOf(key))?.inputs;
      // The service may have kept an imported row's PDF to itself.
      const isImported = before !== undefined && !hasPdf(before) && !hasPdf(news);
      const olds = contentIsKnown(news) || isImported ? before : undefined;
      const args = { olds, news, secrets: rowSecrets };
      const { checked, failures, warnings } = await checkDocument(args, sharing);
      if (failures.length > 0) wrong[index] = failures.map(({ reason }) => ({ location, reason }));
      if (warnings.length > 0 && !before) odd[index] = warnings.map(reason => ({ location, reason }));
      return [key, checked] as const;
    },
    signal,
  );
  const checked = new Map(checkedByKey);
  return {
    ...unknown,
    inputs: withoutContents(inputs, made.rows, checked),
    failures: failuresOf(grouped(wrong.flat())),
    warnings: grouped(odd.flat()).slice(0, MOST_MISTAKES),
    rows: checked,
    isEmptied: checked.size === 0 && allowEmpty !== true,
  };
}

interface Rows {
  readonly rows: readonly SetRow[];
  /** Everything wrong with the rows as rows, at once. What a Document refuses is found by its own check. */
  readonly mistakes: readonly string[];
  /** What stands before each mistake. */
  readonly prefix?: string;
}

/** The rows that a set's inputs come to; undefined while they aren't known. */
async function rowsIn(
  { documents, table, key, defaults = {} }: Values,
  read: ReadTable | undefined,
  turns: Turns,
): Promise<Rows | undefined> {
  const refused = (reason: string): Rows => ({ rows: [], mistakes: [reason] });
  const isTable = table !== undefined;
  if (isTable === (documents !== undefined))
    return refused(`expected one of \`documents\` and \`table\`, got ${isTable ? "both" : "neither"}`);
  if (isUnknown(defaults)) return undefined;
  if (!isRecord(defaults)) return refused("defaults: expected what a Document takes, got something else");
  if (isTable) {
    if (key === undefined) return refused("key: expected a text such as {{email}} beside `table`, got none");
    // What isn't a text is reported by the declaration.
    if (typeof key !== "string" || !read) return undefined;
    const made = "table" in read ? await turns.take(rowsOfTable(read.table, key, defaults)) : { ...read, rows: [] };
    return { ...made, prefix: "table: " };
  }
  if (key !== undefined) return refused("key: expected `table` beside it, got `documents`, whose keys are its own");
  if (isUnknown(documents)) return undefined;
  if (!isRecord(documents)) return refused("documents: expected a map of keys and what a Document takes");
  const rows = Object.values(documents);
  if (rows.length > MOST_ROWS)
    return refused(`documents: expected at most ${MOST_ROWS} rows in one set, got ${rows.length}`);
  return rows.some(isUnknown) ? undefined : rowsOfDocuments(documents, defaults);
}

/** What of a table's rows isn't what it was. */
const changedOfTable = (olds: Values, news: Values): string[] =>
  ["defaults", "key", "table"].filter(name => differ(olds[name], news[name]));

/**
 * Whether a row may be checked as one that state has: what is sent is there without a Check that keeps it. A set may have
 * been created in part, so a row of state's inputs may still have to be sent.
 */
function contentIsKnown({ template, file, base64File }: Values): boolean {
  if (template !== undefined || hashInMark(base64File) !== undefined) return true;
  return file instanceof Asset && file.text === undefined && file.uri === undefined;
}

const hasPdf = (row: Values): boolean => PDF_WAYS.some(name => isGiven(row[name]));

function failuresOf(mistakes: readonly string[], prefix = ""): Failure[] {
  const shown = mistakes.slice(0, MOST_MISTAKES).map(mistake => failure(`${prefix}${mistake}`));
  const more = mistakes.length - shown.length;
  return more > 0 ? [...shown, failure(`${prefix}and ${more} more mistakes`)] : shown;
}

interface KeptTable {
  /** As state keeps it. */
  readonly asset?: Asset;
  readonly read?: ReadTable;
  readonly wrong?: string;
  /** It is what state has, and can't be read any more. */
  readonly isIgnored?: true;
}

async function keptTable(
  given: Value | undefined,
  inState: Value | undefined,
  { templates: { files } }: PdfSources,
  turns: Turns,
): Promise<KeptTable> {
  if (given === undefined || isUnknown(given)) return {};
  const asset = assetIn(given, "CSV");
  if ("wrong" in asset) return asset;
  const kept = await files.keep(asset);
  // Under `ignoreChanges` the engine gives what state has: its file may say something else by now, or be gone.
  const isInState = inState instanceof Asset && asset.hash !== undefined && asset.hash === inState.hash;
  if ("wrong" in kept) return isInState ? { asset, isIgnored: true } : kept;
  const bytes = files.get(kept.asset.hash ?? "");
  return { asset: kept.asset, ...(bytes && { read: await readTableByTurns(bytes, turns) }) };
}

/**
 * The inputs of a set whose table is ignored, as state has them. What else its rows are made of can't change then: nothing
 * says what the rows would be.
 */
async function ignoringTable(olds: Values, inputs: Values, pdfs: PdfSources): Promise<PdfCheckResult> {
  const [was = {}, is = {}] = [olds["defaults"], inputs["defaults"]].map(each => (isRecord(each) ? each : {}));
  const contents = await checkPdf(was, is, pdfs);
  const asInState: Values = { ...inputs, defaults: { ...is, ...contents.inputs } };
  const names = changedOfTable(olds, asInState).map(name => `\`${name}\``);
  const all = names.join(" and ");
  const reason = `table: expected a table to make the rows of, as ${all} changed, got one that is ignored; ignore ${all} as well, or don't ignore \`table\``;
  return { inputs: asInState, failures: names.length === 0 ? [] : [failure(reason)] };
}

/** What is wrong with a row, or odd. */
interface LocatedReason {
  readonly location: string;
  readonly reason: string;
}

/** The same reason in many rows is said once. */
const grouped = (wrong: readonly LocatedReason[]): string[] =>
  [...Map.groupBy(wrong, ({ reason }) => reason)].map(
    ([reason, where]) => `${firstFew(where.map(({ location }) => location))}: ${reason}`,
  );

/** Contents in `documents` and `defaults` as the rows' own checks keep them. */
function withoutContents(inputs: Values, rows: readonly SetRow[], checked: RowInputs): Values {
  const { documents, defaults } = inputs;
  const reduced = (part: Value, row: SetRow | undefined): Values => {
    const kept = row && checked.get(row.key);
    const entries = Object.entries(isRecord(part) ? part : {});
    const state = entries.map(([name, value]) => [name, isContent(name) ? kept?.[name] : value]);
    return trimmed(Object.fromEntries(state));
  };
  // The first row that gives no PDF of its own has the defaults'.
  const typical = rows.find(({ own = {} }) => !CONTENTS.some(name => own[name] !== undefined));
  return {
    ...inputs,
    ...(documents && { documents: Object.fromEntries(rows.map(row => [row.key, reduced(row.own ?? {}, row)])) }),
    ...(defaults && { defaults: reduced(defaults, typical) }),
  };
}

// ---- Checked sets ----

/** The rows of each set as last checked: Diff and Update are shown a table's hash only. */
export class CheckedSets {
  readonly #checked = new Map<string, Omit<CheckedSet, "inputs"> & { readonly inputs: string }>();

  keep(urn: string, checked: CheckedSet): void {
    this.#checked.set(urn, { ...checked, inputs: canonical(checked.inputs) });
  }

  /** Of the last Check, whatever its inputs were. */
  latest(urn: string) {
    return this.#checked.get(urn);
  }

  /** Undefined where it wasn't these inputs that were checked, as in the Diff of a refresh. */
  of(urn: string, inputs: Values) {
    const latest = this.#checked.get(urn);
    return latest?.inputs === canonical(inputs) ? latest : undefined;
  }
}

/** Names of the inputs that differ. */
export const differingInputs = (olds: Values, news: Values): string[] =>
  [...new Set([...Object.keys(olds), ...Object.keys(news)])].filter(name => differ(olds[name], news[name])).sort();

const differ = (one: Value | undefined, other: Value | undefined): boolean =>
  canonical(one ?? null) !== canonical(other ?? null);

/** An asset is its content, wherever that lies. */
const canonical = (value: Value): string =>
  sortedJson(value, inner => {
    if (isUnknown(inner)) return { unknown: true };
    return inner instanceof Asset ? { hash: inner.hash } : withoutNulls(inner);
  });

// ---- Rows ----

/** One document of a set: what a Document takes, under a key of its own. */
export interface SetRow {
  readonly key: string;
  /** Where the program says it, for messages: `line 3` or `documents["ana"]`. */
  readonly location: string;
  readonly inputs: Values;
  /** What of them `documents` gives for this row alone. */
  readonly own?: Values;
}

const LONGEST_KEY = 200;

/** Rows from `documents`, in the order of their keys, as the engine keeps no order: each row over the defaults. */
export function rowsOfDocuments(documents: Values, defaults: Values): Rows {
  const rows: SetRow[] = [];
  const mistakes: string[] = [];
  for (const [key, own] of Object.entries(documents).sort(([one], [other]) => byKey(one, other))) {
    const row = { key, location: `documents[${JSON.stringify(key)}]` };
    rows.push(isRecord(own) ? { ...row, inputs: over(defaults, own), own } : { ...row, inputs: {} });
    if (!isRecord(own) && !isUnknown(own))
      mistakes.push(`${row.location}: expected what a Document takes, got something else`);
  }
  return { rows, mistakes: [...mistakes, ...keyMistakes(rows)] };
}

/** A PDF given by the row takes the place of the one that the defaults give, whichever way either is given. */
function over(defaults: Values, row: Values): Values {
  const kept = { ...defaults };
  const isTemplate = row["template"] !== undefined;
  if (hasPdf(row)) for (const name of isTemplate ? PDF_WAYS : PDF_INPUTS) delete kept[name];
  const [typical, own] = [kept["variables"], row["variables"]];
  const merged = isRecord(typical) && isRecord(own) ? { variables: { ...typical, ...own } } : {};
  return { ...kept, ...row, ...merged };
}

/** Rows from a table, step by step: the defaults with each row's cells in their texts. */
export function* rowsOfTable({ columns, rows: lines }: Table, key: string, defaults: Values): Generator<void, Rows> {
  const texts: TextAt[] = [];
  const take = (text: string, path: string): TextAt => {
    const taken = { path, ...filling(text, columns) };
    texts.push(taken);
    return taken;
  };
  const ofKey = take(key, "key");
  const inputsOf = rowInputs(defaults, take);
  const missing = texts.flatMap(({ path, columns: wanted }) =>
    wanted
      .filter(column => !columns.includes(column))
      .map(
        column => `${path}: the table has no column ${JSON.stringify(column)}; it has ${firstFew(columns, MOST_NAMED)}`,
      ),
  );
  const unkeyed = ofKey.columns.length === 0 ? ["key: expected a text with a {{column}} in it, such as {{email}}"] : [];
  if (missing.length + unkeyed.length > 0) return { rows: [], mistakes: [...unkeyed, ...new Set(missing)] };
  const required = requiredOf(texts);
  const rows: SetRow[] = [];
  const mistakes = new Set<string>();
  for (const row of lines) {
    yield;
    rows.push(new RowOfTable(ofKey.fill(row.cells), row, inputsOf));
    for (const { fill, columns, what, isRight } of required) {
      const cell = fill(row.cells);
      if (isRight(cell)) continue;
      const got = cell.trim() === "" ? "an empty cell" : JSON.stringify(cell.slice(0, 60));
      mistakes.add(`line ${row.line}, column ${columns.join(" and ")}: expected ${what}, got ${got}`);
    }
  }
  // Of an empty key its column is named already.
  return { rows, mistakes: [...mistakes, ...keyMistakes(rows.filter(row => row.key.trim() !== ""))] };
}

/** Its inputs are made each time they are asked for: kept for all rows at once, they are most of what a Check holds. */
class RowOfTable implements SetRow {
  constructor(
    readonly key: string,
    private readonly row: TableRow,
    private readonly inputsOf: Fill<Values>,
  ) {}

  get location(): string {
    return `line ${this.row.line}`;
  }

  get inputs(): Values {
    return this.inputsOf(this.row.cells);
  }
}

/** What something is with the cells of a row in it. */
type Fill<T> = (cells: readonly string[]) => T;

/** A text that takes columns, taken apart. */
interface TextAt {
  readonly path: string;
  /** In order. */
  readonly columns: readonly string[];
  readonly fill: Fill<string>;
}

type Take = (text: string, path: string) => TextAt;

/** The defaults, taken apart once: a row's inputs. */
function rowInputs(defaults: Values, take: Take): Fill<Values> {
  const { invitations, variables } = defaults;
  const fill = withTexts(documentInputs, defaults, "defaults.", take);
  const people = Array.isArray(invitations) && invitations.map((person, index) => ofPerson(person, index, take));
  const texts =
    isRecord(variables) &&
    Object.entries(variables).map(([name, value]) => [name, ofVariable(name, value, take)] as const);
  return cells => ({
    ...fill(cells),
    ...(people && { invitations: people.map(each => each(cells)) }),
    ...(texts && { variables: Object.fromEntries(texts.map(([name, each]) => [name, each(cells)])) }),
  });
}

/**
 * An optional text whose cell is empty isn't given in this row. Texts that a template is rendered with hold for the whole set:
 * they take no columns.
 */
function withTexts(shape: Shape, values: Values, before: string, take: Take): Fill<Values> {
  const texts = new Map<string, TextAt>();
  for (const name of textsOf(shape)) {
    const text = isPdfInput(name) ? undefined : own(values, name);
    if (typeof text === "string") texts.set(name, take(text, `${before}${name}`));
  }
  return cells =>
    Object.fromEntries(
      Object.entries(values).flatMap(([name, value]): [string, Value][] => {
        const text = texts.get(name)?.fill(cells);
        return text === "" && shape.shape[name] instanceof z.ZodOptional ? [] : [[name, text ?? value]];
      }),
    );
}

function ofPerson(person: Value, index: number, take: Take): Fill<Value> {
  if (!isRecord(person)) return () => person;
  const given = Object.fromEntries(Object.entries(person).filter(([name, value]) => name === "email" || value !== ""));
  return withTexts(invitation, given, `defaults.invitations[${index}].`, take);
}

function ofVariable(name: string, value: Value, take: Take): Fill<Value> {
  const path = `defaults.variables.${name}`;
  if (typeof value === "string") return take(value, path).fill;
  if (!Array.isArray(value)) return () => value;
  const items = value.map((item, index) => ofItem(item, `${path}[${index}]`, take));
  return cells => items.flatMap(each => each(cells));
}

/** An item of a list, which is columns only, all of them empty in this row, isn't in it. */
function ofItem(item: Value, path: string, take: Take): Fill<Value[]> {
  const given = isRecord(item) ? Object.entries(item) : [["", item] as const];
  const texts = given.map(([field, text]) =>
    typeof text === "string" ? take(text, field === "" ? path : `${path}.${field}`) : undefined,
  );
  const hasColumns = texts.every(text => text !== undefined && text.columns.length > 0);
  return cells => {
    const values = given.map(([field, value], index): [string, Value] => [field, texts[index]?.fill(cells) ?? value]);
    if (hasColumns && values.every(([, value]) => value === "")) return [];
    return [isRecord(item) ? Object.fromEntries(values) : (values[0]?.[1] ?? null)];
  };
}

const isFilled = (cell: string): boolean => cell.trim() !== "";

/** Texts without which no row can be sent: what is wrong with one is said by its line and column. */
const REQUIRED = [
  { paths: /^key$/, what: "a key", isRight: isFilled },
  { paths: /^defaults\.name$/, what: "a title", isRight: isFilled },
  { paths: /^defaults\.invitations\[\d+\]\.email$/, what: "an e-mail address", isRight: isEmailAddress },
];

/** Those of them that are made of columns. */
const requiredOf = (texts: readonly TextAt[]) =>
  texts.flatMap(text => {
    const required = REQUIRED.find(({ paths }) => paths.test(text.path));
    return required && text.columns.length > 0 ? [{ ...text, ...required }] : [];
  });

/**
 * Keys that state would lose, and with them the documents: another `up` would mail the same people again. The engine takes a
 * map with its signature for a value of its own.
 */
const lostKeyMistakes = (rows: readonly SetRow[], lost: ReadonlySet<string> = new Set()): string[] =>
  rows.flatMap(({ key, location }) =>
    key === SIGNATURE || lost.has(key)
      ? [`${location}: expected a key that Pulumi can keep in state, got ${JSON.stringify(key)}; give the row another`]
      : [],
  );

function keyMistakes(rows: readonly SetRow[]): string[] {
  const first = new Map<string, SetRow>();
  return rows.flatMap(row => {
    if (row.key.trim() === "") return [`${row.location}: expected a key, got an empty one`];
    if (row.key.length > LONGEST_KEY || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(row.key)) {
      return [`${row.location}: expected a key of at most ${LONGEST_KEY} characters on one line, got another`];
    }
    const identity = identityOf(row.key);
    const known = first.get(identity);
    if (!known) first.set(identity, row);
    return known ? [`${row.location}: ${JSON.stringify(row.key)} is the key of ${known.location} already`] : [];
  });
}

/** A text of `defaults` with `{{column}}` in it. A backslash before the braces keeps them as they are. */
const COLUMN = /(\\?\{\{[^{}\n]*\}\})/;

/** A text, taken apart once: the columns it names, and what it says with the cells of a row in it. Nothing in a cell is read again. */
function filling(text: string, columns: readonly string[]): Pick<TextAt, "columns" | "fill"> {
  const names: string[] = [];
  // What matches stands between the texts around it.
  const parts = text.split(COLUMN).map((part, index) => {
    if (index % 2 === 0) return part;
    if (part.startsWith("\\")) return part.slice(1);
    const name = part.slice(2, -2).trim().normalize("NFC");
    names.push(name);
    return columns.indexOf(name);
  });
  const fill = (cells: readonly string[]) => {
    let filled = "";
    for (const part of parts) filled += typeof part === "string" ? part : (cells[part] ?? "");
    return filled;
  };
  return { columns: names, fill };
}
