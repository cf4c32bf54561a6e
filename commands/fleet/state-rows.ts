import { z } from "zod";
import { identityOf } from "../../provider/core/same.js";
import { byKey } from "../../provider/core/text.js";
import { jsonObject, objectIn } from "../board/state.js";
import { CommandError } from "../cli/flags.js";

/** A set's rows in a stack's state, and how they move into another's. */

const SET = "docsign:index:DocumentSet";
const SET_DYNAMIC = /^pulumi-nodejs:dynamic\/docsign:DocumentSet$/;
const OURS = /^(pulumi:pulumi:Stack|pulumi:providers:docsign)$/;

const resourceSchema = z.looseObject({
  urn: z.string(),
  type: z.string(),
  custom: z.boolean().optional(),
  parent: z.string().optional(),
  provider: z.string().optional(),
  inputs: jsonObject.optional(),
  outputs: jsonObject.optional(),
  dependencies: z.array(z.string()).nullish(),
  propertyDependencies: z.record(z.string(), z.array(z.string()).nullable()).nullish(),
});
type Resource = z.infer<typeof resourceSchema>;

export const stateSchema = z.looseObject({
  version: z.number(),
  deployment: z.looseObject({ resources: z.array(resourceSchema).nullish() }),
});
/** What `pulumi stack export` writes. */
export type State = z.infer<typeof stateSchema>;

const rowSchema = z.looseObject({ documentId: z.string(), status: z.string() });
const keySchema = z.looseObject({ key: z.string() });

const isSet = ({ type }: Resource): boolean => type === SET || SET_DYNAMIC.test(type);

const resourcesOf = (state: State): Resource[] => state.deployment.resources ?? [];

/** Of a set's rows those that are wanted, with everything its outputs say of them. */
function withRows(resource: Resource, documents: ReadonlyMap<string, unknown>): Resource {
  const { inputs = {}, outputs = {} } = resource;
  const keys = new Set([...documents.keys()].map(identityOf));
  const has = (key: unknown): boolean => typeof key === "string" && keys.has(identityOf(key));
  const sorted = [...documents].sort(([a], [b]) => byKey(a, b));
  const rows = sorted.map(([, row]) => rowSchema.parse(row));
  const count = (status: string) => rows.filter(row => row.status === status).length;
  const given = jsonObject.safeParse(inputs["documents"]);
  return {
    ...resource,
    inputs: given.success
      ? { ...inputs, documents: Object.fromEntries(Object.entries(given.data).filter(([key]) => has(key))) }
      : inputs,
    outputs: {
      ...outputs,
      documents: Object.fromEntries(sorted),
      documentIds: rows.map(({ documentId }) => documentId),
      waitingFor: listOf(outputs["waitingFor"]).filter(one => has(keySchema.safeParse(one).data?.key)),
      summary: {
        ...objectIn(outputs["summary"]),
        total: rows.length,
        unsigned: count("unsigned"),
        partiallySigned: count("partially_signed"),
        signed: count("signed"),
      },
      kept: listOf(outputs["kept"]).filter(has),
      drift: listOf(outputs["drift"]).filter(has),
    },
  };
}

function rowsOf({ urn, outputs = {} }: Resource): Map<string, unknown> {
  const documents = jsonObject.safeParse(outputs["documents"]).data;
  const rows = new Map(Object.entries(documents ?? {}));
  if (documents && [...rows.values()].every(row => rowSchema.safeParse(row).success)) return rows;
  throw new CommandError(
    `${urn}: expected the set's documents in the open, got a secret or none; such a set can't be moved`,
  );
}

const nameOf = (urn: string): string => urn.slice(urn.indexOf("::"));
const inStack = (urn: string, stack: string): string => `urn:pulumi:${stack}${nameOf(urn)}`;

/** Whose row it is, by its key: the name of a stack. */
type StackOf = (key: string) => string;

/** What arrives for one set of a stack. */
interface IncomingRows {
  /** The sets it comes from, each with its state. */
  readonly from: { readonly set: Resource; readonly state: State }[];
  readonly rows: Map<string, unknown>;
  readonly inputs: Map<string, unknown>;
}

/** Of every stack, by the set's name within it. */
function incomingRows(states: ReadonlyMap<string, State>, stackOf: StackOf): Map<string, Map<string, IncomingRows>> {
  const found = new Map<string, Map<string, IncomingRows>>();
  for (const [stack, state] of states) {
    for (const set of resourcesOf(state).filter(isSet)) {
      const inputs = new Map(Object.entries(objectIn(set.inputs?.["documents"])));
      for (const [key, row] of rowsOf(set)) {
        const target = stackOf(key);
        if (target === stack) continue;
        const sets = found.get(target) ?? new Map<string, IncomingRows>();
        found.set(target, sets);
        const one: IncomingRows = sets.get(nameOf(set.urn)) ?? { from: [], rows: new Map(), inputs: new Map() };
        sets.set(nameOf(set.urn), one);
        if (one.from.at(-1)?.set !== set) one.from.push({ set, state });
        one.rows.set(key, row);
        if (inputs.has(key)) one.inputs.set(key, inputs.get(key));
      }
    }
  }
  return found;
}

/**
 * The states after each row has moved to its own stack. A stack that isn't there yet gets the sets of those its rows come
 * from, and what holds them: nothing else of a program is copied.
 */
export function movedStates(states: ReadonlyMap<string, State>, stackOf: StackOf): Map<string, State> {
  const incoming = incomingRows(states, stackOf);
  const moved = new Map<string, State>();
  for (const name of new Set([...states.keys(), ...incoming.keys()])) {
    const sets = incoming.get(name) ?? new Map<string, IncomingRows>();
    const before = states.get(name) ?? emptyLike([...sets.values()][0]?.from[0]?.state, name);
    const known = new Set(resourcesOf(before).map(({ urn }) => nameOf(urn)));
    const there = new Set(known);
    const added = [...sets].flatMap(([set, { from }]) => (known.has(set) ? [] : withAncestors(from, name, known)));
    const resources = [...resourcesOf(before), ...added].map(resource => {
      if (!isSet(resource)) return resource;
      const own = there.has(nameOf(resource.urn)) ? [...rowsOf(resource)] : [];
      const stays = own.filter(([key]) => stackOf(key) === name);
      const arrived = sets.get(nameOf(resource.urn));
      return withRows(arrived ? joined(resource, arrived) : resource, new Map([...stays, ...(arrived?.rows ?? [])]));
    });
    moved.set(name, { ...before, deployment: { ...before.deployment, resources } });
  }
  return moved;
}

/** A set with what the others say of the rows that arrive. */
function joined(resource: Resource, { from, inputs }: IncomingRows): Resource {
  const { inputs: given = {}, outputs = {} } = resource;
  const all = (name: string) => [resource, ...from.map(({ set }) => set)].flatMap(set => listOf(set.outputs?.[name]));
  const lists = Object.fromEntries(["waitingFor", "kept", "drift"].map(name => [name, distinct(all(name))]));
  const documents = { ...objectIn(given["documents"]), ...Object.fromEntries(inputs) };
  return {
    ...resource,
    inputs: { ...given, ...(inputs.size > 0 && { documents }) },
    outputs: { ...outputs, ...lists },
  };
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const distinct = (values: readonly unknown[]): unknown[] => [
  ...new Map(values.map(value => [JSON.stringify(value), value])).values(),
];

/** A state with nothing in it, with the secrets' manager left to the stack. */
function emptyLike(state: State | undefined, name: string): State {
  if (!state) throw new CommandError(`expected a state that rows of ${name} come from, got none`);
  const { manifest } = state.deployment;
  return { version: state.version, deployment: { manifest, resources: [] } };
}

/** A set under another stack's name, after its stack, its provider and the components around it. */
function withAncestors([first]: IncomingRows["from"], stack: string, known: Set<string>): Resource[] {
  if (!first) return [];
  const { set, state } = first;
  const all = new Map(resourcesOf(state).map(one => [one.urn, one]));
  const ancestors: Resource[] = [];
  const add = (urn: string | undefined): void => {
    const resource = urn === undefined ? undefined : all.get(urn);
    if (!resource || known.has(nameOf(resource.urn))) return;
    if (resource.custom === true && !OURS.test(resource.type) && !isSet(resource)) return;
    add(resource.parent);
    add(resource.provider?.slice(0, resource.provider.lastIndexOf("::")));
    known.add(nameOf(resource.urn));
    ancestors.push(renamed(resource, stack));
  };
  add(resourcesOf(state).find(({ type }) => type === "pulumi:pulumi:Stack")?.urn);
  add(set.urn);
  return ancestors;
}

const renamed = ({ urn, parent, provider, ...resource }: Resource, stack: string): Resource => ({
  ...resource,
  urn: inStack(urn, stack),
  ...(parent !== undefined && { parent: inStack(parent, stack) }),
  ...(provider !== undefined && { provider: inStack(provider, stack) }),
  // What it depends on is made by the next up.
  dependencies: [],
  propertyDependencies: {},
});
