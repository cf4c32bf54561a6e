import type { SandboxContext } from "../context.js";
import { addFile, type NewDocument, newInvitation } from "../documents.js";
import type { AccountRecord, DocumentRecord } from "../entities.js";
import { documentStatus, documentStatuses, latestFile } from "../rules.js";
import type { Settings } from "../settings.js";

/** What the service keeps of a document it is asked to make. */
export function storedDocument(wanted: NewDocument, settings: Settings): NewDocument {
  const invitations = wanted.invitations.map(one => ({
    ...one,
    email: settings.emails === "lower-case" ? one.email.toLowerCase() : one.email,
  }));
  return {
    ...wanted,
    name: nameKept(wanted.name, settings.names),
    invitations: settings.invitationOrder === "reversed" ? invitations.toReversed() : invitations,
  };
}

function nameKept(name: string, names: Settings["names"]): string {
  if (names === "trimmed") return name.trim();
  if (names === "cut") return name.slice(0, 20);
  if (names === "escaped") return name.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return name;
}

const known: readonly string[] = documentStatuses;

/** What a list shows of the documents that fit, in its order. */
export function listed(documents: readonly DocumentRecord[], settings: Settings): DocumentRecord[] {
  const { listHidesUnknown, listLimit, listRepeats } = settings;
  const shown = documents.filter(one => !listHidesUnknown || known.includes(documentStatus(one, settings)));
  const page = ordered(shown, settings.listOrder).slice(0, listLimit ?? undefined);
  return listRepeats ? page.flatMap(one => [one, one]) : page;
}

function ordered(documents: readonly DocumentRecord[], order: Settings["listOrder"]): DocumentRecord[] {
  if (order === "oldest-first") return [...documents];
  if (order === "newest-first") return documents.toReversed();
  const place = ({ id }: DocumentRecord): number => Math.imul(id, 0x9e3779b1) >>> 0;
  return documents.toSorted((one, other) => place(one) - place(other));
}

const DAY = 86_400_000;

/** Somebody else in the account has documents with the ids of this one's file and invitations. They are older, and nobody is mailed. */
export function addDecoys(context: SandboxContext, owner: AccountRecord, beside: DocumentRecord): void {
  const taken = [latestFile(beside).id, ...beside.invitations.map(({ id }) => id)];
  for (const id of taken)
    if (!context.store.document(id)) context.store.data.documents.unshift(decoy(context, owner, beside, id));
}

function decoy(context: SandboxContext, owner: AccountRecord, beside: DocumentRecord, id: number): DocumentRecord {
  const before = context.clock.now() - DAY;
  const document: DocumentRecord = {
    ...beside,
    id,
    ownerId: owner.id,
    folderId: null,
    name: `Somebody else's contract ${id}`,
    description: "",
    files: [],
    invitations: [],
    createdAt: before,
    updatedAt: before,
  };
  document.invitations = [newInvitation(context, document, { email: "mia@elsewhere.example", name: "Mia" })];
  const { sha256, byteLength } = latestFile(beside);
  addFile(context, document, { sha256: sha256.replace(/^./, "0"), byteLength });
  return document;
}
