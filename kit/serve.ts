import type { Provider } from "./provider.js";
import { startServer } from "./server.js";

/**
 * Runs the provider as a plugin process: prints the port, serves, and ends with Cancel, with a signal,
 * with its parent or with its engine. Started without an engine's address, for a debugger, it waits for
 * Attach, outlives the deployments and ends with a signal. `argv`: the process's own arguments.
 */
export async function serve(
  provider: Provider,
  { argv = process.argv.slice(2), parentPid = process.ppid }: { argv?: readonly string[]; parentPid?: number } = {},
): Promise<void> {
  const writeOut = claimStdout();
  const stderr = (line: string) => void process.stderr.write(`${line}\n`);
  const engineAddress = engineAddressIn(argv);

  const end = (why: string, exitCode = 0) => {
    process.exitCode ||= exitCode;
    void server.stop(why).finally(() => process.exit());
  };
  const crash = (error: unknown) => {
    stderr(error instanceof Error ? (error.stack ?? error.message) : String(error));
    end("the plugin crashed", 1);
  };

  const onEnd = engineAddress ? (why: string) => end(why) : () => {};
  const server = await startServer(provider, { engineAddress, stderr, onEnd });
  process.on("uncaughtException", crash);
  process.on("unhandledRejection", crash);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => end(`got ${signal}`));
  }
  if (engineAddress) watchParent(parentPid, () => end("the parent process is gone"));
  writeOut(`${server.port}\n`);
}

/**
 * The engine appends its address to its logging flags (buildPluginArguments in its plugin.go), of which
 * `--tracing` has a value of its own.
 */
export function engineAddressIn(argv: readonly string[]): string | undefined {
  return argv.filter((arg, i) => !arg.startsWith("-") && argv[i - 1] !== "--tracing").at(-1);
}

/**
 * The engine takes the first line on stdout for the port and gives the plugin up when it isn't one: from here
 * on whatever others write to stdout goes to stderr, and only the returned function reaches stdout.
 */
function claimStdout(): (text: string) => void {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  // A killed engine leaves broken pipes behind, which must not crash the plugin.
  for (const stream of [stdout, stderr]) stream.on("error", () => {});
  return text => void write(text);
}

const PARENT_POLL_MS = 500;

/** The system doesn't report a parent's death, but gives the orphan another parent. */
function watchParent(pid: number, onGone: () => void): void {
  const timer = setInterval(() => {
    if (process.ppid === pid) return;
    clearInterval(timer);
    onGone();
  }, PARENT_POLL_MS);
  timer.unref();
}
