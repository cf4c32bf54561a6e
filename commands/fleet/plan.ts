import { createHash } from "node:crypto";
import { globSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join, relative, resolve } from "node:path";
import { own } from "../../kit/records.js";
import { identityOf } from "../../provider/core/same.js";
import { readTable } from "../../provider/resources/document-set/table.js";
import { CommandError, readGiven } from "../cli/flags.js";
import { type FleetFile, NAME } from "./file.js";

/** One stack, with everything a worker needs to run it. */
export interface PlannedStack {
  readonly name: string;
  readonly config: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  /** A file that is written below the program's folder before the engine starts. */
  readonly file?: { readonly path: string; readonly text: () => string };
}

export interface FleetPlan {
  readonly file: FleetFile;
  /** Of the fleet file's text: a worker with another file refuses the jobs. */
  readonly digest: string;
  /** The program's folder. */
  readonly program: string;
  readonly stacks: readonly PlannedStack[];
  /** The table that is cut into shards, with the keys of its rows. */
  readonly keys: readonly string[];
}

/** Every stack of the fleet, in the order of the file. `folder` is the fleet file's own. */
export function planFleet(file: FleetFile, text: string, folder: string): FleetPlan {
  const program = resolve(folder, file.program);
  const common = { file, digest: createHash("sha256").update(text).digest("hex").slice(0, 16), program };
  const { list = [], files, shards } = file.stacks;
  if (shards) return { ...common, ...shardStacks(file, folder, program, shards) };
  const stacks =
    files === undefined
      ? list.map(({ name, config = {}, env = {} }) => filled(name, file, { stack: name }, { config, env }))
      : fileStacks(file, folder, program, files);
  const names = stacks.map(({ name }) => name);
  const twice = names.find((name, nth) => names.indexOf(name) < nth);
  if (twice !== undefined) throw new CommandError(`expected each stack once, got ${twice} twice`);
  return { ...common, stacks, keys: [] };
}

function fileStacks(file: FleetFile, folder: string, program: string, glob: string): PlannedStack[] {
  const found = globSync(glob, { cwd: folder }).sort();
  if (found.length === 0) throw new CommandError(`expected files that match ${glob} in ${folder}, got none`);
  return found.map(path => {
    const name = basename(path, extname(path));
    if (!NAME.test(name))
      throw new CommandError(
        `${path}: expected a file name that can name a stack (letters, digits, "_", "." and "-"), got ${name}`,
      );
    return filled(name, file, { stack: name, file: relative(program, resolve(folder, path)) });
  });
}

function shardStacks(
  file: FleetFile,
  folder: string,
  program: string,
  { of, key, count }: NonNullable<FleetFile["stacks"]["shards"]>,
): Pick<FleetPlan, "stacks" | "keys"> {
  const read = readTable(readGiven(join(folder, of)));
  if ("mistakes" in read) throw new CommandError(`${of}: ${read.mistakes.join("\n")}`);
  const { columns, rows } = read.table;
  if (!columns.includes(key)) throw new CommandError(`${of}: expected a column ${key}, got ${columns.join(", ")}`);
  const line = (cells: readonly string[]): string => cells.map(csvCell).join(",");
  const parts = Array.from({ length: count }, (): string[] => [line(columns)]);
  const at = columns.indexOf(key);
  const keys = rows.map(({ cells }) => cells[at] ?? "");
  for (const [index, { cells }] of rows.entries()) parts[shardOf(keys[index] ?? "", count)]?.push(line(cells));
  const stacks = parts.map((lines, shard) => {
    const name = `${file.name}-${shard}`;
    const path = join(".docsign-fleet", `${name}.csv`);
    const values = { stack: name, file: path, shard: String(shard), shards: String(count) };
    return { ...filled(name, file, values), file: { path: join(program, path), text: () => `${lines.join("\n")}\n` } };
  });
  return { stacks, keys };
}

const csvCell = (text: string): string => (/[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

type Texts = Readonly<Record<string, string>>;

/** A stack, with `${stack}` and its like filled in. */
function filled(stack: string, file: FleetFile, values: Texts, more: { config?: Texts; env?: Texts } = {}) {
  const value = (_: string, name: string) => {
    const found = own(values, name);
    if (found !== undefined) return found;
    const known = Object.keys(values).map(each => `\${${each}}`);
    throw new CommandError(`stack ${stack}: expected ${known.join(", ")}, got \${${name}}`);
  };
  const fill = (given: Texts): Texts =>
    Object.fromEntries(Object.entries(given).map(([key, text]) => [key, text.replace(/\$\{(\w+)\}/g, value)]));
  return { name: stack, config: fill({ ...file.config, ...more.config }), env: fill({ ...file.env, ...more.env }) };
}

/** Writes what a stack needs on disk, and answers where. */
export function writeTable({ file }: PlannedStack): string | undefined {
  if (!file) return undefined;
  mkdirSync(dirname(file.path), { recursive: true });
  writeFileSync(file.path, file.text());
  return file.path;
}

/** The stacks that were asked for, by name; all of them where none was. */
export function chosen(plan: FleetPlan, names: readonly string[]): readonly PlannedStack[] {
  if (names.length === 0) return plan.stacks;
  const unknown = names.filter(name => !plan.stacks.some(stack => stack.name === name));
  if (unknown.length > 0)
    throw new CommandError(`expected stacks of the fleet ${plan.file.name}, got ${unknown.join(", ")}`);
  return plan.stacks.filter(({ name }) => names.includes(name));
}

// ---- Shards ----

/**
 * The shard of a key, by jump consistent hash (Lamping and Veach, 2014): growing from n to m shards moves keys to new
 * shards only, and (m − n) / m of them.
 */
export function shardOf(key: string, count: number): number {
  let hash = createHash("sha256").update(identityOf(key.trim())).digest().readBigUInt64BE();
  let shard = -1n;
  let next = 0n;
  while (next < BigInt(count)) {
    shard = next;
    hash = (hash * 2_862_933_555_777_941_757n + 1n) & MASK;
    next = BigInt(Math.floor(Number(shard + 1n) * (2 ** 31 / (Number(hash >> 33n) + 1))));
  }
  return Number(shard);
}

const MASK = (1n << 64n) - 1n;

export interface Move {
  readonly key: string;
  readonly from: number;
  readonly to: number;
}

/** Which keys change their shard when the number of shards does. */
export const movesBetween = (keys: Iterable<string>, before: number, after: number): Move[] =>
  [...keys]
    .map(key => ({ key, from: shardOf(key, before), to: shardOf(key, after) }))
    .filter(({ from, to }) => from !== to);
