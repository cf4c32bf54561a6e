import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { configInputs } from "../../provider/config.js";
import { packageDeclaration } from "../../scripts/docgen/package-schema.js";
import { root } from "../support/engine/found.js";

/** What no example needs to show, each with the reason. */
const WAIVERS: Readonly<Record<string, string>> = {};

const folder = join(root, "examples");
const isProgram = /(^|[\\/])(index\.ts|__main__\.py|main\.go|Pulumi(\.\w+)?\.yaml|[\w-]+\.m?js)$/;
const programs = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter(path => !/node_modules|venv/.test(path) && isProgram.test(path))
  .map(path => readFileSync(join(folder, path), "utf8"))
  // What a comment names isn't shown.
  .map(text => text.replace(/^\s*(#|\/\/).*$/gm, ""))
  .join("\n");

const snake = (name: string): string => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
const last = (token: string): string => token.split(":").at(-1) ?? "";

/** How programs say it, in any language. */
const RESOURCE = (name: string): RegExp => new RegExp(String.raw`docsign(\.|:|:index:)(New)?${name}\b`);
const FUNCTION = (name: string): RegExp =>
  new RegExp(String.raw`docsign(\.|:|:index:)(${name}|${snake(name)}|${capital(name)})((_o|O)utput)?\b`);
/** In a stack's configuration, or among the properties of a provider. */
const SETTING = (name: string): RegExp =>
  new RegExp(String.raw`^\s+docsign:${name}:|type: pulumi:providers:docsign\n(?:.+\n)*?\s+${name}:`, "m");

const things: [kind: string, name: string, how: (name: string) => RegExp][] = [
  ...packageDeclaration.resources.map(({ token }): [string, string, typeof RESOURCE] => [
    "resource",
    last(token),
    RESOURCE,
  ]),
  ...packageDeclaration.functions.map(({ token }): [string, string, typeof FUNCTION] => [
    "function",
    last(token),
    FUNCTION,
  ]),
  ...Object.keys(configInputs.shape).map((name): [string, string, typeof SETTING] => ["setting", name, SETTING]),
];

describe("examples", () => {
  it.each(things)("the %s %s appears in one, or has a waiver with a reason", (_, name, how) => {
    const waiver = WAIVERS[name];
    if (waiver === undefined) expect(programs).toMatch(how(name));
    else {
      expect(waiver.length).toBeGreaterThan(20);
      expect(programs, `the waiver of ${name} isn't needed any more`).not.toMatch(how(name));
    }
  });

  it("no waiver is for something the package doesn't have", () => {
    expect(Object.keys(WAIVERS).filter(name => !things.some(([, each]) => each === name))).toEqual([]);
  });

  const examples = readdirSync(folder, { withFileTypes: true }).filter(entry => entry.isDirectory());
  it.each(examples.map(({ name }) => name))(
    "%s is in the list of examples, and its README says what it shows",
    name => {
      expect(readFileSync(join(folder, "README.md"), "utf8")).toContain(
        `](${name.replace(/^quickstart.*/, "quickstart")})`,
      );
      // The quickstarts are one example in four folders.
      if (!name.startsWith("quickstart"))
        expect(readFileSync(join(folder, name, "README.md"), "utf8")).toMatch(/^Shows /);
    },
  );
});
