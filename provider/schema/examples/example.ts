/** A program in each of the languages the Registry lets a reader choose from. */
export interface Programs {
  readonly typescript: string;
  readonly python: string;
  readonly go: string;
  readonly yaml: string;
}

export interface Example {
  readonly title: string;
  readonly programs: Programs;
  /** How what exists already is brought into state. */
  readonly importing?: string;
}

/** A description with its programs, in the marks by which code generators keep only their own language's. */
export function documentation(description: string, examples: readonly Example[]): string {
  if (examples.length === 0) return description;
  const importing = examples.flatMap(example => (example.importing === undefined ? [] : [example.importing]));
  return [
    description,
    "{{% examples %}}\n## Example Usage",
    ...examples.map(
      example => `{{% example %}}\n### ${example.title}\n\n${fenced(example.programs)}\n{{% /example %}}`,
    ),
    "{{% /examples %}}",
    ...importing.map(text => `## Import\n\n${text}`),
  ].join("\n\n");
}

const fenced = (programs: Programs): string =>
  Object.entries(programs)
    .map(([language, program]) => `\`\`\`${language}\n${program.trim()}\n\`\`\``)
    .join("\n");
