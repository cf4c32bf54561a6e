import { UNKNOWN } from "../../../kit/values.js";
import { type Given, type Givens, StatusError } from "../engine-client.js";
import { Bail, entryOf, type Processes, type Stack } from "../simulated-engine.js";
import { marked } from "./front-end.js";
import { bare, type Entry, type Goal, type Ref, refsIn, resolved } from "./state.js";

const providerOf = (goal: Goal): string => goal.provider ?? "default";

/** One pass over a program: what `step_generator.go` decides and `step.go` does, one step after the other. */
export class Planner {
  /** Deleted because something they depend on is replaced delete-first; not registered yet. */
  readonly #deletes = new Set<Entry>();
  readonly #replaced = new Set<string>();
  readonly #seen = new Set<Entry>();
  /** Entries this pass created, whose outputs a preview doesn't know. */
  readonly #created = new Map<string, Entry>();

  constructor(
    private readonly stack: Stack,
    private readonly processes: Processes,
    private readonly entries: Entry[],
    private readonly targets: readonly string[],
    /** Names of `--target`: all others stay as they are. */
    private readonly only?: readonly string[],
  ) {}

  async follow(program: readonly Goal[]): Promise<void> {
    for (const goal of program) await this.#register(goal);
    await this.#deleteTheRest();
  }

  async #register(goal: Goal): Promise<void> {
    const urn = this.stack.urn(goal.name, goal.type);
    const inputs = resolved({ ...goal.inputs }, ref => this.#output(ref)) as Givens;
    const named = (name: string) => this.entries.find(each => each.urn === name && !each.delete);
    // An alias is looked for where state has nothing under the name itself.
    const old = named(urn) ?? (goal.alias === undefined ? undefined : named(this.stack.urn(goal.alias, goal.type)));
    if (!old && this.#isLeftOut(goal.name)) return;
    if (!old) return goal.import === undefined ? this.#createNew(urn, goal, inputs) : this.#import(urn, goal, inputs);
    this.#seen.add(old);
    if (this.#isLeftOut(goal.name)) return;
    if (![undefined, old.id, old.goal.import].includes(goal.import)) {
      await this.#import(urn, goal, inputs);
      old.delete = true;
      return;
    }
    const recreating = this.#deletes.delete(old);
    const targeted = this.targets.includes(goal.name) || old.taint;
    const kept = ignoring(inputs, old.inputs, goal.ignoreChanges ?? []);
    const checked = await this.#check(urn, goal, kept, recreating || targeted ? undefined : old.inputs);
    if (recreating) {
      this.#replaced.add(goal.name);
      return this.#createInPlace(old, urn, goal, checked);
    }
    const forced = targeted || this.#isTriggered(goal, old) || this.#followsAnother(goal);
    const diff = forced ? undefined : await this.#diff(old, goal, checked);
    const isReplacing =
      diff?.changes === "some" &&
      (diff.replaces.length > 0 || diff.diffs.some(name => goal.replaceOnChanges?.includes(name)));
    const replace = forced || old.pendingReplacement || isReplacing;
    if (replace)
      return this.#replace(old, urn, goal, inputs, targeted ? checked : undefined, diff?.deleteBeforeReplace);
    if (diff?.changes === "some" || old.initErrors.length > 0) return this.#update(old, urn, goal, checked);
    this.#put(old, { ...entryOf(urn, goal, old.id, checked, old.outputs) });
  }

  async #replace(
    old: Entry,
    urn: string,
    goal: Goal,
    inputs: Givens,
    checked: Givens | undefined,
    wanted = false,
  ): Promise<void> {
    if (goal.protect && old.goal.protect) throw new Bail(`unable to replace resource "${urn}"`);
    this.#replaced.add(goal.name);
    const fresh = checked ?? (await this.#check(urn, goal, inputs, undefined));
    if (goal.deleteBeforeReplace ?? wanted) {
      for (const dependent of (await this.#dependents(old)).reverse()) {
        if (dependent.goal.protect) throw new Bail(`unable to replace resource "${dependent.urn}"`);
        await this.#delete(dependent);
        dependent.pendingReplacement = true;
        this.#deletes.add(dependent);
      }
      if (!old.pendingReplacement) {
        await this.#delete(old);
        old.pendingReplacement = true;
      }
      return this.#createInPlace(old, urn, goal, fresh);
    }
    await this.#create(urn, goal, fresh, made => {
      old.delete = true;
      this.entries.push(made);
    });
  }

  /** Resources that a replacement of this one takes along: `replaceWith`, and those whose Diff says so of an unknown. */
  async #dependents(root: Entry): Promise<Entry[]> {
    const replaced = new Set([root.goal.name]);
    const dependents: Entry[] = [];
    for (const entry of this.entries) {
      if (this.#seen.has(entry) || this.#deletes.has(entry) || entry.delete) continue;
      const dependsOn = Object.entries(entry.goal.inputs).filter(([, value]) =>
        refsIn(value).some(name => replaced.has(name)),
      );
      if (dependsOn.length === 0) continue;
      const unknown = Object.fromEntries(dependsOn.map(([name]): [string, Given] => [name, UNKNOWN]));
      const diff = await this.#diff(entry, entry.goal, { ...entry.inputs, ...unknown });
      if (diff.changes !== "some" || diff.replaces.length === 0) continue;
      replaced.add(entry.goal.name);
      dependents.push(entry);
    }
    const along = this.entries.filter(
      entry => entry.goal.replaceWith?.includes(root.goal.name) && !this.#seen.has(entry) && !entry.delete,
    );
    return [...dependents, ...along.filter(entry => !dependents.includes(entry))];
  }

  async #check(urn: string, goal: Goal, news: Givens, olds: Givens | undefined): Promise<Givens> {
    const frontEnd = await this.processes.frontEnd(providerOf(goal), `check ${goal.name}${olds ? " (olds)" : ""}`);
    const { inputs, failures } = await frontEnd.check(olds ? { urn, olds, news } : { urn, news });
    if (failures.length > 0) {
      throw new Bail(
        failures.map(({ property, reason }) => `${property === "" ? "" : `${property}: `}${reason}`).join("\n"),
      );
    }
    return inputs;
  }

  async #diff(old: Entry, goal: Goal, news: Givens) {
    const frontEnd = await this.processes.frontEnd(providerOf(goal), `diff ${goal.name} ${old.id}`);
    const olds = { olds: bare(old.outputs), oldInputs: bare(old.inputs) };
    const { ignoreChanges = [] } = goal;
    return frontEnd.diff({
      urn: this.stack.urn(goal.name, goal.type),
      id: old.id,
      ...olds,
      news: bare(news),
      ignoreChanges,
    });
  }

  /** Deleting goes to the provider state names, which may be another than the program's. Not in a preview. */
  async #delete(old: Entry): Promise<void> {
    const { goal, id } = old;
    const withIt = goal.deletedWith !== undefined && this.#replacedOrGone(goal.deletedWith);
    if (this.processes.preview || goal.retainOnDelete || withIt) return;
    const frontEnd = await this.processes.frontEnd(providerOf(goal), `delete ${goal.name} ${id}`);
    await frontEnd.delete({ urn: old.urn, id, outputs: bare(old.outputs), inputs: bare(old.inputs) });
  }

  #replacedOrGone(name: string): boolean {
    return this.#replaced.has(name) || !this.entries.some(entry => entry.goal.name === name && this.#seen.has(entry));
  }

  #createNew(urn: string, goal: Goal, inputs: Givens): Promise<void> {
    return this.#check(urn, goal, inputs, undefined).then(checked =>
      this.#create(urn, goal, checked, made => void this.entries.push(made)),
    );
  }

  #createInPlace(old: Entry, urn: string, goal: Goal, inputs: Givens): Promise<void> {
    return this.#create(urn, goal, inputs, made => this.#put(old, made));
  }

  async #create(urn: string, goal: Goal, inputs: Givens, keep: (made: Entry) => void): Promise<void> {
    const { preview } = this.processes;
    const frontEnd = await this.processes.frontEnd(providerOf(goal), `create ${goal.name}`);
    const hold = (id: string, outputs: Givens, initErrors: string[] = []): void => {
      const made = { ...entryOf(urn, goal, id, inputs, outputs), initErrors };
      this.#seen.add(made);
      this.#created.set(goal.name, made);
      keep(made);
    };
    try {
      const { id, outputs } = await frontEnd.create({ urn, inputs, preview });
      if (!preview && id === "") throw new Error("provider did not return an ID from Create");
      hold(id, outputs);
    } catch (error) {
      if (error instanceof StatusError && error.partial)
        hold(error.partial.id, marked(error.partial.outputs), error.partial.reasons);
      throw error;
    }
  }

  async #update(old: Entry, urn: string, goal: Goal, news: Givens): Promise<void> {
    const { preview } = this.processes;
    const frontEnd = await this.processes.frontEnd(providerOf(goal), `update ${goal.name} ${old.id}`);
    const before = { olds: bare(old.outputs), oldInputs: bare(old.inputs) };
    try {
      const outputs = await frontEnd.update({ urn, id: old.id, ...before, news: bare(news), preview });
      this.#put(old, entryOf(urn, goal, old.id, news, outputs));
    } catch (error) {
      if (error instanceof StatusError && error.partial) {
        const { outputs, reasons } = error.partial;
        this.#put(old, { ...entryOf(urn, goal, old.id, news, marked(outputs)), initErrors: reasons });
      }
      throw error;
    }
  }

  /** The `import` option: Read, then as if state had it. What would replace it is an error. */
  async #import(urn: string, goal: Goal, inputs: Givens): Promise<void> {
    const id = goal.import ?? "";
    const frontEnd = await this.processes.frontEnd(providerOf(goal), `read ${goal.name} ${id}`);
    const read = await frontEnd.read({ urn, id });
    if (read.id === "") throw new Bail(`resource '${id}' does not exist`);
    const old = entryOf(urn, goal, read.id, read.inputs, read.outputs);
    this.#seen.add(old);
    this.entries.push(old);
    const checked = await this.#check(urn, goal, ignoring(inputs, read.inputs, goal.ignoreChanges ?? []), read.inputs);
    const diff = await this.#diff(old, goal, checked);
    // State keeps the inputs that were read.
    if (diff.changes !== "some") return;
    if (diff.replaces.length > 0)
      throw new Bail("previously-imported resources that still specify an ID may not be replaced");
    await this.#update(old, urn, goal, checked);
  }

  /** Leftovers, and what the program no longer has; last in state goes first. */
  async #deleteTheRest(): Promise<void> {
    for (const entry of [...this.entries].reverse()) {
      const isGone = !this.#seen.has(entry) || entry.delete;
      if (!isGone || this.#isLeftOut(entry.goal.name)) continue;
      if (!entry.delete && entry.goal.protect) throw new Bail(`resource "${entry.urn}" cannot be deleted`);
      if (entry.delete || !entry.pendingReplacement) await this.#delete(entry);
      this.entries.splice(this.entries.indexOf(entry), 1);
    }
  }

  #isLeftOut(name: string): boolean {
    return this.only !== undefined && !this.only.includes(name);
  }

  #isTriggered(goal: Goal, old: Entry): boolean {
    return goal.replacementTrigger !== old.goal.replacementTrigger && old.goal.replacementTrigger !== undefined;
  }

  #followsAnother(goal: Goal): boolean {
    return goal.replaceWith?.some(name => this.#replaced.has(name)) ?? false;
  }

  #output({ name, output }: Ref): Given {
    const made = this.#created.get(name);
    if (made && this.processes.preview) return made.outputs[output] ?? UNKNOWN;
    const entry = made ?? this.entries.find(each => each.goal.name === name && !each.delete);
    return entry?.outputs[output] ?? null;
  }

  #put(old: Entry, made: Entry): void {
    this.#seen.add(made);
    this.entries.splice(this.entries.indexOf(old), 1, made);
  }
}

/** Before Check the engine puts what state has in place of what is ignored. Top-level properties only, here. */
function ignoring(inputs: Givens, olds: Givens, names: readonly string[]): Givens {
  const result = { ...inputs };
  for (const name of names) {
    const was = olds[name];
    if (was === undefined) delete result[name];
    else result[name] = was;
  }
  return result;
}
