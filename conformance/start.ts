/** Starts what is judged: a program, a folder with a PulumiPlugin.yaml, or a port where it listens already. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { Server, ServerCredentials, type sendUnaryData } from "@grpc/grpc-js";
import { type Fixture, filled, UsageError } from "./fixture.js";
import { Empty, EngineService, PublishViewStepsResponse, ResourceStatusService } from "./messages.js";

/** How long a program may take until it answers at all. */
const START_MS = 120_000;

export interface Started {
  readonly port: number;
  /** Undefined where it was running before. */
  readonly child: ChildProcess | undefined;
  /** What it wrote to stdout behind the port, and to stderr. */
  readonly extraOutput: string[];
  readonly errors: string[];
  readonly ended: Promise<void>;
  kill(signal: "SIGKILL" | "SIGTERM"): Promise<void>;
}

export type Target = { readonly command: readonly string[] } | { readonly port: number };

/** From a word of the command line: a port, a folder, or a program. */
export function targetOf(words: readonly string[]): Target {
  const [first = "", ...rest] = words;
  if (/^\d+$/.test(first) && rest.length === 0) return { port: Number(first) };
  if (!existsSync(first)) {
    if (first.includes("/"))
      throw new UsageError(`expected a provider's program, folder or port, got ${first}: no such file`);
    return { command: words };
  }
  if (!statSync(first).isDirectory()) return { command: [resolve(first), ...rest] };
  return { command: runPlugin(resolve(first)) };
}

/** What the language host runs for a plugin that is started from its sources. */
function runPlugin(folder: string): string[] {
  const file = join(folder, "PulumiPlugin.yaml");
  if (!existsSync(file)) throw new UsageError(`expected a PulumiPlugin.yaml in ${folder}, found none`);
  const runtime = /^runtime:\s*(?:name:\s*)?"?([\w-]+)/m.exec(readFileSync(file, "utf8"))?.[1];
  if (runtime !== "nodejs")
    throw new UsageError(
      `expected the runtime nodejs in ${file}, got ${runtime}: start it by its own command, or with an engine and give the port`,
    );
  const pulumi = createRequire(join(folder, "package.json")).resolve("@pulumi/pulumi/package.json");
  return [process.execPath, join(dirname(pulumi), "cmd", "run-plugin"), folder];
}

export async function start(target: Target, engine: FakeEngine, environment: NodeJS.ProcessEnv): Promise<Started> {
  if ("port" in target)
    return {
      port: target.port,
      child: undefined,
      extraOutput: [],
      errors: [],
      ended: new Promise(() => {}),
      kill: async () => {},
    };
  const [program = "", ...args] = target.command;
  // A group of its own: a launcher's program ends with it.
  const child = spawn(program, [...args, engine.address], {
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
    detached: process.platform !== "win32",
  });
  const extraOutput: string[] = [];
  const errors: string[] = [];
  const ended = new Promise<void>(done => child.once("exit", () => done()));
  createInterface({ input: child.stderr }).on("line", line => errors.push(line));
  const port = new Promise<number>((found, failed) => {
    let first = true;
    const late = setTimeout(
      () => failed(new UsageError(`${program} named no port within ${START_MS / 1000} s`)),
      START_MS,
    );
    createInterface({ input: child.stdout }).on("line", line => {
      if (!first) return void extraOutput.push(line);
      first = false;
      clearTimeout(late);
      if (/^\d+$/.test(line.trim())) found(Number(line));
      else failed(new UsageError(`expected a port as the first line of ${program}, got ${JSON.stringify(line)}`));
    });
    child.once("error", error => failed(new UsageError(`${program} can't be started: ${error.message}`)));
    void ended.then(() =>
      failed(new UsageError(`${program} ended before it named a port: ${errors.slice(0, 5).join("\n")}`)),
    );
    void ended.then(() => clearTimeout(late));
  });
  const kill = async (signal: "SIGKILL" | "SIGTERM"): Promise<void> => {
    endGroup(child, signal);
    await ended;
  };
  try {
    return { port: await port, child, extraOutput, errors, ended, kill };
  } catch (error) {
    endGroup(child, "SIGKILL");
    throw error;
  }
}

function endGroup(child: ChildProcess, signal: "SIGKILL" | "SIGTERM"): void {
  if (child.pid === undefined || process.platform === "win32") {
    child.kill(signal);
    return;
  }
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    // Nobody is left of it.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

export interface FakeEngine {
  readonly address: string;
  /** What the provider wrote to the engine's log. */
  readonly log: string[];
  /** What the provider published as resources below its own. */
  readonly views: PublishedView[];
  /** Settles when the provider has connected to it, if it ever does. */
  readonly met: Promise<void>;
  close(): Promise<void>;
}

export interface PublishedView {
  /** Of the call that they belong to. */
  readonly token: string;
  readonly type: string;
  readonly name: string;
}

interface ViewSteps {
  getToken(): string;
  getStepsList(): readonly { getType(): string; getName(): string }[];
}

/** As much of the engine as a provider speaks to: its log, and where it publishes views. */
export async function fakeEngine(): Promise<FakeEngine> {
  const log: string[] = [];
  const views: PublishedView[] = [];
  const server = new Server();
  server.addService(EngineService as never, {
    log({ request }: { request: { getMessage(): string } }, answer: sendUnaryData<unknown>) {
      log.push(request.getMessage());
      answer(null, new Empty());
    },
  });
  server.addService(ResourceStatusService as never, {
    publishViewSteps({ request }: { request: ViewSteps }, answer: sendUnaryData<unknown>) {
      const token = request.getToken();
      views.push(...request.getStepsList().map(step => ({ token, type: step.getType(), name: step.getName() })));
      answer(null, new PublishViewStepsResponse());
    },
  });
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const { promise: met, resolve: connected } = Promise.withResolvers<void>();
  const sockets = new Set<Socket>();
  const listener = createServer(socket => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    injector.injectConnection(socket);
    connected();
  });
  await new Promise<void>(done => listener.listen(0, "127.0.0.1", done));
  return {
    address: `127.0.0.1:${(listener.address() as AddressInfo).port}`,
    log,
    views,
    met,
    close: async () => {
      listener.close();
      server.forceShutdown();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** A provider with an engine of its own; neither is left where the other can't be had. */
export async function startWithEngine(target: Target, environment: NodeJS.ProcessEnv) {
  const host = await fakeEngine();
  try {
    return { process: await start(target, host, environment), host };
  } catch (error) {
    await host.close();
    throw error;
  }
}

/** What the provider talks to, with the variables that its first line told. */
export async function startService({
  service,
  folder,
}: Fixture): Promise<{ variables: Record<string, string>; stop(): Promise<void> }> {
  if (!service) return { variables: {}, stop: async () => {} };
  const [program = "", ...args] = service.command;
  const child = spawn(program, args, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<void>(done => child.once("close", () => done()));
  const ready = new RegExp(service.ready);
  const variables = await new Promise<Record<string, string>>((found, failed) => {
    createInterface({ input: child.stdout }).on("line", line => {
      const match = ready.exec(line);
      if (match) found({ ...match.groups });
    });
    child.once("error", error => failed(new UsageError(`the service ${program} can't be started: ${error.message}`)));
    void ended.then(() =>
      failed(new UsageError(`the service ${program} ended before a line matched ${service.ready}`)),
    );
  });
  return {
    variables,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** A fixture's command to its end: what it printed. */
export async function runCommand(
  { folder }: Fixture,
  command: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<string> {
  const [program = "", ...args] = filled(command, variables) as string[];
  const running = promisify(execFile)(program, args, { cwd: folder, maxBuffer: Number.MAX_SAFE_INTEGER });
  running.child.stdin?.end();
  try {
    return (await running).stdout;
  } catch (error) {
    const { code, stderr } = error as { code: unknown; stderr: string };
    throw new UsageError(`${command.join(" ")} ended with ${code}: ${stderr}`);
  }
}
