// The machine, as far as it explains figures: nothing that says which one it is.
import { readFileSync } from "node:fs";
import { arch, availableParallelism, cpus, platform, totalmem } from "node:os";
import { join } from "node:path";

export function describeMachine({ root, engine, peers }) {
  const version = name => JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8")).version;
  return {
    system: `${platform()} ${arch()}`,
    processor: cpus()[0]?.model.trim() || "unknown",
    cores: availableParallelism(),
    memoryGB: Math.round(totalmem() / 1024 ** 3),
    versions: {
      node: process.versions.node,
      pulumi: engine.version,
      "@pulumi/pulumi": version("@pulumi/pulumi"),
      typescript: version("typescript"),
      undici: version("undici"),
      ...peers.versions,
      "pulumi-docsign": JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version,
    },
  };
}
