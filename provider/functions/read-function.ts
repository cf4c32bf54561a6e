import type { z } from "zod";
import type { RequestOptions, Service } from "../client/service.js";
import type { Context } from "../resources/context.js";
import type { Call, Failure, ProviderFunction } from "../resources/resource.js";
import { problemsOf } from "../schema/check.js";
import type { FunctionDeclaration, Shape } from "../schema/property.js";
import { hasUnknown, type Values } from "../schema/values.js";

interface Declared<I extends Shape, O extends Shape> extends FunctionDeclaration {
  readonly inputs: I;
  readonly outputs: O;
}

/** How a function answers arguments that are all right. Nothing here writes to the service. */
export interface Reading<I extends Shape, O extends Shape> {
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
