import type { Result } from "./story.js";

/** Refused on purpose at any service. */
const REFUSED_ANYWHERE = "up with a changed PDF once signed";

export interface Played {
  readonly dialect: string;
  readonly results: readonly Result[];
}

/** docs/explained/dialects.md: for each dialect, the commands that end with an error, and what it says. */
export function page(played: readonly Played[]): string {
  const sections = new Map<string, string[]>();
  for (const { dialect, results } of played) {
    const [point = "", answer = ""] = dialect.split(/: (.*)/s);
    const rows = [...saidBy(results)].map(
      ([message, commands]) => `| ${answer} | ${[...commands].join(", ")} | ${message} |`,
    );
    if (rows.length > 0) sections.set(point, [...(sections.get(point) ?? []), ...rows]);
  }
  const unhindered = played.filter(({ results }) => saidBy(results).size === 0).map(({ dialect }) => dialect);
  return [
    HEADER,
    ...[...sections].map(([point, rows]) => [`## ${TITLES[point] ?? point}`, "", TABLE, ...rows, ""].join("\n")),
    `## What works as usual\n\nEvery command went well where the service differs in one of these:\n\n${unhindered
      .map(dialect => `- ${dialect}`)
      .join("\n")}\n`,
  ].join("\n");
}

const HEADER = `# What each kind of service can't give you

The service's interface leaves some points open. With this page you can look up what the provider can't do at a service that answers one
of them in a certain way. In each case below it says so, sends nothing twice and replaces nothing that is signed.

\`test/dialects\` writes this page: it plays the same commands at every kind of service, and this is how they ended. \`N\` stands for an id.
`;

const TABLE = "| the service's answer | commands that end with an error | the error begins |\n|---|---|---|";

const TITLES: Record<string, string> = {
  create: "What creating a document answers",
  lists: "Lists of documents",
  to_date: "`to_date` of a list by dates",
  GET: "Reading a document",
  signers: "Signers",
  texts: "Texts, as the service keeps them",
  folder_id: "`folder_id` of a new document",
  reminders: "Reminders",
  ids: "Ids",
  timestamps: "Timestamps",
  words: "Words the interface doesn't name",
  form: "Form of a document",
  sha256: "Hash of a file",
  certificates: "Certificates and files",
  limits: "Rate limits",
  clock: "The service's clock",
  late: "Creates that are carried out late",
  errors: "Errors",
};

/** What a reader calls each step of the story. */
const COMMANDS: Record<string, string> = {
  up: "create",
  "up again": "`up` with no change",
  "up with the program as it is": "`up` with no change",
  "second refresh once signed": "refresh",
  "refresh once signed": "refresh",
  "up with a changed PDF": "replace while unsigned",
  "up with a reminder": "remind",
  "up with the same reminder": "remind",
  "up --refresh once signed": "`up --refresh`",
  "up whose answer is lost": "`up` after a lost answer",
  "up after a lost answer": "`up` after a lost answer",
  "second up after a lost answer": "`up` after a lost answer",
  "last up after a lost answer": "`up` after a lost answer",
  "up after the import": "`up` after the import",
};

/** First line of each error, and the commands that ended with it. */
function saidBy(results: readonly Result[]): Map<string, Set<string>> {
  const said = new Map<string, Set<string>>();
  for (const { step, error } of results) {
    if (error === undefined || step === REFUSED_ANYWHERE) continue;
    const message = plain(error);
    said.set(message, (said.get(message) ?? new Set()).add(COMMANDS[step] ?? step));
  }
  return said;
}

/** Without what differs from run to run: ids, addresses, the service's own words, times. */
function plain(error: string): string {
  const [first = ""] = error.split("\n");
  const text = first
    .replace(/https?:\/\/127\.0\.0\.1:\d+/g, "")
    .replace(/ \(\{.*?\}\)(?=[:. ]|$)/g, "")
    .replace(/ \("[^"]*"\)/g, "")
    .replace(/, \d+ (?:s|min|h|days?) ago, /g, " ")
    .replace(/\d+ (?:s|min|h|days?) ago/g, "N s ago")
    .replace(/\b(documents?|folder|with another document,|documents\/)(\s*)\d+/g, "$1$2N")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)/g, "…");
  const [sentence = text] = text.split(/(?<=\w[.:]) (?=[A-Z])/);
  return sentence.replaceAll("|", "\\|").replaceAll("<", "&lt;").trim();
}
