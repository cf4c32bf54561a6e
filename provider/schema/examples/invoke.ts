import type { Example } from "./example.js";

type Argument = string | number | readonly string[];

export interface Invocation {
  readonly title: string;
  /** The function's own name, such as `getSigners`. */
  readonly fn: string;
  /** Its name in Go, where that isn't the same: `GetDocument` already reads a resource there. */
  readonly goFn?: string;
  readonly args: Readonly<Record<string, Argument>>;
  /** The output the program exports. */
  readonly output: string;
}

/** Asking a function reads the same for all of them: its arguments in, one of its outputs exported. */
export function invoke({ title, fn, goFn = pascal(fn), args, output }: Invocation): Example {
  const entries = Object.entries(args);
  const typed = entries.map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  const named = entries.map(([name, value]) => `${snake(name)}=${JSON.stringify(value)}`);
  const width = Math.max(...entries.map(([name]) => name.length)) + 2;
  const fields = entries.map(([name, value]) => `\t\t\t${`${pascal(name)}:`.padEnd(width)}${goValue(value)},\n`);
  const listed = entries.map(([name, value]) => `        ${name}: ${JSON.stringify(value)}\n`);
  return {
    title,
    programs: {
      typescript: `
import * as docsign from "pulumi-docsign-plugin";

const found = docsign.${fn}Output({ ${typed.join(", ")} });

export const ${output} = found.${output};`,
      python: `
import pulumi
import pulumi_docsign as docsign

found = docsign.${snake(fn)}_output(${named.join(", ")})

pulumi.export("${output}", found.${snake(output)})`,
      go: `
package main

import (
	"github.com/pulumi-docsign/pulumi-docsign/sdk/go/docsign"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		found := docsign.${goFn}Output(ctx, docsign.${goFn}OutputArgs{
${fields.join("")}		})
		ctx.Export("${output}", found.${pascal(output)}())
		return nil
	})
}`,
      yaml: `
name: contracts
runtime: yaml
variables:
  found:
    fn::invoke:
      function: docsign:${fn}
      arguments:
${listed.join("")}outputs:
  ${output}: \${found.${output}}`,
    },
  };
}

const snake = (name: string): string => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
const pascal = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

function goValue(value: Argument): string {
  if (typeof value === "number") return `pulumi.Int(${value})`;
  if (typeof value === "string") return `pulumi.String(${JSON.stringify(value)})`;
  return `pulumi.StringArray{${value.map(goValue).join(", ")}}`;
}
