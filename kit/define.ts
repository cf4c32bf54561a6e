import { createHash } from "node:crypto";
import type { z } from "zod";
import { problemsOf } from "./check.js";
import { type Change, changesOf, diffOf } from "./compare.js";
import {
  type FunctionDeclaration,
  metadataOf,
  property,
  propertyMetadata,
  type ResourceDeclaration,
  type Shape,
} from "./property.js";
import {
  type Call,
  type Failure,
  type ListArguments,
  type ListPage,
  type Naming,
  PartialFailure,
  type ProviderFunction,
  ReplacementError,
  type Resource,
  UserError,
} from "./resource.js";
import { BadRequestError } from "./status.js";
import { type Archive, type Asset, hasUnknown, UNKNOWN, type Unknown, type Value, type Values } from "./values.js";

/** A value as a preview has it: it, or a part of it, may depend on what doesn't exist yet. */
export type Previewed<T> =
  | Unknown
  | (T extends Asset | Archive ? T : T extends object ? { [Key in keyof T]: Previewed<T[Key]> } : T);

/** Properties in a preview: each may be unknown, and is checked as far as it is known. */
export type Preview<T> = { [Key in keyof T]: Previewed<T[Key]> };

/** What a provider is configured with, and what its resources and functions get of it as their `context`. */
export interface Configuration<S extends Shape, C> {
  readonly inputs: S;
  /** Called with the first call that needs it. */
  open(settings: z.infer<S>): C | Promise<C>;
  close?(context: C): void | Promise<void>;
}

export const defineConfiguration = <S extends Shape, C>(configuration: Configuration<S, C>): Configuration<S, C> =>
  configuration;

/** What every call of a resource or a function is given. */
interface Given<C> {
  readonly call: Call;
  readonly context: C;
}

interface Existing<O> {
  readonly id: string;
  /** As they are in state. */
  readonly outputs: O;
}

/** What there is now. Where `unfinished` has reasons, state keeps it, `pulumi up` fails with them, and the next one calls `update`. */
interface Made<O> {
  readonly outputs: O;
  readonly unfinished?: readonly string[];
}

export interface ResourceDefinition<I extends Shape, O extends Shape, Q extends Shape, S extends Shape, C> {
  /** `files:index:File` */
  readonly token: string;
  readonly description: string;
  readonly inputs: I;
  readonly outputs: O;
  /** What makes `context`. */
  readonly configuration?: Configuration<S, C>;
  readonly deleteBeforeReplace?: boolean;
  /** What is wrong between inputs that are each right by themselves. Asked once all of them are known. */
  contradictions?(inputs: z.infer<I>, call: Call): Failure[];
  /** Whatever else has to be said of inputs, be they as declared or not: `inputs` are as the program gives them. */
  check?(given: Given<C> & { readonly inputs: Values; readonly olds: Values | undefined }): readonly Failure[];
  /** Which of the changes count. Throws where one isn't allowed. Left out: all of them. */
  diff?(
    given: Given<C> &
      Existing<z.infer<O>> & {
        readonly inputs: Preview<z.infer<I>>;
        readonly oldInputs: z.infer<I>;
        readonly changes: readonly Change[];
      },
  ): Promise<readonly Change[]>;
  /**
   * What a preview shows; `before` is there for an update. Left out, that is `expected`: outputs that are called like an input,
   * those that no change reaches, and the others unknown. With an `id`, `create` will find that it is there already.
   */
  preview?(
    given: Given<C> & {
      readonly inputs: Preview<z.infer<I>>;
      readonly expected: Preview<z.infer<O>>;
      readonly before: Existing<z.infer<O>> | undefined;
    },
  ): Promise<{ readonly id?: string; readonly outputs: Partial<Preview<z.infer<O>>> }>;
  create(given: Given<C> & { readonly inputs: z.infer<I> }): Promise<Made<z.infer<O>> & { readonly id: string }>;
  /** Undefined: it is gone. On import there are no inputs and outputs yet. Left out: state keeps what it has. */
  read?(
    given: Given<C> & { readonly id: string; readonly inputs?: z.infer<I>; readonly outputs?: z.infer<O> },
  ): Promise<(Made<z.infer<O>> & { readonly id?: string; readonly inputs: z.infer<I> }) | undefined>;
  /** Left out: every changed input takes a new resource. */
  update?(
    given: Given<C> & Existing<z.infer<O>> & { readonly inputs: z.infer<I>; readonly oldInputs: z.infer<I> },
  ): Promise<Made<z.infer<O>>>;
  /** Left out: it is removed from state alone. */
  delete?(given: Given<C> & Existing<z.infer<O>>): Promise<void>;
  /** What a list can be narrowed to. */
  readonly listInputs?: Q;
  /** Everything, which the kit cuts into pages, or a page as the service has them. */
  list?(
    given: Given<C> & Omit<ListArguments, "query"> & { readonly query: z.infer<Q> },
  ): Promise<ListPage | ListPage["found"]>;
}

/** A declaration, and the life behind it once there is a context. */
export interface DefinedResource<C> {
  readonly declaration: ResourceDeclaration;
  serve(context: () => C | Promise<C>): Resource;
}

export function defineResource<I extends Shape, O extends Shape, Q extends Shape, S extends Shape, C>(
  definition: ResourceDefinition<I, O, Q, S, C>,
): DefinedResource<C> {
  type Inputs = z.infer<I>;
  type Outputs = z.infer<O>;
  const { token, description, outputs, listInputs, deleteBeforeReplace = false } = definition;
  const kind = token.slice(token.lastIndexOf(":") + 1);
  const inputs = definition.update ? definition.inputs : (allReplacing(definition.inputs) as I);
  const declaration = { token, description, inputs, outputs, ...(listInputs ? { listInputs } : {}) };

  const expected = (values: Values, before?: { outputs: Values; changed: readonly Change[] }): Values => {
    const changed = new Set(before?.changed.map(({ name }) => name));
    const reached = (name: string) =>
      metadataOf(outputs, name)?.derivedFrom?.some(source => changed.has(source)) ?? changed.size > 0;
    const known = Object.keys(outputs.shape).map(name => {
      if (Object.hasOwn(inputs.shape, name)) return [name, values[name]];
      return [name, before && !reached(name) ? before.outputs[name] : UNKNOWN];
    });
    return Object.fromEntries(known.filter(([, value]) => value !== undefined));
  };

  /** A resource that exists and isn't finished is an error with all that state has to keep. */
  const finished = (id: string, { outputs, unfinished = [] }: Made<Outputs>, inputs: Values): Values => {
    if (unfinished.length > 0) throw new PartialFailure(id, outputs as Values, inputs, [...unfinished]);
    return outputs as Values;
  };

  const serve = (open: () => C | Promise<C>): Resource => {
    const previewed = async (
      call: Call,
      values: Values,
      before?: { id: string; outputs: Values; changed: readonly Change[] },
    ): Promise<{ id: string; outputs: Values }> => {
      const shown = await definition.preview?.({
        ...{ call, context: await open(), inputs: values as Preview<Inputs> },
        expected: expected(values, before) as Preview<Outputs>,
        before: before && { id: before.id, outputs: before.outputs as Outputs },
      });
      return { id: shown?.id ?? "", outputs: (shown?.outputs as Values | undefined) ?? expected(values, before) };
    };
    return {
      token,
      async check(call, { olds, news, naming }) {
        const values = withDefaults(inputs, given(news), { call, olds, naming });
        const failures: Failure[] = problemsOf(inputs, values, { secrets: call.secrets });
        if (failures.length === 0 && !hasUnknown(values))
          failures.push(...(definition.contradictions?.(inputs.parse(values) as Inputs, call) ?? []));
        failures.push(...(definition.check?.({ call, context: await open(), inputs: values, olds }) ?? []));
        return { inputs: values, failures };
      },
      async diff(call, { id, olds, oldInputs, news }) {
        const before = known(oldInputs, olds);
        const changes = changesOf(inputs, before, news);
        const counting = await definition.diff?.({
          ...{ call, context: await open(), id, changes, outputs: olds as Outputs },
          ...{ inputs: news as Preview<Inputs>, oldInputs: before as Inputs },
        });
        return diffOf(counting ?? changes, deleteBeforeReplace);
      },
      async create(call, { inputs: values }) {
        if (call.preview) return previewed(call, values);
        const made = await definition.create({ call, context: await open(), inputs: parsed(inputs, values) });
        return { id: made.id, outputs: finished(made.id, made, values) };
      },
      async read(call, state) {
        if (!definition.read) {
          if (state.inputs && state.outputs) return { id: state.id, inputs: state.inputs, outputs: state.outputs };
          throw new UserError(`a ${kind} can't be imported: what exists can't be read`);
        }
        const { id } = state;
        const found = await definition.read({
          ...{ call, context: await open(), id },
          ...(state.inputs ? { inputs: state.inputs as Inputs } : {}),
          ...(state.outputs ? { outputs: state.outputs as Outputs } : {}),
        });
        if (!found) return { id: "", inputs: {}, outputs: {} };
        const values = given(found.inputs as Values);
        return { id: found.id ?? id, inputs: values, outputs: finished(found.id ?? id, found, values) };
      },
      async update(call, { id, olds, oldInputs, news }) {
        const before = known(oldInputs, olds);
        const changed = changesOf(inputs, before, news);
        // After a failure the engine may have new outputs beside old inputs: what it is already takes no new one.
        const replacing = changed.filter(({ name, replaces }) => replaces && news[name] !== olds[name]);
        if (replacing.length > 0)
          throw new ReplacementError(
            token,
            id,
            replacing.map(({ path }) => path),
          );
        if (!definition.update) return olds;
        if (call.preview) return (await previewed(call, news, { id, outputs: olds, changed })).outputs;
        const existing = { id, outputs: olds as Outputs, oldInputs: before as Inputs };
        const updated = await definition.update({
          ...{ call, context: await open(), inputs: parsed(inputs, news) },
          ...existing,
        });
        return finished(id, updated, news);
      },
      async delete(call, { id, outputs }) {
        await definition.delete?.({ call, context: await open(), id, outputs: outputs as Outputs });
      },
      ...(definition.list && {
        async list(call, { query, ...page }) {
          const narrowed = listInputs ? parsed(listInputs, given(query)) : ({} as z.infer<Q>);
          const list = definition.list as NonNullable<typeof definition.list>;
          const found = await list({ call, context: await open(), query: narrowed, ...page });
          return "next" in found ? found : pageOf(found, page);
        },
      }),
    };
  };
  /** Engines from before Handshake send no old inputs: what state shows of them has to do. */
  const known = (oldInputs: Values, olds: Values): Values =>
    Object.keys(oldInputs).length > 0
      ? oldInputs
      : Object.fromEntries(Object.entries(olds).filter(([name]) => Object.hasOwn(inputs.shape, name)));
  return { declaration, serve };
}

export interface FunctionDefinition<I extends Shape, O extends Shape, S extends Shape, C> {
  readonly token: string;
  readonly description: string;
  readonly inputs: I;
  readonly outputs: O;
  readonly configuration?: Configuration<S, C>;
  /** What is wrong between arguments that are each right by themselves. */
  contradictions?(inputs: z.infer<I>, call: Call): Failure[];
  /** Previews run it too, so it writes nothing. */
  answer(given: Given<C> & { readonly inputs: z.infer<I> }): Promise<z.infer<O>>;
}

export interface DefinedFunction<C> {
  readonly declaration: FunctionDeclaration;
  serve(context: () => C | Promise<C>): ProviderFunction;
}

/** Every wrong argument is said at once, and the answer asked for only when there is none. */
export function defineFunction<I extends Shape, O extends Shape, S extends Shape, C>(
  definition: FunctionDefinition<I, O, S, C>,
): DefinedFunction<C> {
  const { token, description, inputs, outputs } = definition;
  const serve = (open: () => C | Promise<C>): ProviderFunction => ({
    token,
    async invoke(call, args) {
      const values = withDefaults(inputs, given(args));
      const failures: Failure[] = [...unknownsIn(values), ...problemsOf(inputs, values, { secrets: call.secrets })];
      if (failures.length > 0) return { failures };
      const typed = inputs.parse(values) as z.infer<I>;
      const contradicting = definition.contradictions?.(typed, call) ?? [];
      if (contradicting.length > 0) return { failures: contradicting };
      return { result: (await definition.answer({ call, context: await open(), inputs: typed })) as Values };
    },
  });
  return { declaration: { token, description, inputs, outputs }, serve };
}

const unknownsIn = (values: Values): Failure[] =>
  Object.entries(values)
    .filter(([, value]) => hasUnknown(value))
    .map(([property]) => ({ property, reason: `${property}: isn't known yet, so the service can't be asked` }));

/** What is null or left out isn't given. */
export const given = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined));

/** Checked values as their type. Who calls without a Check hears what is wrong. */
export function parsed<S extends Shape>(shape: S, values: Values): z.infer<S> {
  const problems = problemsOf(shape, values);
  if (problems.length > 0) throw new BadRequestError(problems.map(({ reason }) => reason).join("\n"));
  return shape.parse(values) as z.infer<S>;
}

interface Checking {
  readonly call: Call;
  readonly olds: Values | undefined;
  readonly naming: Naming | undefined;
}

export function withDefaults(shape: Shape, values: Values, checking?: Checking): Values {
  const filled = { ...values };
  for (const name of Object.keys(shape.shape)) {
    const meta = filled[name] === undefined ? metadataOf(shape, name) : undefined;
    const value = meta?.default ?? (meta?.autoname && checking ? nameFor(name, checking) : undefined);
    if (value !== undefined) filled[name] = value;
  }
  return filled;
}

/** The name it has, or the one that the engine proposes, or the resource's with a few letters: the same in the preview and in the update. */
function nameFor(property: string, { call, olds, naming }: Checking): Value | undefined {
  if (olds?.[property] !== undefined) return olds[property];
  if (naming?.disabled) return undefined;
  if (naming?.proposed) return naming.proposed;
  const seed = naming?.seed.length ? naming.seed : call.urn;
  return `${call.urn.split("::").at(-1)}-${createHash("sha256").update(seed).digest("hex").slice(0, 7)}`;
}

/** A token is the number of those before it. */
function pageOf(all: ListPage["found"], { limit, token }: Omit<ListArguments, "query">): ListPage {
  const start = Number(token) || 0;
  const end = limit > 0 ? start + limit : all.length;
  return { found: all.slice(start, end), next: end < all.length ? String(end) : "" };
}

/** The same properties, each of which takes a new resource. */
function allReplacing(shape: Shape): Shape {
  const replacing = Object.entries(shape.shape).map(([name, type]) => {
    const meta = propertyMetadata.get(type);
    return [name, meta ? property(type, { ...meta, replaces: true }) : type] as const;
  });
  return shape.extend(Object.fromEntries(replacing)) as Shape;
}
