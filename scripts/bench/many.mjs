// A thousand documents beside OpenTofu, by turns: with checkpoints and without, ten and 32 at a time; and ours killed in
// mid-run, with checkpoints and without, after which the service's books say what the next run made of it.
import { spawn } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { must, run } from "../setup/child.mjs";
import { tell } from "../setup/progress.mjs";
import { measureCell } from "./cell.mjs";
import { tofu, yaml } from "./contenders.mjs";
import { startService } from "./stand-in.mjs";
import { pdfFolder } from "./workload.mjs";

const CELL = { size: 20_000, latency: 50 };
const ROUNDS = 3;
const KILLED = ["default", "without-10"];
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
  const cell = { ...CELL, count: options.rows };
  const contenders = MANY.filter(({ key }) => options.only.includes(key));
  const measured = await measureCell({ cell, contenders, repeats, limitMs, kit, home, only: ["up", "preview"] });
  const kills = [];
  results.many = { ...measured, kills };
  save();
  for (let round = 0; round < repeats; round++)
    for (const way of contenders.filter(({ key }) => KILLED.includes(key))) {
      kills.push({ contender: way.key, ...(await killed(way, cell, { kit, home })) });
      save();
    }
  return results.many;
}

/** `kill -9` of engine and plugin after half of the creates; then `up`, as a person would. */
async function killed(way, cell, { kit, home }) {
  const folder = join(home, "killed");
  mkdirSync(folder, { recursive: true });
  const service = await startService(cell.latency);
  try {
    const pdfs = pdfFolder(join(home, "pdfs"), cell);
    const stack = await way.open({ kit, service, pdfs, cell, folder });
    const { command, args, cwd, env } = stack.command("up");
    const engine = spawn(command, args, { cwd, env, stdio: "ignore", detached: true });
    const ended = new Promise(resolve => engine.once("close", resolve));
    while (engine.exitCode === null && (await service.counts()).documents < cell.count / 2) await wait(LOOK_MS);
    if (engine.exitCode !== null) throw new Error("expected an up that is killed, got one that ended before");
    process.kill(-engine.pid, "SIGKILL");
    await ended;
    await run(command, ["cancel", "--yes", "--stack", "dev"], { cwd, env });
    const before = (await service.counts()).documents;
    await must(command, args, { cwd, env, what: "the up after a kill" });
    const { documents, names } = await service.names();
    tell(`many, ${way.title}: killed after ${before} creates, then ${documents} documents with ${names} names`);
    return { before, documents, names };
  } finally {
    await service.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
