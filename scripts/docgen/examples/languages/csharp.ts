import type { Fields, Node, Ref, ResourceUse, TypedProgram } from "../program.js";
import { importsOf, indented, pascal, quoted } from "./words.js";

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
    ...importsOf(program, "csharp").map(each => `using ${each};`),
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

function text(node: Node): string {
  switch (node.kind) {
    case "text":
      return quoted(node.value);
    case "choice":
      return `Docsign.${node.type}.${pascal(node.value)}`;
    case "number":
      return String(node.value);
    case "list":
      return node.of === "text"
        ? `new[] { ${node.items.map(text).join(", ")} }`
        : `new[]\n{\n${node.items.map(each => `${indented(text(each), "    ")},\n`).join("")}}`;
    case "object":
      return `new Docsign.Inputs.${node.type}Args\n${block(node.fields)}`;
    case "map":
      return `new Dictionary<string, object> { ${node.fields
        .map(([name, each]) => `[${quoted(name)}] = ${text(each)}`)
        .join(", ")} }`;
    case "file":
      return `new FileAsset(${quoted(node.path)})`;
    case "ref":
      return refText(node.ref);
    case "spoken":
      return node.spoken.words.csharp;
  }
}

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
