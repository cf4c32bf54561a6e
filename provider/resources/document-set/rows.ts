import { isUtf8 } from "node:buffer";
import { pipeline } from "node:stream/promises";
import { CsvError, type Options, parse } from "csv-parse";
import { CsvError as CsvErrorAtOnce, parse as parseAtOnce } from "csv-parse/sync";
import { z } from "zod";
import { previewed, problemsOf } from "../../../kit/check.js";
import { given } from "../../../kit/define.js";
import type { Shape } from "../../../kit/property.js";
import { own } from "../../../kit/records.js";
import { textsOf } from "../../../kit/schema.js";
import {
  Asset,
  isGiven,
  isRecord,
  isUnknown,
  UNKNOWN,
  type Unknown,
  type Value,
  type Values,
} from "../../../kit/values.js";
import { identityOf, sortedJson, withoutNulls } from "../../core/same.js";
import { byKey, firstFew, MOST_NAMED } from "../../core/text.js";
import { Turns } from "../../core/turns.js";
import { isEmailAddress } from "../../schema/types.js";
import { type CheckedInputs, checkDocument, documentInputs, inputsIn } from "../document/declaration.js";
import { inParallel } from "../in-parallel.js";
import { assetIn, hashInMark } from "../pdf/asset-source.js";
import { CONTENTS, checkPdf, isPdfInput, PDF_WAYS, type PdfSources } from "../pdf/pdf-input.js";
import { TEMPLATE_OPTIONS } from "../pdf/template-input.js";
import { invitation } from "../people.js";
import { type Failure, unnamedFailure as failure } from "../resource.js";
import { documentSetInputs, hidesRows } from "./declaration.js";

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
  /** Each row's checked inputs by key; unknown while the rows aren't known. */
  readonly rows: RowInputs | Unknown;
  /** The rows in state, as far as state has them, by the identity of their key. */
  readonly known: ReadonlyMap<string, Values>;
  readonly allowsEmpty: boolean;
  readonly keepsSigned: boolean;
}

/** Without those that are checked row by row. */
const plainInputs = documentSetInputs.omit({ documents: true, defaults: true });

const MOST_MISTAKES = 50;

interface SetCheckArgs {
  /** The set's inputs in state. */
  readonly olds: Values | undefined;
  readonly given: Values;
  readonly secrets: ReadonlySet<string>;
  readonly lostKeys?: ReadonlySet<string>;
  readonly signal?: AbortSignal | undefined;
}

/** Everything wrong with a set at once. Nothing is asked of the service. */
export async function checkSet(
  { olds, given: program, secrets, lostKeys, signal }: SetCheckArgs,
  pdfs: PdfSources,
): Promise<CheckedSet> {
  const news = given(program);
  const { documents: _documents, defaults: _defaults, ...plain } = news;
  const wrongInputs = problemsOf(plainInputs, plain).filter(({ name }) => name !== "table");
  const turns = new Turns(signal);
  const [before, source] = [olds && sourceIn(olds), sourceIn(news)];
  const table = await keptTable(news["table"], before, pdfs, turns);
  const read = await readRows(news, source, table, turns);
  const lost = isUnknown(read.rows) ? [] : lostKeyMistakes(read.rows, lostKeys);
  const failures = [
    ...wrongInputs,
    ...read.failures,
    ...lost.map(failure),
    ...("wrong" in table ? [failure(`table: ${table.wrong}`)] : []),
  ];
  const inputs: Values = { ...news, ...("asset" in table && table.asset ? { table: table.asset } : {}) };
  const changed = differingInputs(of(TABLE, olds ?? {}), of(TABLE, inputs));
  const known = await knownRows(before, changed, { table, rows: read.rows }, turns);
  const { allowEmpty, whenSigned } = previewed(plainInputs, plain);
  const options = { allowsEmpty: allowEmpty === true, keepsSigned: whenSigned === "keep" };
  const unknown = { ...options, known, warnings: [], rows: UNKNOWN } as const;
  if (olds && before && "isIgnored" in table && table.isIgnored) {
    const ignoring = await ignoringTable({ olds, inputs, before, source }, pdfs);
    return { ...unknown, ...ignoring, failures: [...failures, ...ignoring.failures] };
  }
  if (failures.length > 0 || isUnknown(read.rows)) return { ...unknown, inputs, failures };

  const rowSecrets = hidesRows(secrets) ? new Set(Object.keys(documentInputs.shape)) : new Set<string>();
  const sharing = { ...pdfs, checkedFiles: new Map() };
  // By row: few have any.
  const wrong: LocatedReason[][] = [];
  const odd: LocatedReason[][] = [];
  const checkedByKey = await inParallel(
    AT_ONCE,
    read.rows,
    async ({ key, location, inputs: news }, index) => {
      const before = known.get(identityOf(key));
      // The service may have kept an imported row's PDF to itself.
      const isImported = before !== undefined && !hasPdf(before) && !hasPdf(news);
      const args = { olds: contentIsKnown(news) || isImported ? before : undefined, news, secrets: rowSecrets };
      const { checked, failures, warnings } = await checkDocument(args, sharing);
      if (failures.length > 0) wrong[index] = failures.map(({ reason }) => ({ location, reason }));
      if (warnings.length > 0 && !before) odd[index] = warnings.map(reason => ({ location, reason }));
      return [key, checked] as const;
    },
    signal,
  );
  const rows = new Map(checkedByKey);
  return {
    ...unknown,
    inputs: withoutContents(inputs, source, read.rows, rows),
    failures: [...failures, ...failuresOf(grouped(wrong.flat()))],
    warnings: grouped(odd.flat()).slice(0, MOST_MISTAKES),
    rows,
  };
}

/** What a set's rows are made of, each as far as it is of its type. What is in a row is taken apart by the row's own check. */
interface RowSource {
  readonly documents: Values | undefined;
  readonly table: Asset | undefined;
  readonly key: string | undefined;
  /** Empty where none are given. */
  readonly defaults: Values | undefined;
}

const sourceIn = ({ documents, table, key, defaults = {} }: Values): RowSource => ({
  documents: isRecord(documents) ? documents : undefined,
  table: table instanceof Asset ? table : undefined,
  key: typeof key === "string" ? key : undefined,
  defaults: isRecord(defaults) ? defaults : undefined,
});

/** The rows in state by key, as far as state has them: of a table it keeps the hash only. `changed`: of `TABLE`. */
async function knownRows(
  before: RowSource | undefined,
  changed: readonly string[],
  { table, rows }: { table: KeptTable; rows: readonly SetRow[] | Unknown },
  turns: Turns,
): Promise<Map<string, Values>> {
  const { documents, defaults, key } = before ?? {};
  const known = async (): Promise<readonly SetRow[]> => {
    if (!defaults) return [];
    if (documents) return rowsOfDocuments(documents, defaults).rows;
    if (changed.includes("table") || !("read" in table) || !("table" in table.read)) return [];
    if (changed.length === 0 && !isUnknown(rows)) return rows;
    return key === undefined ? [] : (await turns.take(rowsOfTable(table.read.table, key, defaults))).rows;
  };
  return new Map((await known()).map(row => [identityOf(row.key), row.inputs]));
}

/** What the rows of a table come from. */
const TABLE = ["table", "key", "defaults"];

const of = (names: readonly string[], values: Values): Values =>
  Object.fromEntries(names.flatMap(name => (values[name] === undefined ? [] : [[name, values[name]]])));

/**
 * Whether a row may be checked as one that state has: what is sent is there without a Check that keeps it. A set may have
 * been created in part, so a row of state's inputs may still have to be sent.
 */
function contentIsKnown({ template, file, base64File }: Values): boolean {
  if (template !== undefined || hashInMark(base64File) !== undefined) return true;
  return file instanceof Asset && file.text === undefined && file.uri === undefined;
}

const hasPdf = (row: Values): boolean => PDF_WAYS.some(name => isGiven(row[name]));

interface ReadRows {
  readonly rows: readonly SetRow[] | Unknown;
  readonly failures: Failure[];
}

async function readRows(news: Values, source: RowSource, table: KeptTable, turns: Turns): Promise<ReadRows> {
  const { documents, key, defaults } = source;
  const isGivenHere = (name: keyof RowSource) => news[name] !== undefined;
  const refused = (reason: string): ReadRows => ({ rows: UNKNOWN, failures: [failure(reason)] });
  const unknown: ReadRows = { rows: UNKNOWN, failures: [] };
  if (isGivenHere("documents") === isGivenHere("table")) {
    return refused(`expected one of \`documents\` and \`table\`, got ${isGivenHere("table") ? "both" : "neither"}`);
  }
  if (isUnknown(news["defaults"])) return unknown;
  if (!defaults) return refused("defaults: expected what a Document takes, got something else");
  if (isGivenHere("documents")) {
    if (isGivenHere("key")) return refused("key: expected `table` beside it, got `documents`, whose keys are its own");
    if (isUnknown(news["documents"])) return unknown;
    if (!documents) return refused("documents: expected a map of keys and what a Document takes");
    const { length } = Object.keys(documents);
    if (length > MOST_ROWS) return refused(`documents: expected at most ${MOST_ROWS} rows in one set, got ${length}`);
    if (Object.values(documents).some(isUnknown)) return unknown;
    const { rows, mistakes } = rowsOfDocuments(documents, defaults);
    return { rows, failures: failuresOf(mistakes) };
  }
  if (!isGivenHere("key")) return refused("key: expected a text such as {{email}} beside `table`, got none");
  if (key === undefined || !("read" in table)) return unknown;
  if ("mistakes" in table.read) return { rows: [], failures: failuresOf(table.read.mistakes, "table: ") };
  const { rows, mistakes } = await turns.take(rowsOfTable(table.read.table, key, defaults));
  return { rows, failures: failuresOf(mistakes, "table: ") };
}

function failuresOf(mistakes: readonly string[], prefix = ""): Failure[] {
  const shown = mistakes.slice(0, MOST_MISTAKES).map(mistake => failure(`${prefix}${mistake}`));
  const more = mistakes.length - shown.length;
  return more > 0 ? [...shown, failure(`${prefix}and ${more} more mistakes`)] : shown;
}

type KeptTable =
  | { readonly asset: Value; readonly read: ReadTable }
  | { readonly asset: Value | undefined; readonly isIgnored?: true }
  | { readonly wrong: string };

async function keptTable(
  given: Value | undefined,
  before: RowSource | undefined,
  { templates }: PdfSources,
  turns: Turns,
): Promise<KeptTable> {
  if (given === undefined || isUnknown(given)) return { asset: given };
  const asset = assetIn(given, "CSV");
  if ("wrong" in asset) return asset;
  const kept = await templates.files.keep(asset);
  // Under `ignoreChanges` the engine gives what state has: its file may say something else by now, or be gone.
  const isInState = asset.hash !== undefined && asset.hash === before?.table?.hash;
  if ("wrong" in kept) return isInState ? { asset, isIgnored: true } : kept;
  const bytes = templates.files.get(kept.asset.hash ?? "");
  return bytes ? { asset: kept.asset, read: await readTableByTurns(bytes, turns) } : { asset: kept.asset };
}

/**
 * The inputs of a set whose table is ignored, as state has them. What else its rows are made of can't change then: nothing
 * says what the rows would be.
 */
async function ignoringTable(
  { olds, inputs, before, source }: { olds: Values; inputs: Values; before: RowSource; source: RowSource },
  pdfs: PdfSources,
): Promise<{ readonly inputs: Values; readonly failures: Failure[] }> {
  const { inputs: contents } = await checkPdf(before.defaults ?? {}, source.defaults ?? {}, pdfs);
  const asInState: Values = { ...inputs, defaults: { ...source.defaults, ...of(CONTENTS, contents) } };
  const changed = differingInputs(of(TABLE, olds), of(TABLE, asInState));
  if (changed.length === 0) return { inputs: asInState, failures: [] };
  const names = changed.map(name => `\`${name}\``).join(" and ");
  return {
    inputs: asInState,
    failures: [
      failure(
        `table: expected a table to make the rows of, as ${names} changed, got one that is ignored; ignore ${names} as well, or don't ignore \`table\``,
      ),
    ],
  };
}

/** What is wrong with a row, or odd. */
interface LocatedReason {
  readonly location: string;
  readonly reason: string;
}

/** The same reason in many rows is said once. */
function grouped(wrong: readonly LocatedReason[]): string[] {
  return [...Map.groupBy(wrong, ({ reason }) => reason)].map(
    ([reason, where]) => `${firstFew(where.map(({ location }) => location))}: ${reason}`,
  );
}

/** Contents in `documents` and `defaults` as the rows' own checks keep them. */
function withoutContents(inputs: Values, source: RowSource, rows: readonly SetRow[], checked: RowInputs): Values {
  const reduced = (part: Values, row: SetRow | undefined): Values =>
    Object.fromEntries(
      Object.entries(part).flatMap(([name, value]): [string, Value][] => {
        const content = CONTENTS.find(each => each === name);
        if (content === undefined) return [[name, value]];
        const kept = row && checked.get(row.key)?.[content];
        return kept === undefined ? [] : [[name, kept as Value]];
      }),
    );
  const { documents, defaults } = source;
  // The first row that gives no PDF of its own has the defaults'.
  const typical = rows.find(({ own = {} }) => !CONTENTS.some(name => own[name] !== undefined));
  return {
    ...inputs,
    ...(documents && { documents: Object.fromEntries(rows.map(row => [row.key, reduced(row.own ?? {}, row)])) }),
    ...(inputs["defaults"] !== undefined && { defaults: reduced(defaults ?? {}, typical) }),
  };
}

// ---- Checked sets ----

interface CheckedRows {
  readonly inputs: string;
  readonly rows: RowInputs | Unknown;
  readonly known: KnownRows;
  /** The input that the rows are in. */
  readonly property: "documents" | "table";
  /** It has none, and nothing allows that. */
  readonly isEmptied: boolean;
  readonly keepsSigned: boolean;
}

/** The rows of each set as last checked: Diff and Update are shown a table's hash only. */
export class CheckedSets {
  readonly #checked = new Map<string, CheckedRows>();

  keep(urn: string, { inputs, rows, known, allowsEmpty, keepsSigned }: CheckedSet): void {
    this.#checked.set(urn, {
      ...{ inputs: canonical(inputs), rows, keepsSigned },
      known: key => {
        const row = known.get(identityOf(key));
        return row && inputsIn(row);
      },
      property: "table" in inputs ? "table" : "documents",
      isEmptied: !isUnknown(rows) && rows.size === 0 && !allowsEmpty,
    });
  }

  /** Of the last Check, whatever its inputs were. */
  latest(urn: string): CheckedRows | undefined {
    return this.#checked.get(urn);
  }

  /** Undefined where it wasn't these inputs that were checked, as in the Diff of a refresh. */
  of(urn: string, inputs: Values): CheckedRows | undefined {
    const latest = this.#checked.get(urn);
    return latest?.inputs === canonical(inputs) ? latest : undefined;
  }
}

/** Names of the inputs that differ. */
export const differingInputs = (olds: Values, news: Values): string[] =>
  [...new Set([...Object.keys(olds), ...Object.keys(news)])]
    .filter(name => canonical(olds[name] ?? null) !== canonical(news[name] ?? null))
    .sort();

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
  /** What of them \`documents\` gives for this row alone. */
  readonly own?: Values;
}

interface Rows {
  readonly rows: readonly SetRow[];
  /** Everything wrong with the rows as rows, at once. What a Document refuses is found by its own check. */
  readonly mistakes: readonly string[];
}

const LONGEST_KEY = 200;

/** Rows from `documents`, in the order of their keys, as the engine keeps no order: each row over the defaults. */
export function rowsOfDocuments(documents: Values, defaults: Values): Rows {
  const entries = Object.entries(documents).sort(([one], [other]) => byKey(one, other));
  const rows = entries.map(([key, given]): SetRow => {
    const row = { key, location: `documents[${JSON.stringify(key)}]` };
    return isRecord(given) ? { ...row, inputs: over(defaults, given), own: given } : { ...row, inputs: {} };
  });
  const notObjects = Object.entries(documents).filter(([, given]) => !isRecord(given) && !isUnknown(given));
  return {
    rows,
    mistakes: [
      ...notObjects.map(
        ([key]) => `documents[${JSON.stringify(key)}]: expected what a Document takes, got something else`,
      ),
      ...keyMistakes(rows),
    ],
  };
}

/** A PDF given by the row takes the place of the one that the defaults give, whichever way either is given. */
function over(defaults: Values, row: Values): Values {
  const givesPdf = hasPdf(row);
  const dropped: readonly string[] =
    givesPdf && row["template"] === undefined ? [...PDF_WAYS, ...TEMPLATE_OPTIONS] : givesPdf ? PDF_WAYS : [];
  const kept = Object.fromEntries(Object.entries(defaults).filter(([name]) => !dropped.includes(name)));
  const [typical, own] = [kept["variables"], row["variables"]];
  const merged = isRecord(typical) && isRecord(own) ? { variables: { ...typical, ...own } } : {};
  return { ...kept, ...row, ...merged };
}

/** Rows from a table, step by step: the defaults with each row's cells in their texts. */
export function* rowsOfTable(table: Table, key: string, defaults: Values): Generator<void, Rows> {
  const texts: TextAt[] = [];
  const take = (text: string, path: string): TextAt => {
    const taken = { path, ...filling(text) };
    texts.push(taken);
    return taken;
  };
  const ofKey = take(key, "key");
  const inputsOf = rowInputs(defaults, take);
  const missing = texts.flatMap(({ path, columns }) =>
    columns
      .filter(column => !table.columns.includes(column))
      .map(
        column =>
          `${path}: the table has no column ${JSON.stringify(column)}; it has ${firstFew(table.columns, MOST_NAMED)}`,
      ),
  );
  const unkeyed = ofKey.columns.length === 0 ? ["key: expected a text with a {{column}} in it, such as {{email}}"] : [];
  if (missing.length + unkeyed.length > 0) return { rows: [], mistakes: [...unkeyed, ...new Set(missing)] };
  const wanted = requiredTexts(texts);
  const rows: SetRow[] = [];
  const mistakes: string[] = [];
  for (const row of table.rows) {
    yield;
    rows.push(new RowOfTable(ofKey.fill(row.cells), row, inputsOf));
    mistakes.push(...cellMistakes(row, wanted));
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
type Fill<T> = (cells: Cells) => T;

/** A text that takes columns, taken apart. */
interface TextAt {
  readonly path: string;
  /** In order. */
  readonly columns: readonly string[];
  readonly fill: Fill<string>;
}

type Take = (text: string, path: string) => TextAt;

/** The texts that take columns. Those that a template is rendered with hold for the whole set. */
const ROW_TEXTS = textsOf(documentInputs).filter(name => !isPdfInput(name));
const PERSON_TEXTS = textsOf(invitation);

/** The defaults, taken apart once: a row's inputs. */
function rowInputs(defaults: Values, take: Take): Fill<Values> {
  const { invitations, variables } = defaults;
  const fill = withTexts(documentInputs, ROW_TEXTS, defaults, "defaults.", take);
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

/** An optional text whose cell is empty isn't given in this row. */
function withTexts(shape: Shape, names: readonly string[], values: Values, before: string, take: Take): Fill<Values> {
  const texts = new Map<string, TextAt>();
  for (const name of names) {
    const text = own(values, name);
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
  return withTexts(invitation, PERSON_TEXTS, given, `defaults.invitations[${index}].`, take);
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

/** A text that needs something in it, made of columns. */
interface RequiredText {
  readonly fill: Fill<string>;
  readonly columns: string;
  readonly what: string;
  readonly isAddress: boolean;
}

const REQUIRED = [
  { paths: /^key$/, what: "a key", isAddress: false },
  { paths: /^defaults\.name$/, what: "a title", isAddress: false },
  { paths: /^defaults\.invitations\[\d+\]\.email$/, what: "an e-mail address", isAddress: true },
];

const requiredTexts = (texts: readonly TextAt[]): RequiredText[] =>
  texts.flatMap(({ path, columns, fill }) => {
    const required = REQUIRED.find(({ paths }) => paths.test(path));
    return required && columns.length > 0 ? [{ ...required, fill, columns: columns.join(" and ") }] : [];
  });

const NONE: readonly string[] = [];

/** Cells that make a row impossible, by line and column. */
function cellMistakes({ line, cells }: TableRow, wanted: readonly RequiredText[]): readonly string[] {
  let mistakes = NONE;
  for (const { fill, columns, what, isAddress } of wanted) {
    const given = fill(cells);
    if (given.trim() !== "" && (!isAddress || isEmailAddress(given))) continue;
    const got = given.trim() === "" ? "an empty cell" : JSON.stringify(given.slice(0, 60));
    mistakes = [...new Set([...mistakes, `line ${line}, column ${columns}: expected ${what}, got ${got}`])];
  }
  return mistakes;
}

/** The engine takes a map with this key for a value of its own. */
const ENGINE_MARK = "4dabf18193072939515e22adb298388d";

/** Keys that state would lose, and with them the documents: another `up` would mail the same people again. */
const lostKeyMistakes = (rows: readonly SetRow[], lost: ReadonlySet<string> = new Set()): string[] =>
  rows.flatMap(({ key, location }) =>
    key === ENGINE_MARK || lost.has(key)
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
const COLUMN = /\\?\{\{([^{}\n]*)\}\}/g;

const nameIn = (inner: string): string => inner.trim().normalize("NFC");

/** A text, taken apart once: the columns it names, and what it says with the cells of a row in it. Nothing in a cell is read again. */
function filling(text: string): Pick<TextAt, "columns" | "fill"> {
  const parts: { readonly before: string; readonly name: string }[] = [];
  let before = "";
  let at = 0;
  for (const { 0: whole, 1: inner = "", index } of text.matchAll(COLUMN)) {
    before += text.slice(at, index);
    at = index + whole.length;
    if (whole.startsWith("\\")) before += whole.slice(1);
    else {
      parts.push({ before, name: nameIn(inner) });
      before = "";
    }
  }
  const end = before + text.slice(at);
  const fill = (cells: Cells) => {
    let filled = "";
    for (const { before, name } of parts) filled += before + (cells.get(name) ?? "");
    return filled + end;
  };
  return { columns: parts.map(({ name }) => name), fill };
}

// ---- The table ----

/** A table's rows by column, and where each begins in the file. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly TableRow[];
}

export interface TableRow {
  /** Line of the file, from 1. */
  readonly line: number;
  readonly cells: Cells;
}

/** A row's cells by column. */
export interface Cells {
  get(column: string): string | undefined;
}

export type ReadTable = { readonly table: Table } | { readonly mistakes: readonly string[] };

const DELIMITERS = [",", ";", "\t"] as const;

const PIECE = 64 * 1024;

/**
 * Reads a table in CSV: comma, semicolon or tab, whichever its header has most of; quotes, any line endings, with or without
 * a byte order mark. Cells are trimmed and composed (NFC), so that a copy of a table is the same table.
 */
export function readTable(bytes: Uint8Array): ReadTable {
  const reading = new Reading();
  try {
    const text = textIn(bytes);
    parseAtOnce(text, optionsFor(text, reading));
    return reading.end();
  } catch (error) {
    return whyUnread(error);
  }
}

/** The same, and others have a turn in between. */
export async function readTableByTurns(bytes: Uint8Array, turns: Turns): Promise<ReadTable> {
  const reading = new Reading();
  try {
    const text = textIn(bytes);
    await pipeline(piecesOf(text, turns), parse(optionsFor(text, reading)).resume());
    return reading.end();
  } catch (error) {
    return whyUnread(error);
  }
}

function textIn(bytes: Uint8Array): Buffer {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isUtf8(text)) return text;
  throw new UnreadableTableError("expected a CSV in UTF-8, got another encoding; save the table as “CSV UTF-8”");
}

const optionsFor = (text: Buffer, reading: Reading): Options => ({
  bom: true,
  delimiter: delimiterOf(text.toString("utf8", 0, LONGEST_ROW)),
  record_delimiter: ["\r\n", "\n", "\r"],
  relax_column_count: true,
  skip_empty_lines: true,
  max_record_size: LONGEST_ROW,
  // Each is taken as it comes, and not kept by the parser; what is too much ends it.
  on_record: (record: string[], { lines }) => reading.take(record, lines),
});

async function* piecesOf(text: Buffer, turns: Turns): AsyncIterable<Buffer> {
  for (let at = 0; at < text.length; at += PIECE) {
    await turns.next();
    yield text.subarray(at, at + PIECE);
  }
}

function whyUnread(error: unknown): ReadTable {
  if (error instanceof UnreadableTableError) return { mistakes: [error.message] };
  // Loaded as CommonJS, each has a class of its own.
  if (!(error instanceof CsvError || error instanceof CsvErrorAtOnce)) throw error;
  return {
    mistakes: [`line ${String(error["lines"])}: ${TROUBLES[error.code] ?? "expected CSV, got something else"}`],
  };
}

/** More than one set is made for: a fleet has a set in each of its stacks. */
const MOST_ROWS = 200_000;
const MOST_COLUMNS = 1_000;
const LONGEST_ROW = 1_000_000;

class RowCells implements Cells {
  constructor(
    private readonly texts: readonly string[],
    private readonly places: ReadonlyMap<string, number>,
  ) {}

  get(column: string): string | undefined {
    return this.texts[this.places.get(column) ?? -1];
  }
}

class UnreadableTableError extends Error {}

class Reading {
  readonly #rows: TableRow[] = [];
  readonly #mistakes: string[] = [];
  #columns: readonly string[] | undefined;
  #places = new Map<string, number>();

  take(record: readonly string[], lastLine: number): null {
    const cells = record.map(plain);
    const line = lineOf(record, lastLine);
    if (this.#columns === undefined) this.#head(cells, line);
    else if (cells.some(cell => cell !== "")) this.#row(cells, line, this.#columns.length);
    return null;
  }

  end(): ReadTable {
    if (!this.#columns) return { mistakes: ["expected a header with the names of the columns, got an empty table"] };
    if (this.#mistakes.length > 0) return { mistakes: this.#mistakes };
    return { table: { columns: this.#columns, rows: this.#rows } };
  }

  #head(columns: readonly string[], line: number): void {
    if (columns.length > MOST_COLUMNS)
      throw new UnreadableTableError(`line ${line}: expected at most ${MOST_COLUMNS} columns, got ${columns.length}`);
    this.#mistakes.push(...headerMistakes(columns, line));
    this.#columns = columns;
    this.#places = new Map(columns.map((column, index) => [column, index]));
  }

  #row(cells: readonly string[], line: number, wanted: number): void {
    if (this.#rows.length + this.#mistakes.length >= MOST_ROWS)
      throw new UnreadableTableError(
        `line ${line}: expected at most ${MOST_ROWS} rows in one set, got more; split the table over several sets`,
      );
    if (cells.length !== wanted) {
      this.#mistakes.push(`line ${line}: expected ${wanted} cells as in the header, got ${cells.length}`);
      return;
    }
    this.#rows.push({ line, cells: new RowCells(cells, this.#places) });
  }
}

const TROUBLES: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'expected a closing ", got the end of the table',
  INVALID_OPENING_QUOTE: 'expected the whole cell in quotes, got a " inside it; write "" for the character itself',
  CSV_INVALID_CLOSING_QUOTE:
    'expected the end of the cell after its closing ", got more text; write "" for the character itself',
  CSV_MAX_RECORD_SIZE: `expected a row of at most ${LONGEST_ROW} characters, got a longer one; is a closing " missing?`,
};

const plain = (cell: string): string => cell.trim().normalize("NFC");

/** The parser counts lines up to a record's end. */
const lineOf = (record: readonly string[], lastLine: number): number =>
  lastLine - record.reduce((lines, cell) => lines + (cell.match(/\r\n|\n|\r/g)?.length ?? 0), 0);

function delimiterOf(text: string): string {
  const header = text.replace(/"[^"]*"/g, "").split(/\r|\n/, 1)[0] ?? "";
  const counted = DELIMITERS.map(delimiter => ({ delimiter, count: header.split(delimiter).length }));
  return counted.reduce((most, each) => (each.count > most.count ? each : most)).delimiter;
}

function headerMistakes(columns: readonly string[], line: number): string[] {
  const places = new Map<string, number>();
  return columns.flatMap((column, index) => {
    if (column === "") return [`line ${line}, column ${index + 1}: expected a name in the header, got an empty cell`];
    const first = places.get(column) ?? index;
    places.set(column, first);
    return first === index
      ? []
      : [`line ${line}, column ${index + 1}: ${column} is the name of column ${first + 1} already`];
  });
}
