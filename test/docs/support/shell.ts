import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Script } from "node:vm";
import { readFlags as readBoardFlags } from "../../../commands/board/flags.js";
import { completion } from "../../../commands/cli/command.js";
import { readPullFlags } from "../../../commands/cli/evidence.js";
import { parseFlags } from "../../../commands/cli/flags.js";
import { readFlags as readJournalFlags } from "../../../commands/cli/journal.js";
import { readFlags as readRenderFlags } from "../../../commands/cli/render.js";
import { readVerifyFlags } from "../../../commands/cli/verify.js";
import { readFlags } from "../../../commands/fleet/flags.js";
import { flags as watchFlags } from "../../../commands/watch/flags.js";
import { propertyMetadata } from "../../../kit/property.js";
import { configInputs } from "../../../provider/config.js";
import { actions, views } from "../../../sandbox/control/actions.js";
import { readFlags as readSandboxFlags } from "../../../sandbox/flags.js";
import { root } from "../../support/engine/found.js";
import type { Snippet } from "./pages.js";

/** One command of a page: its words, and the page it stands on. */
export interface Command {
  readonly page: string;
  readonly where: string;
  readonly words: readonly string[];
}

/** Quoted parts stay whole, and lose their quotes; so do commands inside a command. */
const WORD = /(?:\$\([^()]*\)|[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/g;
const BETWEEN = /\s*(?:&&|\|\||[|;])\s*/;
const bare = (word: string): string =>
  word.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g, (_, a, b) => a?.replace(/\\(.)/g, "$1") ?? b);

/** The commands in a block, one for each side of a pipe, `&&` or `;`. */
export function commandsIn({ page, where, text }: Snippet): Command[] {
  const lines = text.replace(/\\\n\s*/g, " ").split("\n");
  return lines.flatMap(line => {
    const quoted: string[] = [];
    // What is quoted may hold anything, so it is set aside while the line is cut.
    const plain = line
      .replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, text => `\uE000${quoted.push(text) - 1}\uE001`)
      .replace(/(^|\s)#.*$/, "")
      .replace(/^\s*\$ /, "")
      .replace(/^(\w+)=\$\((.*)\)$/, "$2");
    return plain
      .split(BETWEEN)
      .map(part => part.replace(/\uE000(\d+)\uE001/g, (_, at) => quoted[Number(at)] ?? ""))
      .map(part => ({ page, where, words: (part.match(WORD) ?? []).map(bare) }))
      .filter(({ words }) => words.length > 0);
  });
}

const packageFile = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const versions: Record<string, string> = {
  ...packageFile.devDependencies,
  ...packageFile.peerDependencies,
  // The rehearsal of a release installs it.
  [packageFile.name]: "latest",
};
const variables = [
  ...Object.values(configInputs.shape).flatMap(input => propertyMetadata.get(input)?.env ?? []),
  ...["DOCSIGN_STATE_DIR", "DOCSIGN_SCRATCH", "DOCSIGN_FLEET_DATABASE", "DOCSIGN_FLEET_DIR"],
];

/** What a clone doesn't hold: it comes of a command the page tells, or stands for the reader's own. */
const COMES_LATER = /^(-|venv\/|dist\/|\/path\/to\/|\.\.\/my-|\.\.?$|\$)|\.(json|txt|tgz|pem|pdf|asn1)$/;

function isThere({ page }: Command, path: string): boolean {
  const places = [root, join(root, dirname(page))];
  // An example has a folder for each language, or for each of its stacks.
  const below = places.slice(1).flatMap(place =>
    readdirSync(place, { withFileTypes: true, recursive: true })
      .filter(entry => entry.isDirectory() && !/node_modules|venv/.test(join(entry.parentPath, entry.name)))
      .map(entry => join(entry.parentPath, entry.name)),
  );
  return (
    COMES_LATER.test(path) ||
    [...places, ...(page.startsWith("examples/") ? below : [])].some(place => existsSync(join(place, path)))
  );
}

const mustBeThere = (command: Command, path: string | undefined): string | undefined =>
  path === undefined || isThere(command, path) ? undefined : `there is no ${path}`;

/** What is wrong with a command of each program, or nothing. `pulumi` is asked itself, by its test. */
export const CHECKS: Readonly<Record<string, (command: Command) => string | undefined>> = {
  npm: ({ words: [, verb = "", ...rest] }) => {
    if (verb === "run") {
      const script = packageFile.scripts[rest[0] ?? ""] as string | undefined;
      return script === undefined ? `there is no script ${rest[0]}` : unknownFlag(script.split(" ")[1], rest.slice(1));
    }
    if (!["install", "ci", "test", "pack", "login"].includes(verb)) return `npm ${verb} isn't described anywhere else`;
    const wrong = rest.filter(word => {
      const [, name = "", version = ""] = /^(@?[^@/]+(?:\/[^@/]+)?)@(.+)$/.exec(word) ?? [];
      return name !== "" && !versions[name]?.replace(/^[~^]/, "").startsWith(version);
    });
    return wrong.length === 0 ? undefined : `${wrong.join(", ")} isn't in package.json`;
  },
  node: command => {
    if (command.words[1] === "-p") return problemWith(command.words[2] ?? "");
    const script = command.words.slice(1).find(word => !word.startsWith("-"));
    return mustBeThere(command, script) ?? unknownFlag(script, command.words);
  },
  cd: command => mustBeThere(command, command.words[1]),
  ".": command => mustBeThere(command, command.words[1]),
  cp: command => mustBeThere(command, command.words.at(-2)?.replace("../pulumi-docsign/", "")),
  mkdir: () => undefined,
  echo: () => undefined,
  cat: () => undefined,
  test: () => undefined,
  grep: () => undefined,
  head: () => undefined,
  rm: () => undefined,
  git: ({ words }) => (/^(clone|tag|push|checkout|add|commit)$/.test(words[1] ?? "") ? undefined : `git ${words[1]}`),
  go: ({ words }) => (/^(get|mod|build|version)$/.test(words[1] ?? "") ? undefined : `go ${words[1]}`),
  // Which package these bring is asked by the rehearsal of a release, or by CI.
  mvn: ({ words }) => (words[1] === "versions:use-dep-version" ? undefined : `mvn ${words[1]}`),
  dotnet: ({ words }) => (words.slice(1, 3).join(" ") === "add package" ? undefined : `dotnet ${words[1]}`),
  python3: ({ words }) => (words.slice(1, 3).join(" ") === "-m venv" ? undefined : words.join(" ")),
  pip: command => {
    const { words } = command;
    if (words[1] !== "install") return `pip ${words[1]}`;
    return mustBeThere(command, words[2] === "-r" ? words[3] : words[2]);
  },
  export: ({ words }) => unknownVariable(words.slice(1)),
  curl: ({ words }) => {
    const [, action] = /\/_sandbox\/([\w-]+)/.exec(words.join(" ")) ?? [];
    if (action !== undefined && !(action in actions) && !(action in views)) return `the sandbox has no ${action}`;
    const data = words[words.indexOf("-d") + 1];
    return words.includes("-d") && data !== undefined && !isJson(data.replace(/\$(\w+|\([^()]*\))/g, "1"))
      ? "its data isn't JSON"
      : undefined;
  },
  jq: () => undefined,
  docsign: ({ words: [, name = "", ...rest] }) => {
    const check = COMMANDS[name];
    if (check === undefined) return `docsign ${name}`;
    try {
      return check(rest);
    } catch (error) {
      return `docsign ${name}: ${error instanceof Error ? error.message : String(error)}`;
    }
  },
};

const COMMANDS: Readonly<Record<string, (words: readonly string[]) => string | undefined>> = {
  journal: words => void readJournalFlags(words),
  evidence: words => void readPullFlags(words),
  verify: words => void readVerifyFlags(words.map(word => (word === "$HASH" ? "0".repeat(64) : word))),
  render: words => void readRenderFlags(words),
  board: words => void readBoardFlags(words),
  fleet: words => void readFlags(words),
  sandbox: words => void readSandboxFlags(words),
  "gate-status": ([dashes]) => (dashes === "--" ? undefined : "expected -- and a command"),
  watch: words => (parseFlags(words, watchFlags).positionals.length === 1 ? undefined : "expected one file"),
  completion: words => void completion(words),
};

/** Every script answers --help, and does nothing then. */
function unknownFlag(script: string | undefined, words: readonly string[]): string | undefined {
  const flags = words.filter(word => /^--\w/.test(word)).map(word => word.split("=")[0] ?? "");
  if (!script?.startsWith("scripts/") || flags.length === 0) return undefined;
  const page = execFileSync(process.execPath, [join(root, script), "--help"], { encoding: "utf8" });
  const wrong = flags.filter(flag => !new RegExp(`${flag}\\b`).test(page));
  return wrong.length === 0 ? undefined : `${script} takes no ${wrong.join(", ")}`;
}

const unknownVariable = (settings: readonly string[]): string | undefined => {
  const names = settings.map(setting => setting.split("=")[0] ?? "");
  const wrong = names.filter(name => !variables.includes(name) && !/^(PULUMI_|PATH$)/.test(name));
  return wrong.length === 0 ? undefined : `${wrong.join(", ")} is no variable of ours`;
};

/** An expression that `node -p` prints. */
function problemWith(expression: string): string | undefined {
  try {
    new Script(expression);
    return undefined;
  } catch {
    return "expected an expression";
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The program a command starts, past variables set for it and what only starts another; and the words from there on. */
export function programOf({ words, ...rest }: Command): { readonly name: string; readonly command: Command } {
  const at = words.findIndex((word, index) => {
    if (/^\w+=/.test(word) || word === "env" || word === "npx" || word === "--no-install") return false;
    return !(word === "-u" || words[index - 1] === "-u");
  });
  const own = words.slice(Math.max(at, 0));
  return { name: basename(own[0] ?? "").replace(/^$/, "."), command: { ...rest, words: own } };
}
