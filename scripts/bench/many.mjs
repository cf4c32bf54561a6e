// A thousand documents beside OpenTofu, by turns: with checkpoints and without, ten and 32 at a time; and ours killed in
// mid-run without checkpoints, after which the service's books say what the next run made of it.
import { spawn } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { run } from "../setup/child.mjs";
import { measureCell } from "./cell.mjs";
import { yaml } from "./contenders/pulumi.mjs";
import { tofu } from "./contenders/tofu.mjs";
import { pdfFolder } from "./pdfs.mjs";
import { tell } from "./progress.mjs";
import { startService } from "./stand-in.mjs";

const CELL = { count: 1000, size: 20_000, latency: 50 };
const ROUNDS = 3;
const KILLED = "without-10";
const KILLED_AFTER = CELL.count / 2;
const LOOK_MS = 50;

const plugin = yaml(kit => kit.plugin);
const WITHOUT = { PULUMI_EXPERIMENTAL: "true", PULUMI_SKIP_CHECKPOINTS: "true" };
const atOnce = many => ["--parallel", String(many), "--config", `docsign:maxConcurrency=${many}`];

/** Another's stack with more on its command lines, and in its environment. */
const given = (way, args, env = {}) => ({
  ...way,
  async open(context) {
    const stack = await way.open(context);
    const command = phase => {
      const base = stack.command(phase);
      return { ...base, args: [...base.args, ...args], env: { ...base.env, ...env } };
    };
    return { ...stack, command };
  },
});

export const MANY = [
  { key: "default", title: "our plugin, as it is", ...plugin },
  { key: "without-10", title: "our plugin, without checkpoints, 10 at a time", ...given(plugin, atOnce(10), WITHOUT) },
  { key: "tofu-10", title: "OpenTofu + restapi, 10 at a time", ...given(tofu, ["-parallelism=10"]) },
  { key: "without-32", title: "our plugin, without checkpoints, 32 at a time", ...given(plugin, atOnce(32), WITHOUT) },
  { key: "tofu-32", title: "OpenTofu + restapi, 32 at a time", ...given(tofu, ["-parallelism=32"]) },
];

export async function many({ kit, home, options, results, save }) {
  const repeats = options.repeats ?? ROUNDS;
  const { limitMs } = options;
  const cell = await measureCell({
    ...{ cell: CELL, contenders: MANY.filter(({ key }) => options.only.includes(key)), repeats, limitMs, kit, home },
    only: ["up", "preview"],
  });
  results.many = cell;
  save();
  const kills = [];
  for (let round = 0; round < repeats && options.only.includes(KILLED); round++) kills.push(await killed(kit, home));
  return { ...cell, kills };
}

/** `kill -9` of engine and plugin after half of the creates; then `up`, as a person would. */
async function killed(kit, home) {
  const folder = join(home, "killed");
  mkdirSync(folder, { recursive: true });
  const service = await startService(CELL.latency);
  try {
    const pdfs = pdfFolder(join(home, "pdfs"), CELL);
    const way = MANY.find(({ key }) => key === KILLED);
    const stack = await way.open({ kit, service, pdfs, cell: CELL, folder });
    const { command, args, cwd, env } = stack.command("up");
    const engine = spawn(command, args, { cwd, env, stdio: "ignore", detached: true });
    const ended = new Promise(resolve => engine.once("close", resolve));
    while (engine.exitCode === null && (await service.counts()).documents < KILLED_AFTER) await wait(LOOK_MS);
    if (engine.exitCode !== null) throw new Error("expected an up that is killed, got one that ended before");
    process.kill(-engine.pid, "SIGKILL");
    await ended;
    await run(command, ["cancel", "--yes", "--stack", "dev"], { cwd, env });
    const before = (await service.counts()).documents;
    const { code, last } = await run(command, args, { cwd, env });
    if (code !== 0) throw new Error(`the up after a kill failed:\n${last.join("\n")}`);
    const { documents, names } = await service.names();
    tell(`many: killed after ${before} creates, then ${documents} documents with ${names} names`);
    return { before, documents, names };
  } finally {
    await service.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
