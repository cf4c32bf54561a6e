import { Asset, isRecord, isUnknown, type Unknown, type Value, type Values } from "../../schema/values.js";
import type { RowInputs } from "./changes.js";
import type { CheckedSet } from "./check-set.js";

interface Checked {
  readonly inputs: string;
  readonly rows: RowInputs | Unknown;
  readonly known: RowInputs;
  /** The input that has no rows, where nothing allows that. */
  readonly emptied: "documents" | "table" | undefined;
}

/** The rows of each set as last checked: Diff and Update are shown a table's hash only. */
export class CheckedSets {
  readonly #checked = new Map<string, Checked>();

  keep(urn: string, { inputs, rows, known }: CheckedSet): void {
    const isEmpty = !isUnknown(rows) && rows.size === 0 && inputs["allowEmpty"] !== true;
    const emptied = isEmpty ? (isGiven(inputs["table"]) ? "table" : "documents") : undefined;
    this.#checked.set(urn, { inputs: canonical(inputs), rows, known, emptied });
  }

  /** Of the last Check: the input that has no rows, where nothing allows that. */
  emptied(urn: string): string | undefined {
    return this.#checked.get(urn)?.emptied;
  }

  /** The inputs in state by the identity of their row's key, as far as state has them. */
  known(urn: string): RowInputs {
    return this.#checked.get(urn)?.known ?? new Map();
  }

  /** Of the last Check, whatever its inputs were. */
  latest(urn: string): RowInputs | Unknown | undefined {
    return this.#checked.get(urn)?.rows;
  }

  /** Undefined where it wasn't these inputs that were checked, as in the Diff of a refresh. */
  rows(urn: string, inputs: Values): RowInputs | Unknown | undefined {
    const known = this.#checked.get(urn);
    return known?.inputs === canonical(inputs) ? known.rows : undefined;
  }
}

const isGiven = (value: Value | undefined): boolean => value !== undefined && value !== null;

/** Names of the inputs that differ. */
export const differing = (olds: Values, news: Values): string[] =>
  [...new Set([...Object.keys(olds), ...Object.keys(news)])]
    .filter(name => canonical(olds[name] ?? null) !== canonical(news[name] ?? null))
    .sort();

/** An asset is its content, wherever that lies. */
function canonical(value: Value): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (isUnknown(inner as Value)) return { unknown: true };
    if (inner instanceof Asset) return { hash: inner.hash };
    if (!isRecord(inner as Value)) return inner;
    return Object.fromEntries(
      Object.entries(inner as Values)
        .filter(([, each]) => each !== null && each !== undefined)
        .sort(([one], [other]) => (one < other ? -1 : 1)),
    );
  });
}
