import { UserError } from "../resource.js";

/** Where lines are kept in one order, the same for everybody who reads them. */
export interface Lines {
  /** Whether it answers with all lines, and not only with those that matter to what is asked. */
  readonly isWhole: boolean;
  /**
   * Adds lines, in one piece and after all others, and answers with all that were added since the last call, these
   * included. They have reached the disk, if `durable`. No two lines are the same: what is found to be there already, after
   * an answer that was lost, isn't added again. `asked`: the names of all that was ever asked for, in turn; after new ones,
   * what matters to them may be read anew, behind `NOTHING`; what was lost is, behind `LOST`.
   */
  exchange(lines: readonly string[], durable: boolean, asked: readonly string[]): Promise<readonly string[]>;
  /** The names of all stacks that have lines, where it doesn't answer with all of them. */
  stacks?(): Promise<readonly string[]>;
  /** Puts one line in the place of all that were answered so far, unless others were added since. */
  compact(snapshot: string): Promise<void>;
  close(): Promise<void>;
}

/** A journal's lines, and what a person has to know of the place. */
export interface Log extends Lines {
  /** How a person calls the place, without credentials: "the journal in /home/…". */
  readonly name: string;
  /** What to do where it can't be used. */
  readonly advice: string;
  /** After a failure nothing is asked for so long, and fails at once: a place across a network takes its time to fail. */
  readonly pauseMs: number;
  /** Whether other machines write to it: their clocks may be any time from this one's. */
  readonly isShared: boolean;
}

/** Before all lines, where they are read anew. */
export const NOTHING = '{"op":"snapshot","version":1,"attempts":[],"owned":[],"reminders":[]}';

/** The same, where what was read before isn't there any more, or nobody knows: the place was restored, say. */
export const LOST = '{"op":"snapshot","version":1,"attempts":[],"owned":[],"reminders":[],"lost":true}';

/** Whether lines that are added in one piece are among those that were read. */
export const isIn = (read: readonly string[], [first = ""]: readonly string[]): boolean => read.includes(first);

/** The journal can't be read or written. Without it nothing is created; everything else goes on. */
export class JournalUnavailableError extends UserError {
  constructor(place: string, cause: unknown, advice: string) {
    super(
      `${place} can't be used (${reasonOf(cause)}), and without it nothing is created: a crash would mail people twice. ${advice}`,
    );
    this.cause = cause;
  }
}

function reasonOf(cause: unknown): string {
  const { code, message } = cause as { code?: unknown; message?: unknown };
  return /^E[A-Z]+$/.test(String(code)) ? String(code) : String(message);
}
