import type { Provider } from "../../../kit/provider.js";
import type { Values } from "../../../kit/values.js";
import { manner } from "../../../provider/manner.js";
import { NO_CHANGE, type ProviderFunction, type Resource } from "../../../provider/resources/resource.js";

export const DOCUMENT = "docsign:index:Document";
export const GET_DOCUMENT = "docsign:index:getDocument";

/** A resource that echoes what it's given, except for what a test gives it to do. */
export const fakeResource = (does: Partial<Resource> = {}): Resource => ({
  token: DOCUMENT,
  check: async (_call, { news }) => ({ inputs: news, failures: [] }),
  diff: async () => NO_CHANGE,
  create: async (call, { inputs }) => ({ id: call.preview ? "" : "42", outputs: inputs }),
  read: async (_call, { id, inputs, outputs }) => ({ id, inputs: inputs ?? {}, outputs: outputs ?? {} }),
  update: async (_call, { news }) => news,
  delete: async () => {},
  ...does,
});

export const fakeFunction = (invoke?: ProviderFunction["invoke"]): ProviderFunction => ({
  token: GET_DOCUMENT,
  invoke: invoke ?? (async (_call, args) => ({ result: args })),
});

export interface Fakes extends Partial<Provider> {
  readonly document?: Partial<Resource>;
  readonly invoke?: ProviderFunction["invoke"];
}

export function fakeProvider({ document, invoke, ...rest }: Fakes = {}): Provider & { configured: Values[] } {
  const resource = fakeResource(document);
  const fn = fakeFunction(invoke);
  const configured: Values[] = [];
  return {
    configured,
    ...manner,
    version: "1.2.3",
    tokens: { resources: [DOCUMENT], functions: [GET_DOCUMENT] },
    schema: () => '{"name":"docsign"}',
    checkConfig: news => ({ inputs: news, failures: [] }),
    diffConfig: () => NO_CHANGE,
    configure: values => void configured.push(values),
    resource: token => (token === DOCUMENT ? resource : undefined),
    fn: token => (token === GET_DOCUMENT ? fn : undefined),
    secrecy: () => ({ secretOutputs: [], derivedFrom: {} }),
    close: async () => {},
    ...rest,
  };
}
