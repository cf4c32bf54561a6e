import { printable } from "../core/text.js";
import { Empty, type Rpc, rpc, type StructMessage } from "../engine/proto.js";
import type { Bag, Path, Secrecy } from "../engine/secrets.js";
import { inputSecrets, outputSecrets } from "../engine/secrets.js";
import { PartialCreation, UnknownTokenError } from "../engine/status.js";
import type { Failure } from "../resources/resource.js";
import { type Call, PartialFailure, type ProviderFunction, type Resource, UserError } from "../resources/resource.js";
import { updateRefusal } from "../resources/update-refusal.js";
import { typeOf } from "../resources/urn.js";
import type { Values } from "../schema/values.js";
import { encode } from "./codec.js";
import { diffResponse } from "./diff.js";
import type { Provider } from "./provider.js";
import type { CallContext, Session } from "./session.js";

/** The calls about resources and functions: protobuf on one side, plain values on the other. */
export function lifecycle(provider: Provider, session: Session) {
  return {
    check: session.unary(async (request: Rpc.CheckRequest, context) => {
      const { resource, secrecy } = find(request.getUrn());
      const news = context.open(request.getNews());
      const olds = present(context.open(request.getOlds()));
      const call = context.call(request.getUrn());
      const { inputs, failures } = await resource.check(call, { olds: olds?.values, news: news.values });
      return checkResponse(toStruct(inputs, inputSecrets(secrecy, inputs, news)), failures, context);
    }),

    diff: session.unary(async (request: Rpc.DiffRequest, context) => {
      const { resource } = find(request.getUrn());
      const diff = await resource.diff(context.call(request.getUrn()), {
        id: request.getId(),
        olds: context.open(request.getOlds()).values,
        oldInputs: context.open(request.getOldInputs()).values,
        news: context.open(request.getNews()).values,
        ignoreChanges: request.getIgnorechangesList(),
      });
      return diffResponse(diff);
    }),

    create: session.unary(async (request: Rpc.CreateRequest, context) => {
      const { resource, secrecy } = find(request.getUrn());
      const inputs = context.open(request.getProperties());
      const call = callOf(request, context);
      const outputs = (values: Values) => toStruct(values, outputSecrets(secrecy, values, inputs), call.preview);
      return partial({ secrecy, inputs, outputs }, async () => {
        const created = await resource.create(call, { inputs: inputs.values });
        return new rpc.CreateResponse().setId(created.id).setProperties(outputs(created.outputs));
      });
    }),

    read: session.unary(async (request: Rpc.ReadRequest, context) => {
      const { resource, secrecy } = find(request.getUrn());
      const inputs = context.open(request.getInputs());
      const before = context.open(request.getProperties());
      const outputs = (values: Values) => toStruct(values, outputSecrets(secrecy, values, inputs, before), false);
      return partial({ secrecy, inputs, outputs }, async () => {
        const read = await resource.read(context.call(request.getUrn(), { timeoutSeconds: request.getTimeout() }), {
          id: request.getId(),
          inputs: present(inputs)?.values,
          outputs: present(before)?.values,
        });
        if (read.id === "") return new rpc.ReadResponse();
        return new rpc.ReadResponse()
          .setId(read.id)
          .setInputs(toStruct(read.inputs, inputSecrets(secrecy, read.inputs, inputs), false))
          .setProperties(outputs(read.outputs));
      });
    }),

    update: session.unary(async (request: Rpc.UpdateRequest, context) => {
      const { resource, secrecy } = find(request.getUrn());
      const news = context.open(request.getNews());
      const call = callOf(request, context);
      const outputs = (values: Values) => toStruct(values, outputSecrets(secrecy, values, news), call.preview);
      return partial({ secrecy, inputs: news, outputs }, async () => {
        const args = {
          id: request.getId(),
          olds: context.open(request.getOlds()).values,
          oldInputs: context.open(request.getOldInputs()).values,
          news: news.values,
        };
        const refusal = updateRefusal(resource.token, args);
        if (refusal !== undefined && !(await resource.isUnchanged?.(call, args))) throw new UserError(refusal);
        const updated = await resource.update(call, args);
        return new rpc.UpdateResponse().setProperties(outputs(updated));
      });
    }),

    delete: session.unary(async (request: Rpc.DeleteRequest, context) => {
      const { resource } = find(request.getUrn());
      await resource.delete(context.call(request.getUrn(), { timeoutSeconds: request.getTimeout() }), {
        id: request.getId(),
        outputs: context.open(request.getProperties()).values,
        inputs: context.open(request.getOldInputs()).values,
      });
      return new Empty();
    }),

    invoke: session.unary(async (request: Rpc.InvokeRequest, context) => {
      const fn = findFunction(request.getTok());
      const args = context.open(request.getArgs());
      const answer = await fn.invoke(context.call("", { preview: request.getPreview() }), args.values);
      if ("failures" in answer) return new rpc.InvokeResponse().setFailuresList(failureList(answer.failures, context));
      // As the engine does for providers that don't accept secrets: one secret argument makes all of the result secret.
      const names = args.secrets.length > 0 ? Object.keys(answer.result) : provider.secrecy(fn.token).secretOutputs;
      return new rpc.InvokeResponse().setReturn(
        toStruct(
          answer.result,
          names.map(name => [name]),
          false,
        ),
      );
    }),
  };

  function find(urn: string): { resource: Resource; secrecy: Secrecy } {
    const token = typeOf(urn);
    const resource = provider.resource(token);
    if (!resource) throw new UnknownTokenError("resource", token, provider.tokens?.resources);
    return { resource, secrecy: provider.secrecy(token) };
  }

  function findFunction(token: string): ProviderFunction {
    const fn = provider.fn(token);
    if (!fn) throw new UnknownTokenError("function", token, provider.tokens?.functions);
    return fn;
  }

  function toStruct(values: Values, secrets: readonly Path[], unknowns = true): StructMessage {
    const options = { secrets: session.acceptsSecrets ? secrets : [], unknowns: unknowns ? "keep" : "omit" } as const;
    return encode(values, options);
  }

  /** Puts the values of a PartialFailure as protobuf, with their secrets. */
  async function partial<T>(
    { secrecy, inputs, outputs }: { secrecy: Secrecy; inputs: Bag; outputs: (values: Values) => StructMessage },
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

export function checkResponse(
  inputs: StructMessage,
  failures: readonly Failure[],
  context: CallContext,
): Rpc.CheckResponse {
  return new rpc.CheckResponse().setInputs(inputs).setFailuresList(failureList(failures.map(namedOnce), context));
}

/** The engine prints a property's path and value before the reason (`<nil>` for a nested one): most reasons begin with the path. */
const namedOnce = ({ property, reason }: Failure): Failure => ({
  property: reason.startsWith(`${property}:`) ? "" : property,
  reason,
});

const failureList = (failures: readonly Failure[], context: CallContext): Rpc.CheckFailure[] =>
  failures.map(({ property, reason }) =>
    new rpc.CheckFailure().setProperty(property).setReason(printable(context.redact(reason))),
  );

const callOf = (request: Rpc.CreateRequest | Rpc.UpdateRequest, context: CallContext): Call =>
  context.call(request.getUrn(), { preview: request.getPreview(), timeoutSeconds: request.getTimeout() });
