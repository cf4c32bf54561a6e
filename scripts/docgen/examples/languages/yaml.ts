import type { Fields, Node, Ref, ResourceUse, TypedProgram } from "../program.js";
import { indented } from "./words.js";

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
function value(node: Node): string {
  switch (node.kind) {
    case "text":
    case "choice":
      return ` ${scalar(node.value)}`;
    case "number":
      return ` ${node.value}`;
    case "list":
      return node.of === "text"
        ? ` [${node.items.map(each => value(each).trim()).join(", ")}]`
        : `\n${node.items.map(each => `  - ${item(each)}`).join("\n")}`;
    case "object":
    case "map":
      return `\n${indented(mapping(node.fields), "  ")}`;
    case "file":
      return `\n  fn::fileAsset: ${node.path}`;
    case "ref":
      return ` ${refText(node.ref)}`;
    case "spoken":
      return ` ${node.spoken.words.yaml}`;
  }
}

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
