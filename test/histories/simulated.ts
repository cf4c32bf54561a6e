import { dynamicFrontEnd } from "../dialects/dynamic-front-end.js";
import { startObjectServer } from "../journal/support/object-server.js";
import { secret } from "../support/engine-client.js";
import { startIndependentService } from "../support/independent-service/index.js";
import { type Machine, startMachine } from "../support/machine.js";
import { type Entry, type Outcome, pluginFrontEnd, Stack } from "../support/simulated-engine.js";
import { goalOf } from "./program.js";
import { foldersIn, slotsIn } from "./slots.js";
import { type History, MACHINES, type StackName } from "./steps.js";
import type { At, Engine } from "./world.js";

/** People take a while between two commands. */
const A_WHILE_MS = 60_000;

/** How far a machine's clock is from the first one's. */
const APART_MS = 3_600_000;

/** The simulated engine, with one of the two front ends. */
export async function simulated({ frontEnd, shared = false }: History): Promise<Engine> {
  const service = await startIndependentService();
  const objects = shared ? await startObjectServer() : undefined;
  const machines = new Map<string, Machine>();
  const entries: Record<StackName, Entry[]> = { dev: [], dev2: [] };
  const isPlugin = frontEnd === "plugin";
  let passed = 0;

  function machineOf(name: string): Machine {
    const machine = machines.get(name) ?? startMachine();
    if (!machines.has(name)) machine.pass(passed + (name === "second" ? APART_MS : 0));
    machines.set(name, machine);
    return machine;
  }

  /** A thrown-away one has no credentials for the team's journal. */
  function onJournal(name: string, machine: Machine): Machine {
    if (!objects || !MACHINES.some(kept => kept === name)) return machine;
    const env = { DOCSIGN_JOURNAL: `s3://contracts/team?endpoint=${objects.endpoint}` };
    return { ...machine, run: (settings, options) => machine.run(settings, { ...options, env }) };
  }

  function pass(): void {
    passed += A_WHILE_MS;
    service.clock.advance(A_WHILE_MS);
    for (const machine of machines.values()) machine.pass(A_WHILE_MS);
  }

  const inState = (stack: StackName) =>
    entries[stack].flatMap(({ goal, id, outputs, delete: isLeftover }) =>
      isLeftover ? [] : [{ type: goal.type ?? "", name: goal.name, id, outputs }],
    );

  async function command({ stack: name, machine }: At, run: (stack: Stack) => Promise<Outcome>): Promise<Outcome> {
    pass();
    const open = (isPlugin ? pluginFrontEnd : dynamicFrontEnd)(onJournal(machine, machineOf(machine)));
    // The dynamic front end has no secrets of its own in this engine.
    const apiKey = isPlugin ? secret(service.apiKey) : service.apiKey;
    const stack = new Stack(open, { default: { baseUrl: service.url, apiKey } }, name);
    stack.entries = entries[name];
    const outcome = await run(stack);
    entries[name] = stack.entries;
    return outcome;
  }

  return {
    service,
    up: (at, program, { skipPreview, forced, meanwhile }) => {
      const rows = isPlugin ? "documents" : "documentRows";
      const goals = program.map(declared => goalOf(declared, rows, declared.name === forced));
      const replace = forced === undefined ? [] : [forced];
      // A dynamic provider is asked nothing in a preview.
      return command(at, stack => stack.up(goals, { skipPreview: skipPreview || !isPlugin, meanwhile, replace }));
    },
    refresh: at => command(at, stack => stack.refresh()),
    destroy: at => command(at, stack => stack.destroy()),
    held: stack => slotsIn(inState(stack)),
    heldFolders: stack => foldersIn(inState(stack)),
    [Symbol.asyncDispose]: async () => {
      for (const machine of machines.values()) machine[Symbol.dispose]();
      await objects?.[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}
