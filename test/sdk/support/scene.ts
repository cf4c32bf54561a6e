import { type IndependentServiceOptions, startIndependentService } from "../../support/independent-service/index.js";
import { startMachine } from "../../support/machine.js";
import { startHost } from "./host.js";

export const pdf = (text: string): string => Buffer.from(`%PDF-1.4\n${text}\n%%EOF\n`).toString("base64");
export const asset = (text: string) => ({
  "4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17",
  text: `%PDF-1.4\n${text}\n%%EOF\n`,
});
export const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

export const nda = (more: object = {}) => ({
  name: "NDA",
  invitations: [
    { email: "ana@example.com", name: "Ana", message: "please", allowedSignatureTypes: "advanced", stage: 1 },
    { email: "bob@example.org" },
  ],
  base64File: pdf("one"),
  ...more,
});

/** A service, and the deployments of one machine. */
export async function open(options: IndependentServiceOptions = {}, more: { folderPlacement?: string } = {}) {
  const service = await startIndependentService(options);
  const machine = startMachine();
  const settings = { baseUrl: service.url, apiKey: service.apiKey, ...more };
  const runs: AsyncDisposable[] = [];
  const others: Disposable[] = [];
  return {
    service,
    /** A deployment on this machine, after the ones before it have ended in order. */
    host() {
      const run = machine.run(settings);
      runs.push(run);
      return { ...startHost(run), end: () => run.end() };
    },
    /** A deployment where nothing is remembered of the ones before. */
    anotherMachine() {
      const other = startMachine();
      others.push(other);
      const run = other.run(settings);
      runs.push(run);
      return startHost(run);
    },
    posts: () => service.ledger.requests("createDocument").length,
    async [Symbol.asyncDispose]() {
      for (const run of runs) await run[Symbol.asyncDispose]();
      for (const each of [machine, ...others]) each[Symbol.dispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}
