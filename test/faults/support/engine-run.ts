import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { environment, pulumi, root } from "../../support/engine/found.js";
import { checkpointOf, freshStack, projectIn, thrift } from "../../support/engine/fresh-stack.js";
import type { IndependentService } from "../../support/independent-service/index.js";
import { processorOf, watchSilence } from "../../support/silence.js";

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
}

export interface Running {
  readonly child: ChildProcess;
  /** Settles once it has said this. */
  said(text: string): Promise<void>;
  readonly ended: Promise<Ended>;
}

interface Latest {
  readonly resources?: readonly { readonly type: string; readonly id?: string }[];
}

const STACK = "dev";
const PROGRAM = `name: contracts
runtime: yaml
plugins:
  providers:
    - name: docsign
      path: ${join(root, "bin")}
resources:
`;

const contract = (resource: string, name: string): string => `  ${resource}:
    type: docsign:index:Document
    properties:
      name: ${name}
      description: between friends
      file:
        fn::fileAsset: ./nda.pdf
      invitations:
        - email: ana@example.com
        - email: bob@example.org
`;

/** A project of its own on a file backend, and the real engine. */
export class Project implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "docsign-kill-"));
  readonly #env: NodeJS.ProcessEnv;
  readonly #running = new Set<ChildProcess>();

  /** With so many contracts in it. */
  static async open(service: IndependentService, contracts = 1): Promise<Project> {
    return new Project(service, contracts, await thrift());
  }

  private constructor(service: IndependentService, contracts: number, thrift: Record<string, string>) {
    const resources = Array.from({ length: contracts }, (_, at) =>
      at === 0 ? contract("nda", "NDA") : contract(`nda-${at}`, `NDA ${at}`),
    );
    writeFileSync(join(this.folder, "Pulumi.yaml"), `${PROGRAM}${resources.join("")}`);
    this.write("the contract");
    freshStack({ backend: this.folder, program: this.folder, name: STACK });
    this.#env = environment({
      ...thrift,
      PULUMI_BACKEND_URL: this.backend,
      PULUMI_CONFIG_PASSPHRASE: "",
      PULUMI_HOME: join(this.folder, "home"),
      PULUMI_SKIP_UPDATE_CHECK: "true",
      DOCSIGN_STATE_DIR: join(this.folder, "memory"),
      DOCSIGN_BASE_URL: service.url,
      DOCSIGN_API_KEY: service.apiKey,
    });
  }

  /** What the contract says. */
  write(text: string): void {
    writeFileSync(join(this.folder, "nda.pdf"), `%PDF-1.4\n${text}\n%%EOF\n`);
  }

  get backend(): string {
    return `file://${this.folder}`;
  }

  /** What makes a run one of another machine: it has a memory of its own. */
  machine(name: string): Record<string, string> {
    return { DOCSIGN_STATE_DIR: join(this.folder, `memory-${name}`) };
  }

  /** A setting of the stack, `reconcileTimeout` say. */
  configure(setting: string, value: string): void {
    const path = join(this.folder, `Pulumi.${STACK}.yaml`);
    if (!readFileSync(path, "utf8").includes("config:")) appendFileSync(path, "config:\n");
    appendFileSync(path, `  docsign:${setting}: ${value}\n`);
  }

  start(args: readonly string[], env: Record<string, string> = {}): Running {
    const options = { cwd: this.folder, env: { ...this.#env, ...env } };
    const child = spawn(pulumi(), [...args, "--non-interactive"], options);
    this.#running.add(child);
    let output = "";
    const heard = new EventEmitter();
    const watch = watchSilence(`pulumi ${args.join(" ")}`, processorOf(child.pid ?? 0));
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", text => {
        output += text;
        watch.heard();
        heard.emit("more");
      });
    watch.silent.catch(() => child.kill("SIGKILL"));
    const ended = new Promise<Ended>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) => {
        watch.stop();
        this.#running.delete(child);
        heard.emit("more");
        resolve({ code, signal, output });
      });
    });
    const said = async (text: string) => {
      while (!output.includes(text)) {
        if (!this.#running.has(child)) throw new Error(`expected "${text}", got:\n${output}`);
        await once(heard, "more");
      }
    };
    return { child, said, ended };
  }

  up(env?: Record<string, string>, ...more: string[]): Running {
    return this.start(["up", "--yes", "--skip-preview", "--stack", STACK, ...more], env);
  }

  /** Ids of the documents in state. */
  ids(): string[] {
    const text = readFileSync(checkpointOf(this.folder, projectIn(this.folder), STACK), "utf8");
    const { latest } = (JSON.parse(text) as { checkpoint: { latest?: Latest } }).checkpoint;
    return (latest?.resources ?? []).filter(({ type }) => type.startsWith("docsign:")).map(({ id = "" }) => id);
  }

  /** What a killed engine leaves: its lock. */
  unlock(): void {
    rmSync(join(this.folder, ".pulumi", "locks"), { recursive: true, force: true });
  }

  [Symbol.dispose](): void {
    for (const child of this.#running) child.kill("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The plugin that talks to the service: newer hosts make the engine start another one, for its schema. */
export function pluginOf(engine: number, service: IndependentService): number {
  const port = Number(new URL(service.url).port);
  const connected = socketsTo(port);
  const found = pluginsOf(engine).find(pid => socketsOf(pid).some(socket => connected.has(socket)));
  if (found === undefined) throw new Error(`expected engine ${engine} to have a plugin connected to port ${port}`);
  return found;
}

/** The engine's children that run our bundle. */
export function pluginsOf(engine: number): number[] {
  const numbers = readdirSync("/proc").filter(name => /^\d+$/.test(name));
  return numbers.map(Number).filter(pid => {
    const parent = Number(/\) \S (\d+)/.exec(textOf(`/proc/${pid}/stat`))?.[1]);
    return parent === engine && textOf(`/proc/${pid}/cmdline`).includes("plugin.cjs");
  });
}

/** Inodes of the machine's connections to a port. */
function socketsTo(port: number): Set<string> {
  const rows = ["tcp", "tcp6"]
    .flatMap(table => textOf(`/proc/net/${table}`).split("\n"))
    .map(row => row.trim().split(/\s+/));
  const to = (address = "") => Number.parseInt(address.split(":").at(-1) ?? "", 16) === port;
  return new Set(rows.filter(([, , remote]) => to(remote)).map(row => row[9] ?? ""));
}

function socketsOf(pid: number): string[] {
  try {
    const links = readdirSync(`/proc/${pid}/fd`).map(fd => linkOf(`/proc/${pid}/fd/${fd}`));
    return links.flatMap(link => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []);
  } catch {
    return [];
  }
}

/** Empty for what has just ended. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

/** Until a process has ended. */
export async function untilGone(pid: number): Promise<void> {
  while (isThere(pid)) await new Promise(resolve => setTimeout(resolve, 20));
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
