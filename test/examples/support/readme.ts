import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../support/engine/found.js";

export const LANGUAGES = ["typescript", "yaml", "python"] as const;
const ALL = [...LANGUAGES, "go"] as const;
export type ExampleLanguage = (typeof ALL)[number];

/** Before anything of an example is run: what brings the package and the service, which tests have already. */
const ONCE =
  /^(npm install && npm run build( -- --types)?( && node scripts\/sdks\.mjs)?|bin\/docsign sandbox --api-key my-key --control)$/;

/**
 * The commands of an example's README, in order, those that bring the package and the service aside. Of blocks that begin
 * by entering a language's folder, only that language's.
 */
export function commandsOf(example: string, language?: ExampleLanguage): string[] {
  const text = readFileSync(join(root, "examples", example, "README.md"), "utf8");
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, body = ""]) => body.trim().split("\n"));
  const others = ALL.filter(each => each !== language).map(each => `cd examples/${example}/${each}`);
  return blocks
    .filter(([first = ""]) => !others.some(other => first === other || first.startsWith(`${other}/`)))
    .flat()
    .filter(line => !ONCE.test(line));
}
