import type { DocumentRecord } from "../entities.js";
import { documentStatus, documentStatuses } from "../rules.js";
import type { Settings } from "../settings.js";

const known: readonly string[] = documentStatuses;

/** What a list shows of the documents that fit, in its order. */
export function listed(documents: readonly DocumentRecord[], settings: Settings): DocumentRecord[] {
  const { listHidesUnknown, listLimit, listRepeats } = settings;
  const shown = documents.filter(one => !listHidesUnknown || known.includes(documentStatus(one, settings)));
  const page = ordered(shown, settings.listOrder).slice(0, listLimit ?? undefined);
  return listRepeats ? page.flatMap(one => [one, one]) : page;
}

function ordered(documents: readonly DocumentRecord[], order: Settings["listOrder"]): DocumentRecord[] {
  if (order === "oldest-first") return [...documents];
  if (order === "newest-first") return documents.toReversed();
  const place = ({ id }: DocumentRecord): number => Math.imul(id, 0x9e3779b1) >>> 0;
  return documents.toSorted((one, other) => place(one) - place(other));
}
