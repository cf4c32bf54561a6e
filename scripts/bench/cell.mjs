// One cell of the matrix: every contender in turn, then all of them again, so that what slows the machine down for a
// while slows everyone.
import { mkdirSync, rmSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { tell } from "../setup/progress.mjs";
import { killAll, measure } from "./process-tree.mjs";
import { time } from "./report/figures.mjs";
import { startService } from "./stand-in.mjs";
import { cellName, pdfFolder } from "./workload.mjs";

export const PHASES = ["up", "preview", "refresh", "changed"];

/** `given(contender)`: a reason not to run it here, such as a smaller cell that took too long already. */
export async function measureCell({
  cell,
  contenders,
  repeats,
  limitMs,
  kit,
  home,
  given = () => undefined,
  only = PHASES,
  quiet,
}) {
  const load = loadavg()[0];
  const pdfs = pdfFolder(join(home, "pdfs"), cell);
  const service = await startService(cell.latency);
  const rounds = [];
  try {
    for (let round = 1; round <= repeats; round++) {
      for (const contender of contenders) {
        if (contender.slow && round > 1) continue;
        const label = `${cellName(cell)}, round ${round}/${repeats}, ${contender.title}`;
        const reason = given(contender) ?? tooLate(rounds, contender);
        const folder = join(home, "stacks", `${contender.key}-${round}`);
        const context = { kit, service, pdfs, cell, folder };
        const run = reason
          ? { phases: Object.fromEntries(contender.phases.map(phase => [phase, { status: "not run", reason }])) }
          : await runOnce(contender, context, limitMs, only, quiet ? () => {} : text => tell(`${label}: ${text}`));
        rounds.push({ contender: contender.key, round, ...run });
        rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
      }
    }
  } finally {
    killAll();
    await service.close();
  }
  return { ...cell, date: new Date().toISOString(), load: { before: load, after: loadavg()[0] }, rounds };
}

function tooLate(rounds, { key }) {
  const before = rounds.find(({ contender, phases }) => contender === key && phases.up?.status === "timed out");
  return before && "timed out in the first round";
}

async function runOnce(contender, context, limitMs, only, say) {
  mkdirSync(context.folder, { recursive: true });
  await context.service.forget();
  const stack = await contender.open(context);
  const phases = {};
  let state;
  for (const phase of only.filter(name => contender.phases.includes(name))) {
    if (phases.up && phases.up.status !== "ok") {
      phases[phase] = { status: "not run", reason: `up ${phases.up.status}` };
      continue;
    }
    phases[phase] = await runPhase(stack, phase, context, limitMs);
    const { status, wall, reason } = phases[phase];
    say(`${phase} ${status === "ok" ? time(wall) : `${status}${reason ? `: ${reason}` : ""}`}`);
    if (phase === "up" && status === "ok") state = stack.stateBytes();
  }
  return { phases, state };
}

async function runPhase(stack, phase, { service, pdfs }, limitMs) {
  if (phase === "changed") pdfs.change();
  await service.counts();
  try {
    const { command, args, cwd, env } = stack.command(phase);
    const ran = await measure(command, args, { cwd, env, limitMs });
    const { documents, ...counts } = await service.counts();
    if (ran.timedOut) return { status: "timed out", after: limitMs / 1000 };
    if (!ran.ok) return { status: "failed", reason: lastWords(ran.output, cwd) };
    const { wall, cpu, processes } = ran;
    return { status: "ok", wall, cpu, processes, ...counts, documents };
  } finally {
    if (phase === "changed") pdfs.restore();
  }
}

/** The lines that say why, wherever a tool puts them. */
function lastWords(text, cwd) {
  const lines = text
    .replaceAll(cwd, ".")
    .split("\n")
    .map(line => line.trim())
    .filter(line => line !== "");
  const failing = lines.filter(line => /error|fail/i.test(line));
  return (failing.length > 0 ? failing : lines).slice(-8).join(" | ").slice(0, 1000);
}
