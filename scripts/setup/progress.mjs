// What a person sees: while something takes long one live line on a terminal, a plain line now and then elsewhere; and why
// a script ends. It goes to stderr, so that a script's own output stays clean.

const LIVE = 250;
const PLAIN = 30_000;

/** `4s`, `1m20s`, `1h02m`. */
export function elapsed(milliseconds) {
  const seconds = Math.round(milliseconds / 1000);
  const two = value => String(value).padStart(2, "0");
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m${two(seconds % 60)}s`;
  return `${Math.floor(seconds / 3600)}h${two(Math.floor((seconds % 3600) / 60))}m`;
}

export function isInteractive(stream = process.stderr, env = process.env) {
  return Boolean(stream.isTTY) && !env.CI && env.TERM !== "dumb";
}

/** One line for the person running the script. */
export function say(text, stream = process.stderr) {
  stream.write(`setup: ${text}\n`);
}

/**
 * Runs `work(detail)` and shows that it goes on. `detail(text)` says how far it is.
 * `what` reads after a verb in -ing: "downloading Pulumi 3.259.0"; `usually`: "a minute or two, once".
 */
export async function withProgress(
  { what, usually },
  work,
  { stream = process.stderr, live = isInteractive(stream), interval = live ? LIVE : PLAIN, now = Date.now } = {},
) {
  const start = now();
  const hint = usually ? `, usually ${usually}` : "";
  let detail = "";
  const line = () => `setup: ${what}: ${elapsed(now() - start)}${hint}${detail ? ` (${detail})` : ""}`;
  const show = () => stream.write(live ? `\r\x1b[2K${line().slice(0, (stream.columns ?? 80) - 1)}` : `${line()}\n`);
  if (live) show();
  else stream.write(`setup: ${what}${hint}\n`);
  const timer = setInterval(show, interval);
  const end = text => {
    clearInterval(timer);
    stream.write(`${live ? "\r\x1b[2K" : ""}setup: ${what}: ${text}\n`);
  };
  try {
    const result = await work(text => {
      detail = text;
    });
    end(`done in ${elapsed(now() - start)}`);
    return result;
  } catch (error) {
    end(`failed after ${elapsed(now() - start)}`);
    throw error;
  }
}

const started = Date.now();

/** Of a bench: one line for each thing done, with the time since the start. */
export function tell(text) {
  process.stderr.write(`bench: ${elapsed(Date.now() - started).padStart(6)}  ${text}\n`);
}

/** An error that a person can fix. Its message is one line; no stack is shown. */
export class ScriptError extends Error {
  name = "ScriptError";
}

/** What `work` brings, or `{ missing }` with the reason: the rest goes on without it. */
export async function orMissing(work) {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ScriptError) return { missing: error.message };
    throw error;
  }
}

/** Ends a script after `error`: a ScriptError's message, or the stack of a bug. */
export function exitWith(error) {
  const expected = error instanceof ScriptError;
  process.stderr.write(`${expected ? `setup: ${error.message}` : (error?.stack ?? error)}\n`);
  process.exit(1);
}
