// The program through which an engine starts Node's dynamic providers.
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const NAME = "pulumi-resource-pulumi-nodejs";

const SCRIPT = `#!/bin/sh
# Started in a program's folder, with that program's SDK.
script=$(node -p "require.resolve('@pulumi/pulumi/cmd/dynamic-provider')") && exec node "$script" "$@"
`;

/**
 * Puts it beside a brought engine, where engines expect it. They also find the one in node_modules, over PATH, and then say
 * so in every preview. A downloaded engine comes with its own.
 */
export function bringHelper(binDir, platform = process.platform) {
  const path = join(binDir, NAME);
  if (platform === "win32" || existsSync(path)) return;
  writeFileSync(path, SCRIPT);
  chmodSync(path, 0o755);
}
