import { z } from "zod";
import { kindOf } from "../../provider/schema/facts.js";

/** A JSON object whose keys come from outside, taken as it is: `z.record` drops a key named `__proto__`, and with it a row. */
export const jsonObject = z.custom<Readonly<Record<string, unknown>>>(
  value => typeof value === "object" && value !== null && !Array.isArray(value),
  { error: "expected an object" },
);

/** The same, and an empty one for anything else. */
export const objectIn = (value: unknown): Readonly<Record<string, unknown>> => jsonObject.safeParse(value).data ?? {};

/** How the engine marks what stands in state as a secret. What is behind the mark is never read. */
export const SECRET_MARK = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";

const resourceSchema = z.looseObject({
  urn: z.string(),
  type: z.string(),
  id: z.string().optional(),
  inputs: jsonObject.optional(),
  outputs: jsonObject.optional(),
  /** Replaced, and not yet let go of. */
  delete: z.boolean().optional(),
});

const exportSchema = z.looseObject({
  deployment: z
    .looseObject({
      manifest: z.looseObject({ time: z.string().optional() }).optional(),
      resources: z.array(resourceSchema).nullish(),
    })
    .nullable(),
});

export type StackState = Readonly<ReturnType<typeof readExport>>;
/** A resource of ours as state has it, secrets left out. */
export type OurResource = Readonly<StackState["resources"][number]>;

/** Whether a JSON value is what `pulumi stack export` writes. */
export const isExport = (value: unknown): boolean => exportSchema.safeParse(value).success;

/** Reads an exported stack. Without a name, it has the one that stands in its resources. */
export function readExport(value: unknown, given?: string) {
  const { deployment } = exportSchema.parse(value);
  const resources = (deployment?.resources ?? []).filter(one => !one.delete);
  return {
    name: given ?? stackNamed(resources[0]?.urn) ?? "an empty stack",
    stateAt: deployment?.manifest?.time,
    resources: resources.flatMap(one => {
      const kind = kindOf(one.type);
      if (kind === undefined) return [];
      const { open: outputs, secrets } = withoutSecrets(one.outputs ?? {});
      const { open: inputs } = withoutSecrets(one.inputs ?? {});
      return [{ kind, name: one.urn.split("::").at(-1) ?? "", id: one.id ?? "", inputs, outputs, secrets }];
    }),
  };
}

/** The project and the stack that a resource's URN names. */
export function stackNamed(urn = ""): string | undefined {
  const [, stack, project] = /^urn:pulumi:([^:]+)::([^:]+)::/.exec(urn) ?? [];
  return stack === undefined ? undefined : `${project}/${stack}`;
}

/** `secrets`: the names of those that are secret, or hold a secret. */
function withoutSecrets(values: Readonly<Record<string, unknown>>) {
  const secrets = new Set(Object.keys(values).filter(name => holdsSecret(values[name])));
  const open: Readonly<Record<string, unknown>> = Object.fromEntries(
    Object.entries(values).filter(([name]) => !secrets.has(name)),
  );
  return { open, secrets };
}

function holdsSecret(value: unknown): boolean {
  // A list of its own, and no calls: a value may be nested deeper than calls can be.
  const waiting = [value];
  for (let each = waiting.pop(); waiting.length > 0 || each !== undefined; each = waiting.pop()) {
    if (typeof each !== "object" || each === null) continue;
    if (!Array.isArray(each) && Reflect.get(each, SECRET_MARK) === SECRET) return true;
    for (const inner of Object.values(each)) if (inner !== undefined) waiting.push(inner);
  }
  return false;
}
