import { setFlagsFromString } from "node:v8";

const FLAGS = [
  // By default the heap may grow to four times what is in use before it is collected.
  "--heap-growing-percent=60",
  // The HTTP parser is WebAssembly. V8 would compile it again, optimized, after a few requests: that takes 20 MB.
  "--no-wasm-tier-up",
  "--no-wasm-dynamic-tiering",
];

/**
 * Uploads go through many short-lived buffers: keeps what they leave behind small. On the command line the same flags make
 * V8 refuse the compiled code that Node brings along, and the start takes a third longer.
 */
export function keepHeapSmall(): void {
  for (const flag of FLAGS) setFlagsFromString(flag);
}
