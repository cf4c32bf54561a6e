import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { CommandError } from "../board/errors.js";

/**
 * A `pulumi` that ends with the worker that started it, however the worker ends: its standard input is the worker's to
 * close. It notes its process, which the stack's lock names. Where the machine has `setsid`, neither it nor what ends it
 * is in the worker's process group: Ctrl-C asks the worker to drain, and no engine to stop; and who kills the whole group
 * leaves no engine behind.
 */
const guard = (setsid: string, pulumi: string): string => `#!/bin/sh
echo $$ >>"\${DOCSIGN_FLEET_PIDS:-/dev/null}"
exec 3<&0
${setsid}sh -c 'cat <&3; kill -KILL "$0"' $$ >/dev/null 2>&1 &
exec 3<&-
exec ${setsid}'${pulumi.replaceAll("'", "'\\''")}' "$@" </dev/null
`;

/** Puts the guard into a folder, as the Automation API looks for a CLI: `bin/pulumi`. */
export function writeGuard(folder: string, path: string | undefined): string {
  const find = (program: string) =>
    (path ?? "")
      .split(delimiter)
      .map(each => join(each, program))
      .find(existsSync);
  const pulumi = find("pulumi");
  if (pulumi === undefined) throw new CommandError("expected Pulumi on PATH, got none");
  mkdirSync(join(folder, "bin"), { recursive: true });
  const setsid = find("setsid");
  const text = guard(setsid === undefined ? "" : `'${setsid}' `, pulumi);
  writeFileSync(join(folder, "bin", "pulumi"), text, { mode: 0o755 });
  return folder;
}
