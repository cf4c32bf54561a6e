import type { Section } from "./error.js";

export const reading: Section = {
  title: "Refreshing, importing, deleting",
  at: ["Document"],
  rows: [
    {
      id: "kept-unseen",
      says: ["the service doesn't show document …, so state keeps what it knew…"],
      means: "The service can't delete, so the document still exists: another account's key also gets 404.",
      todo: "Check the key and the address. To let go of the document: `pulumi state delete`.",
      warning: true,
    },
    {
      id: "hash-unknown",
      says: ["the service doesn't show the hash of document …'s PDF…"],
      means: "An imported document counts as having the program's PDF.",
      todo: "Make sure that the program names the right file.",
      warning: true,
    },
    {
      id: "removed",
      says: ["document … is removed from state, not deleted…", "folder … is removed from state, not deleted…"],
      means: "The service can't delete. Open invitations stay open.",
      todo: "Delete on the platform what should be gone.",
      warning: true,
      at: ["Document", "DocumentSet", "Folder"],
    },
    {
      id: "list-note",
      says: ["the service doesn't show whether its list is complete…"],
      means: "`pulumi do docsign:Document list` shows what the service lists.",
      todo: "If you miss a document, look on the platform.",
      warning: true,
    },
    {
      id: "not-listed",
      says: ["… can't be listed…"],
      means: "The service lists documents only.",
      todo: "For those of a folder: `pulumi do docsign:Document list --folder-id ID`.",
      at: ["Folder", "SignatureGate", "Reminder"],
    },
    {
      id: "certificates-required",
      says: ["document … is still without …"],
      means: "`getCertificates` requires what isn't there yet.",
      todo: "Run again later, or wait with a [gate](people.md) or [the watcher](watch.md).",
      at: ["getCertificates"],
    },
    {
      id: "adoption",
      says: ["… isn't what the program says, so it is not taken over…"],
      means: "Dynamic resources: the option `import` names something that differs from the program.",
      todo: "Make the program say what the service holds, or leave out `import`.",
      at: ["Document", "Folder"],
    },
  ],
};
