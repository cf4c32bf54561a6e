import type { FunctionDeclaration, ResourceDeclaration } from "../../../kit/property.js";
import { TypeSpecs } from "../../../kit/schema.js";
import type { Vocabulary } from "./program.js";

/** What an example may say: every resource and function of the package by its name, and its types. */
export function vocabularyOf(
  packageName: string,
  declarations: readonly (ResourceDeclaration | FunctionDeclaration)[],
): Vocabulary {
  const types = new TypeSpecs(packageName);
  const members = Object.fromEntries(
    declarations.map(({ token, inputs, outputs }) => [
      token.split(":").at(-1) ?? token,
      { inputs: types.inputs(inputs), outputs: types.properties(outputs) },
    ]),
  );
  return { members, types: types.named };
}
