import { COMMANDS, type Command } from "./commands.js";
import { UsageError } from "./flags/errors.js";

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
