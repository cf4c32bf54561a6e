import { Turns } from "../../core/turns.js";
import type { Values } from "../../schema/values.js";
import { changedTerms } from "../document/terms.js";
import { inParallel } from "../in-parallel.js";
import type { PdfSources } from "../pdf/pdf-input.js";
import { formerIdentities, isAtHand, isPdf } from "../pdf/pdf-source.js";
import { diffRows, fieldsOf, type RowDiff, type RowFields, short } from "./row-diff.js";
import { identityOf } from "./rows.js";
import { packed, type SetState, unpacked } from "./set-state.js";

/** Each row's checked inputs by key. */
export type RowInputs = ReadonlyMap<string, Values>;

export interface SetChanges extends RowDiff {
  /** Rows whose document is what the program says, and whose state says something else: nothing is sent. */
  readonly restored: readonly string[];
  /** Rows whose terms are others than in state: no document changes, and nothing is asked. */
  readonly termed: readonly string[];
}

/** What an update would do to the rows in state. */
export async function changesBetween(state: SetState, rows: RowInputs, signal?: AbortSignal): Promise<SetChanges> {
  const inState = keysIn(state);
  const before = new Map<string, RowFields>();
  const after = await new Turns(signal).take(fieldsByKey(rows));
  for (const [key, row] of state.rows) before.set(key, unpacked(row.content));
  const restored: string[] = [];
  for (const [key, fields] of after) {
    const known = inState(key);
    const row = state.rows.get(known);
    if (row?.keptContent === undefined) continue;
    const content = packed(fields);
    if (content === row.content) restored.push(key);
    // It was kept with these very inputs: that is settled.
    else if (content === row.keptContent) before.set(known, unpacked(row.keptContent));
  }
  const termed = [...rows].flatMap(([key, inputs]) => {
    const row = state.rows.get(inState(key));
    return row && Object.keys(changedTerms(row, inputs)).length > 0 ? [key] : [];
  });
  return { ...diffRows(before, after), restored, termed };
}

function* fieldsByKey(rows: RowInputs): Generator<void, Map<string, RowFields>> {
  const fields = new Map<string, RowFields>();
  for (const [key, inputs] of rows) {
    yield;
    fields.set(key, fieldsOf(inputs));
  }
  return fields;
}

export const isNothing = ({ added, changed, uncertain, removed, restored, termed }: SetChanges): boolean =>
  [added, changed, uncertain, removed, restored, termed].every(keys => keys.length === 0);

/** A row's key as state has it: it may have been written in another case. */
export function keysIn(state: SetState): (key: string) => string {
  const keys = new Map([...state.rows.keys()].map(key => [identityOf(key), key]));
  return key => keys.get(identityOf(key)) ?? key;
}

/** The changes without the rows whose PDF is given in another way, or by another template, and is the one the service holds. */
export async function withoutSamePdfs(
  changes: SetChanges,
  state: SetState,
  rows: RowInputs,
  pdfs: PdfSources,
): Promise<SetChanges> {
  const inState = keysIn(state);
  const same = new Set<string>();
  await inParallel(1, changes.changed, async ({ key, fields }) => {
    const row = state.rows.get(inState(key));
    const held = row?.sha256?.toLowerCase();
    const news = rows.get(key);
    if (fields.some(field => field !== "pdf") || !row || !news || !isAtHand(news, pdfs)) return;
    const { pdf } = unpacked(row.content);
    if (formerIdentities(news, pdfs).some(each => short(each) === pdf)) same.add(key);
    else if (held !== undefined && (await isPdf(news, held, pdfs))) same.add(key);
  });
  return settled(changes, same);
}

/** The changes without rows whose documents turned out to be what the program says. */
export function settled(changes: SetChanges, same: ReadonlySet<string>): SetChanges {
  const found = changes.changed.filter(({ key }) => same.has(key)).map(({ key }) => key);
  if (found.length === 0) return changes;
  const changed = changes.changed.filter(({ key }) => !same.has(key));
  return { ...changes, changed, restored: [...changes.restored, ...found] };
}
