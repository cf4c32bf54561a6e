import { byKey } from "../../core/text.js";
import { emailAddress } from "../../schema/types.js";
import { isRecord, isUnknown, type Value, type Values } from "../../schema/values.js";
import { TERMS } from "../document/terms.js";
import { TEMPLATE_OPTIONS } from "../pdf/template-input.js";
import { columnsIn, filled } from "./column-text.js";
import type { Table, TableRow } from "./table.js";

/** One document of a set: what a Document takes, under a key of its own. */
export interface Row {
  readonly key: string;
  /** Where the program says it, for messages: `line 3` or `documents["ana"]`. */
  readonly place: string;
  readonly inputs: Values;
}

export interface Rows {
  readonly rows: readonly Row[];
  /** Everything wrong with the rows as rows, at once. What a Document refuses is found by its own check. */
  readonly mistakes: readonly string[];
}

const LONGEST_KEY = 200;
const PDF_WAYS = ["file", "base64File", "template"] as const;

/** Two keys that differ in case alone are one: an address is the same person's in any. */
export const identityOf = (key: string): string => key.normalize("NFC").toLowerCase();

/** Rows from `documents`, in the order of their keys, as the engine keeps no order: each row over the defaults. */
export function rowsOfDocuments(documents: Values, defaults: Values): Rows {
  const entries = Object.entries(documents).sort(([one], [other]) => byKey(one, other));
  const rows = entries.map(
    ([key, given]): Row => ({
      key,
      place: `documents[${JSON.stringify(key)}]`,
      inputs: isRecord(given) ? over(defaults, given) : {},
    }),
  );
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
  const givesPdf = PDF_WAYS.some(name => row[name] !== undefined && row[name] !== null);
  const dropped: readonly string[] =
    givesPdf && row["template"] === undefined ? [...PDF_WAYS, ...TEMPLATE_OPTIONS] : givesPdf ? PDF_WAYS : [];
  const kept = Object.fromEntries(Object.entries(defaults).filter(([name]) => !dropped.includes(name)));
  const [typical, own] = [kept["variables"], row["variables"]];
  const merged = isRecord(typical) && isRecord(own) ? { variables: { ...typical, ...own } } : {};
  return { ...kept, ...row, ...merged };
}

/** Rows from a table, step by step: the defaults with each row's cells in their texts. */
export function* rowsOfTable(table: Table, key: string, defaults: Values): Generator<void, Rows> {
  const texts = [{ path: "key", text: key }, ...textsIn(defaults)];
  const missing = texts.flatMap(({ path, text }) =>
    columnsIn(text)
      .filter(column => !table.columns.includes(column))
      .map(column => `${path}: the table has no column ${JSON.stringify(column)}; it has ${few(table.columns)}`),
  );
  const unkeyed =
    columnsIn(key).length === 0 ? ["key: expected a text with a {{column}} in it, such as {{email}}"] : [];
  if (missing.length + unkeyed.length > 0) return { rows: [], mistakes: [...unkeyed, ...new Set(missing)] };
  const wanted = requiredTexts(key, defaults);
  const rows: Row[] = [];
  const mistakes: string[] = [];
  for (const row of table.rows) {
    yield;
    rows.push({ key: filled(key, row.cells), place: `line ${row.line}`, inputs: rowInputs(defaults, row) });
    mistakes.push(...cellMistakes(row, wanted));
  }
  return { rows, mistakes: [...mistakes, ...keyMistakes(rows)] };
}

const MOST_COLUMNS = 20;

const few = (columns: readonly string[]): string =>
  columns.length <= MOST_COLUMNS
    ? columns.join(", ")
    : `${columns.slice(0, MOST_COLUMNS).join(", ")} and ${columns.length - MOST_COLUMNS} more`;

/** The texts that take columns, by their path. */
function textsIn(defaults: Values): { path: string; text: string }[] {
  const texts: { path: string; text: string }[] = [];
  eachText(defaults, (text, path) => {
    texts.push({ path: `defaults.${path}`, text });
    return text;
  });
  return texts;
}

function rowInputs(defaults: Values, { cells }: TableRow): Values {
  const inputs = eachText(defaults, text => filled(text, cells));
  // An optional text whose cell is empty isn't given in this row.
  for (const name of ["description", "folderId", ...TERMS]) if (inputs[name] === "") delete inputs[name];
  const { invitations } = inputs;
  if (Array.isArray(invitations)) {
    inputs["invitations"] = invitations.map(person =>
      isRecord(person)
        ? Object.fromEntries(Object.entries(person).filter(([name, value]) => name === "email" || value !== ""))
        : person,
    );
  }
  return inputs;
}

const ROW_TEXTS = ["name", "description", "folderId", ...TERMS] as const;
const PERSON_TEXTS = ["email", "name", "message"] as const;

/** Defaults with a function applied to each text that takes columns. */
function eachText(defaults: Values, map: (text: string, path: string) => string): Values {
  const mapped: Values = { ...defaults };
  const take = (values: Values, name: (typeof ROW_TEXTS | typeof PERSON_TEXTS)[number], path: string = name): void => {
    const value = values[name];
    if (typeof value === "string") values[name] = map(value, path);
  };
  for (const name of ROW_TEXTS) take(mapped, name);
  const { invitations, variables } = mapped;
  if (Array.isArray(invitations)) {
    mapped["invitations"] = invitations.map((person, index): Value => {
      if (!isRecord(person)) return person;
      const own = { ...person };
      for (const name of PERSON_TEXTS) take(own, name, `invitations[${index}].${name}`);
      return own;
    });
  }
  if (isRecord(variables)) {
    const given = Object.entries(variables).map(([name, value]): [string, Value] => {
      const at = `variables.${name}`;
      if (Array.isArray(value)) return [name, listWith(value, at, map)];
      return [name, typeof value === "string" ? map(value, at) : value];
    });
    mapped["variables"] = Object.fromEntries(given);
  }
  return mapped;
}

/** A list with the cells of a row in its texts. An item that is columns only, all of them empty in this row, isn't in it. */
function listWith(list: readonly Value[], path: string, map: (text: string, path: string) => string): Value[] {
  return list.flatMap((item, index): Value[] => {
    const at = `${path}[${index}]`;
    const given = isRecord(item) ? Object.entries(item) : [["", item] as const];
    const texts = given.map(([field, text]): [string, Value] => [
      field,
      typeof text === "string" ? map(text, field === "" ? at : `${at}.${field}`) : text,
    ]);
    const hasColumns = given.every(([, text]) => typeof text === "string" && columnsIn(text).length > 0);
    if (hasColumns && texts.every(([, text]) => text === "")) return [];
    return [isRecord(item) ? Object.fromEntries(texts) : (texts[0]?.[1] ?? null)];
  });
}

/** A text that needs something in it, made of columns. */
interface RequiredText {
  readonly text: string;
  readonly columns: string;
  readonly what: string;
  readonly isAddress: boolean;
}

function requiredTexts(key: string, defaults: Values): RequiredText[] {
  const { invitations } = defaults;
  const required = (text: Value | undefined, what: string, isAddress = false): RequiredText[] => {
    const columns = typeof text === "string" ? columnsIn(text) : [];
    return typeof text === "string" && columns.length > 0
      ? [{ text, columns: columns.join(" and "), what, isAddress }]
      : [];
  };
  return [
    ...required(key, "a key"),
    ...required(defaults["name"], "a title"),
    ...(Array.isArray(invitations) ? invitations.filter(isRecord) : []).flatMap(({ email }) =>
      required(email, "an e-mail address", true),
    ),
  ];
}

const NONE: readonly string[] = [];

/** Cells that make a row impossible, by line and column. */
function cellMistakes({ line, cells }: TableRow, wanted: readonly RequiredText[]): readonly string[] {
  let mistakes = NONE;
  for (const { text, columns, what, isAddress } of wanted) {
    const given = filled(text, cells);
    if (given.trim() !== "" && (!isAddress || emailAddress.safeParse(given).success)) continue;
    const got = given.trim() === "" ? "an empty cell" : JSON.stringify(given.slice(0, 60));
    mistakes = [...new Set([...mistakes, `line ${line}, column ${columns}: expected ${what}, got ${got}`])];
  }
  return mistakes;
}

/** The engine takes a map with this key for a value of its own. */
const ENGINE_MARK = "4dabf18193072939515e22adb298388d";

/** Keys that state would lose, and with them the documents: another `up` would mail the same people again. */
export const lostKeyMistakes = (rows: readonly Row[], lost: ReadonlySet<string> = new Set()): string[] =>
  rows.flatMap(({ key, place }) =>
    key === ENGINE_MARK || lost.has(key)
      ? [`${place}: expected a key that Pulumi can keep in state, got ${JSON.stringify(key)}; give the row another`]
      : [],
  );

function keyMistakes(rows: readonly Row[]): string[] {
  const first = new Map<string, Row>();
  return rows.flatMap(row => {
    // Said with its column already.
    if (row.key.trim() === "")
      return row.place.startsWith("line") ? [] : [`${row.place}: expected a key, got an empty one`];
    if (row.key.length > LONGEST_KEY || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(row.key)) {
      return [`${row.place}: expected a key of at most ${LONGEST_KEY} characters on one line, got another`];
    }
    const identity = identityOf(row.key);
    const known = first.get(identity);
    if (!known) first.set(identity, row);
    return known ? [`${row.place}: ${JSON.stringify(row.key)} is the key of ${known.place} already`] : [];
  });
}
