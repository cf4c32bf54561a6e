import type { Section } from "./error.js";

export const reading: Section = {
  title: "Refreshing, importing, deleting",
  at: ["Document"],
  rows: [
    {
      id: "kept-unseen",
      says: [
        "the service doesn't show document …, so state keeps what it knew. The service can't delete documents: check docsign:baseUrl and that the key belongs to the account that owns the document.",
      ],
      means: "A refresh got a 404. The document still exists: another account's key gets the same answer.",
      todo: "Check the key and the address. To let go of the document: `pulumi state delete`.",
      warning: true,
    },
    {
      id: "hash-unknown",
      says: [
        "the service doesn't show the hash of document …'s PDF, and the PDF can't be downloaded, so it can't be compared: whatever `file` or `base64File` the program gives counts as that PDF.",
      ],
      means: "An imported document's PDF can't be compared with the program's.",
      todo: "Check that the program names the right file.",
      warning: true,
    },
    {
      id: "removed",
      says: [
        "document … is removed from state, not deleted: it stays …. …",
        "folder … is removed from state, not deleted: the service can't delete folders, so it and what is in it stay ….",
      ],
      means: "The service can't delete, so removing a resource only removes it from state.",
      todo: "Delete on the platform what should be gone. Open invitations stay open until then.",
      warning: true,
      at: ["Document", "DocumentSet", "Folder"],
    },
    {
      id: "folder-import",
      says: ["the service can't show folders, so an import takes the name along: pulumi import … NAME …/FOLDER_NAME"],
      means: "A folder's import id is its id, a slash and its name.",
      todo: "Run the line it prints, with the folder's name.",
      at: ["Folder"],
    },
    {
      id: "list-note",
      says: [
        "the service doesn't show whether its list is complete: a document that isn't listed may exist all the same",
      ],
      means: "`pulumi do docsign:Document list` shows what the service lists, which may be the first page of more.",
      todo: "Nothing, unless a document you know of is missing: then look on the platform.",
      warning: true,
    },
    {
      id: "list-token",
      says: ["expected a continuation token of this provider, got …"],
      means: "A page of a list was asked for with a token that this provider didn't write.",
      todo: "Ask for the first page.",
    },
    {
      id: "not-listed",
      says: ["… can't be listed: the service has no list of them"],
      means: "The service lists documents only. Gates and reminders exist in state alone.",
      todo: "For the documents of a folder: `pulumi do docsign:Document list --folder-id ID`.",
      at: ["Folder", "SignatureGate", "Reminder"],
    },
    {
      id: "certificates-required",
      says: ['document … is still without …, and `require: "…"` was asked for.'],
      means: "`getCertificates` requires what isn't there yet.",
      todo: "Run again later, wait with a SignatureGate, or let [the watcher](watch.md) run the stack once it is there.",
      at: ["getCertificates"],
    },
    {
      id: "adoption",
      says: [
        "… … isn't what the program says, so it is not taken over. It stays as it is, and no one was mailed about it.",
      ],
      means: "TypeScript SDK: the resource option `import` names a document or folder that differs from the program.",
      todo: "Make the program say what the service holds, or leave out `import`.",
      at: ["Document", "Folder"],
    },
  ],
};
