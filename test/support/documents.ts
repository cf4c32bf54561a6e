import type { Context } from "../../provider/resources/context.js";
import { Documents, serveDocument } from "../../provider/resources/document/document.js";
import type { Call, Resource } from "../../provider/resources/resource.js";

type Args<Name extends "diff" | "delete", Left extends string> = Omit<Parameters<Resource[Name]>[1], Left>;

/** Document as both front ends have it. */
export function documentsIn(context: Context) {
  const resource = serveDocument(new Documents(context));
  return {
    ...resource,
    diff: (call: Call, args: Args<"diff", "ignoreChanges">) => resource.diff(call, { ignoreChanges: [], ...args }),
    delete: (call: Call, args: Args<"delete", "inputs">) => resource.delete(call, { inputs: {}, ...args }),
  };
}
