import type { Diff, PropertyChange } from "./resource.js";
import { Writer } from "./wire.js";

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

/** `labels[1].text` → `labels`; `["a.b"].c` → `a.b`. */
export function topLevelName(path: string): string {
  const quoted = /^\["((?:[^"\\]|\\.)*)"\]/.exec(path)?.[1];
  if (quoted !== undefined) return quoted.replace(/\\(.)/g, "$1");
  return /^[^.[]*/.exec(path)?.[0] || path;
}
