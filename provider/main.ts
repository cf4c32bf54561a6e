import { readFileSync } from "node:fs";
import { join } from "node:path";
import { byHand } from "./by-hand.js";
import { openHouse } from "./house.js";
import { isAlive } from "./is-alive.js";
import { createProvider } from "./provider.js";
import { engineAddressIn, serve } from "./server/serve.js";
import { statusOf } from "./status-table.js";

declare const DOCSIGN_VERSION: string;

const version = DOCSIGN_VERSION;
const argv = process.argv.slice(2);

const engine = engineAddressIn(argv);

const { answer, hint } = byHand(argv, { version, engine, terminal: Boolean(process.stdout.isTTY) });

if (answer === undefined) {
  if (hint !== undefined) process.stderr.write(hint);
  start();
} else process.stdout.write(answer);

function start(): void {
  const house = openHouse({ env: process.env, version, engine, pid: process.pid, isAlive });
  const provider = createProvider({
    house,
    env: process.env,
    version,
    schema: () => readFileSync(join(__dirname, "..", "schema.json"), "utf8"),
  });
  void serve(provider, { argv, statusOf });
}
