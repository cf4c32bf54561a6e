import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import type { FleetCommand } from "../../fleet/file.js";
import { PulumiEngine } from "../../fleet/pulumi-engine.js";
import { systemClock } from "../../provider/core/clock.js";

const hooks = {
  note: () => undefined,
  started: () => undefined,
  heldMs: () => 60_000,
  stop: new AbortController().signal,
  kill: new AbortController().signal,
};

/** A Pulumi that notes what it is asked for, and does nothing. A worker asks once for its version. */
const played = (log: string): string =>
  `#!/bin/sh\nif [ "$1" = version ]; then echo v3.259.0; exit; fi\necho "$@" >>'${log}'\n`;

/** What the engine was asked for, two words of each command. */
async function commandsOf(command: FleetCommand, config: Record<string, string> = {}): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "docsign-fleet-engine-"));
  try {
    writeFileSync(join(folder, "Pulumi.yaml"), "name: contracts\nruntime: yaml\n");
    const log = join(folder, "log");
    writeFileSync(join(folder, "pulumi"), played(log), { mode: 0o755 });
    using engine = new PulumiEngine({
      env: { PATH: [folder, process.env["PATH"]].join(delimiter) },
      secretsProvider: undefined,
      clock: systemClock,
      host: "here",
      isAlive: () => false,
    });
    const stack = { name: "mx", config, env: {} };
    const outcome = await engine.run({ command, stack, program: folder, gone: [] }, hooks);
    expect(outcome).toMatchObject({ status: "ok", reasons: [] });
    const asked = readFileSync(log, "utf8").trim().split("\n");
    return asked.map(line => line.split(" ").slice(0, 2).join(" ") + (line.includes("--create") ? " --create" : ""));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("a stack is made and brought up by two commands of the engine, and configured by a third", async () => {
  expect(await commandsOf("up")).toEqual(["stack select --create", "up --yes"]);
  expect(await commandsOf("up", { "leases:table": "mx.csv" })).toEqual([
    "stack select --create",
    "config set-all",
    "up --yes",
  ]);
});

test("a refresh makes no stack", async () => {
  expect(await commandsOf("refresh")).toEqual(["stack select", "refresh --skip-preview"]);
});
