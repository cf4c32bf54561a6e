import { writeFile } from "node:fs/promises";
import type { Environment } from "../../provider/config.js";
import type { Clock } from "../../provider/core/clock.js";
import { boardOf, boardPage, readExport } from "../board/index.js";
import { exportStack } from "../board/sources.js";
import { messageOf } from "../cli/flags/errors.js";
import type { Session } from "./session.js";

interface BoardIo {
  readonly env: Environment;
  readonly clock: Clock;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

const LATE_AFTER_DAYS = 14;

/** The board's page over every stack of the fleet. */
export async function writeBoard(path: string, { plan }: Session, { env, clock, out, err }: BoardIo): Promise<void> {
  const states = [];
  for (const stack of plan.stacks) {
    const state = await exportStack(stack.name, { cwd: plan.program, env: { ...env, ...stack.env } }).catch(
      (error: unknown) => {
        err(`docsign fleet: ${stack.name} isn't on the board: ${messageOf(error)}\n`);
        return undefined;
      },
    );
    if (state !== undefined) states.push(readExport(state, stack.name));
  }
  await writeFile(path, boardPage(boardOf(states, { now: new Date(clock.now()), lateAfterDays: LATE_AFTER_DAYS })));
  out(`The board is in ${path}\n`);
}
