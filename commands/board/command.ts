import { writeFile } from "node:fs/promises";
import { CommandError, UsageError } from "../cli/flags.js";
import { type Flags, help, readFlags, usage } from "./flags.js";
import { boardMarkdown, planMarkdown, together } from "./markdown.js";
import { boardPage, versionOf } from "./page/page.js";
import { type BoardInput, read } from "./read.js";
import { reviewMarkdown } from "./review/markdown.js";
import { serve } from "./serve.js";

export interface CommandIo {
  readonly stdin: NodeJS.ReadableStream;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Aborted when a board that is served is to stop. */
  readonly stop: AbortSignal;
  readonly version: string;
  readonly now?: () => Date;
  /** The folder of the repository that a preview is reviewed in. */
  readonly cwd?: string;
}

/** Makes the board that the command line asks for; answers the exit code. */
export async function main(argv: readonly string[], io: CommandIo): Promise<number> {
  const { now = () => new Date(), cwd = "." } = io;
  try {
    const flags = readFlags(argv);
    if (flags.wants === "help") io.out(help);
    else if (flags.wants === "version") io.out(`docsign board ${io.version}\n`);
    else if (flags.serve) {
      const { everySeconds } = flags.serve;
      const make = async () => {
        const board = boardIn(await read(flags, { stdin: io.stdin, now: now(), cwd }));
        return { page: boardPage(board, { refreshSeconds: everySeconds }), version: versionOf(board) };
      };
      await serve(make, flags.serve, io);
    } else {
      const text = outputOf(flags, await read(flags, { stdin: io.stdin, now: now(), cwd }));
      if (flags.out === undefined) io.out(text);
      else await writeFile(flags.out, text);
    }
    return 0;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    io.err(`docsign board: ${error.message}\n${error instanceof UsageError ? `${usage}\n` : ""}`);
    return error instanceof UsageError ? 2 : 1;
  }
}

function outputOf(flags: Flags, found: BoardInput): string {
  if (flags.format === "html") return boardPage(boardIn(found));
  if (flags.format === "json") return `${JSON.stringify(boardIn(found), null, 2)}\n`;
  const { board, plans } = found;
  const parts = plans.flatMap(({ plan, review }) => [
    (longest: number) => planMarkdown(plan, longest),
    ...(review ? [(longest: number) => reviewMarkdown(review, longest)] : []),
  ]);
  return together(board ? [...parts, longest => boardMarkdown(board, longest)] : parts);
}

function boardIn({ board }: BoardInput) {
  if (board) return board;
  throw new CommandError("expected the state of a stack; a preview alone is shown as --format markdown");
}
