import fc from "fast-check";
import { OTHER, SERVICE } from "../conformance.js";

export const STACKS = ["a", "b", "c"];
export const SERVICES = [SERVICE, OTHER];
export const IDS = ["1", "2", "3", "4"];
export const CONTENTS = ["f1", "f2"];

export const urnOf = (stack: string, name: number): string =>
  `urn:pulumi:${stack}::contracts::docsign:index:Document::d${name}`;

/** Many calls about few things. */
const id = fc.constantFrom(...IDS);
const ids = fc.subarray(IDS);
const content = fc.constantFrom(...CONTENTS);
const maybe = fc.option(content, { nil: undefined });
const service = fc.constantFrom(SERVICE, SERVICE, SERVICE, OTHER);
const where = { process: fc.nat(3), name: fc.nat(1), service };
/** Of a resource that may have the id. */
const urn = fc
  .record({ stack: fc.constantFrom(...STACKS), name: fc.nat(1) })
  .map(({ stack, name }) => urnOf(stack, name));
const row = fc.record({
  invitationId: id,
  round: fc.constant("r"),
  at: fc.constant("2027-01-01T00:00:00Z"),
});

const writes = [
  fc.record({
    ...{ op: fc.constant("begin" as const), ...where, content, ids, isFirst: fc.boolean(), lists: fc.boolean() },
    knows: fc.constantFrom("all", "nothing", undefined),
  }),
  fc.record({ op: fc.constant("hint" as const), ...where, id }),
  fc.record({ op: fc.constant("withdraw" as const), ...where }),
  fc.record({ op: fc.constant("claim" as const), ...where, id, content: maybe, ids, from: fc.constant(undefined) }),
  fc.record({ op: fc.constant("claim" as const), ...where, id, content: maybe, ids, from: urn }),
  fc.record({
    ...{ op: fc.constant("show" as const), ...where, id, ids, besides: ids, imported: fc.boolean() },
    content: maybe,
  }),
  fc.record({ op: fc.constant("replace" as const), ...where, id, ids }),
  fc.record({ op: fc.constant("release" as const), ...where, id }),
  fc.record({ op: fc.constant("remind" as const), ...where, row, knows: fc.boolean() }),
  fc.record({ op: fc.constant("unremind" as const), ...where }),
  fc.record({ op: fc.constant("confirmReminder" as const), ...where }),
];
const others = [
  fc.record({ op: fc.constant("owner" as const), ...where, id }),
  fc.record({ op: fc.constant("content" as const), ...where, content }),
  fc.record({ op: fc.constant("owns" as const), ...where }),
  /** A new process, which lets go of what it is told to. */
  fc.record({
    ...{ op: fc.constant("start" as const), ...where, stack: fc.constantFrom(...STACKS), keeps: fc.nat(2) },
    ...{ backend: fc.constantFrom(undefined, "s3://one", "s3://two"), forgets: fc.nat(7), id },
  }),
  /** The next write is carried out, and its answer lost. */
  fc.record({ op: fc.constant("lose" as const), ...where }),
];
export const call = fc.oneof(...writes, ...others);
export const write = fc.oneof(...writes);
export type Call = typeof call extends fc.Arbitrary<infer T> ? T : never;

export type Start = Extract<Call, { op: "start" }>;

export const FIRST: Start = {
  ...{ op: "start", process: 0, name: 0, service: SERVICE, stack: "", backend: undefined },
  ...{ keeps: 0, forgets: 7, id: "1" },
};
