import { z } from "zod";
import { type DefinedFunction, defineFunction } from "../../kit/define.js";
import { type FunctionDeclaration, property, type Shape } from "../../kit/property.js";
import type { RequestOptions, Service } from "../client/service.js";
import type { Context } from "../resources/context.js";
import type { Call, Failure } from "../resources/resource.js";
import { idInput } from "../schema/types.js";

export { filterArguments, filterFrom } from "../resources/document/declaration.js";

export const documentIdArgument = property(idInput("a document's id"), { description: "Id of the document." });

/** In the order a document goes through them. */
export const STATUSES = ["unsigned", "partially_signed", "signed"] as const;

export const statusArgument = property(
  z.enum(STATUSES, { error: `one of ${STATUSES.map(status => `"${status}"`).join(", ")}` }).optional(),
  { description: "Only documents in this status. Left out, those in any.", typeName: "DocumentStatus" },
);

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

interface TypedDeclaration<I extends Shape, O extends Shape> extends FunctionDeclaration {
  readonly inputs: I;
  readonly outputs: O;
}

/** How a function answers arguments that are all right. Nothing here writes to the service. */
interface ReadFunction<I extends Shape, O extends Shape> {
  /** What is wrong between arguments that are each right by themselves. */
  contradictions?(args: z.infer<I>, call: Call): Failure[];
  read(service: Service, args: z.infer<I>, options: RequestOptions): Promise<z.infer<O>>;
}

/** A function of the kit's that asks the service. */
export const readFunction = <I extends Shape, O extends Shape>(
  declaration: TypedDeclaration<I, O>,
  { contradictions, read }: ReadFunction<I, O>,
): DefinedFunction<Context> =>
  defineFunction<I, O, Shape, Context>({
    ...declaration,
    ...(contradictions ? { contradictions } : {}),
    answer: ({ inputs, context, call }) => read(context.service(), inputs, { signal: call.signal }),
  });
