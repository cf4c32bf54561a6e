// npm run bench: this provider beside its peers. `npm run bench -- --help` says what can be chosen.
import { CONTENDERS } from "./bench/contenders.mjs";
import { MANY } from "./bench/many.mjs";
import { readOptions } from "./bench/options.mjs";
import { argumentOf, matrix } from "./bench/workload.mjs";
import { ready, root } from "./setup.mjs";

const options = read();
if (options.list) {
  process.stdout.write(listText());
  process.exit(0);
}
const { env, engine, node } = options.render
  ? await ready()
  : await ready({ dependencies: true, build: true, engine: "needed" });
const { runBench } = await import("./bench/run.mjs");
await runBench({ options, root, env, engine, node });

function read() {
  try {
    return readOptions(process.argv.slice(2), [...CONTENDERS, ...MANY]);
  } catch (error) {
    process.stderr.write(`bench: ${error.message}\n`);
    return process.exit(2);
  }
}

function listText() {
  const contenders = [...CONTENDERS, ...MANY].map(({ key, title }) => `  ${key.padEnd(17)}${title}`);
  const cells = matrix().map(cell => `  ${argumentOf(cell)}`);
  return ["contenders:", ...contenders, "cells:", ...cells, ""].join("\n");
}
