/** What failed, for the person at the command line. */
export class CommandError extends Error {}

/** The command line is wrong. */
export class UsageError extends CommandError {
  /** What was given may be anything: it stays on its line, and short. */
  constructor(message = "") {
    super(
      message
        .slice(0, 500)
        .replace(
          /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
          char => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
        ),
    );
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
