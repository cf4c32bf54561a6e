import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PostgresServer } from "../../journal/support/postgres-server.js";
import { startTcpProxy, type TcpProxy } from "../../journal/support/tcp-proxy.js";
import { type Ran, run } from "../../support/engine/child.js";
import { environment, pulumi, root } from "../../support/engine/found.js";
import { freshStack, thrift } from "../../support/engine/fresh-stack.js";
import type { IndependentService } from "../../support/independent-service/index.js";
import { CONTRACTS } from "./script.js";

const SHIFTED = fileURLToPath(new URL("shifted-clock.cjs", import.meta.url));
export const RESEND_AFTER_MS = 2_000;
export const REMINDED = "zoe@example.com";

export interface Wanted {
  readonly form: "documents" | "set";
  /** Of each contract: undefined before there is one. */
  readonly version: 1 | 2 | undefined;
  /** Id of the document whose people are reminded. */
  readonly reminds?: string | undefined;
}

export interface Up {
  readonly pid: number;
  readonly ended: Promise<Ran>;
}

/** A machine with a disk, a clock and a way to the journal of its own. */
export class Machine implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), "docsign-machine-"));
  readonly #env: Record<string, string>;
  readonly #gone = new AbortController();

  static async open(
    service: IndependentService,
    server: PostgresServer,
    { stack, places, hoursAhead }: { readonly stack: string; readonly places: number; readonly hoursAhead: number },
  ): Promise<Machine> {
    const proxy = await startTcpProxy(server.port);
    const { NODE_OPTIONS = "", ...rest } = await thrift();
    const machine = new Machine(proxy, stack, {
      ...rest,
      NODE_OPTIONS: `${NODE_OPTIONS} --require ${JSON.stringify(SHIFTED)}`,
      DOCSIGN_TEST_AHEAD: String(hoursAhead * 3_600_000),
      DOCSIGN_JOURNAL: server.urlAt(proxy.port),
      DOCSIGN_BASE_URL: service.url,
      DOCSIGN_API_KEY: service.apiKey,
    });
    machine.#settings({
      maxConcurrency: places,
      resendAfter: `${RESEND_AFTER_MS / 1000}s`,
      uploadTimeout: "1s",
      reconcileTimeout: "1s",
    });
    return machine;
  }

  private constructor(
    readonly proxy: TcpProxy,
    private readonly stack: string,
    env: Record<string, string>,
  ) {
    this.#env = {
      PULUMI_BACKEND_URL: `file://${this.folder}`,
      PULUMI_CONFIG_PASSPHRASE: "",
      PULUMI_HOME: join(this.folder, "home"),
      PULUMI_SKIP_UPDATE_CHECK: "true",
      DOCSIGN_STATE_DIR: join(this.folder, "memory"),
      ...env,
    };
    this.declare({ form: "documents", version: undefined });
    freshStack({ backend: this.folder, program: this.folder, name: stack });
  }

  #settings(settings: Record<string, string | number>): void {
    const path = join(this.folder, `Pulumi.${this.stack}.yaml`);
    const lines = Object.entries(settings).map(([name, value]) => `  docsign:${name}: ${value}\n`);
    writeFileSync(path, `config:\n${lines.join("")}`, { flag: "a" });
  }

  /** Makes this the program. */
  declare({ form, version, reminds }: Wanted): void {
    const contracts = Array.from({ length: version === undefined ? 0 : CONTRACTS }, (_, nth) => {
      this.#pdf(`contract-${nth}`, `contract ${nth}, version ${version}`);
      return [`contract-${nth}`, documentOf(`contract-${nth}`)] as const;
    });
    this.#pdf(`base-${this.stack}`, `the base of ${this.stack}`);
    const base = documentOf(`base-${this.stack}`, REMINDED);
    const resources = {
      base: { type: "docsign:index:Document", properties: base },
      ...(form === "documents"
        ? Object.fromEntries(
            contracts.map(([key, properties]) => [key, { type: "docsign:index:Document", properties }]),
          )
        : contracts.length === 0
          ? {}
          : { set: { type: "docsign:index:DocumentSet", properties: { documents: Object.fromEntries(contracts) } } }),
      ...(reminds === undefined
        ? {}
        : {
            reminder: {
              type: "docsign:index:Reminder",
              properties: { documentId: reminds, minInterval: "0s", triggers: { round: 1 } },
            },
          }),
    };
    const plugins = { providers: [{ name: "docsign", path: join(root, "bin") }] };
    // JSON is YAML.
    const body = Object.entries({ runtime: "yaml", plugins, resources });
    const lines = body.map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
    writeFileSync(join(this.folder, "Pulumi.yaml"), ["name: contracts", ...lines].join("\n"));
  }

  #pdf(name: string, text: string): void {
    writeFileSync(join(this.folder, `${name}.pdf`), `%PDF-1.4\n${text}\n%%EOF\n`);
  }

  /** As a copy of the state elsewhere. */
  copyState(from: Machine): void {
    rmSync(join(this.folder, ".pulumi"), { recursive: true, force: true });
    cpSync(join(from.folder, ".pulumi"), join(this.folder, ".pulumi"), { recursive: true });
  }

  /** Both have their state in one place from now on. */
  shareState(from: Machine): void {
    this.#env["PULUMI_BACKEND_URL"] = `file://${from.folder}`;
  }

  /** As `pulumi cancel`. */
  unlock(): void {
    const folder = (this.#env["PULUMI_BACKEND_URL"] ?? "").replace("file://", "");
    rmSync(join(folder, ".pulumi", "locks"), { recursive: true, force: true });
  }

  /** `pulumi up`, whoever else is at it; `pid` is known at once. */
  up(): Up {
    this.unlock();
    mkdirSync(join(this.folder, "home"), { recursive: true });
    let pid = 0;
    const args = ["up", "--yes", "--skip-preview", "--non-interactive", "--color", "never", "--stack", this.stack];
    const started = (number: number) => {
      pid = number;
    };
    const { signal } = this.#gone;
    const ended = run(pulumi(), args, { cwd: this.folder, env: environment(this.#env), signal, started });
    return { pid, ended };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#gone.abort();
    await this.proxy[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

const documentOf = (name: string, email = "ana@example.com") => ({
  name,
  file: { "fn::fileAsset": `./${name}.pdf` },
  invitations: [{ email }],
});
