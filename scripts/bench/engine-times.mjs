// How long the engine's processes ran that a fleet started: a `pulumi` that is first on PATH notes it.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

const script = (pulumi, log) => `#!/bin/sh
begin=$(date +%s%N)
'${pulumi}' "$@"
code=$?
echo "$begin $(date +%s%N)" >>'${log}'
exit $code
`;

/** Answers what sums the seconds up. */
export function noteEngineTimes(fleet) {
  const folder = join(fleet.folder, "timed");
  const log = join(folder, "log");
  mkdirSync(folder);
  writeFileSync(join(folder, "pulumi"), script(fleet.kit.pulumi, log), { mode: 0o755 });
  fleet.env.PATH = [folder, fleet.env.PATH].join(delimiter);
  return () => {
    const lines = readFileSync(log, "utf8").trim().split("\n");
    return lines.reduce((sum, line) => {
      const [begin, end] = line.split(" ").map(Number);
      return sum + (end - begin) / 1e9;
    }, 0);
  };
}
