import type { AccountRecord, DocumentRecord } from "./entities.js";
import type { World } from "./world.js";

export function maySee(world: World, account: AccountRecord, document: DocumentRecord): boolean {
  const organization = world.store.organization(document.organizationId);
  return document.ownerId === account.id || organization?.memberIds.includes(account.id) === true;
}

/** Whether a read finds the document yet. A read that misses it counts towards the lag that is measured in reads. */
export function hasArrived(world: World, document: DocumentRecord): boolean {
  if (document.missesLeft > 0) {
    document.missesLeft -= 1;
    return false;
  }
  return world.clock.now() >= document.createdAt + (world.settings.lag.ms ?? 0);
}
