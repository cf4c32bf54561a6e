import { expect, vi } from "vitest";
import { type ProgramResource, up } from "./engine.js";
import { type Process, type ProcessOptions, pdf, type Rig } from "./rig.js";

/** A moment of a create at which the process dies. */
export interface CrashPoint {
  /** Settles when the create stands there. */
  arm(rig: Rig, process: Process): Promise<unknown>;
  /** What the service made of the request of the process that died. */
  readonly made: 0 | 1;
  /** After the crash: what is still on its way arrives, or never does. */
  after?(rig: Rig): Promise<void>;
}

/** A step of the journal that stops just before it begins, or when it is done and on disk. */
function stall({ run }: Process, step: "begin" | "claim", when: "before" | "after"): Promise<unknown> {
  const { journal } = run.runtime.context;
  const real = journal[step].bind(journal) as (...args: unknown[]) => Promise<unknown>;
  return new Promise(reached => {
    vi.spyOn(journal, step).mockImplementation(async (...args: unknown[]) => {
      if (when === "after") await real(...args);
      reached(undefined);
      return new Promise<never>(() => {});
    });
  });
}

type Point = Parameters<Rig["service"]["gate"]>[0];

const gate = (point: Point, made: 0 | 1, how: "cut" | "open"): CrashPoint => {
  let stands: ReturnType<Rig["service"]["gate"]> | undefined;
  return {
    made,
    arm(rig) {
      stands = rig.service.gate(point, "createDocument");
      return stands.reached;
    },
    async after(rig) {
      const over = rig.service.ledger.whenSeen("createDocument", { stage: "over" });
      if (how === "open") stands?.open();
      else stands?.cut();
      await Promise.race([over, new Promise(resolve => setTimeout(resolve, 20))]);
    },
  };
};

/** In the order in which a create meets them. */
export const CRASH_POINTS: Record<string, CrashPoint> = {
  "before the journal entry": { made: 0, arm: (_, process) => stall(process, "begin", "before") },
  "after the journal entry": { made: 0, arm: (_, process) => stall(process, "begin", "after") },
  "connected, nothing read": gate("received-headers", 0, "cut"),
  "mid-upload": gate("receiving-body", 0, "cut"),
  "after send, it never gets through": gate("received-body", 0, "cut"),
  "after send, it gets through later": gate("received-body", 1, "open"),
  "after processing": gate("processed", 1, "cut"),
  "after the headers": gate("answered-headers", 1, "cut"),
  "after the body": { made: 1, arm: (_, process) => stall(process, "claim", "before") },
  "before the reply": { made: 1, arm: (_, process) => stall(process, "claim", "after") },
};

/** Enough bytes that the upload is still under way when its first ones arrive. */
export const largePdf = (): string => pdf("x".repeat(3_000_000));

/** `pulumi up`, and a kill -9 at that point. */
/** The runs after it come once a create may be sent again, unless they come `soon`. */
export async function crashed(
  rig: Rig,
  point: CrashPoint,
  wanted: ProgramResource,
  { soon = false, ...options }: ProcessOptions & { soon?: boolean } = {},
): Promise<void> {
  const process = rig.process(options);
  const reached = point.arm(rig, process);
  await rig.crash(frontEnd => up(frontEnd, rig.state, [wanted]), process, reached);
  await point.after?.(rig);
  if (!soon) rig.later();
  expect(rig.state.size).toBe(0);
  expect(rig.saw()).toMatchObject({ documents: point.made, mails: 2 * point.made });
}
