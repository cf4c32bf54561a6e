import { dynamicFrontEnd } from "../dialects/dynamic-front-end.js";
import { secret } from "../support/engine-client.js";
import { startIndependentService } from "../support/independent-service/index.js";
import { type Machine, startMachine } from "../support/machine.js";
import { type Entry, type Outcome, pluginFrontEnd, Stack } from "../support/simulated-engine.js";
import { goalOf } from "./program.js";
import { slotsIn } from "./slots.js";
import type { History, StackName } from "./steps.js";
import type { At, Engine } from "./world.js";

/** People take a while between two commands. */
const A_WHILE_MS = 60_000;

/** The simulated engine, with one of the two front ends. */
export async function simulated(frontEnd: History["frontEnd"]): Promise<Engine> {
  const service = await startIndependentService();
  const machines = new Map<string, Machine>();
  const entries: Record<StackName, Entry[]> = { dev: [], dev2: [] };
  const isPlugin = frontEnd === "plugin";
  let passed = 0;

  function machineOf(journal: string): Machine {
    const machine = machines.get(journal) ?? startMachine();
    if (!machines.has(journal)) machine.pass(passed);
    machines.set(journal, machine);
    return machine;
  }

  function pass(): void {
    passed += A_WHILE_MS;
    service.clock.advance(A_WHILE_MS);
    for (const machine of machines.values()) machine.pass(A_WHILE_MS);
  }

  async function command({ stack: name, journal }: At, run: (stack: Stack) => Promise<Outcome>): Promise<Outcome> {
    pass();
    const open = (isPlugin ? pluginFrontEnd : dynamicFrontEnd)(machineOf(journal));
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
    up: (at, program, { skipPreview, meanwhile }) => {
      const goals = program.map(declared => goalOf(declared, isPlugin ? "documents" : "documentRows"));
      // A dynamic provider is asked nothing in a preview.
      return command(at, stack => stack.up(goals, { skipPreview: skipPreview || !isPlugin, meanwhile }));
    },
    refresh: at => command(at, stack => stack.refresh()),
    destroy: at => command(at, stack => stack.destroy()),
    held: stack =>
      slotsIn(
        entries[stack].flatMap(({ goal, id, outputs, delete: isLeftover }) =>
          isLeftover ? [] : [{ type: goal.type ?? "", name: goal.name, id, outputs }],
        ),
      ),
    [Symbol.asyncDispose]: async () => {
      for (const machine of machines.values()) machine[Symbol.dispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}
