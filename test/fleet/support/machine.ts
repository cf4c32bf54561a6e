import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { environment, root } from "../../support/engine/found.js";
import { checkpointOf, thrift } from "../../support/engine/fresh-stack.js";

const launcher = join(root, "bin", "docsign");

export interface Started {
  readonly child: ChildProcess;
  /** What it printed so far. */
  text(): string;
  /** Resolves once it has printed this. */
  printed(words: string | RegExp): Promise<void>;
  readonly ended: Promise<number>;
}

export interface FleetOptions {
  readonly database: string;
  readonly service: { readonly url: string; readonly apiKey: string };
  /** Names of the stacks, or what stands below `stacks:`. */
  readonly stacks: readonly string[] | object;
  /** A program in YAML, below its head. */
  readonly program: Readonly<Record<string, object>>;
  /** More lines of the fleet file. */
  readonly more?: string;
}

/** A checkout with a fleet file and a program, a backend, and any number of machines that work on it. */
export class FleetFolder implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), "docsign-fleet-test-"));
  readonly #started: Started[] = [];
  #thrift: Record<string, string> = {};

  private constructor(readonly options: FleetOptions) {}

  static async make(options: FleetOptions): Promise<FleetFolder> {
    const fleet = new FleetFolder(options);
    fleet.#thrift = await thrift();
    for (const name of ["state", "program", "plugin"]) mkdirSync(join(fleet.folder, name));
    symlinkSync(join(root, "bin", "pulumi-resource-docsign"), join(fleet.folder, "plugin", "pulumi-resource-docsign"));
    fleet.declare(options.program);
    fleet.declareFleet(options.stacks);
    return fleet;
  }

  declareFleet(stacks: FleetOptions["stacks"]): void {
    const given = Array.isArray(stacks) ? { list: stacks.map(name => ({ name })) } : stacks;
    const lines = [
      "name: leases",
      "program: program",
      `stacks: ${JSON.stringify(given)}`,
      "workers: { lease: 10s }",
      'secretsProvider: "hashivault://tests"',
      "secrets: [DOCSIGN_API_KEY]",
      this.options.more ?? "",
    ];
    writeFileSync(join(this.folder, "fleet.yaml"), lines.join("\n"));
  }

  /** A stack's resources in state. */
  resources(stack: string): { type: string; outputs: Record<string, unknown> }[] {
    const text = readFileSync(checkpointOf(join(this.folder, "state"), "contracts", stack), "utf8");
    return JSON.parse(text).checkpoint.latest?.resources ?? [];
  }

  declare(program: Readonly<Record<string, object>>): void {
    const plugins = { providers: [{ name: "docsign", path: join(this.folder, "plugin") }] };
    const body = Object.entries({ runtime: "yaml", plugins, ...program });
    const text = ["name: contracts", ...body.map(([key, value]) => `${key}: ${JSON.stringify(value)}`)].join("\n");
    writeFileSync(join(this.folder, "program", "Pulumi.yaml"), text);
  }

  /** Starts the command as a machine of this name has it: with a home and a memory of its own. */
  start(machine: string, ...args: string[]): Started {
    const home = join(this.folder, machine);
    mkdirSync(join(home, "tmp"), { recursive: true });
    const env = environment({
      ...this.#thrift,
      DOCSIGN_FLEET_DATABASE: this.options.database,
      DOCSIGN_STATE_DIR: join(home, "state"),
      DOCSIGN_BASE_URL: this.options.service.url,
      DOCSIGN_API_KEY: this.options.service.apiKey,
      PULUMI_BACKEND_URL: `file://${join(this.folder, "state")}`,
      PULUMI_CONFIG_PASSPHRASE: "",
      PULUMI_HOME: join(home, "home"),
      PULUMI_SKIP_UPDATE_CHECK: "true",
      TMPDIR: join(home, "tmp"),
    });
    // A shell that starts node as a child would stay between this and the process that is killed: the launcher execs.
    const child = spawn(launcher, ["fleet", ...args], { cwd: this.folder, env, stdio: ["ignore", "pipe", "pipe"] });
    const started = watch(child);
    this.#started.push(started);
    return started;
  }

  /** Locks that engines have left in the backend. */
  locks(): string[] {
    try {
      const found = readdirSync(join(this.folder, "state", ".pulumi", "locks"), { recursive: true, encoding: "utf8" });
      return found.filter(path => path.endsWith(".json"));
    } catch {
      return [];
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { child, ended } of this.#started) {
      child.kill("SIGKILL");
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function watch(child: ChildProcess): Started {
  let text = "";
  const waiting = new Set<() => void>();
  const ended = new Promise<number>(resolve => child.once("close", code => resolve(code ?? 1)));
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      for (const look of waiting) look();
    });
  }
  return {
    child,
    text: () => text,
    ended,
    printed: words =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!(typeof words === "string" ? text.includes(words) : words.test(text))) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
        void ended.then(code => reject(new Error(`it ended with ${code} before it printed ${words}:\n${text}`)));
      }),
  };
}
