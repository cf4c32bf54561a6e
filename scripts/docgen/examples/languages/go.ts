import type { Fields, Node, Ref, ResourceUse, TypedProgram } from "../program.js";
import { importsOf, indented, pascal, quoted } from "./words.js";

const SDK = "github.com/pulumi-docsign/pulumi-docsign/sdk/go/docsign";
/** `GetDocument` already reads a resource there. */
const FUNCTIONS: Readonly<Record<string, string>> = { getDocument: "LookupDocument" };

export function go(program: TypedProgram): string {
  const { resources, call, outputs } = program;
  const own = importsOf(program, "go");
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
    ...(own.length > 0 ? [...own.map(each => `\t${quoted(each)}`), ""] : []),
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
function struct(fields: Fields, key = (name: string) => `${pascal(name)}:`): string {
  const lines = fields.map(([name, node]) => [key(name), text(node)] as const);
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

function text(node: Node): string {
  switch (node.kind) {
    case "text":
      return `pulumi.String(${quoted(node.value)})`;
    case "choice":
      return `docsign.${node.type}${pascal(node.value)}`;
    case "number":
      return `pulumi.Int(${node.value})`;
    case "list":
      return node.of === "text"
        ? `pulumi.StringArray{${node.items.map(text).join(", ")}}`
        : `docsign.${node.of.type}Array{\n${node.items.map(each => `${indented(text(each), "\t")},\n`).join("")}}`;
    case "object":
      return `&docsign.${node.type}Args${struct(node.fields)}`;
    case "map":
      return `pulumi.${node.of === "text" ? "StringMap" : "Map"}{${node.fields.map(([name, each]) => `${quoted(name)}: ${text(each)}`).join(", ")}}`;
    case "file":
      return `pulumi.NewFileAsset(${quoted(node.path)})`;
    case "ref":
      return refText(node.ref);
    case "spoken":
      return node.spoken.words.go;
  }
}

function optionsText({ deleteBeforeReplace, timeout }: NonNullable<ResourceUse["options"]> = {}): string {
  const limits = timeout ? `{Create: ${quoted(timeout)}, Update: ${quoted(timeout)}}` : "";
  return [
    ...(deleteBeforeReplace ? [", pulumi.DeleteBeforeReplace(true)"] : []),
    ...(timeout ? [`, pulumi.Timeouts(&pulumi.CustomTimeouts${limits})`] : []),
  ].join("");
}
