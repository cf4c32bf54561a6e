/** Something a person has to put right. Its message is the whole story, in one line; no stack is shown. */
export class Trouble extends Error {
  name = "Trouble";
}

/** Ends a script after `error`: one line for trouble that was foreseen, the stack for a bug of ours. */
export function exitWith(error) {
  const foreseen = error instanceof Trouble;
  process.stderr.write(`${foreseen ? `setup: ${error.message}` : (error?.stack ?? error)}\n`);
  process.exit(1);
}
