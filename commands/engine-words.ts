import { stripVTControlCharacters } from "node:util";
import { wordsIn } from "../provider/schema/facts.js";

/**
 * What Pulumi 3.259.0 says in words alone, where its events have no facts for it.
 * test/fleet/engine-words.engine.test.ts hears each of them from a real engine.
 */

/** Who locked a stack in a state folder or bucket. */
export type EngineLock = NonNullable<ReturnType<typeof locksIn>>[number];

const LOCKED = /the stack is currently locked by \d+ lock/;
const LOCK = /created by (\S*)@([^\s@]+) \(pid (\d+)\)/g;

/** The locks that an error names; undefined where it is about something else. */
export function locksIn(output: string) {
  if (!LOCKED.test(output)) return undefined;
  return [...output.matchAll(LOCK)].map(([, user = "", host = "", pid]) => ({ user, host, pid: Number(pid) }));
}

export const isNoStack = (output: string): boolean => output.includes("no stack named");

/** The engine's last word about the stack says only that something failed, which is known by then. */
export const isLastWord = (message: string): boolean => /^(update|preview|refresh|destroy) failed$/.test(message);

/** An error without what the engine puts before it. */
export const withoutPrefix = (message: string): string =>
  message.replace(/^(?:error: |warning: )?(?:Preview failed: )?/, "");

/** A command that ends before the engine begins says why on stderr: no such stack, a wrong passphrase. */
export const reasonIn = (output: string): string | undefined =>
  output
    .split("\n")
    .findLast(line => line.startsWith("error: "))
    ?.slice("error: ".length)
    .trim();

/** Of everything that Pulumi says of a command that failed, the line that says what is wrong. */
export function errorLine(output: string): string {
  const lines = output.split("\n").map(line => stripVTControlCharacters(wordsIn(line)));
  const [error] = lines.flatMap(line => /\berror: (.+)/i.exec(line)?.[1] ?? []);
  return error ?? lines.findLast(line => /[a-z]{3}/i.test(line)) ?? "the engine failed without a word";
}
