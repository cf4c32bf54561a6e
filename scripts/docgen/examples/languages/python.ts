import type { Fields, Node, Ref, ResourceUse, TypedProgram } from "../program.js";
import { between, importsOf, quoted, snake } from "./words.js";

export function python(program: TypedProgram): string {
  const { resources, call, outputs } = program;
  return [
    ...importsOf(program, "python"),
    "import pulumi",
    "import pulumi_docsign as docsign",
    ...resources.map(({ name, type, fields, options }) => {
      const args = [quoted(name), ...named(fields), ...optionsText(options)];
      return `\n${snake(name)} = docsign.${type}${between(["(", ")"], args)}`;
    }),
    ...(call ? [`\nfound = docsign.${snake(call.fn)}_output${between(["(", ")"], named(call.fields))}`] : []),
    "",
    ...outputs.map(([name, ref]) => `pulumi.export(${quoted(name)}, ${refText(ref)})`),
  ].join("\n");
}

const named = (fields: Fields): string[] => fields.map(([name, node]) => `${snake(name)}=${text(node)}`);

const refText = ({ resource = "found", path }: Ref): string => [resource, ...path].map(snake).join(".");

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
      return between(
        ["{", "}"],
        node.fields.map(([name, each]) => `${quoted(snake(name))}: ${text(each)}`),
      );
    case "map":
      return between(
        ["{", "}"],
        node.fields.map(([name, each]) => `${quoted(name)}: ${text(each)}`),
      );
    case "file":
      return `pulumi.FileAsset(${quoted(node.path)})`;
    case "ref":
      return refText(node.ref);
    case "spoken":
      return node.spoken.words.python;
  }
}

function optionsText({ deleteBeforeReplace, timeout }: NonNullable<ResourceUse["options"]> = {}): string[] {
  const options = [
    ...(deleteBeforeReplace ? ["delete_before_replace=True"] : []),
    ...(timeout ? [`custom_timeouts=pulumi.CustomTimeouts(create=${quoted(timeout)}, update=${quoted(timeout)})`] : []),
  ];
  return options.length === 0 ? [] : [`opts=${between(["pulumi.ResourceOptions(", ")"], options)}`];
}
