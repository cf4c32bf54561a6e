import { z } from "zod";
import type { RequestOptions, Service } from "../client/service.js";
import type { Context } from "../resources/context.js";
import type { Call, Failure, ProviderFunction } from "../resources/resource.js";
import { problemsOf } from "../schema/check.js";
import { type FunctionDeclaration, property, type Shape } from "../schema/property.js";
import { idInput } from "../schema/types.js";
import { hasUnknown, type Values } from "../schema/values.js";

export { idText, type Place, placeArguments, placeFrom } from "../resources/document/declaration.js";

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

interface Declared<I extends Shape, O extends Shape> extends FunctionDeclaration {
  readonly inputs: I;
  readonly outputs: O;
}

/** How a function answers arguments that are all right. Nothing here writes to the service. */
interface Reading<I extends Shape, O extends Shape> {
  /** What is wrong between arguments that are each right by themselves. */
  contradictions?(args: z.infer<I>, call: Call): Failure[];
  answer(service: Service, args: z.infer<I>, ask: RequestOptions): Promise<z.infer<O>>;
}

/** Puts a function together: every wrong argument at once, and the service asked only when there is none. */
export function readFunction<I extends Shape, O extends Shape>(
  declaration: Declared<I, O>,
  { contradictions = () => [], answer }: Reading<I, O>,
): { declaration: FunctionDeclaration; serve(context: Context): ProviderFunction } {
  const { token, inputs } = declaration;
  const serve = (context: Context): ProviderFunction => ({
    token,
    async invoke(call, given) {
      const values = withoutNulls(given);
      const failures: Failure[] = [...unknownsIn(values), ...problemsOf(inputs, values, { secrets: call.secrets })];
      if (failures.length > 0) return { failures };
      const args = inputs.parse(values) as z.infer<I>;
      const contradicting = contradictions(args, call);
      if (contradicting.length > 0) return { failures: contradicting };
      return { result: (await answer(context.service(), args, { signal: call.signal })) as Values };
    },
  });
  return { declaration, serve };
}

const withoutNulls = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));

const unknownsIn = (values: Values): Failure[] =>
  Object.entries(values)
    .filter(([, value]) => hasUnknown(value))
    .map(([property]) => ({ property, reason: `${property}: isn't known yet, so the service can't be asked` }));
