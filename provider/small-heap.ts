import { setFlagsFromString } from "node:v8";

const FLAGS = [
  // The HTTP parser is WebAssembly. V8 would compile it again, optimized, after a few requests: that takes 20 MB.
  "--no-wasm-tier-up",
  "--no-wasm-dynamic-tiering",
];

/**
 * Uploads go through many short-lived buffers: keeps what they leave behind small. On the command line the same flags make
 * V8 refuse the compiled code that Node brings along, and the start takes a third longer.
 */
export function keepHeapSmall(env: Readonly<Record<string, string | undefined>> = {}): void {
  // By default the heap may grow to four times what is in use before it is collected; a fleet's workers give it more.
  const growth = env["DOCSIGN_FLEET_NURSERY"] === undefined ? 60 : 200;
  for (const flag of [`--heap-growing-percent=${growth}`, ...FLAGS]) setFlagsFromString(flag);
}
