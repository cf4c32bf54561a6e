import { CsvError, parse } from "csv-parse/sync";

/** A table's rows by column, and where each begins in the file. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly TableRow[];
}

export interface TableRow {
  /** Line of the file, from 1. */
  readonly line: number;
  readonly cells: Readonly<Record<string, string>>;
}

export type ReadTable = { readonly table: Table } | { readonly mistakes: readonly string[] };

const DELIMITERS = [",", ";", "\t"] as const;

/**
 * Reads a table in CSV: comma, semicolon or tab, whichever its header has most of; quotes, any line endings, with or without
 * a byte order mark. Cells are trimmed and composed (NFC), so that a copy of a table is the same table.
 */
export function readTable(bytes: Uint8Array): ReadTable {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return { mistakes: ["expected a CSV in UTF-8, got another encoding; save the table as “CSV UTF-8”"] };
  }
  let records: { record: string[]; info: { lines: number } }[];
  try {
    records = parse(text, {
      delimiter: delimiterOf(text),
      record_delimiter: ["\r\n", "\n", "\r"],
      relax_column_count: true,
      skip_empty_lines: true,
      info: true,
    }) as unknown as { record: string[]; info: { lines: number } }[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return {
      mistakes: [`line ${String(error["lines"])}: ${QUOTES[error.code] ?? "expected CSV, got something else"}`],
    };
  }
  const [header, ...body] = records.map(({ record, info }) => ({
    cells: record.map(plain),
    line: lineOf(record, info.lines),
  }));
  if (!header) return { mistakes: ["expected a header with the names of the columns, got an empty table"] };
  const columns = header.cells;
  const mistakes = headerMistakes(columns, header.line);
  const rows = body.flatMap(({ cells, line }): TableRow[] => {
    if (cells.every(cell => cell === "")) return [];
    if (cells.length !== columns.length) {
      mistakes.push(`line ${line}: expected ${columns.length} cells as in the header, got ${cells.length}`);
      return [];
    }
    return [{ line, cells: Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? ""])) }];
  });
  return mistakes.length > 0 ? { mistakes } : { table: { columns, rows } };
}

const QUOTES: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'expected a closing ", got the end of the table',
  INVALID_OPENING_QUOTE: 'expected the whole cell in quotes, got a " inside it; write "" for the character itself',
  CSV_INVALID_CLOSING_QUOTE:
    'expected the end of the cell after its closing ", got more text; write "" for the character itself',
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
  return columns.flatMap((column, index) => {
    if (column === "") return [`line ${line}, column ${index + 1}: expected a name in the header, got an empty cell`];
    const first = columns.indexOf(column);
    return first === index
      ? []
      : [`line ${line}, column ${index + 1}: ${column} is the name of column ${first + 1} already`];
  });
}
