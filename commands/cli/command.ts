import type { Environment } from "../../provider/config.js";
import { UserError } from "../../provider/resources/resource.js";
import { flags as sandbox } from "../../sandbox/flag-table.js";
import { flags as board } from "../board/flags.js";
import { flags as fleet, VERBS } from "../fleet/flags.js";
import { flags as gateStatus } from "../gate-status/command.js";
import { flags as watch } from "../watch/flags.js";
import { evidence, pullFlags } from "./evidence.js";
import { CommandError, type Flags, UsageError } from "./flags.js";
import { journal, journalFlags } from "./journal.js";
import { render, renderFlags } from "./render.js";
import { verifyFlags, verifyFolder } from "./verify.js";

interface Command {
  readonly what: string;
  readonly flags: Flags;
  /** Words that come first. */
  readonly words?: readonly string[];
}

/** What the help and the completion know of each command. */
export const COMMANDS = {
  render: { what: "a contract's PDF from its template, as it would be sent", flags: renderFlags },
  journal: {
    what: "creates whose outcome isn't known: list them, and say what came of one",
    flags: journalFlags,
    words: ["list", "resolve"],
  },
  evidence: { what: "signed PDFs, certificates and constancias of many contracts", flags: pullFlags, words: ["pull"] },
  verify: { what: "whether evidence is what was pulled, to the last bit", flags: verifyFlags },
  board: { what: "who hasn't signed since when, as a page, Markdown or JSON", flags: board },
  fleet: { what: "one program over many stacks and machines", flags: fleet, words: VERBS },
  "gate-status": { what: "an exit code for runs that wait for people", flags: gateStatus },
  watch: { what: "tells a chat, or runs a stack, once people have signed", flags: watch },
  sandbox: { what: "a service to try all of it on, on this machine", flags: sandbox },
  completion: { what: "completes these in a shell: bash, zsh or fish", flags: {}, words: ["bash", "zsh", "fish"] },
} as const satisfies Record<string, Command>;

/** Commands with a bundle of their own: what one of them needs is loaded by none of the others. */
const STARTED = ["board", "fleet", "gate-status", "sandbox", "watch"] as const;
type Started = (typeof STARTED)[number];

export interface CommandIo {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly env: Environment;
  readonly cwd: string;
  readonly pid: number;
  /** Who is logged in, where the system tells. */
  readonly user?: string | undefined;
  readonly version: string;
  /** Aborted by Ctrl-C, for a command that goes on until then: without it, Ctrl-C ends the process. */
  readonly interrupted: () => AbortSignal;
  /** Goes on as that command, which ends the process by itself. */
  readonly start: (command: Started, argv: readonly string[]) => void;
}

// ---- The way to each ----

/** Answers the exit code; undefined where another command goes on. */
export async function main(argv: readonly string[], io: CommandIo): Promise<number | undefined> {
  const [name, ...rest] = argv;
  try {
    // `docsign help board` is `docsign board --help`.
    if (name === "help" && rest.length > 0) return await main([...rest, "--help"], io);
    const started = STARTED.find(one => one === name);
    if (started !== undefined) {
      io.start(started, rest);
      return undefined;
    }
    if (name === "journal") return await journal(rest, io);
    if (name === "evidence") return await evidence(rest, io);
    if (name === "verify") return await verifyFolder(rest, io);
    if (name === "render") return await render(rest, io);
    if (name === "completion" && !rest.includes("--help")) io.out(completion(rest));
    else if (name === "completion" || name === "--help" || name === "-h" || name === "help") io.out(help);
    else if (name === "--version") io.out(`docsign ${io.version}\n`);
    else throw new UsageError(`expected one of ${Object.keys(COMMANDS).join(", ")}, got ${name ?? "none"}`);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      io.err(`docsign: ${error.message}\n(docsign --help shows more)\n`);
      return 2;
    }
    if (!(error instanceof CommandError || error instanceof UserError)) throw error;
    io.err(`docsign: ${error.message}\n`);
    return 1;
  }
}

// ---- Help ----

const width = Math.max(...Object.keys(COMMANDS).map(name => name.length));

export const help = `Signed contracts in Pulumi.

Usage: docsign COMMAND [options]   (docsign COMMAND --help shows more)

Commands
${Object.entries(COMMANDS)
  .map(([name, { what }]) => `  ${name.padEnd(width)}  ${what}`)
  .join("\n")}

Options
  --version   the version
  --help, -h  this page

Completion
  bash  source <(docsign completion bash)     in ~/.bashrc
  zsh   source <(docsign completion zsh)      in ~/.zshrc
  fish  docsign completion fish | source      in ~/.config/fish/config.fish
`;

// ---- Completion ----

const commands: readonly (readonly [string, Command])[] = Object.entries(COMMANDS);
const names = commands.map(([name]) => name).join(" ");
const offered = ({ flags, words = [] }: Command) =>
  [...words, ...Object.keys(flags).map(name => `--${name}`)].join(" ");

/** Names of files are completed wherever nothing else fits. */
const bash = () => `_docsign() {
  local words=
  if [ "$COMP_CWORD" -eq 1 ]; then words="${names}"; else
    case \${COMP_WORDS[1]} in
${commands.map(([name, command]) => `      ${name}) words="${offered(command)}" ;;`).join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _docsign docsign
`;

const zsh = () => `#compdef docsign
_docsign() {
  if (( CURRENT == 2 )); then compadd -- ${names}; return; fi
  case $words[2] in
${commands.map(([name, command]) => `    ${name}) compadd -- ${offered(command)} ;;`).join("\n")}
  esac
  _files
}
compdef _docsign docsign
`;

const fish = () =>
  commands
    .flatMap(([name, { what, flags, words = [] }]) => {
      const after = `complete -c docsign -n '__fish_seen_subcommand_from ${name}'`;
      return [
        `complete -c docsign -n __fish_use_subcommand -f -a ${name} -d "${what}"`,
        ...(words.length > 0 ? [`${after} -a '${words.join(" ")}'`] : []),
        ...Object.entries(flags).map(
          ([flag, { type, short }]) =>
            `${after} -l ${flag}${short === undefined ? "" : ` -s ${short}`}${type === "string" ? " -r" : ""}`,
        ),
      ];
    })
    .map(line => `${line}\n`)
    .join("");

const SHELLS: Readonly<Record<string, () => string>> = { bash, zsh, fish };

/** A script that completes commands and flags in that shell. */
export function completion([shell = "none", ...more]: readonly string[]): string {
  const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
  if (script === undefined || more.length > 0)
    throw new UsageError(
      `completion: expected one of ${Object.keys(SHELLS).join(", ")}, got ${[shell, ...more].join(" ")}`,
    );
  return script();
}
