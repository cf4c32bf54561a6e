import { readFileSync } from "node:fs";
import { join } from "node:path";
import { getAsset, isSea } from "node:sea";
import type { Provider } from "../kit/provider.js";
import { engineAddressIn, serve } from "../kit/serve.js";
import { cliHelp } from "./cli-help.js";
import { manner } from "./manner.js";
import { keepHeapSmall } from "./small-heap.js";

declare const DOCSIGN_VERSION: string;

const version = DOCSIGN_VERSION;
const argv = process.argv.slice(2);

const engine = engineAddressIn(argv);

const { answer, hint } = cliHelp(argv, { version, engine, terminal: Boolean(process.stdout.isTTY) });

if (answer === undefined) {
  if (hint !== undefined) process.stderr.write(hint);
  start();
} else process.stdout.write(answer);

function start(): void {
  const schema = () =>
    isSea() ? getAsset("schema.json", "utf8") : readFileSync(join(__dirname, "..", "schema.json"), "utf8");
  const provider = lazily({ ...manner, version, schema }, async () => {
    const { openProvider } = await import("./provider.js");
    return openProvider({ env: process.env, version, engine, pid: process.pid, schema });
  });
  keepHeapSmall(process.env);
  void serve(provider, { argv });
}

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
    begin: () => loaded?.begin?.(),
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
