import { isDeepStrictEqual } from "node:util";
import { Asset, isGiven, isRecord, isUnknown, type Value, type Values } from "../../kit/values.js";
import { hashInMark } from "./pdf/asset-source.js";
import { PDF_INPUTS } from "./pdf/pdf-input.js";
import { factsOf, Refusal } from "./refusal.js";

interface RefusedChange {
  /** Documents that are refused, by key; of a single one by an empty key. */
  readonly ids: Readonly<Record<string, string>>;
  /** Inputs, as state has them and as the program gives them. */
  readonly before: Values;
  readonly after: Values;
}

interface Discretion {
  /** Inputs that hold a secret. */
  readonly secrets: ReadonlySet<string>;
  /** Whether what variables say may be in the log. */
  readonly showsValues?: boolean;
}

const LONGEST = 16_000;
/** Rows of a set that are shown. */
const MOST_ROWS = 3;

/**
 * A refusal to replace, with what the change would have made of the contract, for `docsign board --base`: a Diff that fails
 * leaves no step in a preview. It goes into a log, so it has names in place of what variables say, unless a person asks
 * for that.
 */
export function withChange(error: unknown, change: RefusedChange, discretion: Discretion): unknown {
  const isOfChange =
    error instanceof Refusal && (factsOf(error)?.refused ?? 0) > 0 && error.parts.cause !== "held-twice";
  if (isOfChange) error.change = textOf(change, discretion);
  return error;
}

/** As JSON; undefined where the text stays as it is, or where that would be too long for a line of a log. */
function textOf(
  { ids, before, after }: RefusedChange,
  { secrets, showsValues = false }: Discretion,
): string | undefined {
  if (secrets.has("table")) return undefined;
  const shown = Object.fromEntries(Object.entries(ids).slice(0, MOST_ROWS));
  for (const write of showsValues ? [plain, named] : [named]) {
    const names = new Set<string>();
    const sides = (headings: readonly string[]) => {
      const side = (own: Values, other: Values, age: Age) =>
        inputsOf(own, other, { keys: Object.keys(shown), secrets, headings, write, age, names });
      return { before: side(before, after, "old"), after: side(after, before, "new") };
    };
    const content = sides([]);
    if (isDeepStrictEqual(content.before, content.after)) return undefined;
    const text = JSON.stringify({ ids: shown, ...sides(["name"]), isNamed: names.size > 0 });
    if (text.length <= LONGEST) return text;
  }
  return undefined;
}

interface Writing {
  readonly keys: readonly string[];
  readonly secrets: ReadonlySet<string>;
  /** Inputs that are no part of a contract's text. */
  readonly headings: readonly string[];
  readonly write: Write;
  readonly age: Age;
  /** Those that stand for values. */
  readonly names: Set<string>;
}

type Age = "old" | "new";

function inputsOf(own: Values, other: Values, writing: Writing): Values {
  const { keys, secrets } = writing;
  const { table, key, defaults, documents } = own;
  const nested = (name: string, value: Value | undefined, beside: Value | undefined): Values =>
    contract(recordOf(value), recordOf(beside), {
      ...writing,
      // What is secret in a row isn't told apart.
      ...(secrets.has(name) ? { write: named, secrets: new Set(["name", "title"]) } : {}),
    });
  return {
    ...contract(own, other, { ...writing, ...(secrets.has("variables") ? { write: named } : {}) }),
    ...(isGiven(table) && isGiven(key) ? { table: plain(table), key } : {}),
    ...(isGiven(defaults) ? { defaults: nested("defaults", defaults, other["defaults"]) } : {}),
    ...(isGiven(documents)
      ? {
          documents: Object.fromEntries(
            keys.flatMap(each => {
              const row = recordOf(documents)[each];
              return isRecord(row) ? [[each, nested("documents", row, recordOf(other["documents"])[each])]] : [];
            }),
          ),
        }
      : {}),
  };
}

/** What the text of a contract depends on. */
function contract(own: Values, other: Values, writing: Writing): Values {
  const { secrets, headings, write } = writing;
  const { base64File, variables } = own;
  const isMark = hashInMark(base64File) !== undefined;
  const written = [...headings, ...PDF_INPUTS].filter(
    name => name !== "base64File" && name !== "variables" && isGiven(own[name]) && !secrets.has(name),
  );
  return {
    ...Object.fromEntries(written.map(name => [name, plain(own[name] ?? null)])),
    ...(isMark && base64File !== undefined ? { base64File } : {}),
    ...(isGiven(variables) ? { variables: write(variables, "", other["variables"] ?? null, writing) } : {}),
  };
}

type Write = (value: Value, name: string, other: Value, writing: Writing) => Value;

/** As the preview's own steps have it. */
const plain = (value: Value): Value => {
  if (isUnknown(value)) return "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
  if (value instanceof Asset) return value.hash === undefined ? null : { hash: value.hash };
  if (Array.isArray(value)) return value.map(plain);
  return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)])) : value;
};

/** With `[rent]` for what `rent` says, or `[rent:old]` and `[rent:new]`. A column's name, an empty text and `true` stay. */
const named: Write = (value, name, other, writing) => {
  const child = (key: string | number): Value =>
    Array.isArray(other) ? (other[Number(key)] ?? null) : (recordOf(other)[key] ?? null);
  const inside = (each: Value, key: string | number) =>
    named(each, name === "" ? String(key) : `${name}.${key}`, child(key), writing);
  if (Array.isArray(value)) return value.map(inside);
  if (isRecord(value)) return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inside(each, key)]));
  if (typeof value !== "string" || value === "" || /^\{\{[^{}]*\}\}$/.test(value)) return plain(value);
  writing.names.add(name);
  return value === other ? `[${name}]` : `[${name}:${writing.age}]`;
};

const recordOf = (value: Value | undefined): Values => (isRecord(value) ? value : {});
