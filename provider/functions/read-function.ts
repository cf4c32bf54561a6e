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

type Absent<T> = Extract<T, null | undefined>;

type Present<T> = { [K in keyof T as Absent<T[K]> extends never ? K : never]: T[K] } & {
  [K in keyof T as Absent<T[K]> extends never ? never : K]?: NonNullable<T[K]>;
};

/** A record without what the service leaves out or calls null: an absent output is simply not there. */
export function present<T extends object>(record: T): Present<T> {
  return Object.fromEntries(
    Object.entries(record).filter(([, value]) => value !== null && value !== undefined),
  ) as Present<T>;
}

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
