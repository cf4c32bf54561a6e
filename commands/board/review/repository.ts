import { execFileSync } from "node:child_process";
import { join, posix } from "node:path";
import { type FileRead, type ReadPart, readBeside, readRegularFile } from "../../../sdk/templates/parts.js";
import { CommandError, messageOf } from "../../cli/flags.js";

/** Files of one version of a repository: of the folder as it is, or of a commit. */
export interface Version {
  /** Paths from the repository's top. */
  readonly paths: readonly string[];
  read(path: string, largest: number): FileRead;
  /** Reads beside a template, inside the folder of its project. */
  beside(path: string): ReadPart;
}

const MOST_LISTED_BYTES = 64 * 1024 * 1024;

/** The folder's files as they are, those that git doesn't know yet among them. */
export function workingVersion(cwd: string): Version {
  const top = topOf(cwd);
  const paths = git(top, ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], MOST_LISTED_BYTES);
  return {
    paths: paths.toString("utf8").split("\0").filter(Boolean),
    read: (path, largest) => readRegularFile(join(top, path), largest),
    beside: path => readBeside(join(top, path)),
  };
}

/** The files of a commit. Each object is read once, and none that is larger than asked for. */
export function committedVersion(cwd: string, ref: string): Version {
  const top = topOf(cwd);
  const commit = lineOf(
    top,
    ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`],
    `expected a commit that is here, got ${JSON.stringify(ref)}; a shallow clone may lack it`,
  );
  const entries = new Map<string, { readonly id: string; readonly size: number }>();
  for (const line of git(top, ["ls-tree", "-r", "-z", "-l", "--full-tree", commit], MOST_LISTED_BYTES)
    .toString("utf8")
    .split("\0")) {
    // A link's content is a path, and a submodule has none.
    const [, id, size, path] = /^100\d{3} blob ([0-9a-f]+) +(\d+)\t(.+)$/s.exec(line) ?? [];
    if (id !== undefined && path !== undefined) entries.set(path, { id, size: Number(size) });
  }
  const objects = new Map<string, FileRead>();
  const read = (path: string, largest: number): FileRead => {
    const entry = entries.get(path);
    if (!entry) return { wrong: "expected a file in the commit, got none" };
    const { id, size } = entry;
    if (size > largest) return { wrong: `expected a file of at most ${largest} bytes, got ${size}` };
    const known = objects.get(id) ?? { bytes: git(top, ["cat-file", "blob", id], size + 1) };
    objects.set(id, known);
    return known;
  };
  return {
    paths: [...entries.keys()],
    read,
    beside: template => {
      const folder = posix.dirname(template);
      const project = projectOf(folder, entries);
      return (path, largest) => {
        const file = posix.join(folder, path);
        return file.startsWith("../") || !(project === "." || file.startsWith(`${project}/`))
          ? { wrong: "expected a file inside the project's folder, got one outside" }
          : read(file, largest);
      };
    },
  };
}

/** The nearest folder with a project; without one, the template's own. */
function projectOf(folder: string, entries: ReadonlyMap<string, unknown>): string {
  for (let here = folder; ; here = posix.dirname(here)) {
    if (["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"].some(name => entries.has(posix.join(here, name)))) return here;
    if (here === ".") return folder;
  }
}

const topOf = (cwd: string): string =>
  lineOf(cwd, ["rev-parse", "--show-toplevel"], "expected to run in a git repository");

function lineOf(cwd: string, args: readonly string[], refusal: string): string {
  try {
    return git(cwd, args, 65_536)
      .toString("utf8")
      .replace(/\r?\n$/, "");
  } catch {
    throw new CommandError(`--base: ${refusal}`);
  }
}

function git(cwd: string, args: readonly string[], maxBuffer: number): Buffer {
  try {
    return execFileSync("git", ["-C", cwd, ...args], { maxBuffer, stdio: ["ignore", "pipe", "ignore"] });
  } catch (error) {
    throw new CommandError(`git ${args[0]}: ${messageOf(error)}`);
  }
}
