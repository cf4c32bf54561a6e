import { UserError } from "../../provider/resources/resource.js";
import { COMMANDS, type CommandIo, STARTED } from "./commands.js";
import { completion } from "./completion.js";
import { evidence } from "./evidence/pull.js";
import { verifyFolder } from "./evidence/verify.js";
import { CommandError, UsageError } from "./flags/errors.js";
import { help } from "./help.js";
import { journal } from "./journal/command.js";
import { render } from "./render/command.js";

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
