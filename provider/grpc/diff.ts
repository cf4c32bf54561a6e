import { type Rpc, rpc } from "../engine/proto.js";
import type { Diff, PropertyChange } from "../resources/resource.js";

const { ADD, ADD_REPLACE, DELETE, DELETE_REPLACE, UPDATE, UPDATE_REPLACE } = rpc.PropertyDiff.Kind;
const { DIFF_NONE, DIFF_SOME } = rpc.DiffResponse.DiffChanges;

const KINDS: Readonly<Record<PropertyChange, Rpc.PropertyDiff.Kind>> = {
  add: ADD,
  "add-replace": ADD_REPLACE,
  delete: DELETE,
  "delete-replace": DELETE_REPLACE,
  update: UPDATE,
  "update-replace": UPDATE_REPLACE,
};

/** `diffs` and `replaces` are read off the detailed paths, so they can't contradict them. */
export function diffResponse(diff: Diff): Rpc.DiffResponse {
  const response = new rpc.DiffResponse().setHasdetaileddiff(true);
  if (diff.changes === "none") return response.setChanges(DIFF_NONE);
  const changed = Object.entries(diff.detailed);
  const replacing = changed.filter(([, change]) => change.endsWith("-replace"));
  for (const [path, change] of changed) {
    // Our diffs compare inputs with inputs; otherwise the engine would show old outputs beside new inputs.
    response.getDetaileddiffMap().set(path, new rpc.PropertyDiff().setKind(KINDS[change]).setInputdiff(true));
  }
  return response
    .setChanges(DIFF_SOME)
    .setHasdetaileddiff(changed.length > 0)
    .setDiffsList(topLevel(changed))
    .setReplacesList(topLevel(replacing))
    .setDeletebeforereplace(diff.deleteBeforeReplace);
}

/** A change of the configuration that would replace becomes a plain one: it would take every resource along. */
export function configDiffResponse(diff: Diff): Rpc.DiffResponse {
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
