import { encode } from "./codec.js";
import { EMPTY, type RequestOf, SERVICE, type Struct } from "./messages.js";
import type { Provider } from "./provider.js";
import {
  type Call,
  type Diff,
  type Failure,
  type Naming,
  PartialFailure,
  type PropertyChange,
  type Resource,
  typeOf,
} from "./resource.js";
import { type Bag, inputSecrets, outputSecrets, type Path, type Secrecy } from "./secrets.js";
import type { CallContext, Session } from "./session.js";
import { BadRequestError, PartialCreation, UnimplementedError, UnknownTokenError } from "./status.js";
import { printable } from "./text.js";
import { hasUnknown, type Values } from "./values.js";
import { Writer } from "./wire.js";

// ---- The plugin ----

const welcome = { always: true };

/** The calls about the plugin itself: what it is, what it can do, how it is configured. */
export function pluginCalls(provider: Provider, session: Session) {
  return {
    handshake: session.method(
      SERVICE.handshake,
      request => {
        session.acceptsSecrets = true;
        session.begin(request.engineAddress);
        // acceptResources and acceptOutputs stay false: the engine then writes a resource as its id, an output as its value.
        return new Writer()
          .bool(1, true)
          .bool(4, provider.autonames === true)
          .finish();
      },
      welcome,
    ),

    getPluginInfo: session.method(
      SERVICE.getPluginInfo,
      () => new Writer().text(1, provider.version).finish(),
      welcome,
    ),

    getSchema: session.method(
      SERVICE.getSchema,
      async request => {
        if (request.version !== 0)
          throw new BadRequestError(`there is no package schema of version ${request.version}, only 0`);
        return new Writer().text(1, await provider.schema()).finish();
      },
      welcome,
    ),

    checkConfig: session.method(SERVICE.checkConfig, (request, context) => {
      const news = context.open(request.news);
      const olds = present(context.open(request.olds));
      const { inputs, failures } = provider.checkConfig(news.values, olds?.values);
      const secrets = inputSecrets(provider.secrecy(typeOf(request.urn)), inputs, news);
      return checkResponse(encode(inputs, { secrets: session.acceptsSecrets ? secrets : [] }), failures, context);
    }),

    diffConfig: session.method(SERVICE.diffConfig, (request, context) => {
      const olds = context.open(request.oldInputs ?? request.olds);
      return configDiffResponse(provider.diffConfig(olds.values, context.open(request.news).values));
    }),

    configure: session.method(SERVICE.configure, async (request, context) => {
      session.acceptsSecrets = request.acceptSecrets;
      const args = context.open(request.args);
      session.keepSecret(args);
      session.configured();
      await provider.configure(request.args ? args.values : fromVariables(request.variables));
      // An engine that shook hands ignores this; one that didn't learns it here. The two must agree: secrets, previews.
      return new Writer()
        .bool(1, true)
        .bool(2, true)
        .bool(5, provider.autonames === true)
        .finish();
    }),

    getMapping: session.method(SERVICE.getMapping, () => EMPTY),
    getMappings: session.method(SERVICE.getMappings, () => EMPTY),

    parameterize: unimplemented(SERVICE.parameterize, "this provider takes no parameters"),
    construct: unimplemented(SERVICE.construct, "this provider has no component resources"),
    call: unimplemented(SERVICE.call, "this provider's resources have no methods"),
  };

  function unimplemented(method: (typeof SERVICE)["call"], why: string) {
    return session.method(method, () => {
      throw new UnimplementedError(why);
    });
  }
}

/** The way of engines from before `args`: `files:config:folder` → `folder`. */
const fromVariables = (variables: ReadonlyMap<string, string>): Values =>
  Object.fromEntries([...variables].map(([key, value]) => [key.slice(key.lastIndexOf(":") + 1), value]));

// ---- Resources and functions ----

/** The calls about resources and functions: protobuf on one side, plain values on the other. */
export function resourceCalls(provider: Provider, session: Session) {
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

    /** For `pulumi do … list`. */
    list: session.method(SERVICE.list, async (request, context) => {
      const resource = known("resource", request.token, provider.resource(request.token));
      if (!resource.list)
        throw new UnimplementedError(`${request.token} can't be listed: the service has no list of them`);
      const query = context.open(request.query).values;
      if (hasUnknown(query)) return [new Writer().bytes(COMPUTED, EMPTY).finish()];
      const page = await resource.list(context.call(""), {
        query,
        limit: smallest(request.limit, request.pageSize),
        token: request.continuationToken,
      });
      const one = (kind: number, content: Writer) => new Writer().bytes(kind, content.finish()).finish();
      const rows = page.found.map(({ id, name }) => one(RESULT, new Writer().text(1, id).text(2, name)));
      return page.next === "" ? rows : [...rows, one(CONTINUATION, new Writer().text(1, page.next))];
    }),

    invoke: session.method(SERVICE.invoke, async (request, context) => {
      const fn = known("function", request.token, provider.fn(request.token));
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
    return { resource: known("resource", token, provider.resource(token)), secrecy: provider.secrecy(token) };
  }

  function known<T>(kind: "resource" | "function", token: string, found: T | undefined): T {
    if (found === undefined) throw new UnknownTokenError(provider.name, kind, token, provider.tokens?.[`${kind}s`]);
    return found;
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
const present = (bag: Bag): Bag | undefined => (Object.keys(bag.values).length > 0 ? bag : undefined);

const checkResponse = (inputs: Struct, failures: readonly Failure[], context: CallContext): Buffer =>
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

// ---- Diff ----

/** `PropertyDiff.Kind` */
const KINDS: Readonly<Record<PropertyChange, number>> = {
  add: 0,
  "add-replace": 1,
  delete: 2,
  "delete-replace": 3,
  update: 4,
  "update-replace": 5,
};

/** `DiffResponse.DiffChanges` */
const CHANGES = { none: 1, some: 2 };

/** `diffs` and `replaces` are read off the detailed paths, so they can't contradict them. */
export function diffResponse(diff: Diff): Buffer {
  const writer = new Writer();
  if (diff.changes === "none") return writer.integer(4, CHANGES.none).bool(7, true).finish();
  const changed = Object.entries(diff.detailed);
  const replacing = changed.filter(([, change]) => change.endsWith("-replace"));
  for (const name of topLevel(replacing)) writer.text(1, name);
  writer.bool(3, diff.deleteBeforeReplace).integer(4, CHANGES.some);
  for (const name of topLevel(changed)) writer.text(5, name);
  for (const [path, change] of changed) {
    const entry = writer.begin(6);
    const value = writer.text(1, path).begin(2);
    // Our diffs compare inputs with inputs; otherwise the engine would show old outputs beside new inputs.
    writer.integer(1, KINDS[change]).bool(2, true).end(value).end(entry);
  }
  return writer.bool(7, changed.length > 0).finish();
}

/** A change of the configuration that would replace becomes a plain one: it would take every resource along. */
function configDiffResponse(diff: Diff): Buffer {
  const detailed = Object.fromEntries(
    Object.entries(diff.detailed).map(([path, change]) => [path, change.replace("-replace", "") as PropertyChange]),
  );
  return diffResponse({ changes: diff.changes, detailed, deleteBeforeReplace: false });
}

const topLevel = (changes: readonly (readonly [path: string, PropertyChange])[]): string[] => [
  ...new Set(changes.map(([path]) => topLevelName(path))),
];

/** `labels[1].text` → `labels`; `["a.b"].c` → `a.b`. */
function topLevelName(path: string): string {
  const quoted = /^\["((?:[^"\\]|\\.)*)"\]/.exec(path)?.[1];
  if (quoted !== undefined) return quoted.replace(/\\(.)/g, "$1");
  return /^[^.[]*/.exec(path)?.[0] || path;
}

// ---- List ----

/** `ListResponse`: one of the three. */
const COMPUTED = 1;
const RESULT = 2;
const CONTINUATION = 3;

/** Below 1 neither the limit nor the page size means anything. */
const smallest = (...limits: readonly number[]): number => {
  const meant = limits.filter(limit => limit > 0);
  return meant.length === 0 ? 0 : Math.min(...meant);
};
