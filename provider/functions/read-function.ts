import type { z } from "zod";
import { type DefinedFunction, defineFunction, type FunctionDefinition } from "../../kit/define.js";
import { property, type Shape } from "../../kit/property.js";
import { DOCUMENT_STATUSES } from "../client/bodies.js";
import type { RequestOptions, Service } from "../client/service.js";
import type { Context } from "../resources/context.js";
import { idInput, oneOf } from "../schema/types.js";

export const documentIdArgument = property(idInput("a document's id"), { description: "Id of the document." });

export const statusArgument = property(oneOf(DOCUMENT_STATUSES).optional(), {
  description: "Only documents in this status. Left out, those in any.",
  typeName: "DocumentStatus",
});

/** A function of the kit's that asks the service. Nothing here writes to it. */
export const readFunction = <I extends Shape, O extends Shape>({
  read,
  ...definition
}: Omit<FunctionDefinition<I, O, Shape, Context>, "answer"> & {
  /** What arguments that are all right are answered with. */
  read(service: Service, args: z.infer<I>, options: RequestOptions): Promise<z.infer<O>>;
}): DefinedFunction<Context> =>
  defineFunction<I, O, Shape, Context>({
    ...definition,
    answer: ({ inputs, context, call }) => read(context.service(), inputs, { signal: call.signal }),
  });
