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
    return Object.values(outputs?.["documentIds"] ?? {}).map(String);
  });
}
