import { encode } from "./codec.js";
import { checkResponse, configDiffResponse, present } from "./lifecycle.js";
import { EMPTY, SERVICE } from "./messages.js";
import type { Provider } from "./provider.js";
import { typeOf } from "./resource.js";
import { inputSecrets } from "./secrets.js";
import type { Session } from "./session.js";
import { BadRequestError, UnimplementedError } from "./status.js";
import type { Values } from "./values.js";
import { Writer } from "./wire.js";

const welcome = { always: true };

/** The calls about the plugin itself: what it is, what it can do, how it is configured. */
export function configuration(provider: Provider, session: Session) {
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
