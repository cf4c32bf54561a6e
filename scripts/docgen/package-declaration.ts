import { configInputs } from "../../provider/config.js";
import { resourceDeclarations } from "../../provider/declarations.js";
import { functionDeclarations } from "../../provider/functions/index.js";
import { examples } from "./examples/index.js";
import type { PackageDeclaration } from "./package-schema.js";

/** Everything the package declares, except its version. */
export const packageDeclaration: Omit<PackageDeclaration, "version"> = {
  resources: resourceDeclarations,
  functions: functionDeclarations,
  config: configInputs,
  examples,
};
