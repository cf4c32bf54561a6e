/** What this reads of `pulumi stack export`. */
interface Exported {
  readonly deployment?: {
    readonly resources?: readonly {
      readonly type?: string;
      readonly id?: string;
      readonly outputs?: Record<string, unknown>;
    }[];
  };
}

const DOCUMENT = /^(docsign:index:|pulumi-nodejs:dynamic\/docsign:)Document$/;
const SET = /^(docsign:index:|pulumi-nodejs:dynamic\/docsign:)DocumentSet$/;

/** Ids of the documents that a stack's state holds, from what `pulumi stack export` prints. */
export function documentsIn(exported: string): string[] {
  const { deployment } = JSON.parse(exported) as Exported;
  return (deployment?.resources ?? []).flatMap(({ type = "", id, outputs }) => {
    if (DOCUMENT.test(type) && id !== undefined) return [id];
    if (!SET.test(type)) return [];
    const ids = outputs?.["documentIds"];
    return Array.isArray(ids) ? ids.map(String) : Object.values((ids ?? {}) as object).map(String);
  });
}
