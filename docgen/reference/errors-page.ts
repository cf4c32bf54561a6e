import type { Section, Trouble } from "./errors/error.js";
import { errors } from "./errors/index.js";
import { cell, code, page, table } from "./markdown.js";

const FILLED_IN = "`…` stands for what is filled in.";

/** One table for each kind of trouble. */
export function errorsPage(): string {
  return page([
    "# Errors and warnings",
    `What a user can meet, what it means and what to do. ${FILLED_IN} A message is a whole: its further lines say what was found and what the ways on are.`,
    errors.map(({ title }) => `[${title}](#${anchorOf(title)})`).join(" · "),
    ...errors.flatMap(({ title, about, rows }) => [
      `## ${title}`,
      ...(about === undefined ? [] : [about]),
      table(rows.map(rowOf)),
    ]),
  ]);
}

const rowOf = ({ id, says, means, todo, warning }: Trouble) => ({
  message: `<a id="${id}"></a>${warning ? "warning: " : ""}${says.map(text => cell(code(text))).join("<br>")}`,
  "what it means": cell(means),
  "what to do": cell(todo),
});

const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\w\s-]/g, "")
    .replaceAll(" ", "-");

/** What a resource or function says, as links into the table. */
export function errorsOf(name: string, kind: "resource" | "function"): string[] {
  const isSaid = ({ at: everywhere }: Section, { at = everywhere }: Trouble) =>
    at.includes(name) || (kind === "function" && at.includes("functions"));
  const rows = errors.flatMap(section => section.rows.filter(row => isSaid(section, row)));
  const lines = rows.map(
    ({ id, says: [first = ""], means, warning }) =>
      `- ${warning ? "warning: " : ""}[${code(first)}](../../errors.md#${id}). ${means}`,
  );
  return [
    `Beside what [settings](../../errors.md#settings) and [the service's answers](../../errors.md#the-services-answers) can be. ${FILLED_IN}`,
    lines.join("\n"),
  ];
}
