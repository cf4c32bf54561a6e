import { readdirSync, readFileSync } from "node:fs";

// Taken before a test puts its own clock in their place.
const { setInterval, clearInterval } = globalThis;

const EVERY = 10_000;
/** Minutes in which nothing happens at all: however slow a machine is, it works. */
export const SILENT = 180_000;
/** Of the processor in an interval: what a process that waits uses to go on waiting. */
const IDLE = 50;

export interface Watch {
  /** Rejects once nothing has happened for that long. */
  readonly silent: Promise<never>;
  /** A sign of life. */
  heard(): void;
  stop(): void;
}

export interface Signs {
  /** Processor time used so far, in milliseconds, or undefined where the system doesn't tell. */
  used(): number | undefined;
}

/** A limit on silence, never on duration: nothing heard, and no processor used, for minutes. */
export function watchSilence(what: string, { used }: Signs = processorOf(process.pid)): Watch {
  let quiet = 0;
  let before = Number.NEGATIVE_INFINITY;
  let give: (error: Error) => void = () => {};
  const silent = new Promise<never>((_, reject) => {
    give = reject;
  });
  silent.catch(() => {});
  const timer = setInterval(() => {
    const now = used();
    quiet = now === undefined || Math.abs(now - before) > IDLE ? 0 : quiet + EVERY;
    before = now ?? before;
    if (quiet < SILENT) return;
    clearInterval(timer);
    give(new Error(`${what}: nothing was said and nothing was done for ${SILENT / 60_000} minutes`));
  }, EVERY);
  timer.unref();
  return {
    silent,
    heard: () => {
      quiet = 0;
    },
    stop: () => clearInterval(timer),
  };
}

const TICK = 10;

/** A process and everything below it. One that can run and isn't let counts as if it ran. */
export function processorOf(root: number): Signs {
  let waited = 0;
  return {
    used() {
      const all = processes();
      if (all === undefined) return undefined;
      const tree = new Set([root]);
      // A child's number may be lower than its parent's, once numbers have gone round.
      for (let before = 0; before < tree.size; ) {
        before = tree.size;
        for (const { pid, parent } of all) if (tree.has(parent)) tree.add(pid);
      }
      const ours = all.filter(({ pid }) => tree.has(pid));
      if (ours.some(({ pid, state }) => pid !== process.pid && /[RD]/.test(state))) waited += IDLE * 2;
      return waited + ours.reduce((sum, { ticks }) => sum + ticks * TICK, 0);
    },
  };
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly state: string;
  readonly ticks: number;
}

function processes(): Process[] | undefined {
  try {
    return readdirSync("/proc").flatMap(name => (/^\d+$/.test(name) ? processAt(Number(name)) : []));
  } catch {
    return undefined;
  }
}

function processAt(pid: number): Process[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The program's name stands in brackets, and may hold any.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const [state = "", parent] = fields;
    // Its own time and that of children that have ended.
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return [{ pid, parent: Number(parent), state, ticks }];
  } catch {
    // It has just ended.
    return [];
  }
}
