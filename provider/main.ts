import { readFileSync } from "node:fs";
import { join } from "node:path";
import { getAsset, isSea } from "node:sea";
import { engineAddressIn, serve } from "../kit/serve.js";
import { cliHelp } from "./cli-help.js";
import { lazily } from "./lazy-provider.js";
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
  keepHeapSmall();
  void serve(provider, { argv });
}
