import { encode } from "./codec.js";
import { diffResponse } from "./diff.js";
import { EMPTY, type RequestOf, SERVICE, type Struct } from "./messages.js";
import type { Provider } from "./provider.js";
import {
  type Call,
  type Failure,
  type Naming,
  PartialFailure,
  type ProviderFunction,
  type Resource,
} from "./resource.js";
import type { Bag, Path, Secrecy } from "./secrets.js";
import { inputSecrets, outputSecrets } from "./secrets.js";
import type { CallContext, Session } from "./session.js";
import { PartialCreation, UnknownTokenError } from "./status.js";
import { printable } from "./text.js";
import { typeOf } from "./urn.js";
import type { Values } from "./values.js";
import { Writer } from "./wire.js";

/** The calls about resources and functions: protobuf on one side, plain values on the other. */
export function lifecycle(provider: Provider, session: Session) {
  return {
    check: session.method(SERVICE.check, async (request, context) => {
      const { resource, secrecy } = find(request.urn);
      const news = context.open(request.news);
      const olds = present(context.open(request.olds));
      const call = context.call(request.urn);
      const { inputs, failures } = await resource.check(call, {
        olds: olds?.values,
        news: news.values,
        naming: namingIn(request),
      });
      return checkResponse(toStruct(inputs, inputSecrets(secrecy, inputs, news)), failures, context);
    }),

    diff: session.method(SERVICE.diff, async (request, context) => {
      const { resource } = find(request.urn);
      const diff = await resource.diff(context.call(request.urn), {
        id: request.id,
        olds: context.open(request.olds).values,
        oldInputs: context.open(request.oldInputs).values,
        news: context.open(request.news).values,
        ignoreChanges: request.ignoreChanges,
      });
      return diffResponse(diff);
    }),

    create: session.method(SERVICE.create, async (request, context) => {
      const { resource, secrecy } = find(request.urn);
      const inputs = context.open(request.properties);
      const call = callOf(request, context);
      const outputs = (values: Values) => toStruct(values, outputSecrets(secrecy, values, inputs), call.preview);
      return partial({ secrecy, inputs, outputs }, async () => {
        const created = await resource.create(call, { inputs: inputs.values });
        return new Writer().text(1, created.id).bytes(2, outputs(created.outputs)).finish();
      });
    }),

    read: session.method(SERVICE.read, async (request, context) => {
      const { resource, secrecy } = find(request.urn);
      const inputs = context.open(request.inputs);
      const before = context.open(request.properties);
      const outputs = (values: Values) => toStruct(values, outputSecrets(secrecy, values, inputs, before), false);
      return partial({ secrecy, inputs, outputs }, async () => {
        const read = await resource.read(context.call(request.urn, { timeoutSeconds: request.timeout }), {
          id: request.id,
          inputs: present(inputs)?.values,
          outputs: present(before)?.values,
        });
        if (read.id === "") return EMPTY;
        return new Writer()
          .text(1, read.id)
          .bytes(2, outputs(read.outputs))
          .bytes(3, toStruct(read.inputs, inputSecrets(secrecy, read.inputs, inputs), false))
          .finish();
      });
    }),

    update: session.method(SERVICE.update, async (request, context) => {
      const { resource, secrecy } = find(request.urn);
      const news = context.open(request.news);
      const call = callOf(request, context);
      const outputs = (values: Values) => toStruct(values, outputSecrets(secrecy, values, news), call.preview);
      return partial({ secrecy, inputs: news, outputs }, async () => {
        const updated = await resource.update(call, {
          id: request.id,
          olds: context.open(request.olds).values,
          oldInputs: context.open(request.oldInputs).values,
          news: news.values,
        });
        return new Writer().bytes(1, outputs(updated)).finish();
      });
    }),

    delete: session.method(SERVICE.delete, async (request, context) => {
      const { resource } = find(request.urn);
      await resource.delete(context.call(request.urn, { timeoutSeconds: request.timeout }), {
        id: request.id,
        outputs: context.open(request.properties).values,
        inputs: context.open(request.oldInputs).values,
      });
      return EMPTY;
    }),

    invoke: session.method(SERVICE.invoke, async (request, context) => {
      const fn = findFunction(request.token);
      const args = context.open(request.args);
      const answer = await fn.invoke(context.call("", { preview: request.preview }), args.values);
      if ("failures" in answer) return writeFailures(new Writer(), answer.failures, context).finish();
      // As the engine does for providers that don't accept secrets: one secret argument makes all of the result secret.
      const names = args.secrets.length > 0 ? Object.keys(answer.result) : provider.secrecy(fn.token).secretOutputs;
      const secrets = names.map(name => [name]);
      return new Writer().bytes(1, toStruct(answer.result, secrets, false)).finish();
    }),
  };

  function find(urn: string): { resource: Resource; secrecy: Secrecy } {
    const token = typeOf(urn);
    const resource = provider.resource(token);
    if (!resource) throw new UnknownTokenError(provider.name, "resource", token, provider.tokens?.resources);
    return { resource, secrecy: provider.secrecy(token) };
  }

  function findFunction(token: string): ProviderFunction {
    const fn = provider.fn(token);
    if (!fn) throw new UnknownTokenError(provider.name, "function", token, provider.tokens?.functions);
    return fn;
  }

  function toStruct(values: Values, secrets: readonly Path[], unknowns = true): Struct {
    const options = { secrets: session.acceptsSecrets ? secrets : [], unknowns: unknowns ? "keep" : "omit" } as const;
    return encode(values, options);
  }

  /** Puts the values of a PartialFailure as protobuf, with their secrets. */
  async function partial<T>(
    { secrecy, inputs, outputs }: { secrecy: Secrecy; inputs: Bag; outputs: (values: Values) => Struct },
    work: () => Promise<T>,
  ): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PartialFailure)) throw error;
      const given = toStruct(error.inputs, inputSecrets(secrecy, error.inputs, inputs), false);
      throw new PartialCreation(error, outputs(error.outputs), given);
    }
  }
}

/**
 * The engine sends an empty struct for none, also on a first Check and on the one without old inputs that comes
 * before every replacement (provider_plugin.go: "unconditionally forcing this to empty instead of nil").
 * On `get` and import, Read's inputs and properties are empty or absent.
 */
export const present = (bag: Bag): Bag | undefined => (Object.keys(bag.values).length > 0 ? bag : undefined);

export const checkResponse = (inputs: Struct, failures: readonly Failure[], context: CallContext): Buffer =>
  writeFailures(new Writer().bytes(1, inputs), failures.map(namedOnce), context).finish();

/** The engine prints a property's path and value before the reason (`<nil>` for a nested one). */
const namedOnce = (failure: Failure): Failure => (failure.saysProperty ? { ...failure, property: "" } : failure);

/** Checks and functions answer with them in the same field. */
function writeFailures(writer: Writer, failures: readonly Failure[], context: CallContext): Writer {
  for (const { property, reason } of failures) {
    const start = writer.begin(2);
    writer
      .text(1, property)
      .text(2, printable(context.redact(reason)))
      .end(start);
  }
  return writer;
}

/** `AutonamingOptions.Mode`: the engine proposes a name, insists on it, or wants none made. */
const DISABLED = 2;

const namingIn = ({ randomSeed, autonaming }: RequestOf<"check">): Naming => ({
  seed: randomSeed,
  proposed: autonaming.proposed,
  disabled: autonaming.mode === DISABLED,
});

const callOf = (request: RequestOf<"create"> | RequestOf<"update">, context: CallContext): Call =>
  context.call(request.urn, { preview: request.preview, timeoutSeconds: request.timeout });
