import { type Declared, pathText } from "./check.js";
import { propertyMetadata, type Shape } from "./property.js";
import { type Diff, NO_CHANGE, type PropertyChange } from "./resource.js";
import { Asset, hasUnknown, isGiven, isRecord, type Value } from "./values.js";

/** One difference between the inputs in state and the program's. Without a path, the diff says that there is one and names none. */
export interface Change {
  /** The top-level property. */
  readonly name: string;
  readonly path: string;
  readonly what: "add" | "delete" | "update";
  readonly replaces: boolean;
  /** The new value isn't known yet, so whether it changes anything isn't either. */
  readonly unknown?: boolean;
}

/** Of state that is to be written anew, though no input and no output can be named for it. */
export const STATE_OUTDATED: Change = { name: "", path: "", what: "update", replaces: false };

/** Every declared input that differs, as deep as both sides are alike; as a whole where a part of it counts. */
export function changesOf<S extends Shape>(before: Declared<S>, after: Declared<S>): Change[] {
  return Object.entries(after.shape.shape).flatMap(([name, type]) => {
    const { replaces = false, compareBy } = propertyMetadata.get(type) ?? {};
    const counting = ({ values, open }: Declared<S>) =>
      compareBy && !open.has(name) ? compareBy(values[name] as never) : values[name];
    const [was, is] = [before.given[name], after.given[name]];
    const found = [...differences([name], counting(before), counting(after))];
    const whole = compareBy || was === undefined || is === undefined;
    const all = found.length > 0 && whole ? [[[name], kindOf(was, is)] as const] : found;
    const unknown = hasUnknown(is) && { unknown: true };
    return all.map(([path, what]) => ({ ...{ name, replaces, what }, path: pathText(path), ...unknown }));
  });
}

export const kindOf = (before: unknown, after: unknown): Change["what"] =>
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
  const detailed = changes
    .filter(({ path }) => path !== "")
    .map(({ path, what, replaces }): [string, PropertyChange] => [path, replaces ? `${what}-replace` : what]);
  const isReplaced = changes.some(({ replaces }) => replaces);
  return {
    changes: "some",
    detailed: Object.fromEntries(detailed),
    deleteBeforeReplace: deleteBeforeReplace && isReplaced,
  };
}
