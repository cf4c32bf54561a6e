import { z } from "zod";
import { property, type ResourceDeclaration } from "../../kit/property.js";
import { lineOf, maybeText, text } from "../schema/types.js";

export const folderInputs = z.object({
  name: property(lineOf("a folder's name"), { description: "Name of the folder.", replaces: true }),
});

export const folderOutputs = z.object({
  folderId: text("Id of the folder: what a document's `folderId` takes."),
  name: text("Name of the folder."),
  ownerId: maybeText("Id of the account that owns the folder."),
  ownerType: maybeText("Kind of owner, such as `User`."),
  creatorId: maybeText("Id of the user who created the folder."),
  createdAt: maybeText("When the folder was created."),
  updatedAt: maybeText("When the folder last changed."),
  service: text("Origin of the service that holds the folder."),
});

export type FolderOutputs = z.infer<typeof folderOutputs>;

export const folderDeclaration = {
  token: "docsign:index:Folder",
  description: `A folder that documents are created in.

The service can create folders and nothing else: it has no way to read, list, rename or delete one. A refresh therefore
keeps what state says, deleting the resource forgets it, and a changed name is a replacement, which is refused
while the folder holds documents.`,
  inputs: folderInputs,
  outputs: folderOutputs,
} satisfies ResourceDeclaration;
