import type { InternalInputs } from "./internal-inputs.js";
import { urnOf } from "./internal-inputs.js";

const IMPORT_LINE = /pulumi import docsign:index:\w+ (?:'[^']*'|\S+) (?:'([^']*)'|(\S+))/g;

/** The rooms below advise what works at the plugin. Here the engine knows another URN, and `import` is a resource option. */
export function inWordsOfThisDoor(text: string, internal: InternalInputs): string {
  return text
    .replace(IMPORT_LINE, (_, inQuotes?: string, bare?: string) => {
      return `set the resource option import: "${inQuotes ?? bare ?? ""}" and run pulumi up`;
    })
    .replaceAll(internal.key, urnOf(internal));
}
