import { counted, momentText, span } from "../ui/time.js";
import type { Board, Person } from "./model.js";
import type { Plan, PlannedMail } from "./preview.js";

/** A comment with this line is the board's own: who posts the next one looks for it and edits that comment. */
export const MARKER = "<!-- docsign-board -->";

const SHOWN = 50;

/** Who is waiting, as a comment or a message. */
export function boardMarkdown({ totals, people, madeAt, stacks }: Board): string {
  const now = Date.parse(madeAt);
  const sections = [
    MARKER,
    `### Contracts: ${totals.signed} of ${totals.contracts} signed`,
    sentence([
      totals.waitingFor > 0 && `${counted(totals.waitingFor, "person", "people")} to sign`,
      totals.late > 0 && `**${counted(totals.late, "contract")} late**`,
      totals.drifted > 0 && `${counted(totals.drifted, "contract")} changed at the service`,
    ]) ?? "Nobody has to sign.",
    people.length > 0 &&
      table(
        ["Who", "Contracts", "Waiting", "Last reminder", "Deadline"],
        people.slice(0, SHOWN).map(one => personLine(one, now)),
        people.length,
      ),
    `<sub>${stacks.map(({ name, stateAt }) => `${code(name)}${stateAt ? `: state of ${momentText(stateAt)}` : ""}`).join("; ")}</sub>`,
  ];
  return `${sections.filter(one => one !== false).join("\n\n")}\n`;
}

function personLine(
  { email, name, late, since, contracts, lastReminderAt, nextDeadline }: Person,
  now: number,
): string[] {
  const wait = since === undefined ? "" : span(Math.max(0, now - Date.parse(since)));
  return [
    name ? `${escaped(name)} (${code(email)})` : code(email),
    contracts
      .slice(0, 3)
      .map(one => escaped(one.name))
      .join(", ") + (contracts.length > 3 ? ` and ${contracts.length - 3} more` : ""),
    late ? `**${wait}, late**` : wait,
    lastReminderAt === undefined ? "none" : momentText(lastReminderAt),
    nextDeadline === undefined ? "" : momentText(nextDeadline),
  ];
}

/** What a merge would mail, replace and refuse. */
export function planMarkdown({ stack, mails, refused, failures, unchanged, forgotten }: Plan): string {
  const people = new Set(mails.flatMap(one => one.people ?? []));
  const hidden = mails.some(one => one.people === undefined);
  const replaced = mails.filter(({ kind }) => kind === "replace").length;
  const summary = [
    people.size > 0 && `**${counted(people.size, "person", "people")} will be mailed**`,
    hidden && "people who are kept secret or aren't known yet will be mailed",
    replaced > 0 && `${counted(replaced, "contract")} replaced`,
    unchanged !== undefined && `${counted(unchanged, "contract")} unchanged`,
    forgotten.length > 0 && `${counted(forgotten.length, "contract")} let go of`,
    refused.length > 0 && `**${refused.length} refused**: ${refused.map(reasonOf).join("; ")}`,
  ];
  const sections = [
    MARKER,
    `### Contracts in ${code(stack)}`,
    sentence(mails.length === 0 ? ["nobody will be mailed", ...summary] : summary),
    mails.length > 0 &&
      table(["Contract", "What happens", "Who is mailed"], mails.slice(0, SHOWN).map(mailLine), mails.length),
    ...refused.map(one => `> **Refused:** ${escaped(one.reason)}`),
    refused.length > 0 && "The preview ends at a refusal, so there may be more changes than these.",
    ...failures.map(one => `> **Error:** ${escaped(one)}`),
  ];
  return `${sections.filter(one => one !== false && one !== undefined).join("\n\n")}\n`;
}

const reasonOf = ({ resource, signedBy }: Plan["refused"][number]): string =>
  `${code(resource)}${signedBy.length > 0 ? `, signed by ${signedBy.map(one => escaped(one.replace(/ \(.*/, ""))).join(", ")}` : ""}`;

const WHAT: Record<PlannedMail["kind"], string> = {
  create: "sent for the first time",
  replace: "replaced; the old one stays alive at the service",
  reminder: "reminder",
};

const mailLine = ({ name, kind, people }: PlannedMail): string[] => [
  escaped(name),
  WHAT[kind],
  people === undefined ? "not shown" : people.map(code).join(", "),
];

function table(head: readonly string[], rows: readonly (readonly string[])[], total: number): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const more = total > rows.length ? [`\n… and ${total - rows.length} more.`] : [];
  return [line(head), line(head.map(() => "---")), ...rows.map(line), ...more].join("\n");
}

function sentence(parts: readonly (string | false)[]): string | undefined {
  const said = parts.filter(one => one !== false).join(", ");
  return said === "" ? undefined : `${said.charAt(0).toUpperCase()}${said.slice(1)}.`;
}

/** Text as text: nothing in a name may become a link, a mention, an image or another row. */
function escaped(text: string): string {
  const short = [...text].length > 200 ? `${[...text].slice(0, 200).join("")}…` : text;
  return short
    .replace(/[\s\p{Cc}]+/gu, " ")
    .replace(/[\u202A-\u202E\u2066-\u2069]/gu, "")
    .replace(/[\\`*_{}[\]()<>#!|~&]/g, found => `&#${found.charCodeAt(0)};`)
    .replace(/@/g, "@\u200b")
    .replace(/:\/\//g, ":&#47;&#47;");
}

/** An address or a name of the program as code, where nothing is a mention. */
const code = (text: string): string =>
  `\`${text.replace(/[`|\s\p{Cc}\u202A-\u202E\u2066-\u2069]+/gu, " ").slice(0, 200)}\``;
