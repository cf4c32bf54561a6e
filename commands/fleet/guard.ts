import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { CommandError } from "../cli/flags.js";

/**
 * A `pulumi` that ends with the worker that started it, however the worker ends: its standard input is the worker's to
 * close. A worker that is stopped closes nothing: the engine ends once the time is over that the file named in
 * DOCSIGN_FLEET_LEASE gives it, which the worker moves on as it renews its lease. It notes its process, which the stack's
 * lock names. Where the machine has `setsid`, neither it nor what ends it is in the worker's process group: Ctrl-C asks the
 * worker to drain, and no engine to stop; and who kills, or stops, the whole group leaves no engine behind. What ends it closes
 * its output once it has left the group, and the engine starts then.
 */
const guard = (setsid: string, pulumi: string): string => `#!/bin/sh
echo $$ >>"\${DOCSIGN_FLEET_PIDS:-/dev/null}"
exec 3<&0
: "$(${setsid}sh -c 'exec >/dev/null; cat <&3; kill -KILL "-$0" "$0"' $$ 2>/dev/null &)"
exec 3<&-
[ -z "$DOCSIGN_FLEET_LEASE" ] || : "$(${setsid}sh -c '
  exec >/dev/null
  seconds() { read -r up rest <${UPTIME} && echo "\${up%%.*}" || date +%s; }
  while [ "$(seconds)" -lt "$(cat "$1")" ]; do sleep 1; kill -0 "$0" || exit; done
  kill -KILL "-$0" "$0"' $$ "$DOCSIGN_FLEET_LEASE" </dev/null 2>/dev/null &)"
exec ${setsid}'${pulumi.replaceAll("'", "'\\''")}' "$@" </dev/null
`;

/** Seconds since the machine was started, those included in which it slept: nobody sets this clock. Not on every system. */
const UPTIME = "/proc/uptime";

/** Gives engines so many milliseconds from now, unless they have more. */
export class EngineTime {
  #until = 0;

  constructor(readonly path: string) {}

  give(heldMs: () => number): void {
    // The clock first: who is stopped between the two gives less.
    const now = uptimeSeconds();
    const until = now + Math.floor(heldMs() / 1000);
    if (until <= this.#until) return;
    this.#until = until;
    writeFileSync(`${this.path}.new`, String(until));
    renameSync(`${this.path}.new`, this.path);
  }
}

const uptimeSeconds = (): number =>
  Math.floor(existsSync(UPTIME) ? Number.parseFloat(readFileSync(UPTIME, "utf8")) : Date.now() / 1000);

/** Puts the guard into a folder, and answers where. */
export function writeGuard(folder: string, path: string | undefined): string {
  const folders = (path ?? "").split(delimiter);
  const find = (program: string) => folders.map(each => join(each, program)).find(existsSync);
  const pulumi = find("pulumi");
  if (pulumi === undefined) throw new CommandError("expected Pulumi on PATH, got none");
  const setsid = find("setsid");
  const written = join(folder, "pulumi");
  writeFileSync(written, guard(setsid === undefined ? "" : `'${setsid}' `, pulumi), { mode: 0o755 });
  return written;
}
