import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { environment, pulumi, root } from "../../support/engine/found.js";
import type { IndependentService } from "../../support/independent-service/index.js";

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
  readonly took: number;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

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

  constructor(service: IndependentService) {
    writeFileSync(join(this.folder, "Pulumi.yaml"), PROGRAM);
    this.write("the contract");
    this.#env = environment({
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
    const started = Date.now();
    const child = spawn(pulumi(), [...args, "--non-interactive"], { cwd: this.folder, env: this.#env });
    this.#running.add(child);
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", text => (output += text));
    const timer = setTimeout(() => child.kill("SIGKILL"), 60_000);
    const ended = new Promise<Ended>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) => {
        clearTimeout(timer);
        this.#running.delete(child);
        resolve({ code, signal, output, took: Date.now() - started });
      });
    });
    return { child, ended };
  }

  run(...args: string[]): Promise<Ended> {
    return this.start(...args).ended;
  }

  up(): Running {
    return this.start("up", "--yes", "--skip-preview", "--stack", "dev");
  }

  /** Ids of the documents in state. */
  async ids(): Promise<string[]> {
    const { output } = await this.run("stack", "export", "--stack", "dev");
    const { deployment } = JSON.parse(output) as { deployment: { resources?: { type: string; id?: string }[] } };
    return (deployment.resources ?? []).filter(({ type }) => type.startsWith("docsign:")).map(({ id = "" }) => id);
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

/** The plugin an engine started: its child that runs our bundle. */
export function pluginOf(engine: number): number {
  for (const entry of readdirSync("/proc").filter(name => /^\d+$/.test(name))) {
    try {
      const parent = Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${entry}/stat`, "utf8"))?.[1]);
      const command = readFileSync(`/proc/${entry}/cmdline`, "utf8");
      if (parent === engine && command.includes("plugin.cjs")) return Number(entry);
    } catch {
      // It has just ended.
    }
  }
  throw new Error(`engine ${engine} has no plugin of ours`);
}

export async function untilGone(pid: number, withinMs: number): Promise<boolean> {
  for (const until = Date.now() + withinMs; Date.now() < until; ) {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  return false;
}
