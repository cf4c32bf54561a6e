import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
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
  nda:
    type: docsign:index:Document
    properties:
      name: NDA
      description: between friends
      file:
        fn::fileAsset: ./nda.pdf
      invitations:
        - email: ana@example.com
        - email: bob@example.org
outputs:
  id: \${nda.documentId}
`;

/** A project of its own on a file backend, and the real engine. */
export class Project implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "docsign-kill-"));
  readonly #env: NodeJS.ProcessEnv;
  readonly #running = new Set<ChildProcess>();

  static async open(service: IndependentService): Promise<Project> {
    return new Project(service, await thrift());
  }

  private constructor(service: IndependentService, thrift: Record<string, string>) {
    writeFileSync(join(this.folder, "Pulumi.yaml"), PROGRAM);
    this.write("the contract");
    freshStack({ backend: this.folder, program: this.folder, name: STACK });
    this.#env = environment({
      ...thrift,
      PULUMI_BACKEND_URL: `file://${this.folder}`,
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

  start(...args: string[]): Running {
    const child = spawn(pulumi(), [...args, "--non-interactive"], { cwd: this.folder, env: this.#env });
    this.#running.add(child);
    let output = "";
    const watch = watchSilence(`pulumi ${args.join(" ")}`, processorOf(child.pid ?? 0));
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", text => {
        output += text;
        watch.heard();
      });
    watch.silent.catch(() => child.kill("SIGKILL"));
    const ended = new Promise<Ended>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) => {
        watch.stop();
        this.#running.delete(child);
        resolve({ code, signal, output });
      });
    });
    return { child, ended };
  }

  up(): Running {
    return this.start("up", "--yes", "--skip-preview", "--stack", STACK);
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
  const found = processesBelow(engine).find(pid => socketsOf(pid).some(socket => connected.has(socket)));
  if (found === undefined) throw new Error(`expected engine ${engine} to have a plugin connected to port ${port}`);
  return found;
}

/** The engine's children that run our bundle. */
function processesBelow(engine: number): number[] {
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
