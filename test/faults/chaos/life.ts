import { rmSync } from "node:fs";
import { join } from "node:path";
import { ProviderError } from "../../../sdk/dynamic/errors.js";
import { StatusError } from "../../support/engine-client.js";
import {
  dialects,
  type IndependentService,
  mixedDialects,
  randomFaults,
  startIndependentService,
  together,
} from "../../support/independent-service/index.js";
import { scratchFolder } from "../../support/scratch.js";
import { snapshot } from "../support/disk.js";
import { destroy, type FrontEnd, refresh, type State, up, type Went } from "../support/engine.js";
import { followAdvice } from "./advice.js";
import { Checker, titleOf, type Warning } from "./checker.js";
import { startDynamic } from "./dynamic.js";
import { PacedClock } from "./paced-clock.js";
import { type ProviderProcess, stalled, startPlugin } from "./plugin.js";
import { AMONG, wantedOf } from "./programs.js";
import type { Blow, Faults, Program, Script, Step } from "./script.js";
import type { Reach, Store, StoreFault } from "./store.js";

const A_WHILE_MS = 15_000;
/** A create without an outcome is sent again after this at the earliest. */
const RESEND_AFTER_MS = 121_000;
const DAY_MS = 24 * 3_600_000;

/** One at work. */
interface Machine extends ProviderProcess {
  readonly reach?: Reach | undefined;
}

interface Circumstances {
  /** Its memory. */
  readonly folder?: string;
  readonly storeFault?: StoreFault | undefined;
}

/** One stack's life, from the first `up` to the end: every provider call over gRPC, or as the host of dynamic providers makes it. */
export class Life implements AsyncDisposable {
  readonly folder = scratchFolder("docsign-chaos-");
  readonly #first = join(this.folder, "first");
  readonly checker: Checker;
  readonly clock: PacedClock;
  readonly story: string[] = [];
  commands = 0;
  blows = 0;
  state: State = new Map();
  /** Why the errors that it ended with came, at a service of some dialect. */
  left: readonly string[] = [];
  /** Why errors came after which somebody used a token or an import, the service being well again. */
  readonly acted = new Set<string>();
  /** Cause and resource of the errors after which `pulumi up` was run again without a person. */
  readonly #ranAgain = new Set<string>();
  #program: Program = {};
  readonly #warnings: Warning[] = [];
  readonly #taints = new Map<string, string>();
  readonly #deletedBefore = new Set<string>();
  /** Tokens that the next command's `DOCSIGN_FORGET` names. */
  readonly #forget: string[] = [];
  /** Documents that somebody has named as what a create came to, and whose. */
  readonly #named = new Map<string, string>();
  readonly #machines = new Set<Machine>();
  #pid = 2_000_000;

  constructor(
    readonly service: IndependentService,
    private readonly script: Pick<
      Script,
      "policy" | "dialect" | "thrownAway" | "dynamic" | "skipCheckpoints" | "tomorrow"
    >,
    private readonly store: Store | undefined,
  ) {
    this.checker = new Checker(service, { thrownAway: script.thrownAway || store !== undefined });
    const isBusy = () => service.ledger.requests().some(request => request.outcome === "open");
    this.clock = new PacedClock(isBusy, () =>
      [...this.#machines].some(machine => machine.reach?.answers && machine.openCalls() > 0),
    );
  }

  async step(step: Step): Promise<void> {
    this.story.push(JSON.stringify(step));
    if (step.do === "sign" || step.do === "remove on the platform") return this.#people(step);
    const before = new Map(this.state);
    this.#suffer(step.faults);
    if (step.do === "up") {
      this.#program = step.program;
      await this.up(step.program, step);
    } else {
      const work = (frontEnd: FrontEnd) =>
        step.do === "refresh" ? refresh(frontEnd, this.state) : destroy(frontEnd, this.state);
      await this.#command(work, { storeFault: step.storeFault });
      if (step.do === "destroy" && this.state.size === 0) this.#program = {};
    }
    this.#passed(step.do, before);
  }

  #passed(command: string, before: State): void {
    this.checker.passed(command, before, this.state, this.#warnings.splice(0));
  }

  /** The service is well again. What is left must come right, by what the messages say. */
  async converge(): Promise<void> {
    this.service.faults.clear();
    this.service.catchUp();
    const program: Record<string, string> = { ...this.checker.unsettled(), ...this.#program };
    let said: Went["errors"] = {};
    if (this.script.tomorrow) await this.#comeBack(program);
    for (let rounds = 0; rounds < 6; rounds++) {
      const before = new Map(this.state);
      said = await this.up(program);
      this.#passed("up", before);
      if (Object.keys(said).length === 0) return this.checker.converged(this.state);
      for (const [name, message] of Object.entries(said)) await this.#follow(program, name, message);
    }
    // Where the service can't show what became of a create, the provider says so and does nothing: that is no violation.
    if (this.script.dialect.length === 0) return this.checker.stuck(JSON.stringify(said));
    this.left = [...new Set(Object.values(said).map(whyIn))];
    for (const [name, text] of Object.entries(said)) this.story.push(`  left to people: ${name}: ${text}`);
  }

  /** Nobody acts: the pipeline runs again a little later, and tomorrow, when the program has one more contract. */
  async #comeBack(program: Record<string, string>): Promise<void> {
    for (const waited of [RESEND_AFTER_MS, DAY_MS]) {
      const before = new Map(this.state);
      const said = await this.up(program);
      this.#passed("up", before);
      if (Object.keys(said).length === 0) return;
      this.service.clock.advance(waited);
      this.clock.skip(waited);
    }
    program["later"] = "later1";
  }

  async up(
    program: Program,
    { blow, taint, rival, storeFault }: Partial<Extract<Step, { do: "up" }>> = {},
  ): Promise<Went["errors"]> {
    const marked = [...this.state].find(([urn]) => urn.endsWith(`::${taint}`));
    if (marked && taint !== undefined) this.#taints.set(taint, marked[1].id);
    // The engine keeps the mark in state until the resource is replaced, though what replaced it isn't finished.
    const held = new Set([...this.state.values()].filter(({ unfinished }) => !unfinished).map(({ id }) => id));
    for (const [name, id] of this.#taints) if (!held.has(id) || !(name in program)) this.#taints.delete(name);
    const taints = [...this.#taints.keys()];
    this.checker.wants(program, this.state, taints);
    const work = (frontEnd: FrontEnd, state: State) =>
      up(frontEnd, state, wantedOf(program), { taint: taints, deleteBeforeReplace: [...this.#deletedBefore] });
    const theirs = new Map(this.state);
    const folder = join(this.folder, "rival");
    const [{ errors }] = await Promise.all([
      blow
        ? this.#struck(work, blow, storeFault)
        : this.#command(frontEnd => work(frontEnd, this.state), { storeFault }),
      rival && this.#command(frontEnd => work(frontEnd, theirs), { folder }),
    ]);
    if (rival === "wins") this.state = theirs;
    return errors;
  }

  async #command(work: (frontEnd: FrontEnd) => Promise<Went>, where: Circumstances = {}): Promise<Went> {
    const machine = await this.#start(where);
    const went = await work(machine.frontEnd);
    this.story.push(`  → ${JSON.stringify(went.errors)}, state: ${this.#held()}`);
    for (const name of Object.keys(went.errors)) this.checker.said(name);
    await machine.cancel();
    await this.#end(machine);
    return went;
  }

  /** A command that doesn't end well: the process is killed or cancelled when it stands at the blow's place. */
  async #struck(work: (frontEnd: FrontEnd, state: State) => Promise<Went>, { how, at }: Blow, storeFault?: StoreFault) {
    this.blows++;
    const machine = await this.#start({ storeFault });
    const gate = "gate" in at ? this.service.gate(at.gate, "createDocument") : undefined;
    const there = gate?.reached ?? stalled(machine.runtime, at as Extract<Blow["at"], { journal: string }>);
    const running = new Map(this.state);
    const ended = work(machine.frontEnd, running).catch(() => undefined);
    const arrived = await Promise.race([there.then(() => true), ended.then(() => false)]);
    if (!arrived || how === "cancel") {
      if (arrived) await machine.cancel();
      if (gate && "after" in at) at.after === "open" || !arrived ? gate.open() : gate.cut();
      await ended;
      this.state = running;
      await this.#end(machine);
      return { errors: {} };
    }
    const isEngine = how === "kill the engine";
    const known = new Map(isEngine && this.script.skipCheckpoints ? this.state : running);
    if (isEngine && !this.script.skipCheckpoints) this.#forgetLast(known);
    const disk = snapshot(this.#first);
    machine.reach?.lose();
    await machine.runtime.close();
    if (gate && "after" in at) at.after === "open" ? gate.open() : gate.cut();
    await this.#end(machine);
    await new Promise(resolve => setTimeout(resolve, 15));
    disk.restore();
    this.state = known;
    return { errors: {} };
  }

  async #end(machine: Machine): Promise<void> {
    await machine[Symbol.asyncDispose]();
    this.#machines.delete(machine);
    await machine.reach?.[Symbol.asyncDispose]();
    this.#warnings.push(...machine.log.filter(({ severity }) => severity === "warning"));
  }

  /** A write of state that was under way: the reply had come, state doesn't have it. */
  #forgetLast(state: State): void {
    const fresh = [...state.keys()].filter(urn => state.get(urn)?.id !== this.state.get(urn)?.id);
    const last = fresh.at(-1);
    if (last === undefined) return;
    const old = this.state.get(last);
    if (old) state.set(last, old);
    else state.delete(last);
  }

  #held(): string {
    return [...this.state].map(([urn, { id }]) => `${urn.split("::").at(-1)} ${id}`).join(", ");
  }

  async #start({ folder = this.#first, storeFault }: Circumstances = {}): Promise<Machine> {
    this.commands++;
    if (this.script.thrownAway) rmSync(folder, { recursive: true, force: true });
    // People take a while between two commands: longer than the clocks' grain, and than new documents stay unseen.
    this.service.clock.advance(A_WHILE_MS);
    this.clock.skip(A_WHILE_MS);
    for (const { id } of this.service.ledger.documents()) this.service.people.reveal(id);
    const reach = await this.store?.reach(storeFault);
    const env = {
      DOCSIGN_STATE_DIR: folder,
      DOCSIGN_FORGET: this.#forget.splice(0).join(","),
      DOCSIGN_JOURNAL: reach?.setting ?? "local",
    };
    const config = { ...this.script.policy, baseUrl: this.service.url, apiKey: this.service.apiKey };
    const start = this.script.dynamic ? startDynamic : startPlugin;
    const machine = { ...(await start({ env, pid: this.#pid++, clock: this.clock, config })), reach };
    this.#machines.add(machine);
    return machine;
  }

  #suffer({ seed, share }: Faults): void {
    this.service.faults.clear();
    if (share > 0) this.service.faults.otherwise(randomFaults({ seed, share, among: AMONG, atMost: 12 }));
  }

  #people(step: Extract<Step, { name: string }>): void {
    const held = [...this.state].find(([urn]) => urn.endsWith(`::${step.name}`))?.[1];
    const document = this.service.ledger.documents().find(made => made.id === held?.id);
    if (!document) return;
    if (step.do === "remove on the platform") this.service.people.removeDocument(document.id);
    else if (step.all) for (const { email } of document.invitations) this.#sign(document.id, email);
    else this.#sign(document.id, "ana@example.com");
  }

  #sign(id: string, email: string): void {
    try {
      this.service.people.sign(id, email);
    } catch {
      // Signed before.
    }
  }

  async #follow(program: Record<string, string>, name: string, message: string): Promise<void> {
    const { ledger } = this.service;
    const type = name === "folder" ? "Folder" : "Document";
    const acts = () => {
      this.acted.add(whyIn(message));
      this.story.push(`  a person acts on ${name}: ${message.split("\n")[0]}`);
    };
    await followAdvice(
      { name, message, holds: [...this.state].find(([urn]) => urn.endsWith(`::${name}`))?.[1]?.id },
      {
        exists: id => ledger.documents().some(made => made.id === id && made.removedAt === null),
        isOthers: id => this.checker.isDecoy(id) || [...this.state.values()].some(held => held.id === id),
        recognizes: id => this.checker.wasWanted(name, this.checker.contentOf({ type, id })),
        lost: () => this.#lost(name),
        changeBack: id => {
          const content = this.checker.contentOf({ type, id });
          if (content !== undefined) program[name] = content;
          this.#taints.delete(name);
        },
        rename: () => {
          program[name] = `${program[name]}b`;
        },
        untaint: () => this.#taints.delete(name),
        deleteBeforeReplace: () => this.#deletedBefore.add(name),
        deleteFromState: () => {
          for (const urn of [...this.state.keys()]) if (urn.endsWith(`::${name}`)) this.#delete(urn);
        },
        forget: tokens => {
          if (tokens.length > 0) acts();
          this.#forget.push(...tokens);
        },
        resolve: async (token, id) => {
          acts();
          const machine = await this.#start();
          await machine.runtime.context.journal.resolve(token, id, "somebody");
          this.#named.set(id, name);
          await machine.cancel();
          await this.#end(machine);
        },
        ranAgain: () => {
          const error = `${causeIn(message)} ${name}`;
          const before = this.#ranAgain.has(error);
          this.#ranAgain.add(error);
          return before;
        },
        wait: () => {
          this.service.clock.advance(RESEND_AFTER_MS);
          this.clock.skip(RESEND_AFTER_MS);
        },
        refresh: async () => {
          const before = new Map(this.state);
          await this.#command(frontEnd => refresh(frontEnd, this.state));
          this.#passed("refresh", before);
        },
        import: async id => {
          acts();
          const content = this.checker.contentOf({ type, id }) ?? "";
          if (!(await this.#import(name, content, type === "Folder" ? `${id}/${titleOf(content)}` : id))) return;
          this.checker.tookOver(name, id);
          program[name] = content;
        },
        sawThePlatform: () => this.checker.seenByPeople(this.state),
      },
    );
  }

  /** What a person finds on the platform who looks for what a create led to. */
  #lost(name: string): string | undefined {
    const held = new Set([...this.state.values()].map(({ id }) => id));
    return this.service.ledger
      .documents()
      .filter(
        ({ id, madeBy }) =>
          madeBy > 0 && !held.has(id) && (this.#named.get(id) ?? name) === name && !this.checker.isRetired(id),
      )
      .find(({ id }) => this.checker.wasWanted(name, this.checker.contentOf({ type: "Document", id })))?.id;
  }

  #delete(urn: string): void {
    const before = new Map(this.state);
    this.state.delete(urn);
    this.#passed("state delete", before);
  }

  /** Whether the document could be read, and state has it now. */
  async #import(name: string, content: string, id: string): Promise<boolean> {
    const [wanted] = wantedOf({ [name]: content });
    if (!wanted) return false;
    const machine = await this.#start();
    const urn = machine.frontEnd.urn(wanted);
    if (this.state.has(urn)) this.#delete(urn);
    const held = await machine.take(wanted, id).catch((error: unknown) => {
      if (!(error instanceof StatusError || error instanceof ProviderError)) throw error;
      this.story.push(`  → ${error.message}`);
    });
    if (held) this.state.set(urn, held);
    await machine.cancel();
    await this.#end(machine);
    return held !== undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const causeIn = (message: string): string => /\[docsign\/([\w-]+)\]/.exec(message)?.[1] ?? "no cause";

/** The cause, and of a create without an outcome what kept it from being proven. */
export function whyIn(message: string): string {
  const cause = causeIn(message);
  if (cause !== "create-unconfirmed") return cause;
  const why = message.split("\n").find(line => UNPROVEN.test(line)) ?? "";
  const [kind = "something else"] = UNPROVEN.exec(why) ?? [];
  return `${cause}, ${kind}`;
}

/** As a create that stays unconfirmed says it. */
const UNPROVEN =
  /can't be read|the service answered that it was created|A page may have as many|lists no document|too young to tell|nor any other|may leave documents out|no Date|isn't what was sent|other credentials|no longer held|may still appear|looking for it failed|confirming document/;

export async function begin(script: Script, store?: Store): Promise<Life> {
  await store?.clear();
  const { settings } = together([
    ...mixedDialects.filter(({ name }) => name === script.mixed),
    ...dialects.filter(({ name }) => script.dialect.includes(name)),
  ]);
  const lag = { get: script.lag, list: script.lag };
  return new Life(await startIndependentService({ lag, ...settings, seed: script.seed }), script, store);
}
