import { isUtf8 } from "node:buffer";
import { pipeline } from "node:stream/promises";
import { CsvError, type Options, parse } from "csv-parse";
import { CsvError as CsvErrorAtOnce, parse as parseAtOnce } from "csv-parse/sync";
import type { Turns } from "../../core/turns.js";

/** A table's rows by column, and where each begins in the file. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly TableRow[];
}

export interface TableRow {
  /** Line of the file, from 1. */
  readonly line: number;
  /** In the order of the columns. */
  readonly cells: readonly string[];
}

export type ReadTable = { readonly table: Table } | { readonly mistakes: readonly string[] };

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
export const MOST_ROWS = 200_000;
const MOST_COLUMNS = 1_000;
const LONGEST_ROW = 1_000_000;

class UnreadableTableError extends Error {}

class Reading {
  readonly #rows: TableRow[] = [];
  readonly #mistakes: string[] = [];
  #columns: readonly string[] | undefined;

  take(record: readonly string[], lastLine: number): null {
    const cells = record.map(plain);
    const line = lineOf(record, lastLine);
    if (this.#columns) this.#row(cells, line, this.#columns.length);
    else {
      if (cells.length > MOST_COLUMNS)
        throw new UnreadableTableError(`line ${line}: expected at most ${MOST_COLUMNS} columns, got ${cells.length}`);
      this.#mistakes.push(...headerMistakes(cells, line));
      this.#columns = cells;
    }
    return null;
  }

  end(): ReadTable {
    if (!this.#columns) return { mistakes: ["expected a header with the names of the columns, got an empty table"] };
    if (this.#mistakes.length > 0) return { mistakes: this.#mistakes };
    return { table: { columns: this.#columns, rows: this.#rows } };
  }

  #row(cells: readonly string[], line: number, wanted: number): void {
    if (cells.every(cell => cell === "")) return;
    if (this.#rows.length + this.#mistakes.length >= MOST_ROWS)
      throw new UnreadableTableError(
        `line ${line}: expected at most ${MOST_ROWS} rows in one set, got more; split the table over several sets`,
      );
    if (cells.length === wanted) this.#rows.push({ line, cells });
    else this.#mistakes.push(`line ${line}: expected ${wanted} cells as in the header, got ${cells.length}`);
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
  const counted = [",", ";", "\t"].map(delimiter => ({ delimiter, count: header.split(delimiter).length }));
  return counted.reduce((most, each) => (each.count > most.count ? each : most)).delimiter;
}

const headerMistakes = (columns: readonly string[], line: number): string[] =>
  columns.flatMap((column, index) => {
    const place = `line ${line}, column ${index + 1}`;
    const first = columns.indexOf(column);
    if (column === "") return [`${place}: expected a name in the header, got an empty cell`];
    return first < index ? [`${place}: ${column} is the name of column ${first + 1} already`] : [];
  });
