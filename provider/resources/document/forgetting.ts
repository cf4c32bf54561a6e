import type { Values } from "../../schema/values.js";
import type { Context } from "../context.js";
import { originIn } from "../guard.js";
import type { Owned, Scope } from "../journal/journal.js";
import type { Call } from "../resource.js";

/** What a delete says: the document lives on. */
export function forgetting(id: string, outputs: Values, here: string | undefined, call: Call): string {
  const origin = originIn(outputs);
  const where =
    origin !== "" && origin !== here
      ? ` at ${origin}, which this provider isn't configured for`
      : " at the service, which can't delete documents";
  const pending = Array.isArray(outputs["pendingSigners"])
    ? outputs["pendingSigners"].filter(email => typeof email === "string")
    : [];
  const open =
    pending.length === 0
      ? "No invitation is open, as far as state knows."
      : `Not signed yet, as far as state knows: ${call.secrets.has("invitations") || call.secrets.has("pendingSigners") ? `${pending.length} people` : pending.join(", ")}.`;
  return `document ${id} is forgotten, not deleted: it stays alive${where}. ${open}`;
}

/**
 * What is to be said of a replacement that an earlier run began and that is in no state; undefined where there is none.
 * `before`: what was owned when there is less of it by now.
 */
export async function begunInPlaceOf(
  context: Context,
  scope: Scope,
  id: string,
  before?: readonly Owned[],
): Promise<string | undefined> {
  const { intent, owned } = await context.journal.of(scope);
  const ofThisRun = (each: string): boolean => context.deploymentLog.page(scope.urn).created.includes(each);
  const ids = (before ?? owned).flatMap(thing =>
    thing.settled || thing.id === id || ofThisRun(thing.id) ? [] : thing.id,
  );
  if (ids.length === 0 && !intent) return undefined;
  const which = ids.length > 0 ? `: ${ids.map(each => `document ${each}`).join(", ")}` : "";
  return `an earlier run began to create another document in place of document ${id} and was interrupted${which}.`;
}
