import * as pulumi from "@pulumi/pulumi";
import { dynamicTypeOf, type Kind } from "./door.js";
import { optionsOf, propsOf } from "./inputs.js";

/** What the package's resources have in common. */
export abstract class DocsignResource extends pulumi.CustomResource {
  constructor(
    kind: Kind,
    name: string,
    args: object,
    outputs: readonly string[],
    options: pulumi.CustomResourceOptions,
  ) {
    // Pulumi's SDK notes a stack trace for each of four promises of each property: most of the time that a hundred documents
    // take to construct. One line of it is enough to find an error by, and a tenth of the cost.
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = Math.min(limit, 1);
    try {
      super(dynamicTypeOf(kind), name, propsOf(kind, name, args, outputs, options), optionsOf(kind, options));
    } finally {
      Error.stackTraceLimit = limit;
    }
  }
}

/** Whether this is a resource of that kind, also where the SDK is loaded twice. */
export const isOfKind = (kind: Kind, value: unknown): boolean =>
  pulumi.CustomResource.isInstance(value) && (value as { __pulumiType?: string }).__pulumiType === dynamicTypeOf(kind);
