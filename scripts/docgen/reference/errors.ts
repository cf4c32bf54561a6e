import { code } from "./markdown.js";

const EVERYWHERE = ["Folder", "Document", "SignatureGate", "Reminder", "functions"];
const WRITES = ["Document", "Folder", "Reminder"];

const NAMED = "Errors with a name";

/** Resources and functions that say a section's messages, by its title, or one by its name, where those are others. */
export const SAID_BY: Readonly<Record<string, readonly string[]>> = {
  [NAMED]: ["Document"],
  "docsign/replace-signed": ["Document", "DocumentSet"],
  "docsign/replace-unconfirmed": ["Document", "DocumentSet", "Folder"],
  "docsign/folder-not-empty": ["Folder"],
  "docsign/emptied-set": ["DocumentSet"],
  "docsign/held-twice": ["Document", "DocumentSet"],
  "docsign/other-service": ["Document", "DocumentSet", "Folder", "SignatureGate", "Reminder"],
  "docsign/folder-unconfirmed": ["Folder"],
  "docsign/update-replaces": ["Document", "Folder", "SignatureGate", "Reminder"],
  Inputs: ["Document"],
  "bad-input": EVERYWHERE,
  "bad-id": EVERYWHERE,
  Replacing: ["Document", "Folder"],
  "delete-first": ["Document"],
  "half-replaced": ["Document"],
  Creating: ["Document"],
  "folder-again": ["Folder"],
  journal: WRITES,
  "journal-newer": WRITES,
  "Refreshing, importing, deleting": ["Document"],
  removed: ["Document", "DocumentSet", "Folder"],
  "not-listed": ["Folder", "SignatureGate", "Reminder"],
  "certificates-required": ["getCertificates"],
  adoption: ["Document", "Folder"],
  "Gates and reminders": ["SignatureGate"],
  "list-unread": ["SignatureGate", "Reminder"],
  "not-reminded": ["Reminder"],
  "reminder-unknown": ["Reminder"],
  "Functions and dynamic resources": ["functions"],
  "no-provider": [],
  "constancia-not-there": [],
  "Sets of documents": ["DocumentSet"],
};

/** A message as docs/errors.md has it: under a heading of its name, or in a row of a table. */
interface ErrorEntry {
  /** `docsign/duplicate`, or the row's anchor. */
  readonly id: string;
  /** The title of its section. */
  readonly section: string;
  /** The message, or the part of it that identifies it; `…` stands for what is filled in. */
  readonly says: readonly string[];
  readonly means: string;
  readonly todo: string;
  /** A warning: the command goes on. */
  readonly warning: boolean;
}

const CAUSE = /^### (docsign\/[\w-]+)\n\n(.+)\n\n\*\*What to do:\*\* (.+)$/gm;
const ROW = /^\| <a id="([\w-]+)"><\/a>(warning: )?(.+) \| (.+) \| (.+) \|$/;

/** What docs/errors.md says of each message. */
export function errorsIn(page: string): ErrorEntry[] {
  const named = [...page.matchAll(CAUSE)].map(([, id = "", means = "", todo = ""]) => ({
    ...{ id, section: NAMED, says: [id], means, todo, warning: false },
  }));
  let section = "";
  const rows = page.split("\n").flatMap(line => {
    section = /^## (.+)$/.exec(line)?.[1] ?? section;
    const [, id, warning, messages = "", means = "", todo = ""] = ROW.exec(line) ?? [];
    if (id === undefined) return [];
    const says = messages.split("<br>").map(text => text.replace(/^(`+) ?(.*?) ?\1$/, "$2"));
    return [{ id, section, says, means, todo, warning: warning !== undefined }];
  });
  return [...named, ...rows];
}

/** The errors of a resource or function, as links to the page. */
export function errorsOf(name: string, kind: "resource" | "function", page: string): string[] {
  const isSaid = ({ id, section }: ErrorEntry) => {
    const by = SAID_BY[id] ?? SAID_BY[section] ?? [];
    return by.includes(name) || (kind === "function" && by.includes("functions"));
  };
  const links = errorsIn(page)
    .filter(isSaid)
    .map(
      ({ id, says: [first = ""], means, warning }) =>
        `- ${warning ? "warning: " : ""}[${code(first)}](../../errors.md#${id.replace("/", "")}). ${means}`,
    );
  return [
    "Besides the errors of [settings](../../errors.md#settings) and of [the service's answers](../../errors.md#the-services-answers). `…` stands for what is filled in.",
    links.join("\n"),
  ];
}
