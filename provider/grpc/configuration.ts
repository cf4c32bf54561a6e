import { plugin, type Rpc, rpc } from "../engine/proto.js";
import { inputSecrets } from "../engine/secrets.js";
import { BadRequestError, UnimplementedError } from "../engine/status.js";
import { typeOf } from "../resources/urn.js";
import type { Values } from "../schema/values.js";
import { encode } from "./codec.js";
import { configDiffResponse } from "./diff.js";
import { checkResponse, present } from "./lifecycle.js";
import type { Provider } from "./provider.js";
import type { Session } from "./session.js";

const welcome = { always: true };

/** The calls about the plugin itself: what it is, what it can do, how it is configured. */
export function configuration(provider: Provider, session: Session) {
  return {
    handshake: session.unary((request: Rpc.ProviderHandshakeRequest) => {
      session.acceptsSecrets = true;
      session.begin(request.getEngineAddress());
      // acceptResources and acceptOutputs stay false: the engine then writes a resource as its id, an output as its value.
      return new rpc.ProviderHandshakeResponse().setAcceptSecrets(true);
    }, welcome),

    getPluginInfo: session.unary(() => new plugin.PluginInfo().setVersion(provider.version), welcome),

    getSchema: session.unary(async (request: Rpc.GetSchemaRequest) => {
      if (request.getVersion() !== 0)
        throw new BadRequestError(`there is no package schema of version ${request.getVersion()}, only 0`);
      return new rpc.GetSchemaResponse().setSchema(await provider.schema());
    }, welcome),

    checkConfig: session.unary((request: Rpc.CheckRequest, context) => {
      const news = context.open(request.getNews());
      const olds = present(context.open(request.getOlds()));
      const { inputs, failures } = provider.checkConfig(news.values, olds?.values);
      const secrets = inputSecrets(provider.secrecy(typeOf(request.getUrn())), inputs, news);
      return checkResponse(encode(inputs, { secrets: session.acceptsSecrets ? secrets : [] }), failures, context);
    }),

    diffConfig: session.unary((request: Rpc.DiffRequest, context) => {
      const olds = context.open(request.hasOldInputs() ? request.getOldInputs() : request.getOlds());
      return configDiffResponse(provider.diffConfig(olds.values, context.open(request.getNews()).values));
    }),

    configure: session.unary(async (request: Rpc.ConfigureRequest, context) => {
      session.acceptsSecrets = request.getAcceptsecrets();
      const args = context.open(request.getArgs());
      session.keepSecret(args);
      await provider.configure(request.hasArgs() ? args.values : fromVariables(request));
      // An engine that shook hands ignores this; one that didn't learns it here. The two must agree.
      return new rpc.ConfigureResponse().setAcceptsecrets(true).setSupportspreview(true);
    }),

    getMapping: session.unary(() => new rpc.GetMappingResponse()),
    getMappings: session.unary(() => new rpc.GetMappingsResponse()),

    parameterize: unimplemented("this provider takes no parameters"),
    construct: unimplemented("this provider has no component resources"),
    call: unimplemented("this provider's resources have no methods"),
  };

  function unimplemented(why: string) {
    return session.unary(() => {
      throw new UnimplementedError(why);
    });
  }
}

/** The way of engines from before `args`: `docsign:config:baseUrl` → `baseUrl`. */
function fromVariables(request: Rpc.ConfigureRequest): Values {
  const values: Values = {};
  request.getVariablesMap().forEach((value, key) => {
    values[key.slice(key.lastIndexOf(":") + 1)] = value;
  });
  return values;
}
