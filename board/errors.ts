/** What failed, for the person at the command line. */
export class CommandError extends Error {}

/** The command line is wrong. */
export class UsageError extends CommandError {}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
