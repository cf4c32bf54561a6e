import type { Language } from "../examples/program.js";

export const NOTICE = "<!-- Written by `node scripts/schema.mjs` off the declarations: change those. -->";

export const page = (blocks: readonly string[]): string => `${[NOTICE, ...blocks].join("\n\n")}\n`;
export const nameOf = (token: string): string => token.split(":").at(-1) ?? token;
export const kebab = (name: string): string => name.replace(/(?<=.)[A-Z]/g, letter => `-${letter}`).toLowerCase();
export const words = (name: string): string => kebab(name).replaceAll("-", " ");
export const code = (text: string): string => (text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``);
export const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");
export const link = (name: string): string => `[${name}](#${name.toLowerCase()})`;
export const firstSentence = (text: string): string => /^.*?\.(?=\s|$)/s.exec(text)?.[0].replaceAll("\n", " ") ?? text;

/** A table without the columns that are empty in every row. */
export function table(rows: readonly Readonly<Record<string, string>>[]): string {
  const columns = Object.keys(rows[0] ?? {}).filter(column => rows.some(row => row[column] !== ""));
  const line = (cells: readonly string[]) => `|${cells.map(text => (text === "" ? " " : ` ${text} `)).join("|")}|`;
  return [
    line(columns),
    `|${columns.map(() => "---|").join("")}`,
    ...rows.map(row => line(columns.map(column => row[column] ?? ""))),
  ].join("\n");
}

const TITLES: Readonly<Record<Language, string>> = {
  typescript: "TypeScript",
  python: "Python",
  go: "Go",
  csharp: "C#",
  java: "Java",
  yaml: "YAML",
};

/** Programs as plain Markdown shows them: the YAML one, and a line to unfold for each other language. */
export function folded({ yaml, ...others }: Readonly<Record<Language, string>>): string {
  const fence = (language: string, program: string): string => `\`\`\`${language}\n${program}\n\`\`\``;
  const details = Object.entries(others).map(
    ([language, program]) =>
      `<details><summary>${TITLES[language as Language]}</summary>\n\n${fence(language, program)}\n\n</details>`,
  );
  return [fence("yaml", yaml), ...details].join("\n\n");
}

/** Programs side by side, as the Registry lets a reader choose. */
export function chooser(programs: Readonly<Record<Language, string>>): string {
  const choices = Object.entries(programs).map(
    ([language, program]) =>
      `{{% choosable language ${language} %}}\n\n\`\`\`${language}\n${program}\n\`\`\`\n\n{{% /choosable %}}`,
  );
  return [`{{< chooser language "${Object.keys(programs).join(",")}" >}}`, ...choices, "{{< /chooser >}}"].join("\n");
}
