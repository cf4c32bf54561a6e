import { z } from "zod";
import { factsOfRun, kindOf, typeIn } from "../../../provider/schema/facts.js";
import { jsonObject } from "../json-object.js";

type Inputs = Readonly<Record<string, unknown>>;

/** A contract, or a set of them, that a merge would send. */
export interface Planned {
  readonly resource: string;
  readonly kind: "document" | "set";
  /** What was sent; undefined for what is new. */
  readonly before: Inputs | undefined;
  readonly after: Inputs;
}

const stateSchema = z.looseObject({ inputs: jsonObject.optional() });
const previewSchema = z.looseObject({
  steps: z.array(
    z.looseObject({
      op: z.string(),
      urn: z.string(),
      oldState: stateSchema.nullish(),
      newState: stateSchema.nullish(),
    }),
  ),
  diagnostics: z
    .array(z.looseObject({ urn: z.string().optional(), message: z.string(), severity: z.string() }))
    .nullish(),
});

/** The contracts that would be sent or replaced, each once. What would be taken back or stays isn't among them. */
export function plannedContracts(preview: unknown): Planned[] {
  const { steps, diagnostics } = previewSchema.parse(preview);
  const { resources } = factsOfRun(steps, diagnostics ?? []);
  const planned = new Map<string, Planned>();
  for (const { op, urn, oldState, newState } of steps) {
    const kind = kindOf(typeIn(urn));
    const after = newState?.inputs;
    const isSet = kind === "DocumentSet";
    const ops = ["create", "replace", "create-replacement", ...(isSet ? ["update"] : [])];
    if ((kind !== "Document" && !isSet) || !ops.includes(op) || after === undefined) continue;
    const { sends = 0, replaces = 0, undecided = 0 } = resources.get(urn) ?? { undecided: 1 };
    if (sends + replaces + undecided === 0) continue;
    const before = op === "create" ? undefined : (oldState?.inputs ?? planned.get(urn)?.before);
    const resource = urn.split("::").slice(3).join("::");
    planned.set(urn, { resource, kind: isSet ? "set" : "document", before, after });
  }
  return [...planned.values()];
}
