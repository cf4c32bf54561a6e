import { kindOf } from "../provider/schema/facts.js";

/** What this reads of `pulumi stack export`. */
interface StackExport {
  readonly deployment?: {
    readonly resources?: readonly {
      readonly type?: string;
      readonly id?: string;
      readonly outputs?: Record<string, unknown>;
    }[];
  };
}

/** Ids of the documents that a stack's state holds, from what `pulumi stack export` prints. */
export function documentsIn(exported: string): string[] {
  const { deployment } = JSON.parse(exported) as StackExport;
  return (deployment?.resources ?? []).flatMap(({ type = "", id, outputs }) => {
    const kind = kindOf(type);
    if (kind === "Document" && id !== undefined) return [id];
    if (kind !== "DocumentSet") return [];
    const ids = outputs?.["documentIds"];
    return Array.isArray(ids) ? ids.map(String) : Object.values((ids ?? {}) as object).map(String);
  });
}

/** The next deadline that a gate sets for a document, in milliseconds, by the document's id. */
export function deadlinesIn(exported: string): Map<string, number> {
  const { deployment } = JSON.parse(exported) as StackExport;
  const next = new Map<string, number>();
  for (const { type = "", outputs = {} } of deployment?.resources ?? []) {
    const { documentId, deadlineAt } = outputs;
    const at = typeof deadlineAt === "string" ? Date.parse(deadlineAt) : Number.NaN;
    if (kindOf(type) !== "SignatureGate" || typeof documentId !== "string" || Number.isNaN(at)) continue;
    next.set(documentId, Math.min(at, next.get(documentId) ?? at));
  }
  return next;
}
