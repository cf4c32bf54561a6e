import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { environment, type Language, missingEngine, root } from "../../support/engine/found.js";
import { KEPT, thrift } from "../../support/engine/fresh-stack.js";
import { missingFor, prepare } from "../../support/engine/languages.js";
import { commandsOf, type ExampleLanguage } from "./readme.js";
import { type Output, Shell } from "./shell.js";

/** Lines of a README that a package manager answers: here it is linked, so that nothing is downloaded. */
const INSTALLS =
  /^(npm install|pip install -r requirements\.txt|python3 -m venv venv && \. venv\/bin\/activate( && pip install -r requirements\.txt)?)$/;

const PREVIEW = /\bpulumi preview$/;
const UP = /\bpulumi up( --expect-no-changes)?$/;

/**
 * Flags that take nothing away: another keeper of secrets, and a preview in the first `up` alone, or in the command before
 * it. Of the one in `destroy` no provider hears.
 */
function withFlags(command: string, before: string, isFirstUp: boolean): string {
  if (/^pulumi stack init \w+$/.test(command)) return `${command} ${KEPT}`;
  const again = UP.test(command) && (!isFirstUp || PREVIEW.test(before));
  return again || command === "pulumi destroy" ? `${command} --skip-preview` : command;
}

/** Why examples in this language can't be run here; undefined when they can. */
export const missingForExample = (language: ExampleLanguage = "typescript"): string | undefined =>
  missingEngine ?? (language === "python" || language === "go" ? missingFor(language) : undefined);

export interface DeskOptions {
  readonly example: string;
  readonly language?: ExampleLanguage;
  /** The generated SDK that the program imports. */
  readonly sdk?: Exclude<Language, "yaml">;
  readonly env?: Record<string, string>;
}

/**
 * Somebody new, with a checkout, a sandbox and the example's README: every command comes from there, in its order, and
 * is run as it is written.
 */
export class Desk implements AsyncDisposable {
  readonly #commands: string[];
  readonly #shell: Shell;
  #mails = 0;
  /** The command before, if it went well. */
  #before = "";
  #isUp = false;

  private constructor(
    readonly checkout: string,
    readonly sandbox: Sandbox,
    env: NodeJS.ProcessEnv,
    private readonly options: DeskOptions,
  ) {
    this.#commands = commandsOf(options.example, options.language);
    this.#shell = new Shell(checkout, env);
  }

  static async open(options: DeskOptions): Promise<Desk> {
    const folder = mkdtempSync(join(tmpdir(), "docsign-example-"));
    const checkout = join(folder, "checkout");
    const sandbox = await startSandbox({ apiKey: "my-key", control: true, port: 0, seed: 1 });
    try {
      for (const name of ["scratch", "home", "tmp"]) mkdirSync(join(folder, name));
      layOut(checkout, options);
      const prepared = await surroundings(options, checkout, folder);
      const env = environment(
        {
          ...prepared?.env,
          ...(await thrift()),
          DOCSIGN_SCRATCH: join(folder, "scratch"),
          DOCSIGN_BASE_URL: sandbox.url,
          DOCSIGN_API_KEY: sandbox.apiKey,
          PULUMI_HOME: join(folder, "home"),
          PULUMI_SKIP_UPDATE_CHECK: "true",
          // For the question after a preview, which nobody answers here.
          PULUMI_SKIP_CONFIRMATIONS: "true",
          // All programs are compiled by a test of their own.
          PULUMI_NODEJS_TRANSPILE_ONLY: "true",
          TMPDIR: join(folder, "tmp"),
          NO_COLOR: "1",
          ...options.env,
        },
        prepared?.path,
      );
      return new Desk(checkout, sandbox, env, options);
    } catch (error) {
      await sandbox.close();
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** Runs the README's next command, which has to be this one and to go well. */
  async run(command: string): Promise<string> {
    const { code, text } = await this.#next(command);
    if (code !== 0) throw new Error(`\`${command}\` ended with ${code}:\n${text}`);
    return text;
  }

  /** Runs the README's next command, which has to be this one and to fail. */
  async refused(command: string): Promise<string> {
    const { code, text } = await this.#next(command);
    if (code === 0) throw new Error(`\`${command}\` went well:\n${text}`);
    return text;
  }

  /** Runs all commands up to the one given, none of which may fail. */
  async upTo(command: string): Promise<void> {
    while (this.#commands.length > 0 && this.#commands[0] !== command) await this.run(this.#commands[0] ?? "");
  }

  /** Runs a command from a sentence of the README. */
  async also(command: string): Promise<string> {
    const { code, text } = await this.#shell.run(command);
    if (code !== 0) throw new Error(`\`${command}\` ended with ${code}:\n${text}`);
    return text;
  }

  /** The same for a command that has to fail. */
  async alsoRefused(command: string): Promise<string> {
    const { code, text } = await this.#shell.run(command);
    if (code === 0) throw new Error(`\`${command}\` went well:\n${text}`);
    return text;
  }

  /** Runs what the README still says, to its end. */
  async rest(): Promise<void> {
    for (const command of [...this.#commands]) await this.run(command);
  }

  /** Outputs of the stack one stands before. */
  async outputs(): Promise<Record<string, unknown>> {
    return JSON.parse(await this.also("pulumi stack output --json"));
  }

  async #next(command: string): Promise<Output> {
    const next = this.#commands.shift();
    if (next !== command)
      throw new Error(
        next === undefined
          ? `${this.#readme} ends before \`${command}\``
          : `${this.#readme} says \`${next}\` where this test expects \`${command}\``,
      );
    if (INSTALLS.test(command)) return { code: 0, text: "" };
    const said = await this.#shell.run(withFlags(command, this.#before, !this.#isUp));
    this.#isUp ||= UP.test(command);
    this.#before = said.code === 0 ? command : "";
    return said;
  }

  get #readme(): string {
    return `examples/${this.options.example}/README.md`;
  }

  /** Who was mailed since the last look, in alphabetical order. */
  mailed(): string[] {
    const since = this.sandbox.mails.slice(this.#mails);
    this.#mails += since.length;
    return since.map(({ to }) => to).sort();
  }

  /** A file of the checkout, below `examples/NAME`. */
  path(file: string): string {
    return join(this.checkout, "examples", this.options.example, file);
  }

  edit(file: string, change: (text: string) => string): void {
    const before = readFileSync(this.path(file), "latin1");
    const after = change(before);
    if (after === before) throw new Error(`${file} isn't what the test takes it to be`);
    this.#before = "";
    writeFileSync(this.path(file), after, "latin1");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#shell[Symbol.asyncDispose]();
    await this.sandbox.close();
    rmSync(join(this.checkout, ".."), { recursive: true, force: true, maxRetries: 3 });
  }
}

/** What a language's package manager would have brought. */
async function surroundings({ example, language, sdk }: DeskOptions, checkout: string, folder: string) {
  const program = join(checkout, "examples", example);
  if (sdk) return prepare(sdk, program, folder);
  if (language === "go") return prepare("go", join(program, "go"), folder);
  return language === "python" ? prepare("python", program, folder) : undefined;
}

/** As much of a checkout as an example sees: itself, the launcher, and what package managers would have brought. */
function layOut(checkout: string, { example }: DeskOptions): void {
  const examples = join(checkout, "examples");
  mkdirSync(join(checkout, "bin"), { recursive: true });
  mkdirSync(join(checkout, "node_modules"));
  cpSync(join(root, "examples", example), join(examples, example), {
    recursive: true,
    filter: path => !/[\\/](node_modules|venv|__pycache__)$/.test(path),
  });
  cpSync(join(root, "examples", "offline.sh"), join(examples, "offline.sh"));
  for (const launcher of [join("bin", "docsign"), join("bin", "pulumi-resource-docsign")])
    symlinkSync(join(root, launcher), join(checkout, launcher));
  for (const name of ["@pulumi", "@grpc", "@types", "google-protobuf", "typescript"])
    symlinkSync(join(root, "node_modules", name), join(checkout, "node_modules", name));
  symlinkSync(root, join(checkout, "node_modules", "pulumi-docsign"));
}
