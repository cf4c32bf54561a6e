import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));

export type Language = "yaml" | "nodejs" | "python" | "go";

export interface Machine {
  /** Directory with the engine and its language hosts. */
  readonly engine: string;
  /** Directory of the Node that runs this. */
  readonly node: string;
  /** Virtual environment with Pulumi's SDK for Python, or why there is none. */
  readonly python: { venv: string } | { missing: string };
  /** Why there are no generated SDKs; undefined where there are. */
  readonly sdksMissing: string | undefined;
}

const {
  DOCSIGN_TEST_ENGINE,
  DOCSIGN_TEST_ENGINE_MISSING,
  DOCSIGN_TEST_PYTHON,
  DOCSIGN_TEST_PYTHON_MISSING,
  DOCSIGN_TEST_SDKS,
  DOCSIGN_TEST_SDKS_MISSING,
} = process.env;

const NOT_STARTED_BY_NPM_TEST = "`npm test` passes the path of the engine, and this run wasn't started by it";

/** Why suites with a real engine can't run here; undefined when they can. */
export const missingEngine: string | undefined = DOCSIGN_TEST_ENGINE
  ? undefined
  : (DOCSIGN_TEST_ENGINE_MISSING ?? NOT_STARTED_BY_NPM_TEST);

export const machine: Machine = {
  engine: DOCSIGN_TEST_ENGINE ?? "",
  node: dirname(process.execPath),
  python: DOCSIGN_TEST_PYTHON
    ? { venv: DOCSIGN_TEST_PYTHON }
    : { missing: DOCSIGN_TEST_PYTHON_MISSING ?? "no virtual environment was brought" },
  sdksMissing: DOCSIGN_TEST_SDKS ? undefined : (DOCSIGN_TEST_SDKS_MISSING ?? NOT_STARTED_BY_NPM_TEST),
};

export const pulumi = (): string => join(machine.engine, process.platform === "win32" ? "pulumi.exe" : "pulumi");

/** Node loads what it has loaded before without compiling it again: engines start it many times in a test. */
const compiled = join(root, "node_modules", ".cache", "pulumi-docsign", "compiled");

/** Set-up has brought everything: a test that asks a registry fails, with a network as without. */
const OFFLINE = { GOPROXY: "off", PIP_NO_INDEX: "1", npm_config_offline: "true" };

/** What children get: nothing of this run's own settings, and the engine's helpers on PATH. */
export function environment(more: Record<string, string> = {}, first: readonly string[] = []): NodeJS.ProcessEnv {
  const ours = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(DOCSIGN|PULUMI|VITEST|NODE_OPTIONS|VIRTUAL_ENV)/.test(name)),
  );
  // Programs behind dynamic providers are started through what ships in the npm package.
  const helpers = join(root, "node_modules", "@pulumi", "pulumi");
  const path = [...first, machine.node, machine.engine, helpers, process.env["PATH"] ?? ""].join(":");
  return { ...ours, PATH: path, NODE_COMPILE_CACHE: compiled, ...OFFLINE, ...more };
}

/** Whether the engine's hosts are current ones: they generate SDKs, and run a plugin from its source. */
export function hasCurrentHosts(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "docsign-hosts-"));
  try {
    const args = ["package", "gen-sdk", join(root, "schema.json"), "--language", "nodejs", "--out", folder];
    const env = environment({ PULUMI_HOME: join(folder, "home"), PULUMI_SKIP_UPDATE_CHECK: "true" });
    return spawnSync(pulumi(), args, { cwd: folder, env }).status === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
