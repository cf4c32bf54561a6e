import { csharp } from "./languages/csharp.js";
import { go } from "./languages/go.js";
import { java } from "./languages/java.js";
import { python } from "./languages/python.js";
import { typescript } from "./languages/typescript.js";
import { yaml } from "./languages/yaml.js";
import { LANGUAGES, type Language, type Program, type TypedProgram, typed, type Vocabulary } from "./program.js";

export interface Example {
  readonly title: string;
  readonly program: Program;
  /** How what exists already is brought into state. */
  readonly importing?: string;
}

const WRITERS: Readonly<Record<Language, (program: TypedProgram) => string>> = {
  typescript,
  python,
  go,
  csharp,
  java,
  yaml,
};

/** A program in each of the languages the Registry lets a reader choose from. */
export function inEveryLanguage(program: Program, vocabulary: Vocabulary): Record<Language, string> {
  const known = typed(program, vocabulary);
  return Object.fromEntries(LANGUAGES.map(language => [language, WRITERS[language](known)])) as Record<
    Language,
    string
  >;
}

/** A description with its programs, in the marks by which code generators keep only their own language's. */
export function documentation(description: string, examples: readonly Example[], vocabulary: Vocabulary): string {
  if (examples.length === 0) return description;
  const importing = examples.flatMap(example => (example.importing === undefined ? [] : [example.importing]));
  return [
    description,
    "{{% examples %}}\n## Example Usage",
    ...examples.map(
      ({ title, program }) =>
        `{{% example %}}\n### ${title}\n\n${fenced(inEveryLanguage(program, vocabulary))}\n{{% /example %}}`,
    ),
    "{{% /examples %}}",
    ...importing.map(text => `## Import\n\n${text}`),
  ].join("\n\n");
}

const fenced = (programs: Readonly<Record<string, string>>): string =>
  Object.entries(programs)
    .map(([language, program]) => `\`\`\`${language}\n${program}\n\`\`\``)
    .join("\n");
