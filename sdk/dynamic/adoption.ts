import type { Values } from "../../kit/values.js";
import { counted } from "../../provider/core/text.js";
import type { Context } from "../../provider/resources/context.js";
import { documentChanges, inputsIn, madeOf, stateIn } from "../../provider/resources/document/declaration.js";
import { supersededOf } from "../../provider/resources/document/state.js";
import { describeChanges } from "../../provider/resources/document/words.js";
import { type Call, type Created, type Resource, UserError } from "../../provider/resources/resource.js";
import type { Kind } from "../front-end.js";

/**
 * What `import` does for dynamic resources. The engine can't import dynamic resources, so creating takes over what is already
 * there, if it is what the program says. Nothing is sent and no one is mailed. `reader` reads without remembering.
 */
export async function adopt(
  { kind, context, reader }: { kind: Kind; context: Context; reader: Resource },
  call: Call,
  importId: string,
  inputs: Values,
): Promise<Created> {
  const what = kind.toLowerCase();
  const known: Values | undefined = kind === "Folder" ? { name: inputs["name"] ?? "" } : undefined;
  const found = await reader.read(call, { id: importId, inputs: known, outputs: undefined });
  const [before, after] = [inputsIn(found.inputs), inputsIn(inputs)];
  const changes = kind === "Document" ? documentChanges(madeOf(before), after, stateIn(found.outputs)) : [];
  const certain = changes.filter(change => !change.unknown);
  const isUnchanged = await reader.isUnchanged?.(call, { id: found.id, outputs: found.outputs, inputs });
  if (certain.length > 0 && !isUnchanged) {
    throw new UserError(
      [
        `${what} ${found.id} isn't what the program says, so it is not taken over. It stays as it is, and no one was mailed about it.`,
        `  different: ${describeChanges(certain, before, after, call.secrets).join(", ")}`,
        "Make the program say what the service holds, or leave out the resource option `import` to create another one.",
      ].join("\n"),
    );
  }
  call.log.info(`${what} ${found.id} is taken over as it is: no one is mailed`, { takesBack: 1 });
  // In a replacement it takes the place of what state has.
  const { inState } = context.deploymentLog.situationOf(call.urn);
  const supersedes = [...new Set(inState.flatMap(each => [...each.supersedes, each.id]))].filter(id => id !== found.id);
  const { supersededContents } = supersededOf(inState, supersedes);
  if (!call.preview) {
    const scope = { service: String(found.outputs["service"]), urn: call.urn };
    const { attempt, owned } = await context.journal.resource(scope);
    const known = owned.find(({ id }) => id === found.id)?.fingerprint ?? attempt?.fingerprint;
    const fingerprint = isUnchanged ? known : undefined;
    await context.journal.show(scope, found.id, { supersedes, imported: true, fingerprint });
    context.deploymentLog.created(call.urn, found.id);
  }
  return {
    id: found.id,
    outputs:
      kind === "Document"
        ? { ...found.outputs, supersedes, ...(supersededContents && { supersededContents }) }
        : found.outputs,
  };
}

/** The same for the documents of a set: each is under its row's URN from now on. */
export async function adoptSet(
  { context, reader, own }: { context: Context; reader: Resource; own: Resource },
  call: Call,
  importId: string,
  inputs: Values,
): Promise<Created> {
  const found = await reader.read(call, { id: importId, inputs: undefined, outputs: undefined });
  const adopted = await own.adopt?.(call, { inputs, found: found.outputs });
  if (!adopted) throw new Error(`${own.token} can't be taken over`);
  const { outputs, held, differences } = adopted;
  if (differences.length > 0) {
    throw new UserError(
      [
        "the documents aren't what the program says, so they are not taken over. They stay as they are, and no one was mailed about them.",
        ...differences.slice(0, MOST_DIFFERENCES).map(line => `  different: ${line}`),
        ...(differences.length > MOST_DIFFERENCES ? [`  and ${differences.length - MOST_DIFFERENCES} more`] : []),
        "Make the program say what the service holds, or leave out the resource option `import` to create others.",
      ].join("\n"),
    );
  }
  const are = held.length === 1 ? "is taken over as it is" : "are taken over as they are";
  call.log.info(`${counted(held.length, "document")} ${are}: no one is mailed`, { takesBack: held.length });
  if (!call.preview) {
    for (const { urn, id } of held) {
      await context.journal.show({ service: String(outputs["service"]), urn }, id, { supersedes: [], imported: true });
      context.deploymentLog.created(urn, id);
    }
  }
  return { id: found.id, outputs };
}

const MOST_DIFFERENCES = 20;

/** Whether this deployment replaces what was taken over before: `import` has done its work then. */
export function isOver(context: Context, urn: string, importId: string): boolean {
  // A set's id is its own, whatever it was imported by.
  const [first] = importId.split("/");
  return context.deploymentLog.situationOf(urn).inState.some(({ id }) => id === first || id.startsWith("set-"));
}
