import type { IndependentService } from "../../support/independent-service/index.js";
import type { Violation } from "./checker.js";
import { begin } from "./life.js";
import { OWN, type Script, type Step } from "./script.js";
import type { Store } from "./store.js";

export interface Figures {
  readonly commands: number;
  readonly blows: number;
  readonly requests: number;
  readonly faults: number;
  readonly documents: number;
  readonly folders: number;
  readonly mails: number;
}

export interface Lived {
  /** Why it ended with a person, at a service of some dialect. */
  readonly left: readonly string[];
  /** Why somebody used a token or an import, the service being well again. */
  readonly acted: readonly string[];
  readonly violations: readonly Violation[];
  readonly figures: Figures;
  readonly story: readonly string[];
}

/** For the checker's own test: after so many steps another document of that name is simply there. */
export interface Planted {
  readonly afterStep: number;
  readonly upload: string;
}

export interface Given {
  readonly planted?: Planted;
  /** Where the script's journal is. */
  readonly store?: Store | undefined;
}

export async function live(script: Script, { planted, store }: Given = {}): Promise<Lived> {
  await using life = await begin(script, store);
  for (const [nth, step] of script.steps.entries()) {
    if (planted?.afterStep === nth) plant(life.service, planted.upload);
    await life.step(step);
    if (life.checker.violations.length > 0) break;
  }
  if (life.checker.violations.length === 0) await life.converge();
  const { ledger } = life.service;
  const requests = ledger.requests();
  return {
    violations: life.checker.violations,
    story: life.story,
    left: life.left,
    acted: [...life.acted],
    figures: {
      commands: life.commands,
      blows: life.blows,
      requests: requests.length,
      faults: requests.filter(request => request.fault !== undefined).length,
      documents: ledger.documentCount(),
      folders: ledger.folders().length,
      mails: ledger.mails().length,
    },
  };
}

function plant({ people }: IndependentService, name: string): void {
  people.upload("first", { name, pdf: Buffer.from("%PDF-1.4 planted"), emails: ["ana@example.com"] });
}

/** The fewest steps, and the fewest faults in them, that still end in a violation of that kind. */
export async function shrink(script: Script, kind: Violation["kind"], given?: Given): Promise<Script> {
  const fails = async (candidate: Script) =>
    (await live(candidate, given)).violations.some(found => found.kind === kind);
  let least = script;
  for (let changed = true; changed; ) {
    changed = false;
    for (const candidate of simpler(least)) {
      if (!(await fails(candidate))) continue;
      least = candidate;
      changed = true;
      break;
    }
  }
  return least;
}

function* simpler(script: Script): Generator<Script> {
  const { steps } = script;
  for (let at = steps.length - 1; at >= 0; at--) yield { ...script, steps: steps.filter((_, nth) => nth !== at) };
  const changed = (at: number, step: Step): Script => ({ ...script, steps: steps.with(at, step) });
  for (const [at, step] of steps.entries()) {
    if (step.do === "up") {
      const { blow, taint, rival, ...rest } = step;
      if (blow || taint) yield changed(at, rival ? { ...rest, rival } : rest);
      if (rival) yield changed(at, { ...rest, ...(blow ? { blow } : {}), ...(taint ? { taint } : {}) });
      for (const name of Object.keys(step.program)) {
        const { [name]: _gone, ...program } = step.program;
        yield changed(at, { ...step, program });
      }
    }
    if ("storeFault" in step) {
      const { storeFault: _none, ...rest } = step;
      yield changed(at, rest as Step);
    }
    if ("faults" in step && step.faults.share > 0) yield changed(at, { ...step, faults: { ...step.faults, share: 0 } });
  }
  for (const name of script.dialect) yield { ...script, dialect: script.dialect.filter(other => other !== name) };
  if (script.thrownAway) yield { ...script, thrownAway: false };
  if (script.dynamic) yield { ...script, dynamic: false };
  if (script.tomorrow) yield { ...script, tomorrow: false };
  if (script.skipCheckpoints) yield { ...script, skipCheckpoints: false };
  if (script.lag > 0) yield { ...script, lag: 0 };
  if (script.mixed !== OWN) yield { ...script, mixed: OWN };
}
