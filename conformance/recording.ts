/** What a law has sent, in order, so that a failure can be read and sent again. */

import { z } from "zod";

/** One call as it went; `request` and `responses` are the messages' bytes. */
const call = z.object({
  method: z.string(),
  /** A law may speak to several processes of the provider. */
  process: z.number(),
  /** Places in the order of everything that began or ended: what overlapped is sent at the same time again. */
  began: z.number(),
  ended: z.number().optional(),
  request: z.string(),
  responses: z.array(z.string()),
  error: z.object({ code: z.string().optional(), message: z.string() }).optional(),
});
/** A command of the fixture that a law has run. */
const command = z.object({ command: z.enum(["stall", "resume"]), began: z.number() });
export const recordedStep = z.union([call, command]);

export type RecordedCall = z.infer<typeof call>;
export type RecordedStep = z.infer<typeof recordedStep>;

/** The places in all recordings are of one order. */
let places = 0;

export class Recording {
  readonly #steps: RecordedStep[] = [];

  get steps(): readonly RecordedStep[] {
    return this.#steps;
  }

  command(command: "stall" | "resume"): void {
    this.#steps.push({ command, began: places++ });
  }

  /** Returns what writes down how it ended. */
  begin(
    call: Pick<RecordedCall, "method" | "process" | "request">,
  ): (ended: Pick<RecordedCall, "responses" | "error">) => void {
    const nth = this.#steps.length;
    const begun = { ...call, began: places++, responses: [] };
    this.#steps.push(begun);
    return ended => {
      this.#steps[nth] = { ...begun, ...ended, ended: places++ };
    };
  }
}
