import type { Fields, Ref, ResourceUse, TypedProgram } from "../program.js";
import { indented, type Print, pascal, printer, quoted } from "./words.js";

const PACKAGE = "com.pulumidocsign.docsign";

export function java(program: TypedProgram): string {
  const { resources, call, outputs } = program;
  const imports = new Set(["com.pulumi.Pulumi"]);
  const writer = new Writer(imports);
  const steps = [
    ...resources.map(({ name, type, fields, options }) => {
      imports.add(`${PACKAGE}.${type}`);
      const args = `${writer.builder(`${type}Args`, PACKAGE, fields)}${writer.options(options)}`;
      return `var ${name} = new ${type}(${quoted(name)}, ${args});\n`;
    }),
    ...(call
      ? [
          `var found = ${writer.imported(PACKAGE, "DocsignFunctions")}.${call.fn}(${writer.builder(`${pascal(call.fn)}Args`, `${PACKAGE}.inputs`, call.fields)});\n`,
        ]
      : []),
    ...outputs.map(([name, ref]) => `ctx.export(${quoted(name)}, ${refText(ref)});`),
  ];
  return [
    ...[...imports].sort().map(each => `import ${each};`),
    "",
    "public class App {",
    "    public static void main(String[] args) {",
    "        Pulumi.run(ctx -> {",
    indented(steps.join("\n"), "            "),
    "        });",
    "    }",
    "}",
  ].join("\n");
}

function refText({ resource = "found", path }: Ref): string {
  const [first = "", ...rest] = path;
  const reach = (name: string, steps: readonly string[]) => [name, ...steps.map(step => `${step}()`)].join(".");
  if (resource === "found") return `found.applyValue(answer -> ${reach("answer", path)})`;
  return rest.length === 0
    ? reach(resource, path)
    : `${reach(resource, [first])}.applyValue(of -> ${reach("of", rest)})`;
}

class Writer {
  constructor(private readonly imports: Set<string>) {}

  imported(from: string, name: string): string {
    this.imports.add(`${from}.${name}`);
    return name;
  }

  builder(type: string, from: string, fields: Fields): string {
    const sets = fields.map(([name, node]) => `.${name}(${this.text(node)})\n`);
    return `${this.imported(from, type)}.builder()\n${indented(`${sets.join("")}.build()`, "        ")}`;
  }

  readonly text: Print = printer({
    text: ({ value }) => quoted(value),
    choice: ({ type, value }) => `${this.imported(`${PACKAGE}.enums`, type)}.${pascal(value)}`,
    number: ({ value }) => String(value),
    list: ({ of, items }) =>
      of === "text"
        ? items.map(this.text).join(", ")
        : `\n${items.map(each => indented(this.text(each), "        ")).join(",\n")}`,
    object: ({ type, fields }) => this.builder(`${type}Args`, `${PACKAGE}.inputs`, fields),
    map: ({ fields }) => {
      const pairs = fields.map(([name, each]) => `${quoted(name)}, ${this.text(each)}`);
      return `${this.imported("java.util", "Map")}.of(${pairs.join(", ")})`;
    },
    file: ({ path }) => `new ${this.imported("com.pulumi.asset", "FileAsset")}(${quoted(path)})`,
    ref: ({ ref }) => refText(ref),
  });

  options({ deleteBeforeReplace, timeout }: NonNullable<ResourceUse["options"]> = {}): string {
    const span = `${timeout && this.imported("java.time", "Duration")}.ofHours(${Number.parseInt(timeout ?? "", 10)})`;
    const sets = [
      ...(deleteBeforeReplace ? ["deleteBeforeReplace(true)"] : []),
      ...(timeout
        ? [
            `customTimeouts(${this.imported("com.pulumi.resources", "CustomTimeouts")}.builder().create(${span}).update(${span}).build())`,
          ]
        : []),
    ];
    if (sets.length === 0) return "";
    const options = this.imported("com.pulumi.resources", "CustomResourceOptions");
    return `, ${options}.builder()\n${sets.map(set => `        .${set}\n`).join("")}        .build()`;
  }
}
