import type { Environment } from "../../provider/config.js";
import { flags as sandbox } from "../../sandbox/flag-table.js";
import { flags as board } from "../board/flags.js";
import { flags as fleet, VERBS } from "../fleet/flag-table.js";
import { flags as gateStatus } from "../gate-status/flags.js";
import { flags as watch } from "../watch/flags.js";
import { pullFlags, verifyFlags } from "./evidence/flags.js";
import type { Flags } from "./flags/parse.js";
import { flags as journal } from "./journal/flags.js";
import { flags as render } from "./render/flags.js";

export interface Command {
  readonly what: string;
  readonly flags: Flags;
  /** Words that come first. */
  readonly words?: readonly string[];
}

/** What the help and the completion know of each command. */
export const COMMANDS = {
  render: { what: "a contract's PDF from its template, as it would be sent", flags: render },
  journal: {
    what: "creates whose outcome isn't known: list them, and say what came of one",
    flags: journal,
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
export const STARTED = ["board", "fleet", "gate-status", "sandbox", "watch"] as const;
type Started = (typeof STARTED)[number];

export interface CommandIo {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly env: Environment;
  readonly cwd: string;
  readonly pid: number;
  readonly version: string;
  /** Aborted by Ctrl-C, for a command that goes on until then: without it, Ctrl-C ends the process. */
  readonly interrupted: () => AbortSignal;
  /** Goes on as that command, which ends the process by itself. */
  readonly start: (command: Started, argv: readonly string[]) => void;
}
