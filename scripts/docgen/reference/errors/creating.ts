import type { Section } from "./error.js";

const WRITES = ["Document", "Folder", "Reminder"];

export const creating: Section = {
  title: "Creating",
  about: "What is sent, and when it is sent again: [no second mail](at-most-once.md).",
  at: ["Document"],
  rows: [
    {
      id: "wrong-folder",
      says: ["document … is in …, not in folder …"],
      means: "The service's public interface doesn't show `folderId`, and the service ignored it.",
      todo: "Move the document on the platform, or take `folderId` out of the program.",
      warning: true,
    },
    {
      id: "folder-again",
      says: [
        "an earlier run tried to create this folder and never saw the answer…",
        "an earlier run created folder … for this resource under another name…",
      ],
      means: "The service can't list folders, so the first one can't be looked for.",
      todo: "If the platform shows an empty twin, delete it.",
      warning: true,
      at: ["Folder"],
    },
    {
      id: "journal",
      says: ["… can't be used (…), and without it nothing is created…"],
      means: "The journal can't be written; the reason stands in brackets. Previews, refreshes and destroys go on.",
      todo: "Make its folder, data base or bucket usable, or choose [another place](journal.md): `docsign:journal` or `DOCSIGN_JOURNAL`.",
      at: WRITES,
    },
    {
      id: "journal-newer",
      says: [
        "expected a line this version can read, got …",
        "expected a whole …, got one that is damaged or of a newer version…",
      ],
      means: "A newer version wrote into the journal, or it is damaged.",
      todo: "Upgrade the provider, or restore the journal from a backup.",
      at: WRITES,
    },
    {
      id: "journal-foreign-line",
      says: ["… has a line that isn't the journal's…"],
      means: "Something else wrote into the journal's file. It changes nothing.",
      todo: "Find out what writes there, and remove the line.",
      warning: true,
    },
    {
      id: "journal-note",
      says: ["document … was created, and the journal can't be written…"],
      means: "State holds the document, and the journal doesn't.",
      todo: "Make the journal usable.",
      warning: true,
    },
    {
      id: "skipped-checkpoints",
      says: [
        "PULUMI_SKIP_CHECKPOINTS is set, and the journal may be gone with this machine…",
        "PULUMI_SKIP_CHECKPOINTS is set, and this run has other providers…",
      ],
      means: "The engine writes state at the end of the run only, and the journal doesn't cover that here.",
      todo: "Unset the variable; or keep the journal in Postgres or S3, and other providers' resources in another stack: [without checkpoints](bench/README.md#without-checkpoints).",
    },
  ],
};
