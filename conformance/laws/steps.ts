/** What several laws do with a resource, and how they read an answer. */
import { CallError, type Connection, type Existing } from "../connection.js";
import { accepted, Broken, expect, type ResourceTrial, Skipped, type Trial } from "../law.js";
import { asInState, type Values } from "../values.js";

type Patch = Readonly<Record<string, unknown>>;

export async function refused(call: Promise<unknown>): Promise<CallError | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (error instanceof CallError) return error;
    throw error;
  }
}

/** Whether it is no answer at all. */
export const died = (error: unknown): boolean =>
  error instanceof CallError && ["UNAVAILABLE", "DEADLINE_EXCEEDED"].includes(error.code);

export async function alive(connection: Connection, errors: readonly string[]): Promise<void> {
  await connection.pluginVersion().catch(() => {
    throw new Broken(`expected the process to live on, and it doesn't answer: ${errors.slice(-3).join(" ")}`);
  });
}

/** Whether it settled in that time. */
export async function within(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>(done => {
    timer = setTimeout(() => done(false), milliseconds);
  });
  const settled = await Promise.race([work.then(() => true), late]);
  clearTimeout(timer);
  return settled;
}

/** A process of its own that is configured as the shared one is. */
export async function begun(trial: Trial, config = trial.config) {
  const launched = await trial.launch();
  await launched.connection.begin(launched.host.address, config);
  return launched;
}

export const inPreview = (connection: Connection): void => {
  if (!connection.flags.supportsPreview) throw new Skipped("the provider is not called in previews");
};

export const withSecrets = (connection: Connection): void => {
  if (!connection.flags.acceptSecrets) throw new Skipped("the provider takes no secrets; the engine marks them itself");
};

/** What Check answers for a program that it has to take. */
export async function taken(trial: ResourceTrial, program: Values, urn = trial.urn(trial.token)): Promise<Values> {
  return accepted(await (await trial.connect()).check(urn, program));
}

export async function unchanged(
  trial: ResourceTrial,
  existing: Existing,
  when: string,
  program = existing.inputs,
): Promise<void> {
  const { changes, diffs, replaces, detailed } = await trial.compare(existing, program);
  const named = [...diffs, ...replaces, ...(detailed?.keys() ?? [])].join(", ");
  expect(changes !== "some" && named === "", `expected no change ${when}, got one${named ? ` in ${named}` : ""}`);
}

export async function changed(trial: ResourceTrial, patch: Patch | undefined, name: string) {
  if (!patch) throw new Skipped(`the fixture has no ${name}`);
  const existing = await trial.create();
  return trial.compare(existing, patched(trial, existing, patch));
}

/** The program with a patch: the texts that were made unique stay as they were. */
export function patched(trial: ResourceTrial, existing: Existing, patch: Patch): Values {
  const keys = new Set(Object.keys(patch));
  const program = trial.program(patch);
  const stays = [...existing.inputs].filter(([key]) => !keys.has(key));
  return new Map([...stays, ...[...program].filter(([key]) => keys.has(key))]);
}

export const state = (values: Values): Values => asInState(values) as Values;
