/** What went wrong, in words for the person at the command line. */
export class Trouble extends Error {}

/** The command line is not as it should be. */
export class UsageError extends Trouble {}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
