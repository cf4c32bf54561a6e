import { readFileSync } from "node:fs";
import { join } from "node:path";
import { getAsset, isSea } from "node:sea";
import { cliHelp } from "./cli-help.js";
import { engineAddressIn, serve } from "./grpc/serve.js";
import { lazily } from "./lazy-provider.js";
import { keepHeapSmall } from "./small-heap.js";
import { statusOf } from "./status-table.js";

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
  const provider = lazily({ version, schema }, async () => {
    const { openProvider } = await import("./open-provider.js");
    return openProvider({ env: process.env, version, engine, pid: process.pid, schema });
  });
  keepHeapSmall();
  void serve(provider, { argv, statusOf });
}
