import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Ran, run } from "./child.js";
import { type EngineEvents, readEvents } from "./events.js";
import { environment, type Language, pulumi, root } from "./found.js";
import { checkpointOf, freshStack, projectIn, thrift } from "./fresh-stack.js";
import { prepare } from "./languages.js";

export interface StackOptions {
  /** A folder with a program in it, relative to the repository. */
  readonly program?: string;
  /** A program in YAML, instead. */
  readonly yaml?: Project;
  readonly language?: Language;
  readonly service: { readonly url: string; readonly apiKey: string };
  readonly name?: string;
  readonly env?: Record<string, string>;
  /** Files of the program, written over those that are there. */
  readonly files?: Record<string, string | Uint8Array>;
}

/** What stands in a Pulumi.yaml below its head. */
export interface Project {
  readonly resources: Record<string, object>;
  readonly configuration?: object;
  readonly variables?: object;
  readonly outputs?: object;
}

/** One command of the engine, run to its end. */
export interface Outcome extends Ran, EngineEvents {
  /** Everything it printed. */
  readonly text: string;
}

/** A resource as it stands in state. */
export interface Entry {
  readonly urn: string;
  readonly type: string;
  readonly id?: string;
  readonly inputs: Record<string, unknown>;
  readonly outputs: Record<string, unknown>;
  readonly delete?: boolean;
  readonly pendingReplacement?: boolean;
  readonly initErrors?: string[];
  readonly taint?: boolean;
}

const isSource = (path: string): boolean => !/[\\/](node_modules|bin|__pycache__)$/.test(path);
const QUIET = ["--non-interactive", "--color", "never"];
const TALKS = new Set(["up", "preview", "refresh", "destroy", "import"]);

/** A copy of the program in a folder of its own, with a backend, an engine's home and a journal that go away with it. */
export async function openStack(options: StackOptions): Promise<Stack> {
  const folder = mkdtempSync(join(tmpdir(), "docsign-engine-"));
  try {
    const stack = new Stack(folder, options);
    await stack.init();
    return stack;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

export class Stack implements AsyncDisposable {
  program: string;
  readonly plugin: string;
  readonly language: Language;
  name: string;
  readonly #env: Record<string, string>;
  #path: readonly string[] = [];
  #commands = 0;

  constructor(
    readonly folder: string,
    private readonly options: StackOptions,
  ) {
    this.program = join(folder, "program");
    this.plugin = join(folder, "plugin", "bin");
    this.language = options.language ?? "yaml";
    this.name = options.name ?? "dev";
    this.#env = {
      PULUMI_BACKEND_URL: `file://${join(folder, "state")}`,
      PULUMI_CONFIG_PASSPHRASE: "",
      PULUMI_HOME: join(folder, "home"),
      PULUMI_SKIP_UPDATE_CHECK: "true",
      // The event log is a flag for people who debug the engine.
      PULUMI_DEBUG_COMMANDS: "true",
      DOCSIGN_STATE_DIR: this.journal,
      DOCSIGN_BASE_URL: options.service.url,
      DOCSIGN_API_KEY: options.service.apiKey,
      TMPDIR: join(folder, "tmp"),
      ...options.env,
    };
  }

  get journal(): string {
    return join(this.folder, "journal");
  }

  async init(): Promise<void> {
    for (const name of ["state", "tmp", "home"]) mkdirSync(join(this.folder, name));
    const { program, yaml } = this.options;
    if (program !== undefined) cpSync(join(root, program), this.program, { recursive: true, filter: isSource });
    else mkdirSync(this.program);
    // A launcher of its own: an older YAML host keeps a copy of the schema beside it.
    mkdirSync(this.plugin, { recursive: true });
    symlinkSync(join(root, "bin", "pulumi-resource-docsign"), join(this.plugin, "pulumi-resource-docsign"));
    for (const [path, content] of Object.entries(this.options.files ?? {})) this.write(path, content);
    if (yaml) this.declare(yaml);
    else this.edit("Pulumi.yaml", text => text.replace(/path: .*bin$/m, `path: ${this.plugin}`));
    const { env, path } = await prepare(this.language, this.program, this.folder);
    Object.assign(this.#env, await thrift(), env);
    this.#path = path;
    this.#make();
  }

  #make(): void {
    freshStack({ backend: this.#backend, program: this.program, name: this.name });
  }

  /** From here on the commands are about another stack of the same program, made if need be. */
  choose(name: string): void {
    this.name = name;
    if (!existsSync(this.#checkpointPath())) this.#make();
  }

  /** Makes this the program, in YAML. */
  declare(project: Project): void {
    const plugins = { providers: [{ name: "docsign", path: this.plugin }] };
    const body = Object.entries({ runtime: "yaml", plugins, ...project });
    // JSON is YAML.
    this.write(
      "Pulumi.yaml",
      ["name: contracts", ...body.map(([key, value]) => `${key}: ${JSON.stringify(value)}`)].join("\n"),
    );
  }

  write(path: string, content: string | Uint8Array): void {
    writeFileSync(join(this.program, path), content);
  }

  read(path: string): Buffer {
    return readFileSync(join(this.program, path));
  }

  edit(path: string, change: (text: string) => string): void {
    const before = this.read(path).toString();
    const after = change(before);
    if (after === before) throw new Error(`${path} isn't what the test takes it to be`);
    this.write(path, after);
  }

  /** As another checkout of the same program has it: another path, and a machine that remembers nothing. */
  move(): void {
    const elsewhere = `${this.program}-elsewhere`;
    renameSync(this.program, elsewhere);
    this.program = elsewhere;
    this.forget();
  }

  /** Loses what the machine knew, as one that is new for every run. */
  forget(): void {
    rmSync(this.journal, { recursive: true, force: true });
  }

  /** A value in the stack's configuration. */
  async configure(key: string, value: string, { secret = false } = {}): Promise<void> {
    const kind = secret ? "--secret" : "--plaintext";
    await this.run(["config", "set", key, value, kind, "--stack", this.name]);
  }

  urn(name: string, type = "docsign:index:Document"): string {
    return `urn:pulumi:${this.name}::${projectIn(this.program)}::${type}::${name}`;
  }

  /** Runs a command to its end, however it ends. */
  async attempt(args: readonly string[], env: Record<string, string> = {}, signal?: AbortSignal): Promise<Outcome> {
    const log = join(this.folder, `events-${++this.#commands}.json`);
    const [command = ""] = args;
    const more = TALKS.has(command) ? ["--event-log", log, "--stack", this.name] : [];
    const ran = await run(pulumi(), [...args, ...more, ...QUIET], {
      cwd: this.program,
      env: environment({ ...this.#env, ...env }, this.#path),
      signal,
    });
    return { ...ran, ...readEvents(log), text: `${ran.stdout}${ran.stderr}` };
  }

  /** Runs a command that has to go well. */
  async run(args: readonly string[], env?: Record<string, string>): Promise<Outcome> {
    const outcome = await this.attempt(args, env);
    if (outcome.code !== 0) throw new Error(`pulumi ${args.join(" ")} failed:\n${outcome.text}`);
    return outcome;
  }

  /** Runs a command that has to fail, and returns what came of it. */
  async refused(args: readonly string[], env?: Record<string, string>): Promise<Outcome> {
    const outcome = await this.attempt(args, env);
    if (outcome.code === 0) throw new Error(`pulumi ${args.join(" ")} went well:\n${outcome.text}`);
    return outcome;
  }

  up(...more: string[]): Promise<Outcome> {
    return this.run(["up", "--yes", "--skip-preview", ...more]);
  }

  preview(...more: string[]): Promise<Outcome> {
    return this.run(["preview", ...more]);
  }

  refresh(...more: string[]): Promise<Outcome> {
    return this.run(["refresh", "--yes", "--skip-preview", ...more]);
  }

  destroy(...more: string[]): Promise<Outcome> {
    return this.run(["destroy", "--yes", "--skip-preview", ...more]);
  }

  /** Stack outputs that have a value: YAML keeps one without as null, the other languages leave it out. */
  outputs(): Record<string, unknown> {
    const stack = this.#resources().find(({ type }) => type === "pulumi:pulumi:Stack");
    return Object.fromEntries(Object.entries(stack?.outputs ?? {}).filter(([, value]) => value !== null));
  }

  /** Our resources in state, by name. */
  entries(): Record<string, Entry> {
    const ours = this.#resources().filter(({ type }) => type.startsWith("docsign:"));
    return Object.fromEntries(ours.map(entry => [entry.urn.split("::").at(-1), entry]));
  }

  #resources(): Entry[] {
    const { checkpoint } = JSON.parse(this.checkpoint()) as { checkpoint: { latest?: { resources?: Entry[] } } };
    return checkpoint.latest?.resources ?? [];
  }

  /** The state as the backend keeps it, byte for byte. */
  checkpoint(): string {
    return readFileSync(this.#checkpointPath(), "utf8");
  }

  #checkpointPath(): string {
    return checkpointOf(this.#backend, projectIn(this.program), this.name);
  }

  get #backend(): string {
    return join(this.folder, "state");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
