import { type Chance, chance, pick, seedFrom, shuffled } from "../../support/independent-service/chance.js";
import type { Point } from "../../support/independent-service/index.js";

/** What the two machines have in common. */
const PAIRINGS = ["one stack", "two back ends", "two stacks"] as const;
const HOURS_AHEAD = [0, 0, 0, 25, -25];

export interface Blow {
  /** Where it comes: a request of the service's at a point on its way, or a piece of the conversation with the journal. */
  readonly at:
    | { readonly operation: "createDocument" | "getDocument" | "listDocuments" | "remind"; readonly point: Point }
    | "journal";
  readonly nth: number;
  readonly who: "plugin" | "engine and plugin";
  readonly how: "freeze" | "kill";
}

/** What happens while the first machine is frozen, or after it was killed. */
export type Deed = "other" | "sign" | "restore" | "cut" | "away";

export interface Life {
  readonly seed: number;
  readonly pairing: (typeof PAIRINGS)[number];
  /** How each machine's program declares its contracts. */
  readonly forms: readonly ["documents" | "set", "documents" | "set"];
  /** `docsign:maxConcurrency`. */
  readonly places: number;
  /** Whether the contracts are there already, and are replaced. */
  readonly replaces: boolean;
  readonly hoursAhead: readonly [number, number];
  readonly blow: Blow;
  readonly meanwhile: readonly Deed[];
  /** Whether both programs remind the same person: what a journal and state have both lost isn't remembered. */
  readonly reminds: boolean;
}

export const CONTRACTS = 3;

/** The same seed is the same life. */
export function lifeOf(seed: number): Life {
  const next = chance(seedFrom(seed, "two machines"));
  const of = <T>(...items: readonly T[]): T => pick(items, next) as T;
  const pairing = of(...PAIRINGS);
  // State says how its contracts are declared.
  const form = of("documents", "documents", "set");
  const other = pairing === "two stacks" ? of("documents", "set") : form;
  const replaces = pairing !== "two stacks" && next() < 0.6;
  const blow = blowOf(next, replaces);
  const deeds = shuffled<Deed>(
    ["other", "cut", "away", "restore", ...(replaces ? (["sign", "sign"] as const) : [])],
    next,
  );
  const meanwhile = shuffled<Deed>(["other", ...deeds.slice(0, 1 + Math.floor(next() * 3))], next);
  return {
    seed,
    pairing,
    forms: [form, other],
    places: of(1, 1, 2),
    replaces,
    hoursAhead: [of(...HOURS_AHEAD), of(...HOURS_AHEAD)],
    blow,
    meanwhile,
    reminds: !meanwhile.includes("restore"),
  };
}

function blowOf(next: Chance, replaces: boolean): Blow {
  const of = <T>(...items: readonly T[]): T => pick(items, next) as T;
  const operation = of("createDocument", "createDocument", replaces ? "getDocument" : "listDocuments", "remind");
  const point = of("received-headers", "received-body", "processed", "answered-headers");
  return {
    at: next() < 0.35 ? "journal" : { operation, point },
    nth: 1 + Math.floor(next() * 3),
    who: of("plugin", "engine and plugin"),
    how: of("freeze", "freeze", "freeze", "kill"),
  };
}
