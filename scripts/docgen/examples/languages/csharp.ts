import type { Fields, Ref, ResourceUse, TypedProgram } from "../program.js";
import { indented, type Print, pascal, printer, quoted } from "./words.js";

export function csharp(program: TypedProgram): string {
  const { resources, call, outputs } = program;
  const steps = [
    ...resources.map(
      ({ name, type, fields, options }) =>
        `var ${name} = new Docsign.${type}(${quoted(name)}, new()\n${block(fields)}${optionsText(options)});\n`,
    ),
    ...(call ? [`var found = Docsign.${pascal(call.fn)}.Invoke(new()\n${block(call.fields)});\n`] : []),
    `return new Dictionary<string, object?>\n{\n${outputs
      .map(([name, ref]) => `    [${quoted(name)}] = ${refText(ref)},\n`)
      .join("")}};`,
  ];
  return [
    "using System.Collections.Generic;",
    "using Pulumi;",
    "using Docsign = PulumiDocsign.Docsign;\n",
    "return await Deployment.RunAsync(() =>",
    "{",
    indented(steps.join("\n"), "    "),
    "});",
  ].join("\n");
}

const block = (fields: Fields): string =>
  `{\n${fields.map(([name, node]) => `${indented(`${pascal(name)} = ${text(node)}`, "    ")},\n`).join("")}}`;

function refText({ resource = "found", path }: Ref): string {
  const [first = "", ...rest] = path.map(pascal);
  if (resource === "found") return `found.Apply(answer => answer.${[first, ...rest].join(".")})`;
  return rest.length === 0 ? `${resource}.${first}` : `${resource}.${first}.Apply(of => of.${rest.join(".")})`;
}

const text: Print = printer({
  text: ({ value }) => quoted(value),
  choice: ({ type, value }) => `Docsign.${type}.${pascal(value)}`,
  number: ({ value }) => String(value),
  list: ({ of, items }) =>
    of === "text"
      ? `new[] { ${items.map(text).join(", ")} }`
      : `new[]\n{\n${items.map(each => `${indented(text(each), "    ")},\n`).join("")}}`,
  object: ({ type, fields }) => `new Docsign.Inputs.${type}Args\n${block(fields)}`,
  map: ({ fields }) =>
    `new Dictionary<string, object> { ${fields.map(([name, each]) => `[${quoted(name)}] = ${text(each)}`).join(", ")} }`,
  file: ({ path }) => `new FileAsset(${quoted(path)})`,
  ref: ({ ref }) => refText(ref),
});

/** Hours are all that examples wait. */
const span = (hours: string): string => `TimeSpan.FromHours(${Number.parseInt(hours, 10)})`;

function optionsText({ deleteBeforeReplace, timeout }: NonNullable<ResourceUse["options"]> = {}): string {
  const options = [
    ...(deleteBeforeReplace ? ["DeleteBeforeReplace = true"] : []),
    ...(timeout
      ? [`CustomTimeouts = new CustomTimeouts { Create = System.${span(timeout)}, Update = System.${span(timeout)} }`]
      : []),
  ];
  return options.length === 0
    ? ""
    : `, new CustomResourceOptions\n{\n${options.map(each => `    ${each},\n`).join("")}}`;
}
