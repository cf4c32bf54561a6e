import type { Provider } from "../kit/provider.js";

/**
 * A provider that is loaded at the first call that needs it: the engine asks who is there first, and waits for the answer.
 */
export function lazily(
  known: Pick<Provider, "name" | "version" | "schema" | "statusOf" | "keptWhole" | "facts">,
  load: () => Promise<Provider>,
): Provider {
  let loading: Promise<void> | undefined;
  let loaded: Provider | undefined;
  const whole = (): Provider => {
    if (!loaded) throw new Error("a call came before the provider was ready");
    return loaded;
  };
  return {
    ...known,
    ready: () =>
      (loading ??= load().then(provider => {
        loaded = provider;
      })),
    get tokens() {
      return whole().tokens ?? { resources: [], functions: [] };
    },
    checkConfig: (news, olds) => whole().checkConfig(news, olds),
    diffConfig: (olds, news) => whole().diffConfig(olds, news),
    configure: values => whole().configure(values),
    resource: token => whole().resource(token),
    fn: token => whole().fn(token),
    secrecy: token => whole().secrecy(token),
    close: async () => loaded?.close(),
  };
}
