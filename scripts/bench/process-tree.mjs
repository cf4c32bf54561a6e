// Runs one command and says what it and everything it started cost. Time is taken everywhere; processor time and
// memory come from Linux's /proc: each process's own high-water mark (VmHWM), read every 50 ms while it lives, and the
// processor time the kernel adds to us for children that have ended.
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { textIn } from "../setup/lock.mjs";

const SAMPLE_MS = 50;
const TICKS_PER_SECOND = 100;
const LAST_WORDS = 4_000;
const SMALLEST = 15_000_000;
export const onLinux = process.platform === "linux";

const running = new Set();
/** Kills whatever still runs. Safe to call at any moment, also from an exit handler. */
export function killAll() {
  for (const tree of running) tree.kill();
}

/**
 * Resolves with `{ ok, timedOut, wall, cpu, processes, output }`: seconds, and for each kind of process its largest peak
 * in bytes and its processor time. `processes` is empty and `cpu` undefined where there is no /proc.
 */
export function measure(command, args, { cwd, env, limitMs }) {
  const cpuBefore = childrenSeconds();
  const started = performance.now();
  const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  const tree = new ProcessTree(child);
  running.add(tree);
  let output = "";
  const listen = text => {
    output = (output + text).slice(-LAST_WORDS);
  };
  child.stdout.setEncoding("utf8").on("data", listen);
  child.stderr.setEncoding("utf8").on("data", listen);
  const sampling = setInterval(() => tree.sample(), SAMPLE_MS);
  let timedOut = false;
  const deadline = setTimeout(() => {
    timedOut = true;
    tree.kill();
  }, limitMs);

  return new Promise((resolve, reject) => {
    const end = () => {
      clearInterval(sampling);
      clearTimeout(deadline);
      running.delete(tree);
    };
    child.once("error", error => {
      end();
      reject(error);
    });
    let wall = 0;
    child.once("exit", () => {
      wall = (performance.now() - started) / 1000;
    });
    child.once("close", code => {
      end();
      // What the engine left behind, a killed one above all, would disturb who comes next.
      tree.kill();
      const cpu = onLinux ? Math.max(childrenSeconds() - cpuBefore, tree.cpuSeen()) : undefined;
      resolve({ ok: code === 0, timedOut, wall, cpu, processes: tree.kinds(), output });
    });
  });
}

/** Looks at a process and all that it starts, until the answered function is called, which says what they cost. */
export function watch(child) {
  const tree = new ProcessTree(child);
  const sampling = setInterval(() => tree.sample(), SAMPLE_MS);
  return () => {
    clearInterval(sampling);
    tree.sample();
    return tree.kinds();
  };
}

class ProcessTree {
  #root;
  /** pid → `{ name, start, peak, cpu }`, also of those that have ended. */
  #members = new Map();
  #seen = new Set();

  constructor(child) {
    this.#root = child;
    if (onLinux && child.pid !== undefined) this.#adopt(child.pid, readStat(child.pid));
  }

  sample() {
    if (!onLinux) return;
    // Processes with a parent of ours are ours. New ones only, in the order they were made: parents come first.
    for (const pid of pids()) {
      if (this.#seen.has(pid)) continue;
      this.#seen.add(pid);
      const stat = readStat(pid);
      if (stat && this.#members.has(stat.parent)) this.#adopt(pid, stat);
    }
    for (const [pid, member] of this.#members) {
      if (!member.ended) this.#look(pid, member);
    }
  }

  #adopt(pid, stat) {
    if (stat) this.#members.set(pid, { name: undefined, start: stat.start, peak: 0, cpu: 0, ended: false });
  }

  #look(pid, member) {
    const stat = readStat(pid);
    if (stat?.start !== member.start) {
      member.ended = true;
      return;
    }
    member.cpu = stat.cpu;
    // A launcher becomes the program it starts: the last name counts, as the peak does.
    member.name = nameFromCommandLine(textIn(`/proc/${pid}/cmdline`)) ?? member.name;
    member.peak = Math.max(member.peak, peakOf(pid));
  }

  cpuSeen() {
    return [...this.#members.values()].reduce((sum, { cpu }) => sum + cpu, 0);
  }

  /** `{ plugin: { peak, cpu } }`: of processes of one kind the largest peak, and the time of all. */
  kinds() {
    const kinds = {};
    for (const { name, peak, cpu } of this.#members.values()) {
      // What was gone before it could be looked at twice: launchers, questions for a version.
      if (name === undefined || peak < SMALLEST) continue;
      const so = kinds[name] ?? { peak: 0, cpu: 0 };
      kinds[name] = { peak: Math.max(so.peak, peak), cpu: Math.round((so.cpu + cpu) * 100) / 100 };
    }
    return kinds;
  }

  kill() {
    this.sample();
    for (const [pid, { start }] of this.#members) {
      // The number may belong to someone else by now.
      if (readStat(pid)?.start === start) end(pid);
    }
    if (this.#root.exitCode === null && this.#root.signalCode === null) this.#root.kill("SIGKILL");
  }
}

function end(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

function pids() {
  return readdirSync("/proc")
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

/** The parent, when it began, and the seconds of processor time so far; undefined once the process is gone. */
function readStat(pid) {
  const fields = statOf(pid);
  if (fields.length === 1 || fields[0] === "Z") return undefined;
  return { parent: Number(fields[1]), start: fields[19], cpu: secondsIn(fields, [11, 12]) };
}

/** The second field is a name in parentheses, which may hold blanks and parentheses itself; these are those after it. */
function statOf(pid) {
  const text = textIn(`/proc/${pid}/stat`);
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}

const secondsIn = (fields, places) =>
  places.reduce((sum, place) => sum + Number(fields[place] ?? 0), 0) / TICKS_PER_SECOND;

/** The most memory that a process has ever had in use, in bytes; 0 once it is gone. Linux only. */
export const peakOf = pid => 1024 * Number(/^VmHWM:\s+(\d+) kB/m.exec(textIn(`/proc/${pid}/status`))?.[1] ?? 0);

/** Processor time of a process that lives, in seconds; Linux only. */
export const cpuOf = pid => readStat(pid)?.cpu;

/** Processor time of all our children that have ended, and of theirs. */
export const childrenSeconds = () => secondsIn(statOf("self"), [13, 14]);

/** Processor time of a process that lives, and of its children that have ended, and of theirs. */
export const secondsWithChildren = pid => secondsIn(statOf(pid), [11, 12, 13, 14]);

const SCRIPTS = [
  [/\/cmd\/run(\/|$)/, "program"],
  [/\/cmd\/dynamic-provider(\/|$)/, "dynamic provider"],
  [/plugin\.cjs$/, "plugin"],
];

/** What a process is to a reader of the table: of Node and shells, the script they run. */
export function nameFromCommandLine(commandLine) {
  const [program, ...rest] = commandLine.split("\0").filter(word => word !== "");
  if (program === undefined) return undefined;
  const name = program.split("/").at(-1);
  if (!/^(node|sh|dash|bash)$/.test(name)) return name;
  for (const word of rest) {
    const known = SCRIPTS.find(([pattern]) => pattern.test(word));
    if (known) return known[1];
  }
  const script = rest.find(word => /\.[cm]?js$/.test(word));
  if (script) return script.split("/").at(-1);
  return name === "node" ? name : undefined;
}
