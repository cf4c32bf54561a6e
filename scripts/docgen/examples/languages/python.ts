import type { Fields, Ref, ResourceUse, TypedProgram } from "../program.js";
import { between, type Print, printer, quoted, snake } from "./words.js";

export function python(program: TypedProgram): string {
  const { resources, call, outputs } = program;
  return [
    "import pulumi",
    "import pulumi_docsign as docsign",
    ...resources.map(({ name, type, fields, options }) => {
      const args = [quoted(name), ...named(fields), ...optionsText(options)];
      return `\n${snake(name)} = docsign.${type}${between("(", ")", args)}`;
    }),
    ...(call ? [`\nfound = docsign.${snake(call.fn)}_output${between("(", ")", named(call.fields))}`] : []),
    "",
    ...outputs.map(([name, ref]) => `pulumi.export(${quoted(name)}, ${refText(ref)})`),
  ].join("\n");
}

const named = (fields: Fields): string[] => fields.map(([name, node]) => `${snake(name)}=${text(node)}`);

const refText = ({ resource = "found", path }: Ref): string => [resource, ...path].map(snake).join(".");

const text: Print = printer({
  text: ({ value }) => quoted(value),
  choice: ({ value }) => quoted(value),
  number: ({ value }) => String(value),
  list: ({ items }) => between("[", "]", items.map(text)),
  object: ({ fields }) => dictionary(fields.map(([name, each]) => [snake(name), each])),
  map: ({ fields }) => dictionary(fields),
  file: ({ path }) => `pulumi.FileAsset(${quoted(path)})`,
  ref: ({ ref }) => refText(ref),
});

const dictionary = (fields: Fields): string =>
  between(
    "{",
    "}",
    fields.map(([name, each]) => `${quoted(name)}: ${text(each)}`),
  );

function optionsText({ deleteBeforeReplace, timeout }: NonNullable<ResourceUse["options"]> = {}): string[] {
  const options = [
    ...(deleteBeforeReplace ? ["delete_before_replace=True"] : []),
    ...(timeout ? [`custom_timeouts=pulumi.CustomTimeouts(create=${quoted(timeout)}, update=${quoted(timeout)})`] : []),
  ];
  return options.length === 0 ? [] : [`opts=${between("pulumi.ResourceOptions(", ")", options)}`];
}
