import type { SandboxContext } from "../context.js";
import { addFile, newInvitation } from "../documents.js";
import type { AccountRecord, DocumentRecord } from "../entities.js";
import { latestFile } from "../rules.js";

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
  const person = { email: "mia@elsewhere.example", name: "Mia", message: "", stage: 1 };
  document.invitations = [newInvitation(context, document, { ...person, allowedSignatureTypes: "all" })];
  const { sha256, byteLength } = latestFile(beside);
  addFile(context, document, { sha256: sha256.replace(/^./, "0"), byteLength, bytes: null });
  return document;
}
