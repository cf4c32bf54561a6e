import { slotOf } from "./model.js";
import { TYPES } from "./program.js";

interface Resource {
  readonly type: string;
  readonly name: string;
  readonly id: string;
  readonly outputs: Readonly<Record<string, unknown>>;
}

/** Slot → id, by what state has of each resource. */
export function slotsIn(resources: readonly Resource[]): Map<string, string> {
  const held = new Map<string, string>();
  for (const { type, name, id, outputs } of resources) {
    if (type === TYPES.document) held.set(slotOf({ kind: "document", name }), id);
    if (type !== TYPES.set) continue;
    const rows = (outputs["documents"] ?? {}) as Record<string, { documentId: string }>;
    for (const [key, row] of Object.entries(rows)) held.set(`${slotOf({ kind: "set", name })}#${key}`, row.documentId);
  }
  return held;
}

/** The same of folders. */
export const foldersIn = (resources: readonly Resource[]): Map<string, string> =>
  new Map(
    resources.filter(({ type }) => type === TYPES.folder).map(({ name, id }) => [slotOf({ kind: "folder", name }), id]),
  );
