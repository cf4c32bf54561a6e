// What a person sees while it runs: one line for each thing done, with the time since the start.
import { elapsed } from "../setup/progress.mjs";

const started = Date.now();

export function tell(text) {
  process.stderr.write(`bench: ${elapsed(Date.now() - started).padStart(6)}  ${text}\n`);
}

export const seconds = value => `${value < 10 ? value.toFixed(2) : value.toFixed(1)} s`;
