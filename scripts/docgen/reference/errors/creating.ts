import type { Section } from "./error.js";

export const creating: Section = {
  title: "Creating",
  about: "What is sent, and when it is sent again: [creating at most once](at-most-once.md).",
  at: ["Document"],
  rows: [
    {
      id: "not-read-back",
      says: ["document … is kept, but it couldn't be read: …"],
      means: "The document exists and state holds it, but its outputs couldn't be read.",
      todo: "Run `pulumi up` again: it is read then, and no one is mailed.",
    },
    {
      id: "wrong-folder",
      says: ["document … is in …, not in folder …: the service didn't follow `folderId`."],
      means: "The service ignored `folderId`, which its public interface doesn't show.",
      todo: "Move the document on the platform, or take `folderId` out of the program. With `docsign:folderPlacement: require` it is an error.",
      warning: true,
    },
    {
      id: "folder-again",
      says: [
        "an earlier run tried to create this folder and never saw the answer: another one is created. The platform may show an empty twin, which harms nothing.",
        "an earlier run created folder … for this resource under another name, and nothing has shown since that state holds it: another one is created. The platform may show an empty twin, which harms nothing.",
      ],
      means: "The answer was lost, or state never got the folder; and the service can't list folders.",
      todo: "Delete the empty twin on the platform, if there is one.",
      warning: true,
      at: ["Folder"],
    },
    {
      id: "journal",
      says: [
        "the journal in … can't be used (…), and without it nothing is created: a crash would mail people twice. …",
      ],
      means: "The journal's folder is read-only, full or damaged; or its Postgres or S3 store can't be reached.",
      todo: "Make it usable, or choose another with `docsign:journal` or `DOCSIGN_JOURNAL`.",
      at: ["Document", "Folder", "Reminder"],
    },
    {
      id: "journal-unavailable",
      says: ["… can't be used (…), and without it nothing is created: a crash would mail people twice. …"],
      means:
        "The journal's folder is read-only or full, its data base or bucket can't be reached, or `docsign:journal` names none. Previews, refreshes and destroys go on.",
      todo: "See to the reason in brackets, or choose another place with `docsign:journal` or `DOCSIGN_JOURNAL`.",
      at: ["Document", "Folder", "Reminder"],
    },
    {
      id: "journal-reason",
      says: [
        "expected an answer within … s, got none",
        'expected "local", "postgres://…" or "s3://…"',
        "expected a service that keeps If-None-Match and If-Match, got one that ignores them",
        'expected a line this version can read, got "…" of a newer version: upgrade the provider',
        'expected a whole "…", got one that is damaged or of a newer version (…): upgrade the provider, or restore the journal from a backup',
      ],
      means: "Why the journal can't be used: the reason in brackets.",
      todo: "Look at the network, the setting, the S3 service or the provider's version.",
    },
    {
      id: "journal-foreign-line",
      says: ["… has a line that isn't the journal's, and it is left out: …"],
      means: "Something else wrote into the journal's file. It changes nothing.",
      todo: "Find out what writes there, and remove the line.",
      warning: true,
    },
    {
      id: "skipped-checkpoints",
      says: [
        "PULUMI_SKIP_CHECKPOINTS is set, and the journal may be gone with this machine: after a crash nothing would know what was sent. …",
        "PULUMI_SKIP_CHECKPOINTS is set, and this run has other providers (…): after a crash nobody would know what they made, …",
      ],
      means:
        "The engine writes its state at the end of the run alone, and the journal doesn't make up for it: it may not outlive the machine, or other providers' resources aren't in it.",
      todo: "Keep the journal in Postgres or S3, give other providers' resources a stack of their own, or unset the variable: [without checkpoints](bench/README.md#without-checkpoints).",
    },
    {
      id: "journal-note",
      says: ["document … was created, and the journal can't be written: …"],
      means: "The journal couldn't be written just after a create.",
      todo: "Make it usable. State holds the document.",
      warning: true,
    },
  ],
};
