import type { Fields, Node, Ref, ResourceUse, TypedProgram } from "../program.js";
import { indented, type Print, printer } from "./words.js";

export function yaml({ resources, call, outputs }: TypedProgram): string {
  const blocks = [
    "name: contracts",
    "runtime: yaml",
    ...(resources.length > 0 ? ["resources:"] : []),
    ...resources.map(({ name, type, fields, options }) =>
      indented(
        [
          `${name}:`,
          `  type: docsign:${type}`,
          "  properties:",
          indented(mapping(fields), "    "),
          ...optionsLines(options),
        ].join("\n"),
        "  ",
      ),
    ),
    ...(call
      ? [
          "variables:",
          "  found:",
          "    fn::invoke:",
          `      function: docsign:${call.fn}`,
          "      arguments:",
          indented(mapping(call.fields), "        "),
        ]
      : []),
    "outputs:",
    ...outputs.map(([name, ref]) => `  ${name}: ${refText(ref)}`),
  ];
  return blocks.join("\n");
}

const mapping = (fields: Fields): string => fields.map(([name, node]) => `${name}:${value(node)}`).join("\n");

const refText = ({ resource = "found", path }: Ref): string => `\${${[resource, ...path].join(".")}}`;

/** What follows a colon: a word on its line, or lines below it. */
const value: Print = printer({
  text: node => ` ${scalar(node.value)}`,
  choice: node => ` ${scalar(node.value)}`,
  number: node => ` ${node.value}`,
  list: ({ of, items }) =>
    of === "text"
      ? ` [${items.map(each => value(each).trim()).join(", ")}]`
      : `\n${items.map(each => `  - ${item(each)}`).join("\n")}`,
  object: ({ fields }) => `\n${indented(mapping(fields), "  ")}`,
  map: ({ fields }) => `\n${indented(mapping(fields), "  ")}`,
  file: ({ path }) => `\n  fn::fileAsset: ${path}`,
  ref: ({ ref }) => ` ${refText(ref)}`,
});

const item = (node: Node): string =>
  node.kind === "object" ? indented(mapping(node.fields), "    ").trim() : value(node).trim();

/** Digits and dates would be read as something else than text. */
const scalar = (text: string): string => (/^[\d.-]+$|^\{/.test(text) ? JSON.stringify(text) : text);

function optionsLines({ deleteBeforeReplace, timeout }: NonNullable<ResourceUse["options"]> = {}): string[] {
  return [
    ...(deleteBeforeReplace || timeout ? ["  options:"] : []),
    ...(deleteBeforeReplace ? ["    deleteBeforeReplace: true"] : []),
    ...(timeout ? ["    customTimeouts:", `      create: ${timeout}`, `      update: ${timeout}`] : []),
  ];
}
