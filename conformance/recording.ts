/** What a law has sent, in order, so that a failure can be read and sent again. */

/** One call as it went; `request` and `responses` are the messages' bytes. */
export interface RecordedCall {
  readonly method: string;
  /** A law may speak to several processes of the provider. */
  readonly process: number;
  /** Places in the order of everything that began or ended: what overlapped is sent at the same time again. */
  readonly began: number;
  readonly ended?: number;
  readonly request: string;
  readonly responses: readonly string[];
  readonly error?: { readonly code: string; readonly message: string };
}

/** A command of the fixture that a law has run. */
export interface RecordedCommand {
  readonly command: "stall" | "resume";
  readonly began: number;
}

export type RecordedStep = RecordedCall | RecordedCommand;

/** The places in all recordings are of one order. */
let places = 0;

export class Recording {
  readonly #steps: RecordedStep[] = [];

  get steps(): readonly RecordedStep[] {
    return this.#steps;
  }

  command(command: RecordedCommand["command"]): void {
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
