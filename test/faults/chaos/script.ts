import type { Values } from "../../../kit/values.js";
import { type Chance, chance, pick, seedFrom } from "../../support/independent-service/chance.js";
import { dialectsOf, mixedDialects, together } from "../../support/independent-service/index.js";
import { type StoreFault, storeFaultOf, type stores } from "./store.js";

/** Where a process dies or is cancelled: at the n-th create it sends, or at a step of the journal. */
export interface Blow {
  readonly how: "kill the provider" | "kill the engine" | "cancel";
  readonly at:
    | {
        readonly gate: "received-headers" | "received-body" | "processed" | "answered-headers";
        readonly after: "open" | "cut";
      }
    | { readonly journal: "begin" | "claim"; readonly when: "before" | "after" };
}

/** Resource name → which content the program gives it. */
export type Program = Readonly<Record<string, string>>;

export type Step =
  | {
      readonly do: "up";
      readonly program: Program;
      readonly faults: Faults;
      readonly blow?: Blow;
      readonly taint?: string;
      /** Another machine runs the same at the same time. State is what one of them wrote last. */
      readonly rival?: "loses" | "wins";
      readonly storeFault?: StoreFault;
    }
  | { readonly do: "refresh"; readonly faults: Faults; readonly storeFault?: StoreFault }
  | { readonly do: "destroy"; readonly faults: Faults; readonly storeFault?: StoreFault }
  | { readonly do: "sign"; readonly name: string; readonly all: boolean }
  | { readonly do: "remove on the platform"; readonly name: string };

export interface Faults {
  readonly seed: number;
  /** Share of requests that suffer. */
  readonly share: number;
}

export const OWN = together([]).name;

export interface Script {
  readonly seed: number;
  /** Name of the one of the mixed dialects that the service has in any case. */
  readonly mixed: string;
  /** Names of dialects: where it answers an open point of the interface differently besides. */
  readonly dialect: readonly string[];
  /** Every command runs on a machine that remembers nothing. */
  readonly thrownAway: boolean;
  /** The dynamic provider instead of the plugin. */
  readonly dynamic: boolean;
  /** State is written at the end of a command alone: an engine that is killed has written nothing. */
  readonly skipCheckpoints?: boolean;
  /** Before anybody acts a day passes, and the program has one more contract then. */
  readonly tomorrow?: boolean;
  readonly journal: "local" | keyof typeof stores;
  readonly lag: number;
  readonly policy: Values;
  readonly steps: readonly Step[];
}

/** Three of them are identical: they must not adopt each other. */
const NAMES = ["nda", "lease", "twin1", "twin2", "twin3", "folder"];
const contentsOf = (name: string): readonly string[] =>
  name.startsWith("twin") ? ["twin"] : [1, 2, 3].map(nth => `${name}${nth}`);

const POLICIES: readonly Values[] = [{}, {}, { creationMarker: true }, { duplicatePolicy: "adopt" }];

export interface Circumstances {
  readonly dialects?: boolean;
  readonly thrownAway?: boolean;
  readonly dynamic?: boolean;
  readonly skipCheckpoints?: boolean;
  readonly tomorrow?: boolean;
  readonly journal?: Script["journal"] | undefined;
}

/** One life of a stack, out of a seed. */
export function scriptOf(
  seed: number,
  {
    dialects = false,
    thrownAway = false,
    dynamic = false,
    skipCheckpoints = false,
    tomorrow = false,
    journal = "local",
  }: Circumstances = {},
): Script {
  const next = chance(seedFrom(seed, "script"));
  const mixed = pick(mixedDialects, next)?.name ?? OWN;
  let program: Program = {};
  const steps: Step[] = [];
  const length = 4 + Math.floor(next() * 6);
  for (let nth = 0; nth < length; nth++) {
    const step = stepOf(next, program, nth === 0, seedFrom(seed, "faults", nth));
    if (step.do === "up") program = step.program;
    steps.push(journal === "local" ? step : withStore(step, seed, nth));
  }
  const policy = pick(POLICIES, chance(seedFrom(seed, "policy"))) ?? {};
  const dialect = dialects ? dialectsOf(seed).map(({ name }) => name) : [];
  const lag = Math.floor(next() * 3);
  return { seed, mixed, dialect, thrownAway, dynamic, skipCheckpoints, tomorrow, journal, lag, policy, steps };
}

/** What only a store that several machines share meets with. */
function withStore(step: Step, seed: number, nth: number): Step {
  if (!("faults" in step)) return step;
  const storeFault = storeFaultOf(seed, nth);
  const faulty = storeFault ? { ...step, storeFault } : step;
  const next = chance(seedFrom(seed, "rival", nth));
  if (faulty.do !== "up" || next() > 0.25) return faulty;
  return { ...faulty, rival: next() < 0.5 ? "wins" : "loses" };
}

function stepOf(next: Chance, program: Program, first: boolean, seed: number): Step {
  const faults = { seed, share: next() < 0.25 ? 0 : next() * 0.6 };
  const name = pick(Object.keys(program), next) ?? "nda";
  const dice = first ? 0 : next();
  if (dice < 0.62) {
    const up = { do: "up" as const, program: programOf(next, program, first), faults };
    if (next() < 0.06) return { ...up, taint: name };
    return next() < 0.4 ? { ...up, blow: blowOf(next) } : up;
  }
  if (dice < 0.76) return { do: "refresh", faults };
  if (dice < 0.92) return { do: "sign", name, all: next() < 0.5 };
  if (dice < 0.96) return { do: "remove on the platform", name };
  return { do: "destroy", faults };
}

function programOf(next: Chance, before: Program, first: boolean): Program {
  if (first) {
    const names = NAMES.filter(() => next() < 0.6);
    return Object.fromEntries((names.length > 0 ? names : ["nda"]).map(name => [name, contentsOf(name)[0] ?? ""]));
  }
  const dice = next();
  const name = pick(NAMES, next) ?? "nda";
  if (dice < 0.45) return before;
  if (dice < 0.9) return { ...before, [name]: pick(contentsOf(name), next) ?? "" };
  const { [name]: _gone, ...rest } = before;
  return rest;
}

function blowOf(next: Chance): Blow {
  const how = pick(["kill the provider", "kill the engine", "cancel"] as const, next) ?? "cancel";
  if (next() < 0.35) {
    const journal = pick(["begin", "claim"] as const, next) ?? "claim";
    return {
      how: how === "cancel" ? "kill the provider" : how,
      at: { journal, when: next() < 0.5 ? "before" : "after" },
    };
  }
  const gate =
    pick(["received-headers", "received-body", "processed", "answered-headers"] as const, next) ?? "processed";
  return { how, at: { gate, after: next() < 0.5 ? "open" : "cut" } };
}
