import { own } from "../../core/records.js";
import { Turns } from "../../core/turns.js";
import { problemsOf } from "../../schema/check.js";
import { Asset, isRecord, isUnknown, UNKNOWN, type Unknown, type Value, type Values } from "../../schema/values.js";
import { documentInputs } from "../document/declaration.js";
import { checkDocument } from "../document/document-check.js";
import { inParallel } from "../in-parallel.js";
import { assetIn } from "../pdf/asset-source.js";
import { hashInMark } from "../pdf/base64.js";
import { checkPdf, type PdfSources } from "../pdf/pdf-input.js";
import { type Failure, unnamedFailure as failure } from "../resource.js";
import { differing } from "./checked-sets.js";
import { documentSetInputs } from "./declaration.js";
import { AT_ONCE } from "./row.js";
import { identityOf, lostKeyMistakes, type Row, type Rows, rowsOfDocuments, rowsOfTable } from "./rows.js";
import { MOST_ROWS, type ReadTable, readTableByTurns } from "./table.js";

export interface CheckedSet {
  /** As state keeps them: contents are hashes. */
  readonly inputs: Values;
  readonly failures: Failure[];
  /** About rows that state isn't known to have: of a changed table it isn't. */
  readonly warnings: readonly string[];
  /** Each row's checked inputs by key; unknown while the rows aren't known. */
  readonly rows: ReadonlyMap<string, Values> | Unknown;
  /** The rows in state, as far as state has them, by the identity of their key. */
  readonly known: ReadonlyMap<string, Values>;
}

const MOST_MISTAKES = 50;
const CONTENTS = ["file", "base64File", "template", "fonts"];

export interface SetCheckArgs {
  /** The set's inputs in state. */
  readonly olds: Values | undefined;
  readonly given: Values;
  readonly secrets: ReadonlySet<string>;
  readonly lostKeys?: ReadonlySet<string>;
  readonly signal?: AbortSignal | undefined;
}

/** Everything wrong with a set at once. Nothing is asked of the service. */
export async function checkSet(
  { olds, given, secrets, lostKeys, signal }: SetCheckArgs,
  pdfs: PdfSources,
): Promise<CheckedSet> {
  const news = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null && value !== undefined));
  const { documents: _documents, defaults: _defaults, ...plain } = news;
  const shape = documentSetInputs.omit({ documents: true, defaults: true });
  const wrong = problemsOf(shape, plain).filter(({ reason }) => !reason.startsWith("table:"));
  const turns = new Turns(signal);
  const table = await keptTable(news["table"], olds, pdfs, turns);
  const read = await readRows(news, table, turns);
  const lost = isUnknown(read.rows) ? [] : lostKeyMistakes(read.rows, lostKeys);
  const failures = [
    ...wrong,
    ...read.failures,
    ...lost.map(failure),
    ...("wrong" in table ? [failure(`table: ${table.wrong}`)] : []),
  ];
  const inputs: Values = { ...news, ...("asset" in table && table.asset ? { table: table.asset } : {}) };
  const known = await knownRows(olds, inputs, { table, rows: read.rows }, turns);
  if (olds !== undefined && "isIgnored" in table && table.isIgnored) {
    const ignoring = await ignoringTable(olds, inputs, pdfs);
    return { ...ignoring, failures: [...failures, ...ignoring.failures], warnings: [], rows: UNKNOWN, known };
  }
  if (failures.length > 0 || isUnknown(read.rows)) return { inputs, failures, warnings: [], rows: UNKNOWN, known };

  const rowSecrets = ["documents", "table", "defaults"].some(name => secrets.has(name))
    ? new Set(Object.keys(documentInputs.shape))
    : new Set<string>();
  const sharing = { ...pdfs, checkedFiles: new Map() };
  const checked = await inParallel(
    AT_ONCE,
    read.rows,
    async row => {
      const before = contentIsKnown(row.inputs) ? known.get(identityOf(row.key)) : undefined;
      const args = { olds: before, news: row.inputs, secrets: rowSecrets };
      return { row, ...(await checkDocument(args, sharing)) };
    },
    signal,
  );
  const wrongRows = checked.flatMap(({ row, failures: found }) =>
    found.map(({ reason }) => ({ place: row.place, reason })),
  );
  const odd = checked.flatMap(({ row, warnings }) =>
    known.has(identityOf(row.key)) ? [] : warnings.map(reason => ({ place: row.place, reason })),
  );
  const rows = new Map(checked.map(({ row, inputs: rowInputs }) => [row.key, rowInputs]));
  return {
    inputs: withoutContents(inputs, rows),
    failures: [...failures, ...answer({ rows: [], mistakes: grouped(wrongRows) }, "").failures],
    warnings: grouped(odd).slice(0, MOST_MISTAKES),
    rows,
    known,
  };
}

/** The rows in state by key, as far as state has them: of a table it keeps the hash only. */
async function knownRows(
  olds: Values | undefined,
  news: Values,
  { table, rows }: { table: KeptTable; rows: readonly Row[] | Unknown },
  turns: Turns,
): Promise<Map<string, Values>> {
  const { documents, defaults = {}, key } = olds ?? {};
  const changed = differing(of(TABLE, olds ?? {}), of(TABLE, news));
  const known = async (): Promise<readonly Row[]> => {
    if (!isRecord(defaults)) return [];
    if (isRecord(documents)) return rowsOfDocuments(documents, defaults).rows;
    if (changed.includes("table") || !("read" in table) || !("table" in table.read)) return [];
    if (changed.length === 0 && !isUnknown(rows)) return rows;
    return typeof key === "string" ? (await turns.take(rowsOfTable(table.read.table, key, defaults))).rows : [];
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

interface ReadRows {
  readonly rows: readonly Row[] | Unknown;
  readonly failures: Failure[];
}

async function readRows(news: Values, table: KeptTable, turns: Turns): Promise<ReadRows> {
  const { documents, key } = news;
  const refused = (reason: string): ReadRows => ({ rows: UNKNOWN, failures: [failure(reason)] });
  const unknown: ReadRows = { rows: UNKNOWN, failures: [] };
  if ((documents === undefined) === (news["table"] === undefined)) {
    return refused(`expected one of \`documents\` and \`table\`, got ${documents === undefined ? "neither" : "both"}`);
  }
  const defaults = news["defaults"] ?? {};
  if (isUnknown(defaults)) return unknown;
  if (!isRecord(defaults)) return refused("defaults: expected what a Document takes, got something else");
  if (documents !== undefined) {
    if (key !== undefined) return refused("key: expected `table` beside it, got `documents`, whose keys are its own");
    if (isUnknown(documents)) return unknown;
    if (!isRecord(documents)) return refused("documents: expected a map of keys and what a Document takes");
    const { length } = Object.keys(documents);
    if (length > MOST_ROWS) return refused(`documents: expected at most ${MOST_ROWS} rows in one set, got ${length}`);
    if (Object.values(documents).some(isUnknown)) return unknown;
    return answer(rowsOfDocuments(documents, defaults), "");
  }
  if (key === undefined) return refused("key: expected a text such as {{email}} beside `table`, got none");
  if (isUnknown(key) || typeof key !== "string" || !("read" in table)) return unknown;
  return "mistakes" in table.read
    ? answer({ rows: [], mistakes: table.read.mistakes }, "table: ")
    : answer(await turns.take(rowsOfTable(table.read.table, key, defaults)), "table: ");
}

function answer({ rows, mistakes }: Rows, prefix: string): ReadRows {
  const shown = mistakes.slice(0, MOST_MISTAKES).map(mistake => failure(`${prefix}${mistake}`));
  const more = mistakes.length - shown.length;
  return { rows, failures: more > 0 ? [...shown, failure(`${prefix}and ${more} more mistakes`)] : shown };
}

type KeptTable =
  | { readonly asset: Value; readonly read: ReadTable }
  | { readonly asset: Value | undefined; readonly isIgnored?: true }
  | { readonly wrong: string };

async function keptTable(
  given: Value | undefined,
  olds: Values | undefined,
  { templates }: PdfSources,
  turns: Turns,
): Promise<KeptTable> {
  if (given === undefined || isUnknown(given)) return { asset: given };
  const asset = assetIn(given, "CSV");
  if ("wrong" in asset) return asset;
  const kept = await templates.keepFile(asset);
  // Under `ignoreChanges` the engine gives what state has: its file may say something else by now, or be gone.
  if ("wrong" in kept) return isOf(olds, asset) ? { asset, isIgnored: true } : kept;
  const bytes = templates.file(kept.asset.hash ?? "");
  return bytes ? { asset: kept.asset, read: await readTableByTurns(bytes, turns) } : { asset: kept.asset };
}

const isOf = (olds: Values | undefined, { hash }: Asset): boolean =>
  hash !== undefined && olds?.["table"] instanceof Asset && olds["table"].hash === hash;

/**
 * The inputs of a set whose table is ignored, as state has them. What else its rows are made of can't change then: nothing
 * says what the rows would be.
 */
async function ignoringTable(
  olds: Values,
  inputs: Values,
  pdfs: PdfSources,
): Promise<{ readonly inputs: Values; readonly failures: Failure[] }> {
  const { defaults } = inputs;
  const given = isRecord(defaults) ? defaults : {};
  const before = isRecord(olds["defaults"]) ? olds["defaults"] : {};
  const { inputs: contents } = await checkPdf(before, given, pdfs);
  const kept = Object.fromEntries(
    CONTENTS.flatMap(name => (contents[name] === undefined ? [] : [[name, contents[name]]])),
  );
  const asInState: Values = { ...inputs, defaults: { ...given, ...kept } as Values };
  const changed = differing(of(TABLE, olds), of(TABLE, asInState));
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

/** The same reason in many rows is said once. */
function grouped(wrong: readonly { place: string; reason: string }[]): string[] {
  return [...Map.groupBy(wrong, ({ reason }) => reason)].map(([reason, where]) => {
    const more = where.length - 3;
    const first = where.slice(0, 3).map(({ place }) => place);
    return `${first.join(", ")}${more > 0 ? ` and ${more} more` : ""}: ${reason}`;
  });
}

/** Contents in `documents` and `defaults` as the rows' own checks keep them. */
function withoutContents(inputs: Values, rows: ReadonlyMap<string, Values>): Values {
  const reduced = (part: Values, checked: Values | undefined): Values =>
    Object.fromEntries(
      Object.entries(part).flatMap(([name, value]): [string, Value][] => {
        if (!CONTENTS.includes(name)) return [[name, value]];
        const kept = checked?.[name];
        return kept === undefined ? [] : [[name, kept]];
      }),
    );
  const { documents, defaults } = inputs;
  const given = isRecord(documents) ? documents : {};
  // A row that gives no PDF of its own has the defaults'.
  const typical = [...rows].find(([key]) => {
    const row = own(given, key);
    return !isRecord(row) || !CONTENTS.some(name => row[name] !== undefined);
  });
  const kept: Values = { ...inputs };
  if (isRecord(documents)) {
    kept["documents"] = Object.fromEntries(
      Object.entries(documents).map(([key, row]) => [key, isRecord(row) ? reduced(row, rows.get(key)) : row]),
    );
  }
  if (isRecord(defaults)) kept["defaults"] = reduced(defaults, typical?.[1]);
  return kept;
}
