import type { SandboxContext } from "./context.js";
import type { AccountRecord, DocumentRecord } from "./entities.js";
import { notFound, Refusal } from "./refusal.js";

export function maySee(context: SandboxContext, account: AccountRecord, document: DocumentRecord): boolean {
  const organization = context.store.organization(document.organizationId);
  return document.ownerId === account.id || organization?.memberIds.includes(account.id) === true;
}

/** Whether a read finds the document yet. A read that misses it counts towards the lag that is measured in reads. */
export function hasArrived(context: SandboxContext, document: DocumentRecord): boolean {
  if (document.missesLeft > 0) {
    document.missesLeft -= 1;
    return false;
  }
  return context.clock.now() >= document.createdAt + (context.settings.lag.ms ?? 0);
}

export function hasArrivedInLists(context: SandboxContext, document: DocumentRecord): boolean {
  const misses = document.listMissesLeft ?? 0;
  if (misses > 0) document.listMissesLeft = misses - 1;
  return hasArrived(context, document) && misses === 0;
}

/** Which document a read of this one answers with, if it doesn't refuse it. */
export function documentRead(context: SandboxContext, document: DocumentRecord): DocumentRecord {
  const { reads } = context.settings;
  const nth = (document.reads ?? 0) + 1;
  document.reads = nth;
  if (reads === "403") throw new Refusal(403, "forbidden", "This account may not read the document");
  const isMissed =
    reads === "404" || (reads === "404-once" && nth === 1) || (reads === "404-at-times" && nth % 3 === 0);
  if (isMissed) throw notFound("The document");
  const another = context.store.data.documents.find(one => one.ownerId === document.ownerId && one !== document);
  return reads === "another" ? (another ?? document) : document;
}
