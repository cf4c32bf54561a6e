import type { Fields, Ref, ResourceUse, TypedProgram } from "../program.js";
import { indented, type Print, pascal, printer, quoted } from "./words.js";

const SDK = "github.com/pulumi-docsign/pulumi-docsign/sdk/go/docsign";
/** `GetDocument` already reads a resource there. */
const FUNCTIONS: Readonly<Record<string, string>> = { getDocument: "LookupDocument" };

export function go(program: TypedProgram): string {
  const { resources, call, outputs } = program;
  const read = new Set(outputs.map(([, { resource }]) => resource));
  for (const { fields } of resources)
    for (const [, node] of fields) if (node.kind === "ref") read.add(node.ref.resource);
  const steps = [
    ...resources.map(({ name, type, fields, options }) => {
      const args = `&docsign.${type}Args${struct(fields)}${optionsText(options)}`;
      const made = `docsign.New${type}(ctx, ${quoted(name)}, ${args})`;
      return `${read.has(name) ? name : "_"}, err := ${made}\nif err != nil {\n\treturn err\n}`;
    }),
    ...(call ? [invocation(call.fn, call.fields)] : []),
    ...outputs.map(([name, ref]) => `ctx.Export(${quoted(name)}, ${refText(ref)})`),
    "return nil",
  ];
  return [
    "package main\n",
    "import (",
    `\t${quoted(SDK)}`,
    '\t"github.com/pulumi/pulumi/sdk/v3/go/pulumi"',
    ")\n",
    "func main() {",
    "\tpulumi.Run(func(ctx *pulumi.Context) error {",
    indented(steps.join("\n"), "\t\t"),
    "\t})",
    "}",
  ].join("\n");
}

function invocation(fn: string, fields: Fields): string {
  const name = FUNCTIONS[fn] ?? pascal(fn);
  return `found := docsign.${name}Output(ctx, docsign.${name}OutputArgs${struct(fields)})`;
}

/** As gofmt lays it out: the values of neighbouring lines stand below each other. */
function struct(fields: Fields): string {
  const lines = fields.map(([name, node]) => [`${pascal(name)}:`, text(node)] as const);
  const out: string[] = [];
  for (let at = 0; at < lines.length; ) {
    let end = at;
    while (end < lines.length && !lines[end]?.[1].includes("\n")) end++;
    const run = lines.slice(at, Math.max(end, at + 1));
    const width = run.length > 1 ? Math.max(...run.map(([name]) => name.length)) : 0;
    out.push(...run.map(([name, value]) => `${name.padEnd(width)} ${value},`));
    at += run.length;
  }
  return `{\n${indented(out.join("\n"), "\t")}\n}`;
}

function refText({ resource = "found", path }: Ref): string {
  // The first step is a field of a resource; whatever is inside an output is reached by a method.
  const [first = "", ...rest] = path.map(pascal);
  return [resource, resource === "found" ? `${first}()` : first, ...rest.map(step => `${step}()`)].join(".");
}

const text: Print = printer({
  text: ({ value }) => `pulumi.String(${quoted(value)})`,
  choice: ({ type, value }) => `docsign.${type}${pascal(value)}`,
  number: ({ value }) => `pulumi.Int(${value})`,
  list: ({ of, items }) =>
    of === "text"
      ? `pulumi.StringArray{${items.map(text).join(", ")}}`
      : `docsign.${of.type}Array{\n${items.map(each => `${indented(text(each), "\t")},\n`).join("")}}`,
  object: ({ type, fields }) => `&docsign.${type}Args${struct(fields)}`,
  map: ({ of, fields }) =>
    `pulumi.${of === "text" ? "StringMap" : "Map"}{${fields.map(([name, each]) => `${quoted(name)}: ${text(each)}`).join(", ")}}`,
  file: ({ path }) => `pulumi.NewFileAsset(${quoted(path)})`,
  ref: ({ ref }) => refText(ref),
});

function optionsText({ deleteBeforeReplace, timeout }: NonNullable<ResourceUse["options"]> = {}): string {
  const limits = timeout ? `{Create: ${quoted(timeout)}, Update: ${quoted(timeout)}}` : "";
  return [
    ...(deleteBeforeReplace ? [", pulumi.DeleteBeforeReplace(true)"] : []),
    ...(timeout ? [`, pulumi.Timeouts(&pulumi.CustomTimeouts${limits})`] : []),
  ].join("");
}
