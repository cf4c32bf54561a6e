import { z } from "zod";
import { type Facts, factsOfRun, kindOf, typeOf } from "../../../provider/schema/facts.js";
import { nameOf, previewSchema } from "../preview.js";
import { jsonObject } from "../state.js";
import type { Inputs } from "./contents.js";

/** A contract, or a set of them, that a merge would send, or that may not be replaced. */
export interface Planned {
  readonly resource: string;
  readonly kind: "document" | "set";
  /** What was sent; undefined for what is new. */
  readonly before: Inputs | undefined;
  readonly after: Inputs;
  readonly refused?: RefusedContracts | undefined;
}

export interface RefusedContracts {
  readonly signedBy: readonly string[];
  /** Ids of their documents by key; of a single one by an empty key. */
  readonly ids: ReadonlyMap<string, string>;
  /** Whether names stand in place of what variables say. */
  readonly isNamed: boolean;
}

const changeSchema = z.looseObject({
  ids: jsonObject,
  before: jsonObject,
  after: jsonObject,
  isNamed: z.boolean(),
});

/** The contracts that would be sent or replaced, and those that are refused, each once. What would be taken back or stays isn't among them. */
export function plannedContracts(preview: unknown): Planned[] {
  const { steps, diagnostics } = previewSchema.parse(preview);
  const { resources } = factsOfRun(steps, diagnostics ?? []);
  const planned = new Map<string, Planned>();
  for (const { op, urn, oldState, newState } of steps) {
    const kind = contractKind(urn);
    const after = newState?.inputs;
    const ops = ["create", "replace", "create-replacement", ...(kind === "set" ? ["update"] : [])];
    if (kind === undefined || !ops.includes(op) || after === undefined) continue;
    const { sends = 0, replaces = 0, undecided = 0, refused = 0, signed = [] } = resources.get(urn) ?? { undecided: 1 };
    if (sends + replaces + undecided + refused === 0) continue;
    const before = op === "create" ? undefined : (oldState?.inputs ?? planned.get(urn)?.before);
    const isRefused = refused > 0 && kind === "document";
    planned.set(urn, {
      ...{ resource: nameOf(urn), kind, before, after },
      refused: isRefused ? { signedBy: signed, ids: new Map(), isNamed: false } : undefined,
    });
  }
  for (const [urn, facts] of resources) {
    const kind = contractKind(urn);
    const change = changeIn(facts);
    if (kind !== undefined && change) planned.set(urn, { resource: nameOf(urn), kind, ...change });
  }
  return [...planned.values()];
}

function contractKind(urn: string): Planned["kind"] | undefined {
  const kind = kindOf(typeOf(urn));
  return kind === "Document" ? "document" : kind === "DocumentSet" ? "set" : undefined;
}

/** A Diff that is refused leaves no step: the provider says what it was asked. */
function changeIn({ change, signed = [] }: Facts): Omit<Planned, "resource" | "kind"> | undefined {
  if (change === undefined) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(change);
  } catch {
    return undefined;
  }
  const { success, data } = changeSchema.safeParse(parsed);
  if (!success) return undefined;
  const { before, after, isNamed } = data;
  // An id is the name of a folder.
  const ids = new Map(
    Object.entries(data.ids).filter((entry): entry is [string, string] => /^[1-9]\d{0,18}$/.test(String(entry[1]))),
  );
  return { before, after, refused: { signedBy: signed, ids, isNamed } };
}
