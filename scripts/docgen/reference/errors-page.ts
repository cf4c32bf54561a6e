import { CAUSES } from "../../../provider/resources/refusal.js";
import type { ErrorRow, Section } from "./errors.js";
import { errors } from "./errors.js";
import { cell, code, page, table } from "./markdown.js";

const FILLED_IN = "`…` stands for what is filled in.";
const CAUSES_TITLE = "Errors with a name";
const causes = Object.entries(CAUSES);

/** A heading for each named cause, and a table for each other kind of message. */
export function errorsPage(): string {
  return page([
    "# Errors and warnings",
    "Look up what a message means and what to do. A message that says both itself isn't here: do what it says. One whose first line ends in a name, such as `[docsign/duplicate]`, has a heading of that name; the lines below say what was found, and print the commands.",
    [CAUSES_TITLE, ...errors.map(({ title }) => title)].map(title => `[${title}](#${anchorOf(title)})`).join(" · "),
    `## ${CAUSES_TITLE}`,
    ...causes.flatMap(([name, { means, todo }]) => [`### docsign/${name}`, means, `**What to do:** ${todo}`]),
    "## Other messages",
    FILLED_IN,
    ...errors.flatMap(({ title, about, rows }) => [
      `## ${title}`,
      ...(about === undefined ? [] : [about]),
      table(rows.map(rowOf)),
    ]),
  ]);
}

const rowOf = ({ id, says, means, todo, warning }: ErrorRow) => ({
  message: `<a id="${id}"></a>${warning ? "warning: " : ""}${says.map(text => cell(code(text))).join("<br>")}`,
  "what it means": cell(means),
  "what to do": cell(todo),
});

const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\w\s-]/g, "")
    .replaceAll(" ", "-");

/** The errors of a resource or function, as links to the page. */
export function errorsOf(name: string, kind: "resource" | "function"): string[] {
  const named = causes
    .filter(([, { at }]) => kind === "resource" && (at as readonly string[]).includes(name))
    .map(([cause, { means }]) => `- [\`docsign/${cause}\`](../../errors.md#${anchorOf(`docsign/${cause}`)}). ${means}`);
  const isOf = ({ at: everywhere }: Section, { at = everywhere }: ErrorRow) =>
    at.includes(name) || (kind === "function" && at.includes("functions"));
  const rows = errors.flatMap(section => section.rows.filter(row => isOf(section, row)));
  const others = rows.map(
    ({ id, says: [first = ""], means, warning }) =>
      `- ${warning ? "warning: " : ""}[${code(first)}](../../errors.md#${id}). ${means}`,
  );
  return [
    `Besides the errors of [settings](../../errors.md#settings) and of [the service's answers](../../errors.md#the-services-answers). ${FILLED_IN}`,
    [...named, ...others].join("\n"),
  ];
}
