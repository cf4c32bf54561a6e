import { nda, type Scene, type SceneOptions, sceneWith } from "../lifecycle/scene.js";
import type { Goal, UpOptions } from "../support/simulated-engine.js";
import { type Ending, endingOf } from "./table.js";

export type Story = (s: Scene) => Promise<Ending>;

export const within = (open: () => Promise<Scene>, story: Story) => async (): Promise<Ending> => {
  await using s = await open();
  return await story(s);
};

/** With these resources in a stack whose journal knows them. */
export const played = (before: readonly Goal[], story: Story, options: SceneOptions = {}) =>
  within(() => sceneWith(before, { providers: { second: {} }, ...options }), story);

export const up = (s: Scene, program: readonly Goal[], options: UpOptions = {}): Promise<Ending> =>
  endingOf(
    s.service,
    () => s.stack.entries,
    () => s.stack.up(program, options),
  );

export const sign = (s: Scene): void => s.service.people.sign(s.id(), "ana@example.com");

export const deleteFirst = { deleteBeforeReplace: true };

/** The contract under another name, of which the program says so. */
export const aliased = (more: Partial<Goal> = {}): Goal => ({ ...nda(more), name: "contract", alias: "nda" });
