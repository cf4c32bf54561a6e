import type { DefinedResource } from "../../kit/define.js";
import type { Values } from "../../kit/values.js";
import { createProvider } from "../../provider/provider.js";
import type { Context } from "../../provider/resources/context.js";
import { reminderResource } from "../../provider/resources/reminder/reminder.js";
import type { Call } from "../../provider/resources/resource.js";
import { gateResource } from "../../provider/resources/signature-gate/signature-gate.js";
import { createRuntime } from "../../provider/runtime.js";
import { connect, type EngineConnection, urnOf } from "../support/engine-client.js";
import {
  type Dialect,
  type IndependentService,
  startIndependentService,
} from "../support/independent-service/index.js";
import { type Machine, type Run, startMachine } from "../support/machine.js";

export const GATE = "docsign:index:SignatureGate";
export const REMINDER = "docsign:index:Reminder";

export const HOUR = 3_600_000;

const served = (defined: DefinedResource<Context>, context: Context) => {
  const resource = defined.serve(() => context);
  type Args<Name extends "check" | "diff"> = Parameters<(typeof resource)[Name]>[1];
  return {
    ...resource,
    check: (call: Call, args: Partial<Args<"check">> & { news: Values }) =>
      resource.check(call, { olds: undefined, ...args }),
    diff: (call: Call, args: Omit<Args<"diff">, "id" | "ignoreChanges">) =>
      resource.diff(call, { id: "7", ignoreChanges: [], ...args }),
  };
};

/** Gates that ask at regular intervals. */
export const gatesIn = (context: Context) => served(gateResource, { ...context, random: () => 0.5 });
export const remindersIn = (context: Context) => served(reminderResource, context);

/** A service, a machine and a run on it. Everything ends with the stage. */
export interface Stage extends AsyncDisposable {
  readonly service: IndependentService;
  readonly machine: Machine;
  readonly run: Run;
  /** A further run on the same machine. */
  again(): Run;
}

export async function setStage(dialect: Partial<Dialect> = {}): Promise<Stage> {
  const service = await startIndependentService({ dialect });
  const machine = startMachine();
  const runs: Run[] = [];
  const again = (): Run => {
    const run = machine.run({ baseUrl: service.url, apiKey: service.apiKey });
    runs.push(run);
    return run;
  };
  return {
    service,
    machine,
    run: again(),
    again,
    async [Symbol.asyncDispose]() {
      for (const run of runs) await run.kill();
      machine[Symbol.dispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

/** A document whose people are asked in stages; returns its id. */
export async function staged({ run, service }: Pick<Stage, "run" | "service">, stages: Record<string, number>) {
  const pdf = Buffer.from("%PDF-1.4\nstages\n%%EOF\n");
  const contract = {
    name: "In stages",
    invitations: Object.entries(stages).map(([email, stage]) => ({ email, stage })),
    pdf: {
      size: pdf.length,
      async *open() {
        yield pdf;
      },
    },
  };
  const created = run.runtime.context.service().turn(turn => turn.createDocument(contract));
  // Some services don't answer with the id.
  await created.catch(() => undefined);
  return service.ledger.documents().at(-1)?.id ?? "";
}

/** A document of one stage; returns its id. */
export const uploaded = ({ people }: IndependentService, ...emails: string[]): string =>
  people.upload("first", { name: "NDA", pdf: Buffer.from("%PDF-1.4\nnda\n%%EOF\n"), emails });

export const textsOf = (run: Run): string[] => run.lines.map(line => line.text);

/** The plugin over gRPC, on the real clock. */
export async function plugin(service: IndependentService, machine: Machine): Promise<EngineConnection> {
  const env = { DOCSIGN_STATE_DIR: machine.folder };
  const runtime = createRuntime({ env, version: "0.0.0", engine: "127.0.0.1:1", pid: 1, isAlive: () => true });
  const provider = createProvider({ runtime, env, version: "0.0.0", schema: () => "{}" });
  return connect(provider, { config: { baseUrl: service.url, apiKey: service.apiKey } });
}

export const urn = (token: string): string => urnOf(token);

/** What a promise was rejected with. */
export async function rejection<E extends Error>(
  promise: Promise<unknown>,
  type: new (...args: never[]) => E,
): Promise<E> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof type)) throw new Error(`expected ${type.name}, got ${String(error)}`);
  return error;
}

export const gate = (documentId: string, more: Values = {}): Values => ({ documentId, ...more });
