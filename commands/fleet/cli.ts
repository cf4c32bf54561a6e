import { hostname } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../provider/core/clock.js";
import { isAlive } from "../../provider/processes.js";
import { STOPPING, terminal } from "../cli/flags.js";
import { main } from "./command.js";
import { isJournalKept, workerEnvironment } from "./engine-environment.js";
import { PulumiEngine } from "./pulumi-engine.js";

declare const DOCSIGN_VERSION: string;

const [drain, interrupt] = [new AbortController(), new AbortController()];
for (const signal of STOPPING) {
  process.on(signal, () => {
    if (drain.signal.aborted) interrupt.abort();
    drain.abort();
  });
}

const { env } = process;
const cwd = process.cwd();

void main(process.argv.slice(2), {
  ...terminal(),
  isTerminal: process.stdout.isTTY === true,
  env,
  cwd,
  version: DOCSIGN_VERSION,
  host: hostname(),
  pid: process.pid,
  packagesFrom: [join(cwd, "package.json"), process.argv[1] ?? ""],
  clock: systemClock,
  drain: drain.signal,
  interrupt: interrupt.signal,
  engine: session =>
    new PulumiEngine({
      env: workerEnvironment(env, session),
      secretsProvider: session.plan.file.secretsProvider,
      isJournalKept: own => isJournalKept(own, session),
      clock: systemClock,
      host: hostname(),
      isAlive,
    }),
}).then(code => {
  // The job engine keeps timers that nobody waits for.
  process.exit(code);
});
