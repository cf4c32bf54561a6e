import { withoutHostCommands } from "../../../kit/text.js";

/** What a command writes to its terminal. Who reads the beginning and goes away, as `head -1` does, isn't a reason to end. */
export function terminal() {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  return {
    out: (text: string) => void process.stdout.write(withoutHostCommands(text)),
    err: (text: string) => void process.stderr.write(withoutHostCommands(text)),
  };
}

export const STOPPING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Aborted by Ctrl-C, and by what else asks a process to end. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of STOPPING) process.on(signal, () => stop.abort());
  return stop.signal;
}
