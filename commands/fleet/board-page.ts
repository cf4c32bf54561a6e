import { writeFile } from "node:fs/promises";
import { boardOf, boardPage, readExport } from "../board/index.js";
import { messageOf } from "../cli/flags/errors.js";
import type { CommandIo } from "./command.js";
import { exportState } from "./pulumi-export.js";
import type { Session } from "./session.js";

const LATE_AFTER_DAYS = 14;

/** The board's page over every stack of the fleet. */
export async function writeBoard(path: string, { plan }: Session, { env, clock, out, err }: CommandIo): Promise<void> {
  const states = [];
  for (const stack of plan.stacks) {
    const state = await exportState(stack, plan.program, env).catch((error: unknown) => {
      err(`docsign fleet: ${stack.name} isn't on the board: ${messageOf(error)}\n`);
      return undefined;
    });
    if (state !== undefined) states.push(readExport(state, stack.name));
  }
  await writeFile(path, boardPage(boardOf(states, { now: new Date(clock.now()), lateAfterDays: LATE_AFTER_DAYS })));
  out(`The board is in ${path}\n`);
}
