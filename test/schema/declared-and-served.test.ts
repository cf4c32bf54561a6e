import { expect, it } from "vitest";
import { resourceDeclarations } from "../../provider/declarations.js";
import { functionDeclarations, functions } from "../../provider/functions/index.js";
import { resources } from "../../provider/registry.js";
import { startMachine } from "../support/machine.js";

it("what the package declares is what the plugin serves", async () => {
  using machine = startMachine();
  await using run = machine.run({});
  const { context } = run.runtime;
  const tokens = (all: readonly { readonly token: string }[]) => all.map(({ token }) => token).sort();
  expect(tokens(resources(context))).toEqual(tokens(resourceDeclarations));
  expect(tokens(functions(context))).toEqual(tokens(functionDeclarations));
});
