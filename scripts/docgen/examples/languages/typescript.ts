import type { Fields, Node, Ref, ResourceUse, TypedProgram } from "../program.js";
import { between, quoted, uses } from "./words.js";

export function typescript(program: TypedProgram): string {
  const { resources, call, outputs } = program;
  return [
    ...(uses(program, "file") ? ['import * as pulumi from "@pulumi/pulumi";'] : []),
    'import * as docsign from "pulumi-docsign";',
    ...resources.map(
      ({ name, type, fields, options }) =>
        `\nconst ${name} = new docsign.${type}(${quoted(name)}, ${record(fields)}${optionsText(options)});`,
    ),
    ...(call ? [`\nconst found = docsign.${call.fn}Output(${record(call.fields)});`] : []),
    "",
    ...outputs.map(([name, ref]) => `export const ${name} = ${refText(ref)};`),
  ].join("\n");
}

const record = (fields: Fields): string =>
  between(
    ["{", "}"],
    fields.map(([name, node]) => `${name}: ${text(node)}`),
    { pad: " ", width: 70 },
  );

const refText = ({ resource = "found", path }: Ref): string => [resource, ...path].join(".");

function text(node: Node): string {
  switch (node.kind) {
    case "text":
    case "choice":
      return quoted(node.value);
    case "number":
      return String(node.value);
    case "list":
      return between(["[", "]"], node.items.map(text));
    case "object":
    case "map":
      return between(
        ["{", "}"],
        node.fields.map(([name, each]) => `${name}: ${text(each)}`),
        { pad: " " },
      );
    case "file":
      return `new pulumi.asset.FileAsset(${quoted(node.path)})`;
    case "ref":
      return refText(node.ref);
    case "spoken":
      return node.spoken.words.typescript;
  }
}

function optionsText({ deleteBeforeReplace, timeout }: NonNullable<ResourceUse["options"]> = {}): string {
  const options = [
    ...(deleteBeforeReplace ? ["deleteBeforeReplace: true"] : []),
    ...(timeout ? [`customTimeouts: { create: ${quoted(timeout)}, update: ${quoted(timeout)} }`] : []),
  ];
  return options.length === 0 ? "" : `, { ${options.join(", ")} }`;
}
