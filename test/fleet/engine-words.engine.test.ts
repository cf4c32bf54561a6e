import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readPreview } from "../../commands/board/preview.js";
import { reasonIn } from "../../commands/engine-words.js";
import { PulumiEngine } from "../../commands/fleet/pulumi-engine.js";
import { systemClock } from "../../provider/core/clock.js";
import { environment, missingEngine, pulumi, root } from "../support/engine/found.js";

const hooks = {
  note: () => undefined,
  started: () => undefined,
  heldMs: () => 60_000,
  killed: () => undefined,
  stop: new AbortController().signal,
  kill: new AbortController().signal,
};

describe.skipIf(missingEngine)("what a real engine says in words", () => {
  let folder: string;
  let env: Record<string, string | undefined>;
  let engine: PulumiEngine;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "docsign-engine-words-"));
    mkdirSync(join(folder, "state"));
    write({ type: "docsign:Folder", properties: { name: "" } });
    env = environment({
      PULUMI_BACKEND_URL: `file://${join(folder, "state")}`,
      PULUMI_CONFIG_PASSPHRASE: "",
      PULUMI_HOME: join(folder, "home"),
      PULUMI_SKIP_UPDATE_CHECK: "true",
      PULUMI_DEBUG_COMMANDS: "true",
      DOCSIGN_STATE_DIR: join(folder, "journal"),
      DOCSIGN_BASE_URL: "http://127.0.0.1:9",
      DOCSIGN_API_KEY: "key",
    });
    engine = new PulumiEngine({
      ...{ env, secretsProvider: undefined, isJournalKept: () => true },
      ...{ clock: systemClock, host: "here", isAlive: () => false },
    });
  });
  afterAll(() => {
    engine?.[Symbol.dispose]();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  const write = (none: object) => {
    const plugins = { providers: [{ name: "docsign", path: join(root, "bin") }] };
    const program = { name: "contracts", runtime: "yaml", plugins, resources: { none } };
    writeFileSync(join(folder, "Pulumi.yaml"), JSON.stringify(program));
  };
  const base64File = Buffer.from("%PDF-1.4\none\n%%EOF\n").toString("base64");
  const stack = { name: "dev", config: {}, env: {} };
  const run = (command: "preview" | "up") => engine.run({ command, stack, program: folder, gone: [] }, hooks);
  const command = (...args: string[]) =>
    spawnSync(pulumi(), [...args, "--non-interactive"], { cwd: folder, env, encoding: "utf8" });

  it("is heard: no such stack, a run that failed, a preview that did, and who has a lock", async () => {
    expect(await engine.exportState(stack, folder)).toBeUndefined();
    expect(reasonIn(command("stack", "select", "dev").stderr)).toBe("no stack named 'dev' found");

    // Each run ends with "preview failed", which nobody is shown; and no error has "error: " or "Preview failed: " before it.
    const wrong = `docsign:index:Folder resource 'none' has a problem: name: expected a folder's name, not an empty one, got ""`;
    expect(await run("preview")).toMatchObject({ status: "failed", reasons: [`none: ${wrong}`] });
    const said = () => command("preview", "--stack", "dev", "--json").stdout;
    expect(readPreview(JSON.parse(said())).failures).toEqual([wrong]);
    write({
      type: "docsign:Document",
      properties: { name: "NDA", base64File, invitations: [{ email: "ana@example.com" }] },
    });
    const unreachable = said();
    expect(unreachable).toContain('"error: Preview failed: GET ');
    expect(unreachable).toContain('"error: preview failed\\n"');
    const nothing = expect.stringMatching(/^GET .*: nothing listens at that address/);
    expect(readPreview(JSON.parse(unreachable)).failures).toEqual([nothing]);

    const locks = join(folder, "state", ".pulumi", "locks", "organization", "contracts", "dev");
    mkdirSync(locks, { recursive: true });
    const lock = { pid: 4711, username: "ci", hostname: "runner-1", timestamp: "2026-11-22T06:00:00Z" };
    writeFileSync(join(locks, "5c.json"), JSON.stringify(lock));
    const locked = expect.stringContaining("the stack is locked by ci@runner-1 (pid 4711), and no lease");
    expect(await run("up")).toMatchObject({ status: "failed", reasons: [locked] });
  });
});
