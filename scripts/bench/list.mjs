import { CONTENDERS } from "./contenders/index.mjs";
import { MANY } from "./many.mjs";
import { matrix, sizeName } from "./workload.mjs";

export function listText() {
  const contenders = [...CONTENDERS, ...MANY].map(({ key, title }) => `  ${key.padEnd(17)}${title}`);
  const cells = matrix().map(({ count, size, latency }) => `  ${count}x${sizeName(size).replace(" ", "")}@${latency}`);
  return ["contenders:", ...contenders, "cells:", ...cells, ""].join("\n");
}
