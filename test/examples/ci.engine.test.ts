import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { configInputs } from "../../provider/config.js";
import { propertyMetadata } from "../../provider/schema/property.js";
import { run } from "../support/engine/child.js";
import { environment, missingEngine, pulumi, root } from "../support/engine/found.js";
import { Desk } from "./support/desk.js";

// Pulumi's SDK brings a parser.
const { load } = createRequire(createRequire(import.meta.url).resolve("@pulumi/pulumi/package.json"))("js-yaml") as {
  load(text: string): unknown;
};

const RECIPES = ["github-actions.yml", "gitlab-ci.yml"];
const text = (name: string): string => readFileSync(join(root, "docs", "ci", name), "utf8");

/** What a recipe tells a shell to do, wherever it stands. */
function commandsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(commandsIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    ["run", "script", "before_script", "after_script"].includes(key) ? [inner].flat().map(String) : commandsIn(inner),
  );
}

const ours = (name: string): string[] =>
  commandsIn(load(text(name))).flatMap(lines => lines.match(/pulumi (?:preview|up|refresh)\b[^\n]*"\$STACK"/g) ?? []);
const [PREVIEW, COMMENT, UP, NIGHTLY, WEEKLY] = [
  'pulumi preview --non-interactive --stack "$STACK"',
  'pulumi preview --json --show-sames --non-interactive --stack "$STACK"',
  'pulumi up --yes --non-interactive --stack "$STACK"',
  'pulumi refresh --run-program --yes --non-interactive --stack "$STACK"',
  'pulumi up --refresh --yes --non-interactive --stack "$STACK"',
];

/** In the page, commands stand in backticks. */
const inPage = [...text("../ci.md").matchAll(/`(pulumi [a-z][^`]*)`/g)].map(([, command = ""]) => command);
const commands = [...new Set([...RECIPES.flatMap(ours), ...inPage])];

describe("the CI recipes", () => {
  it.each(RECIPES)("%s previews, comments, brings up, refreshes every night, and brings up once a week", name => {
    expect(ours(name)).toEqual([PREVIEW, COMMENT, UP, NIGHTLY, WEEKLY]);
  });

  it("name settings that there are", () => {
    const known = Object.values(configInputs.shape).flatMap(input => propertyMetadata.get(input)?.env ?? []);
    const variables = new Set([...RECIPES, "../ci.md"].flatMap(name => text(name).match(/DOCSIGN_\w+/g) ?? []));
    expect([...variables].filter(name => ![...known, "DOCSIGN_JOURNAL"].includes(name))).toEqual([]);
    const keys = [...text("../ci.md").matchAll(/docsign:(\w+)/g)].map(([, key = ""]) => key);
    expect(keys.filter(key => !(key in configInputs.shape))).toEqual([]);
  });
});

describe.skipIf(missingEngine)("the CI recipes' commands", () => {
  it.each(commands)("%s is something Pulumi does", async command => {
    const words = command
      .replace(/"[^"]*"/g, "")
      .split(" ")
      .slice(1);
    const flags = words.filter(word => word.startsWith("--"));
    const subcommand = words.slice(0, words[0] === "config" ? 2 : 1);
    const { code, stdout } = await run(pulumi(), [...subcommand, "--help"], { cwd: root, env: environment() });
    expect(code).toBe(0);
    expect(stdout).toContain(`pulumi ${subcommand.join(" ")}`);
    expect(flags.filter(flag => !new RegExp(`${flag}\\b`).test(stdout))).toEqual([]);
  });

  it("do what the page says: the nightly run moves the outputs as people sign", async () => {
    await using desk = await Desk.open({ example: "certificates", language: "yaml", env: { STACK: "production" } });
    await desk.also(". examples/offline.sh");
    await desk.also('cd examples/certificates/yaml/sign && pulumi stack init "$STACK"');
    expect(await desk.also(PREVIEW)).toContain("will mail ana@example.com, bob@example.org");
    expect(desk.mailed()).toEqual([]);
    await desk.also(UP);
    expect(desk.mailed()).toEqual(["ana@example.com", "bob@example.org"]);

    desk.sandbox.sign(5001, "ana@example.com");
    await desk.also(NIGHTLY);
    expect((await desk.outputs())["waitingFor"]).toEqual(["bob@example.org"]);
    expect(desk.mailed()).toEqual([]);

    desk.sandbox.sign(5001, "bob@example.org");
    await desk.also(WEEKLY);
    expect((await desk.outputs())["waitingFor"]).toEqual([]);
    expect(desk.mailed()).toEqual([]);
  });
});
