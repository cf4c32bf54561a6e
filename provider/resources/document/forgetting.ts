import type { Values } from "../../schema/values.js";
import { originIn } from "../guard.js";
import type { Scope } from "../memory/journal.js";
import type { Call } from "../resource.js";
import type { World } from "../world.js";

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

/** Documents created for this resource that no state has shown, besides this one and those of this run. */
export async function unseenBesides(world: World, scope: Scope, id: string): Promise<string[]> {
  const { created } = world.notebook.page(scope.urn);
  const owned = await world.journal.owned(scope);
  return owned.flatMap(thing => (thing.settled || thing.id === id || created.includes(thing.id) ? [] : thing.id));
}

/** What is to be said of a replacement that an earlier run began and that is in no state; undefined where there is none. */
export async function begunInPlaceOf(
  world: World,
  scope: Scope,
  id: string,
  unseen?: readonly string[],
): Promise<string | undefined> {
  const ids = unseen ?? (await unseenBesides(world, scope, id));
  if (ids.length === 0 && !(await world.journal.intentOf(scope))) return undefined;
  const which = ids.length > 0 ? `: ${ids.map(each => `document ${each}`).join(", ")}` : "";
  return `an earlier run began to create another document in place of document ${id} and was interrupted${which}.`;
}
