import type { Fields, Ref, ResourceUse, TypedProgram } from "../program.js";
import { between, type Print, printer, quoted, uses } from "./words.js";

export function typescript(program: TypedProgram): string {
  const { resources, call, outputs } = program;
  return [
    ...(uses(program, "file") ? ['import * as pulumi from "@pulumi/pulumi";'] : []),
    'import * as docsign from "pulumi-docsign";',
    ...resources.map(
      ({ name, type, fields, options }) =>
        `\nconst ${name} = new docsign.${type}(${quoted(name)}, ${record(fields, 70)}${optionsText(options)});`,
    ),
    ...(call ? [`\nconst found = docsign.${call.fn}Output(${record(call.fields, 70)});`] : []),
    "",
    ...outputs.map(([name, ref]) => `export const ${name} = ${refText(ref)};`),
  ].join("\n");
}

const record = (fields: Fields, width?: number): string =>
  between(
    "{",
    "}",
    fields.map(([name, node]) => `${name}: ${text(node)}`),
    " ",
    width,
  );

const refText = ({ resource = "found", path }: Ref): string => [resource, ...path].join(".");

const text: Print = printer({
  text: ({ value }) => quoted(value),
  choice: ({ value }) => quoted(value),
  number: ({ value }) => String(value),
  list: ({ items }) => between("[", "]", items.map(text)),
  object: ({ fields }) => record(fields),
  map: ({ fields }) => record(fields),
  file: ({ path }) => `new pulumi.asset.FileAsset(${quoted(path)})`,
  ref: ({ ref }) => refText(ref),
});

function optionsText({ deleteBeforeReplace, timeout }: NonNullable<ResourceUse["options"]> = {}): string {
  const options = [
    ...(deleteBeforeReplace ? ["deleteBeforeReplace: true"] : []),
    ...(timeout ? [`customTimeouts: { create: ${quoted(timeout)}, update: ${quoted(timeout)} }`] : []),
  ];
  return options.length === 0 ? "" : `, { ${options.join(", ")} }`;
}
