import type { CommandOptions, Stage } from "../faults/support/front-ends.js";
import { base64, nda } from "../lifecycle/scene.js";
import type { Goal } from "../support/simulated-engine.js";
import { type Ending, endingOf } from "./table.js";

export const edited = nda({ inputs: { base64File: base64("two") } });

export const up = (stage: Stage, program: readonly Goal[], options: CommandOptions = {}): Promise<Ending> =>
  endingOf(
    stage.service,
    () => stage.entries,
    () => stage.up(program, options),
  );

/** `up` that has to go well. */
export async function went(stage: Stage, program: readonly Goal[], options: CommandOptions = {}): Promise<void> {
  const { error } = await stage.up(program, options);
  if (error !== undefined) throw new Error(error);
}
