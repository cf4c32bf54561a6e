import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { within } from "../../support/calibration.js";
import { type Ran, run } from "../../support/engine/child.js";
import { environment, pulumi, root } from "../../support/engine/found.js";
import { checkpointOf, freshStack, projectIn, thrift } from "../../support/engine/fresh-stack.js";
import {
  type IndependentService,
  type IndependentServiceOptions,
  startIndependentService,
} from "../../support/independent-service/index.js";
import { processorOf, watchSilence } from "../../support/silence.js";

const STACK = "dev";
/** What the provider asks before the first create of a run. */
export const LISTS = ["GET /v1/documents", ...Array<string>(3).fill("GET /v1/documents/by_date_range")];
export const DOCUMENT = "pulumi-nodejs:dynamic/docsign:Document";

export interface ProjectOptions {
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  /** The unpacked tarball; left out, the package is the checkout. */
  readonly package?: string;
  readonly service?: IndependentServiceOptions;
  /** Directory of another Node to run everything with. */
  readonly node?: string;
  /** Where the settings come from: the environment, or the stack's configuration. */
  readonly settings?: "environment" | "stack";
  /** Whether Node loads all of Pulumi's SDK at its start, as on everybody's machine. */
  readonly loads?: "all";
  /** Who keeps the key of its secrets, when it isn't who does in tests: a passphrase, as on most people's machines. */
  readonly secrets?: "passphrase";
}

export interface Outcome extends Ran {
  readonly text: string;
}

export interface Resource {
  readonly urn: string;
  readonly type: string;
  readonly id?: string;
  readonly sourcePosition?: string;
  readonly inputs: Record<string, unknown>;
  readonly outputs: Record<string, unknown>;
}

interface Latest {
  readonly resources?: Resource[];
}

/** A Node project of a user's own, with a stack, a backend and a service that go away with it. */
export interface Project extends AsyncDisposable {
  readonly folder: string;
  readonly service: IndependentService;
  write(path: string, content: string | Uint8Array): void;
  /** Sets a variable for the commands from now on. */
  set(name: string, value: string): void;
  /** Runs `pulumi` and expects it to go well. */
  pulumi(...args: string[]): Promise<Outcome>;
  /** Runs a command line as CI does, in the program's folder, and expects it to go well. */
  shell(command: string): Promise<string>;
  /** Runs `pulumi` and expects it to fail. */
  refused(...args: string[]): Promise<Outcome>;
  up(...more: string[]): Promise<Outcome>;
  /** Runs `pulumi`, and presses Ctrl-C when that holds of what it has said. It then has to end in ten seconds. */
  interrupted(when: (said: string) => boolean, ...args: string[]): Promise<{ readonly text: string }>;
  resources(): Promise<Resource[]>;
  resource(name: string): Promise<Resource>;
  /** The state as the backend keeps it, byte for byte, and everything the machine remembers. */
  kept(): string;
  /** Requests since the last look, as `GET /v1/documents/1`. */
  asked(): string[];
  mails(): number;
}

export async function openProject(options: ProjectOptions): Promise<Project> {
  const folder = mkdtempSync(join(tmpdir(), "docsign-sdk-"));
  const service = await startIndependentService(options.service);
  const program = join(folder, "program");
  const settings = { DOCSIGN_BASE_URL: service.url, DOCSIGN_API_KEY: service.apiKey };
  const own: Record<string, string> = {
    PULUMI_BACKEND_URL: `file://${join(folder, "backend")}`,
    PULUMI_CONFIG_PASSPHRASE: "",
    PULUMI_HOME: join(folder, "home"),
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_STACK: STACK,
    DOCSIGN_STATE_DIR: join(folder, "journal"),
    TMPDIR: join(folder, "tmp"),
    ...(options.settings === "stack" ? {} : settings),
    ...(await thrift()),
    ...(options.loads === "all" && { NODE_OPTIONS: "" }),
  };
  const attempt = async (args: readonly string[]): Promise<Outcome> => {
    const ran = await run(pulumi(), [...args, "--non-interactive", "--color", "never"], {
      cwd: program,
      env: environment(own, options.node === undefined ? [] : [options.node]),
    });
    return { ...ran, text: `${ran.stdout}${ran.stderr}` };
  };
  let checkpoint = "";
  let looked = 0;
  const project: Project = {
    folder,
    service,
    write: (path, content) => {
      mkdirSync(dirname(join(program, path)), { recursive: true });
      writeFileSync(join(program, path), content);
    },
    set(name, value) {
      own[name] = value;
    },
    async pulumi(...args) {
      const outcome = await attempt(args);
      if (outcome.code !== 0) throw new Error(`pulumi ${args.join(" ")} failed:\n${outcome.text}`);
      return outcome;
    },
    async shell(command) {
      const ran = await run("bash", ["-e", "-o", "pipefail", "-c", command], {
        cwd: program,
        env: environment({ ...own, NO_COLOR: "1" }, [dirname(pulumi())]),
      });
      if (ran.code !== 0) throw new Error(`${command} failed:\n${ran.stdout}${ran.stderr}`);
      return `${ran.stdout}${ran.stderr}`;
    },
    async refused(...args) {
      const outcome = await attempt(args);
      if (outcome.code === 0) throw new Error(`pulumi ${args.join(" ")} went well:\n${outcome.text}`);
      return outcome;
    },
    async interrupted(when, ...args) {
      const child = spawn(pulumi(), [...args, "--non-interactive", "--color", "never"], {
        cwd: program,
        env: environment(own),
      });
      let text = "";
      const watch = watchSilence(`pulumi ${args.join(" ")}`, processorOf(child.pid ?? 0));
      const hear = (more: Buffer): void => {
        text += more;
        watch.heard();
      };
      child.stdout.on("data", hear);
      child.stderr.on("data", hear);
      watch.silent.catch(() => child.kill("SIGKILL"));
      const closed = once(child, "close");
      const ended = () => child.exitCode !== null || child.signalCode !== null;
      while (!ended() && !when(text)) await new Promise(resolve => setTimeout(resolve, 20));
      await within(10_000, () => {
        child.kill("SIGINT");
        return closed;
      });
      watch.stop();
      return { text };
    },
    up: (...more) => project.pulumi("up", "--yes", "--skip-preview", ...more),
    async resources() {
      const state = JSON.parse(readFileSync(checkpoint, "utf8")) as { checkpoint: { latest?: Latest } };
      return state.checkpoint.latest?.resources ?? [];
    },
    async resource(name) {
      const found = (await project.resources()).find(({ urn }) => urn.endsWith(`::${name}`));
      if (!found) throw new Error(`state has no ${name}`);
      return found;
    },
    kept: () => ["backend", "journal"].flatMap(name => textsBelow(join(folder, name))).join("\n"),
    asked() {
      const since = service.ledger.requests().slice(looked);
      looked += since.length;
      return since.map(({ method, path }) => `${method} ${path}`);
    },
    mails: () => service.ledger.mails().length,
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
      await service[Symbol.asyncDispose]();
    },
  };
  try {
    for (const name of ["backend", "home", "tmp", "program"]) mkdirSync(join(folder, name));
    for (const [path, content] of Object.entries(options.files)) project.write(path, content);
    install(program, options.package);
    if (options.secrets === "passphrase") await project.pulumi("stack", "init", STACK);
    else freshStack({ backend: join(folder, "backend"), program, name: STACK });
    checkpoint = checkpointOf(join(folder, "backend"), projectIn(program), STACK);
    if (options.settings === "stack") {
      const values = ["--plaintext", `docsign:baseUrl=${service.url}`, "--secret", `docsign:apiKey=${service.apiKey}`];
      await project.pulumi("config", "set-all", ...values);
    }
    return project;
  } catch (error) {
    await project[Symbol.asyncDispose]();
    throw error;
  }
}

/** What `npm install` would bring, without asking a registry: the package as packed, its dependencies as they are here. */
export function install(program: string, unpacked: string | undefined): void {
  const modules = join(program, "node_modules");
  mkdirSync(join(modules, "@types"), { recursive: true });
  for (const name of ["@pulumi", "@grpc", "google-protobuf", "typescript", "@types/node"]) {
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  const ours = join(modules, "pulumi-docsign");
  if (unpacked !== undefined) cpSync(unpacked, ours, { recursive: true });
  else {
    // Not the checkout as a whole: a host looks for plugins in every folder below.
    mkdirSync(join(ours, "dist"), { recursive: true });
    for (const path of [
      "package.json",
      "dist/types",
      "dist/sdk",
      "dist/templates",
      "dist/evidence",
      "dist/sandbox",
      "dist/sdks/nodejs",
    ]) {
      mkdirSync(dirname(join(ours, path)), { recursive: true });
      symlinkSync(join(root, path), join(ours, path));
    }
  }
}

/** Why the package can't be packed here. */
export const unpackable: string | undefined =
  spawnSync("npm", ["--version"]).status === 0 ? undefined : "npm isn't on PATH, so nothing can be packed";

/** The declarations, which a build leaves out that nobody packs: programs that are compiled with their types need them. */
export async function declared(): Promise<void> {
  if (!existsSync(join(root, "dist", "types")))
    await must(process.execPath, [join(root, "scripts", "build.mjs"), "--types"], root);
}

/** Where the files of a run share what takes long to make; `npm test` brings it. */
const shared = process.env["DOCSIGN_TEST_SHARED"];

/** The package as it would be published, unpacked, its tarball beside it: made by whoever asks first in a run. */
export const packed = (folder: string): Promise<string> => madeOnce(folder, "package", pack);

/** The plugin's archive for this machine, made as well by whoever asks first in a run. */
export const archived = (folder: string): Promise<string> =>
  madeOnce(folder, "archive.tar.gz", async place => {
    await must(process.execPath, [join(root, "scripts/archives.mjs"), "--here"], root);
    const archives = join(root, "dist", "archives");
    const name = readdirSync(archives).find(each => each.endsWith(".tar.gz")) ?? "";
    copyFileSync(join(archives, name), join(place, "archive.draft"));
    renameSync(join(place, "archive.draft"), join(place, "archive.tar.gz"));
  });

async function madeOnce(folder: string, name: string, make: (place: string) => Promise<void>): Promise<string> {
  const place = shared ?? folder;
  const [made, lock] = [join(place, name), join(place, `${name}.lock`)];
  while (!existsSync(made)) {
    if (mkdirSync(lock, { recursive: true }) === undefined) await new Promise(resolve => setTimeout(resolve, 200));
    else await make(place).finally(() => rmSync(lock, { recursive: true }));
  }
  return made;
}

async function pack(place: string): Promise<void> {
  // Builds into a checkout others may be using: `npm pack` alone would do the same.
  await must("npm", ["pack", "--silent", "--pack-destination", place], root);
  const { name, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const draft = mkdtempSync(join(place, "draft-"));
  await must("tar", ["xzf", join(place, `${name}-${version}.tgz`)], draft);
  renameSync(join(draft, "package"), join(place, "package"));
}

async function must(command: string, args: readonly string[], cwd: string): Promise<void> {
  const { code, stdout, stderr } = await run(command, args, { cwd, env: environment() });
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`);
}

function textsBelow(path: string): string[] {
  if (!existsSync(path)) return [];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => readFileSync(join(entry.parentPath, entry.name), "utf8"));
}
