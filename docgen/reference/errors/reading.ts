import type { Section } from "./error.js";

export const reading: Section = {
  title: "Refreshing, importing, deleting",
  at: ["Document"],
  rows: [
    {
      id: "not-shown",
      says: [
        "the service doesn't show document …, and nothing proves that it is gone, so state keeps it: forgetting a document that lives would mail everyone again.",
      ],
      means: "A 404 for a document that may well be alive: another account's key looks the same.",
      todo: "Check the key and the address. If the document is really gone, `pulumi state delete` with the URN it prints.",
    },
    {
      id: "import-not-shown",
      says: ["document … can't be imported: the service doesn't show it to this account."],
      means: "No document of that id is visible to this key.",
      todo: "Check the id, the address and whose key it is.",
    },
    {
      id: "hash-unknown",
      says: [
        "the service doesn't tell the hash of document …'s PDF, and the PDF can't be fetched, so it can't be compared: whatever `file` or `base64File` the program gives counts as that PDF.",
      ],
      means: "An imported document's PDF can't be compared with the program's.",
      todo: "Make sure by eye that the program names the right file.",
      warning: true,
    },
    {
      id: "forgotten",
      says: [
        "document … is forgotten, not deleted: it stays alive…. …",
        "folder … is forgotten, not deleted: the service can't delete folders, so it and what is in it stay ….",
      ],
      means: "The service can't delete, so removing a resource lets go of it.",
      todo: "Delete on the platform what should be gone; open invitations stay open until then.",
      warning: true,
      at: ["Document", "Folder"],
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
      id: "update-refused",
      says: ["… … can't be updated in place: a change of … takes a new …. Nothing was changed, and no one was mailed."],
      means: "`pulumi do … patch` asked for a change that takes a new resource.",
      todo: "Create a new one, or change the program of the stack that manages it and run `pulumi up`.",
      at: ["Document", "Folder", "SignatureGate", "Reminder"],
    },
    {
      id: "certificates-required",
      says: ['document … is still without …, and `require: "…"` was asked for.'],
      means: "`getCertificates` was told what has to be there, and it isn't.",
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
