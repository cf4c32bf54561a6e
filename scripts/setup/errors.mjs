/** An error that a person can fix. Its message is one line; no stack is shown. */
export class ScriptError extends Error {
  name = "ScriptError";
}

/** Ends a script after `error`: a ScriptError's message, or the stack of a bug. */
export function exitWith(error) {
  const expected = error instanceof ScriptError;
  process.stderr.write(`${expected ? `setup: ${error.message}` : (error?.stack ?? error)}\n`);
  process.exit(1);
}
