import { z } from "zod";
import { property, type ResourceDeclaration } from "../../kit/property.js";
import { lineOf } from "../schema/types.js";

export const folderInputs = z.object({
  name: property(lineOf("a folder's name"), { description: "Name of the folder.", replaces: true }),
});

export const folderOutputs = z.object({
  folderId: property(z.string(), { description: "Id of the folder: what a document's `folderId` takes." }),
  name: property(z.string(), { description: "Name of the folder." }),
  ownerId: property(z.string().optional(), { description: "Id of the account that owns the folder." }),
  ownerType: property(z.string().optional(), { description: "Kind of owner, such as `User`." }),
  creatorId: property(z.string().optional(), { description: "Id of the user who created the folder." }),
  createdAt: property(z.string().optional(), { description: "When the folder was created." }),
  updatedAt: property(z.string().optional(), { description: "When the folder last changed." }),
  service: property(z.string(), { description: "Origin of the service that holds the folder." }),
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
