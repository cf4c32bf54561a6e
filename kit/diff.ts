import { pathText, typedValue } from "./check.js";
import { propertyMetadata, type Shape } from "./property.js";
import { type Diff, NO_CHANGE, type PropertyChange } from "./resource.js";
import { Asset, isGiven, isRecord, type Value, type Values } from "./values.js";
import { Writer } from "./wire.js";

// ---- What differs ----

/** One difference between the inputs in state and the program's. */
export interface Change {
  /** The top-level property. */
  readonly name: string;
  readonly path: string;
  readonly what: "add" | "delete" | "update";
  readonly replaces: boolean;
}

/** Every declared input that differs, as deep as both sides are alike; as a whole where a part of it counts. */
export function changesOf(shape: Shape, before: Values, after: Values): Change[] {
  return Object.entries(shape.shape).flatMap(([name, type]) => {
    const { replaces = false, compareBy } = propertyMetadata.get(type) ?? {};
    const counting = (value: Value | undefined) => {
      const typed = typedValue(type, value);
      return typed && compareBy ? compareBy(typed.value as never) : typed ? typed.value : value;
    };
    const found = [...differences([name], counting(before[name]), counting(after[name]))];
    const whole = compareBy || !isGiven(before[name]) || !isGiven(after[name]);
    const all = found.length > 0 && whole ? [[[name], kindOf(before[name], after[name])] as const] : found;
    return all.map(([path, what]) => ({ ...{ name, replaces, what }, path: pathText(path) }));
  });
}

const kindOf = (before: Value | undefined, after: Value | undefined): Change["what"] =>
  !isGiven(before) ? "add" : isGiven(after) ? "update" : "delete";

type Path = readonly (string | number)[];

function* differences(path: Path, before?: Value, after?: Value): Generator<[Path, Change["what"]]> {
  const [was, is] = [before ?? undefined, after ?? undefined];
  if (was === is) return;
  if (was === undefined) yield [path, "add"];
  else if (is === undefined) yield [path, "delete"];
  else if (Array.isArray(was) && Array.isArray(is))
    for (let i = 0; i < Math.max(was.length, is.length); i++) yield* differences([...path, i], was[i], is[i]);
  else if (isRecord(was) && isRecord(is))
    for (const key of new Set([...Object.keys(was), ...Object.keys(is)]))
      yield* differences([...path, key], was[key], is[key]);
  // State knows of an asset its hash alone.
  else if (!(was instanceof Asset && is instanceof Asset && was.hash !== undefined && was.hash === is.hash))
    yield [path, "update"];
}

export function diffOf(changes: readonly Change[], deleteBeforeReplace = false): Diff {
  if (changes.length === 0) return NO_CHANGE;
  const detailed = changes.map(({ path, what, replaces }): [string, PropertyChange] => [
    path,
    replaces ? `${what}-replace` : what,
  ]);
  const isReplaced = changes.some(({ replaces }) => replaces);
  return {
    changes: "some",
    detailed: Object.fromEntries(detailed),
    deleteBeforeReplace: deleteBeforeReplace && isReplaced,
  };
}

// ---- As protobuf ----

/** `PropertyDiff.Kind` */
const KINDS: Readonly<Record<PropertyChange, number>> = {
  add: 0,
  "add-replace": 1,
  delete: 2,
  "delete-replace": 3,
  update: 4,
  "update-replace": 5,
};

/** `DiffResponse.DiffChanges` */
const CHANGES = { none: 1, some: 2 };

/** `diffs` and `replaces` are read off the detailed paths, so they can't contradict them. */
export function diffResponse(diff: Diff): Buffer {
  const writer = new Writer();
  if (diff.changes === "none") return writer.integer(4, CHANGES.none).bool(7, true).finish();
  const changed = Object.entries(diff.detailed);
  const replacing = changed.filter(([, change]) => change.endsWith("-replace"));
  for (const name of topLevel(replacing)) writer.text(1, name);
  writer.bool(3, diff.deleteBeforeReplace).integer(4, CHANGES.some);
  for (const name of topLevel(changed)) writer.text(5, name);
  for (const [path, change] of changed) {
    const entry = writer.begin(6);
    const value = writer.text(1, path).begin(2);
    // Our diffs compare inputs with inputs; otherwise the engine would show old outputs beside new inputs.
    writer.integer(1, KINDS[change]).bool(2, true).end(value).end(entry);
  }
  return writer.bool(7, changed.length > 0).finish();
}

/** A change of the configuration that would replace becomes a plain one: it would take every resource along. */
export function configDiffResponse(diff: Diff): Buffer {
  const detailed = Object.fromEntries(
    Object.entries(diff.detailed).map(([path, change]) => [path, change.replace("-replace", "") as PropertyChange]),
  );
  return diffResponse({ changes: diff.changes, detailed, deleteBeforeReplace: false });
}

const topLevel = (changes: readonly (readonly [path: string, PropertyChange])[]): string[] => [
  ...new Set(changes.map(([path]) => topLevelName(path))),
];

/** `invitations[1].email` → `invitations`; `["a.b"].c` → `a.b`. */
export function topLevelName(path: string): string {
  const quoted = /^\["((?:[^"\\]|\\.)*)"\]/.exec(path)?.[1];
  if (quoted !== undefined) return quoted.replace(/\\(.)/g, "$1");
  return /^[^.[]*/.exec(path)?.[0] || path;
}
