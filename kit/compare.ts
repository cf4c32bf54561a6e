import { pathText } from "./check.js";
import { metadataOf, type Shape } from "./property.js";
import { type Diff, NO_CHANGE, type PropertyChange } from "./resource.js";
import { Asset, isRecord, type Value, type Values } from "./values.js";

/** One difference between the inputs in state and the program's. */
export interface Change {
  /** The top-level property. */
  readonly name: string;
  readonly path: string;
  readonly what: "add" | "delete" | "update";
  readonly replaces: boolean;
}

/** Every declared input that differs, as deep as both sides are alike. */
export function changesOf(shape: Shape, before: Values, after: Values): Change[] {
  return Object.keys(shape.shape).flatMap(name => {
    const replaces = metadataOf(shape, name)?.replaces === true;
    return [...differences([name], before[name], after[name])].map(([path, what]) => ({
      ...{ name, replaces, what },
      path: pathText(path),
    }));
  });
}

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
