import { CAUSES } from "../../../provider/resources/refusal.js";
import { code } from "./markdown.js";

const causes = Object.entries(CAUSES);

/** A heading for each named cause, for docs/errors.md. The page's other messages are written there. */
export const causesText = (): string =>
  causes.flatMap(([name, { means, todo }]) => [`### docsign/${name}`, means, `**What to do:** ${todo}`]).join("\n\n");

const EVERYWHERE = ["Folder", "Document", "SignatureGate", "Reminder", "functions"];
const WRITES = ["Document", "Folder", "Reminder"];

/** Resources and functions that say a section's messages, by its title, or a row's, by its anchor, where those are others. */
export const SAID_BY: Readonly<Record<string, readonly string[]>> = {
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

/** A message without a name of its own, as a row of docs/errors.md has it. */
interface ErrorRow {
  /** Its anchor. */
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

const ROW = /^\| <a id="([\w-]+)"><\/a>(warning: )?(.+) \| (.+) \| (.+) \|$/;

/** The rows of docs/errors.md. */
export function errorsIn(page: string): ErrorRow[] {
  let section = "";
  return page.split("\n").flatMap(line => {
    section = /^## (.+)$/.exec(line)?.[1] ?? section;
    const [, id, warning, messages = "", means = "", todo = ""] = ROW.exec(line) ?? [];
    if (id === undefined) return [];
    const says = messages.split("<br>").map(text => text.replace(/^(`+) ?(.*?) ?\1$/, "$2"));
    return [{ id, section, says, means, todo, warning: warning !== undefined }];
  });
}

const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\w\s-]/g, "")
    .replaceAll(" ", "-");

/** The errors of a resource or function, as links to the page. */
export function errorsOf(name: string, kind: "resource" | "function", page: string): string[] {
  const named = causes
    .filter(([, { at }]) => kind === "resource" && (at as readonly string[]).includes(name))
    .map(([cause, { means }]) => `- [\`docsign/${cause}\`](../../errors.md#${anchorOf(`docsign/${cause}`)}). ${means}`);
  const isSaid = ({ id, section }: ErrorRow) => {
    const by = SAID_BY[id] ?? SAID_BY[section] ?? [];
    return by.includes(name) || (kind === "function" && by.includes("functions"));
  };
  const others = errorsIn(page)
    .filter(isSaid)
    .map(
      ({ id, says: [first = ""], means, warning }) =>
        `- ${warning ? "warning: " : ""}[${code(first)}](../../errors.md#${id}). ${means}`,
    );
  return [
    "Besides the errors of [settings](../../errors.md#settings) and of [the service's answers](../../errors.md#the-services-answers). `…` stands for what is filled in.",
    [...named, ...others].join("\n"),
  ];
}
