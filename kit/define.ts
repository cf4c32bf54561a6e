import { createHash } from "node:crypto";
import type { z } from "zod";
import { type Change, changesOf, diffOf } from "./changes.js";
import { type Checked, type CheckOptions, Declared, given, type Preview, type Stored, stored } from "./check.js";
import {
  type FunctionDeclaration,
  metadataOf,
  propertiesWhere,
  property,
  propertyMetadata,
  type ResourceDeclaration,
  type Shape,
} from "./property.js";
import {
  type Call,
  type CheckResult,
  type Failure,
  type ListArguments,
  type ListPage,
  type Naming,
  PartialFailure,
  type ProviderFunction,
  type Resource,
  UserError,
} from "./resource.js";
import { BadRequestError } from "./status.js";
import {
  type Archive,
  type Asset,
  hasUnknown,
  isGiven,
  UNKNOWN,
  type Unknown,
  type Value,
  type Values,
} from "./values.js";

export type { Preview, Previewed } from "./check.js";

type WithoutUnknowns<T> = T extends Unknown
  ? never
  : T extends Asset | Archive
    ? T
    : T extends object
      ? { [Key in keyof T]: WithoutUnknowns<T[Key]> }
      : T;

/** Whether a preview knows all of it. */
export const isKnown = <T>(value: T): value is T & WithoutUnknowns<T> => !hasUnknown(value);

/** All of it unknown. */
export const unknownOutputs = <S extends Shape>({ shape }: S): { [Key in keyof z.infer<S>]-?: Unknown } =>
  Object.fromEntries(Object.keys(shape).map(name => [name, UNKNOWN])) as { [Key in keyof z.infer<S>]-?: Unknown };

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
interface CallArguments<C> {
  readonly call: Call;
  readonly context: C;
}

/** State may be imported, edited or another version's: each of its values may be missing. */
interface Existing<O> {
  readonly id: string;
  readonly outputs: Stored<O>;
}

interface ChangedInputs<I extends Shape> {
  readonly oldInputs: Stored<z.infer<I>> & Checked;
  /** What of the inputs differs. */
  readonly changes: readonly Change[];
}

/** A resource in state, and what a program wants of it. */
interface Compared<I extends Shape, O extends Shape, C>
  extends CallArguments<C>,
    Existing<z.infer<O>>,
    ChangedInputs<I> {
  readonly inputs: Preview<z.infer<I>> & Checked;
}

/** What there is now. Where `unfinished` has reasons, state keeps it, `pulumi up` fails with them, and the next one calls `update`. */
interface NewOutputs<O> {
  readonly outputs: O;
  readonly unfinished?: readonly string[];
}

export interface ResourceDefinition<I extends Shape, O extends Shape, Q extends Shape, S extends Shape, C, F>
  extends ResourceDeclaration<I, O, Q> {
  /** What makes `context`. */
  readonly configuration?: Configuration<S, C>;
  readonly deleteBeforeReplace?: boolean;
  /** What to do where an update is asked for a change that takes a new resource, as the engine asks for none. */
  readonly instead?: string;
  /** What is wrong between inputs that are each right by themselves. One that is wrong counts as not known. */
  contradictions?(inputs: Preview<z.infer<I>>, call: Call): Failure[];
  /**
   * In place of the declaration's own check, which is `declared` of inputs as the program gives them. What it lets pass that isn't
   * as declared reaches the other functions as far as it is of its type.
   */
  check?(
    given: CallArguments<C> & {
      readonly inputs: Values;
      readonly olds: Values | undefined;
      declared(inputs: Values): CheckResult;
    },
  ): CheckResult | Promise<CheckResult>;
  /** What of the inputs differs, asked with each Diff and Update. Left out: what the declaration makes of them. */
  compare?(given: Omit<Compared<I, O, C>, "changes">): Promise<readonly Change[]>;
  /** Which of the changes count. Throws where one isn't allowed. Left out: all of them. */
  diff?(given: Compared<I, O, C>): Promise<readonly Change[]>;
  /**
   * Outputs that an update would renew, be inputs changed or not. Asked after `diff`, and never for a refresh. The preview of the
   * update is given what was `found` on the way, so that it asks nothing twice.
   */
  outdated?(
    given: Compared<I, O, C>,
  ): Promise<{ readonly outputs: readonly (keyof z.infer<O> & string)[]; readonly found?: F }>;
  /**
   * What a preview shows; `before` is there for an update. Left out, that is `expected`: outputs that are called like an input,
   * those that no change reaches, and the others unknown. With an `id`, `create` will find that it is there already.
   */
  preview?(
    given: CallArguments<C> & {
      readonly inputs: Preview<z.infer<I>> & Checked;
      readonly expected: Preview<z.infer<O>>;
      readonly before: (Existing<z.infer<O>> & ChangedInputs<I>) | undefined;
      readonly found: F | undefined;
    },
  ): Promise<NewOutputs<Preview<Stored<z.infer<O>>>> & { readonly id?: string }>;
  create(
    given: CallArguments<C> & { readonly inputs: z.infer<I> & Checked },
  ): Promise<NewOutputs<z.infer<O>> & { readonly id: string }>;
  /**
   * Undefined: it is gone. On import there are no inputs and outputs yet. Answers with inputs as a program would write them, or
   * without any where they stay. Left out: state keeps what it has.
   */
  read?(
    given: CallArguments<C> & {
      readonly id: string;
      readonly inputs?: Stored<z.infer<I>> & Checked;
      readonly outputs?: Stored<z.infer<O>>;
    },
  ): Promise<
    (NewOutputs<Stored<z.infer<O>>> & { readonly id?: string; readonly inputs?: Stored<z.input<I>> }) | undefined
  >;
  /** Left out: every changed input takes a new resource. */
  update?(
    given: CallArguments<C> & Existing<z.infer<O>> & ChangedInputs<I> & { readonly inputs: z.infer<I> & Checked },
  ): Promise<NewOutputs<Stored<z.infer<O>>>>;
  /** Left out: it is removed from state alone. */
  delete?(given: CallArguments<C> & Existing<z.infer<O>> & Pick<ChangedInputs<I>, "oldInputs">): Promise<void>;
  /** Everything, which the kit cuts into pages, or a page as the service has them. */
  list?(
    given: CallArguments<C> & Omit<ListArguments, "query"> & { readonly query: z.infer<Q> },
  ): Promise<ListPage | ListPage["found"]>;
}

/** A declaration, and the life behind it once there is a context. */
export interface DefinedResource<C> {
  readonly declaration: ResourceDeclaration;
  serve(context: () => C | Promise<C>): Resource;
}

export function defineResource<I extends Shape, O extends Shape, Q extends Shape, S extends Shape, C, F>(
  definition: ResourceDefinition<I, O, Q, S, C, F>,
): DefinedResource<C> {
  type Inputs = z.infer<I>;
  type Outputs = z.infer<O>;
  const { token, description, outputs, listInputs, deleteBeforeReplace = false } = definition;
  const kind = token.slice(token.lastIndexOf(":") + 1);
  const inputs = definition.update ? definition.inputs : (allReplacing(definition.inputs) as I);
  const declaration = { token, description, inputs, outputs, ...(listInputs ? { listInputs } : {}) };

  const expected = (values: Values, before?: Existing<Outputs> & ChangedInputs<I>): Values => {
    const changed = new Set(before?.changes.map(({ name }) => name));
    const reached = (name: string) =>
      metadataOf(outputs, name)?.derivedFrom?.some(source => changed.has(source)) ?? changed.size > 0;
    const known = Object.keys(outputs.shape).map(name => {
      if (Object.hasOwn(inputs.shape, name)) return [name, values[name]];
      return [name, before && !reached(name) ? (before.outputs as Values)[name] : UNKNOWN];
    });
    return Object.fromEntries(known.filter(([, value]) => value !== undefined));
  };

  /** A resource that exists and isn't finished is an error with all that state has to keep. */
  const finished = (id: string, { outputs, unfinished = [] }: NewOutputs<unknown>, inputs: Values): Values => {
    if (unfinished.length > 0) throw new PartialFailure(id, outputs as Values, inputs, [...unfinished]);
    return outputs as Values;
  };

  const serve = (open: () => C | Promise<C>): Resource => {
    /** By URN, from one Check to the next: what was found for Diff, and whether it was read, as a refresh does before its Diff. */
    const since = new Map<string, { readonly found?: F | undefined; readonly isRead?: boolean }>();
    const planned = async (
      call: Call,
      values: Values,
      known: Preview<Inputs> & Checked,
      before?: Existing<Outputs> & ChangedInputs<I>,
    ): Promise<{ id: string; outputs: Values }> => {
      const shown = expected(known as Values, before);
      const made = await definition.preview?.({
        ...{ call, context: await open(), before, inputs: known },
        expected: shown as Preview<Outputs>,
        found: before && since.get(call.urn)?.found,
      });
      return { id: made?.id ?? "", outputs: made ? finished(before?.id ?? made.id ?? "", made, values) : shown };
    };
    const compared = async (call: Call, { id, olds, oldInputs: was, news }: Parameters<Resource["update"]>[1]) => {
      const [before, after] = [inState(was, olds), new Declared(inputs, news)];
      const given = { call, context: await open(), id, outputs: stored(outputs, olds), oldInputs: before.stored };
      const known = { ...given, inputs: after.previewed };
      const changes = (await definition.compare?.(known)) ?? changesOf(before, after);
      return { existing: { ...known, changes }, before, after };
    };
    return {
      token,
      async check(call, { olds, news, naming }) {
        since.delete(call.urn);
        const values = withNames(inputs, news, { call, olds, naming });
        const declared = (all: Values): CheckResult => {
          const given = new Declared(inputs, all);
          given.refuseUnsettled(token);
          const contradicting = definition.contradictions?.(given.right, call) ?? [];
          return { inputs: given.inputs, failures: [...given.problems(call), ...contradicting] };
        };
        if (!definition.check) return declared(values);
        return definition.check({ call, context: await open(), inputs: values, olds, declared });
      },
      async diff(call, args) {
        const { existing } = await compared(call, args);
        const changes = (await definition.diff?.(existing)) ?? existing.changes;
        if (!definition.outdated || since.get(call.urn)?.isRead) return diffOf(changes, deleteBeforeReplace);
        const { outputs: outdated, found } = await definition.outdated({ ...existing, changes });
        since.set(call.urn, { found });
        const renewed = outdated.map(name => ({ name, path: name, what: "update", replaces: false }) as const);
        return diffOf([...changes, ...renewed], deleteBeforeReplace);
      },
      async create(call, { inputs: values }) {
        if (call.preview) return planned(call, values, new Declared(inputs, values).previewed);
        const made = await definition.create({
          call,
          context: await open(),
          inputs: parsed(inputs, values) as Inputs & Checked,
        });
        return { id: made.id, outputs: finished(made.id, made, values) };
      },
      async read(call, state) {
        if (definition.outdated) since.set(call.urn, { isRead: true });
        if (!definition.read) {
          if (state.inputs && state.outputs) return { id: state.id, inputs: state.inputs, outputs: state.outputs };
          throw new UserError(`a ${kind} can't be imported: what exists can't be read`);
        }
        const { id } = state;
        const found = await definition.read({
          ...{ call, context: await open(), id },
          ...(state.inputs ? { inputs: new Declared(inputs, state.inputs).stored } : {}),
          ...(state.outputs ? { outputs: stored(outputs, state.outputs) } : {}),
        });
        if (!found) return { id: "", inputs: {}, outputs: {} };
        const values = found.inputs ? given(found.inputs as Values) : state.inputs;
        if (!values) throw new Error(`${kind}: expected inputs of what is imported, got none`);
        return { id: found.id ?? id, inputs: values, outputs: finished(found.id ?? id, found, values) };
      },
      async update(call, { id, olds, oldInputs, news }) {
        const { existing, before, after } = await compared(call, { id, olds, oldInputs, news });
        // After a failure the engine may have new outputs beside old inputs: what it is already takes no new one.
        const replacing = existing.changes.filter(
          ({ name, replaces, unknown }) => replaces && !unknown && news[name] !== olds[name],
        );
        // The engine replaces where Diff says so; `pulumi do … patch` calls Update all the same, and would report a change that nobody made.
        if (replacing.length > 0) {
          const paths = replacing.map(({ path }) => path).join(", ");
          throw new UserError(
            `${kind} ${id} can't be updated in place: a change of ${paths} takes a new ${kind}. ${definition.instead ?? "Nothing was changed."}`,
          );
        }
        if (!definition.update) return olds;
        if (call.preview) return (await planned(call, news, existing.inputs, existing)).outputs;
        // What state has already was checked then.
        refuse(after.problems({ kept: before.given }));
        const updated = await definition.update({ ...existing, inputs: existing.inputs as Inputs & Checked });
        return finished(id, updated, news);
      },
      async delete(call, { id, outputs: olds, inputs: was }) {
        const oldInputs = inState(was, olds).stored;
        await definition.delete?.({ call, context: await open(), id, outputs: stored(outputs, olds), oldInputs });
      },
      ...(definition.list && {
        async list(call, { query, ...page }) {
          const narrowed = listInputs ? parsed(listInputs, query, call) : ({} as z.infer<Q>);
          const list = definition.list as NonNullable<typeof definition.list>;
          const found = await list({ call, context: await open(), query: narrowed, ...page });
          return "next" in found ? found : pageOf(found, page);
        },
      }),
    };
  };
  /** Engines from before Handshake send no old inputs: what state shows of them has to do. */
  const inState = (oldInputs: Values, olds: Values): Declared<I> =>
    new Declared(inputs, Object.keys(oldInputs).length > 0 ? oldInputs : olds);
  return { declaration, serve };
}

export interface FunctionDefinition<I extends Shape, O extends Shape, S extends Shape, C>
  extends FunctionDeclaration<I, O> {
  readonly configuration?: Configuration<S, C>;
  /** What is wrong between arguments that are each right by themselves. */
  contradictions?(inputs: z.infer<I>, call: Call): Failure[];
  /** Previews run it too, so it writes nothing. */
  answer(given: CallArguments<C> & { readonly inputs: z.infer<I> }): Promise<z.infer<O>>;
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
      const declared = new Declared(inputs, args);
      const failures = [...unknownsIn(declared), ...declared.problems(call)];
      if (failures.length > 0) return { failures };
      const typed = declared.values as z.infer<I>;
      const contradicting = definition.contradictions?.(typed, call) ?? [];
      if (contradicting.length > 0) return { failures: contradicting };
      return { result: (await definition.answer({ call, context: await open(), inputs: typed })) as Values };
    },
  });
  return { declaration: { token, description, inputs, outputs }, serve };
}

const unknownsIn = ({ open, given }: Declared<Shape>): Failure[] =>
  [...open.keys()]
    .filter(name => hasUnknown(given[name]))
    .map(property => ({ property, reason: `${property}: isn't known yet, so the service can't be asked` }));

/** Checked values as their type. Who calls without a Check hears what is wrong. */
export function parsed<S extends Shape>(shape: S, values: Values, options?: CheckOptions): z.infer<S> {
  const declared = new Declared(shape, values);
  refuse([...unknownsIn(declared), ...declared.problems(options)]);
  return declared.values as z.infer<S>;
}

function refuse(problems: readonly Failure[]): void {
  if (problems.length > 0) throw new BadRequestError(problems.map(({ reason }) => reason).join("\n"));
}

interface Checking {
  readonly call: Call;
  readonly olds: Values | undefined;
  readonly naming: Naming | undefined;
}

function withNames(shape: Shape, values: Values, checking: Checking): Values {
  const left = propertiesWhere(shape, meta => meta.autoname === true).filter(name => !isGiven(values[name]));
  if (left.length === 0) return values;
  return given({ ...values, ...Object.fromEntries(left.map(name => [name, nameFor(name, checking)])) });
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
