// The Go toolchain, which builds what can't be had ready-made.
import { ask } from "./child.mjs";
import { ScriptError } from "./errors.mjs";
import { atLeast, parseVersion } from "./version.mjs";

/** What pulumi's own go.mod asks for. */
const NEEDED = "1.25.11";
/** From here on Go can fetch the newer toolchain it needs by itself, unless that is switched off. */
const FETCHES_ITSELF = "1.21.0";

const ENGINE = {
  what: "the Pulumi engine",
  without: "no Pulumi engine was found, its download can't be reached, and Go, to build it, is missing",
  instead: `install Go ${NEEDED} or newer, or Pulumi 3.250 or newer`,
};

/** Ends with one clear line when there is no Go that can build the engine, or the program. */
export async function requireGo({ tell = ask, program } = {}) {
  const { what, without, instead } = program
    ? { what: program, without: `Go, to build ${program}, is missing`, instead: `install Go ${NEEDED} or newer` }
    : ENGINE;
  const version = await tell("go", ["version"]);
  const name = parseVersion(version)?.join(".");
  if (!name) throw new ScriptError(`${without}: ${instead}`);
  if (atLeast(name, NEEDED)) return;
  const local = (await tell("go", ["env", "GOTOOLCHAIN"]))?.startsWith("local") ?? true;
  if (atLeast(name, FETCHES_ITSELF) && !local) return;
  throw new ScriptError(`Go ${name} is too old to build ${what}: ${instead}`);
}

/** Go's environment for a build that depends on nothing but our go.mod; its caches stay the user's. */
export function goEnvironment(env = process.env) {
  const { GOOS, GOARCH, GOEXPERIMENT, ...rest } = env;
  return { ...rest, GOFLAGS: "-mod=mod", GOWORK: "off", GO111MODULE: "on" };
}
